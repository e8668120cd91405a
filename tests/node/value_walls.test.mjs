// SPDX-License-Identifier: MIT
// tests/node/value_walls.test.mjs - a value that only another company has is a word like one that nobody has: in
// answers, in what is asked back, in reasons and in the second look, on each engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';
import { createDatabase } from './lib/servers.mjs';

// client and deal have the column; line belongs to a company by its deal; the third and the fourth company
// make "open" a word of all.
const rows = ['acme', 'globex', 'initech', 'umbrella'].map((company, i) => {
  const own = { acme: ['Anvil', 'Lyon', 'Fence', 'oak'], globex: ['Zorblax', 'Xanadu', 'Kryptonite', 'obsidian'] }[company] ?? [`C${i}`, `T${i}`, `D${i}`, `W${i}`];
  return `INSERT INTO client VALUES (${i + 1}, '${company}', '${own[0]}', '${own[1]}');
INSERT INTO deal VALUES (${i + 1}, '${company}', ${i + 1}, '${own[2]}', 'open', 10), (${i + 11}, '${company}', ${i + 1}, '${own[1]}', '${i === 1 ? 'frozen' : 'won'}', 20);
INSERT INTO line VALUES (${i + 1}, ${i + 1}, '${own[3]}');`;
}).join('\n');
const SQL = `CREATE TABLE client(id INTEGER PRIMARY KEY, "companyId" VARCHAR(20), name VARCHAR(40), city VARCHAR(40));
CREATE TABLE deal(id INTEGER PRIMARY KEY, "companyId" VARCHAR(20), client_id INTEGER REFERENCES client(id), title VARCHAR(40), stage VARCHAR(20), amount INTEGER);
CREATE TABLE line(id INTEGER PRIMARY KEY, deal_id INTEGER REFERENCES deal(id), material VARCHAR(40));
${rows}\n`;

const databases = {
  sqlite: async () => {
    const path = tempPath('walls.db');
    const made = await run('sqlite3', [path], { cwd: '/tmp', input: SQL });
    assert.equal(made.code, 0, made.stderr);
    return `sqlite:${path}`;
  },
  postgres: () => createDatabase('postgres', 'node_value_walls', [{ sql: SQL }]),
  mysql: () => createDatabase('mysql', 'node_value_walls', [{ sql: SQL.replaceAll('"companyId"', 'companyId') }]),
};

// A word of globex, and one of nobody, in the same place.
const pairs = [
  ['How many deals does Zorblax have?', 'Zorblax', 'Zorbloo'],
  ['How many deals are frozen?', 'frozen', 'frozzen'],
  ['List the clients in Xanadu', 'Xanadu', 'Xanabu'],
  ['Deals of the client Kryptonite', 'Kryptonite', 'Kriptonite'],
  ['How many obsidian lines are there?', 'obsidian', 'obsibian'],
  ['Show Xanadu', 'Xanadu', 'Xanabu'], // a city and a title to globex: it is asked back
];
// What is said, without what takes time and without the word.
const said = (transcript, word) => {
  const { run_id: run, conversation_id: conversation, stats, ...complete } = transcript.complete();
  return JSON.stringify({ text: transcript.text, complete }).replace(/"execution_time_seconds":[\d.e-]+/g, '').replaceAll(new RegExp(word, 'gi'), 'WORD');
};

const says = word => `\`\`\`sql\nSELECT title FROM deal WHERE stage = '${word}'\n\`\`\``;
const model = await startMock([line('tables', '["deal"]'), line('generate', says('frozen'), { user: 'frozen' }),
  line('generate', says('frozzen'), { user: 'frozzen' }), line('answer', 'Nothing.'),
  line('correct', says('frozen'), { user: 'frozen' }), line('correct', says('frozzen'), { user: 'frozzen' })]);

// All servers first: a test file whose tests are over is cleaned up.
const servers = {};
for (const [engine, make] of Object.entries(databases)) {
  const env = { ASKD_DATABASE_URL: await make(), ASKD_SECURE_VIEWS: undefined, SQL_SAMPLE_ROWS: '0' };
  servers[engine] = { askd: await startAskd({ env }), other: await startAskd({ mock: model, env }) };
}

for (const [engine, { askd, other }] of Object.entries(servers)) {
  const ask = (message, company) => askd.ask(message, { conversation: { ...newConversation(), company_id: company } });

  test(`${engine}: another company's words are nobody's`, async () => {
    for (const [message, theirs, nobodys] of pairs) {
      const other = said(await ask(message, 'acme'), theirs);
      assert.equal(other, said(await ask(message.replace(theirs, nobodys), 'acme'), nobodys), message);
      assert.doesNotMatch(other, /Zorblax|Kryptonite|obsidian/);
    }
  });

  test(`${engine}: one's own are words, and what many have is everybody's`, async () => {
    assert.match((await ask('How many deals are frozen?', 'globex')).text, /^There is 1 deal/);
    assert.match((await ask('How many deals does Zorblax have?', 'globex')).text, /^There are 2 deals/);
    assert.match((await ask('How many obsidian lines are there?', 'globex')).text, /^There is 1 line/);
    assert.match((await ask('How many oak lines are there?', 'acme')).text, /^There is 1 line/);
    for (const company of ['acme', 'globex', 'umbrella', 'nobody'])
      assert.match((await ask('How many deals are open?', company)).text, company === 'nobody' ? /^There are 0 deals/ : /^There is 1 deal/, company);
  });

  test(`${engine}: nor does the doubt about a value tell, nor the second look`, async () => {
    const asked = async word => said(await other.ask(`Deals that are ${word}`, {
      conversation: { ...newConversation(), company_id: 'acme' }, options: { graph: 'sql_agent', detail: 'nodes' } }), word);
    assert.equal(await asked('frozen'), await asked('frozzen'));
  });
}
