// SPDX-License-Identifier: MIT
// tests/node/proofs.test.mjs - what is doubtful about a statement is proven by rows, on SQLite, PostgreSQL and MariaDB:
// where they prove it the model hears how many rows it is about; where they do not, nobody hears of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, sampleDatabase, startAskd, startMock } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';
import { createSamples } from './lib/servers.mjs';

const JOINED = 'FROM accounts a JOIN transactions t ON t.account_id = a.id';
// [what is asked, a statement, what the model hears of it]
const cases = [
  ['balances of accounts with transactions', `SELECT SUM(a.balance) AS b ${JOINED}`, /^\d+ rows of accounts are counted again in SUM\(a\.balance\)/],
  ['balances by type', `SELECT t.type AS kind, SUM(a.balance) AS b ${JOINED} GROUP BY t.type ORDER BY 2 DESC`, /^\d+ rows of accounts are counted again/],
  ['the balance of the account of transaction 1', `SELECT SUM(a.balance) AS b ${JOINED} WHERE t.id = 1`],
  ['the first type', 'SELECT type FROM transactions ORDER BY type LIMIT 1', /^LIMIT 1 gives one row, and at least one other has the same type/],
  ['number of accounts per bank customer, 0 where there are none', 'SELECT c.name, COUNT(*) AS n FROM customers c JOIN accounts a ON a.customer_id = c.id GROUP BY c.id, c.name', /^15 rows of customers that the question wants are left out/],
  ['number of transactions per account, 0 where there are none', 'SELECT c.id, COUNT(t.id) AS n FROM accounts c LEFT JOIN transactions t ON t.account_id = c.id GROUP BY c.id'],
  ['the type of the newest number', 'SELECT type FROM transactions ORDER BY id DESC LIMIT 1'],
];

// Places and work orders of a customer have nothing to do with each other: no question is about their pairs.
const wrong = ['places and orders of customers', 'SELECT COUNT(l.id) AS places, COUNT(o.id) AS orders FROM customer c JOIN "customerLocation" l ON l."customerId" = c.id JOIN "workOrder" o ON o."customerId" = c.id'];
const quoted = { sqlite: sql => sql, postgres: sql => sql, mysql: sql => sql.replaceAll('"', '`') };

const urls = { sqlite: `sqlite:${await sampleDatabase()}`, postgres: await createSamples('postgres', 'node_proofs_postgres'),
  mysql: await createSamples('mysql', 'node_proofs_mysql') };
const servers = {};
for (const [engine, url] of Object.entries(urls)) {
  const mock = await startMock([...[...cases, [wrong[0], quoted[engine](wrong[1])]].flatMap(([user, sql]) => ['translate', 'generate', 'correct', 'bankingSql'].map(task => line(task, `\`\`\`sql\n${sql}\n\`\`\``, { user }))),
    line('tables', '["accounts", "transactions"]'), line('intent', 'Sum it up.'), line('insight', 'SUMMARY: Here it is.\nCHART: metric'), line('respond', 'Here it is.'), line('answer', 'Here it is.')]);
  servers[engine] = await startAskd({ mock, env: { ASKD_DATABASE_URL: url, SQL_SAMPLE_ROWS: '0', SQL_CANDIDATES: '1' } });
}

for (const [engine, askd] of Object.entries(servers))
  test(`${engine}: a doubt is proven by rows, or dropped`, async () => {
    for (const [question, sql, heard] of cases) {
      let reason, warnings;
      // A proof has two seconds: on a busy machine one may prove nothing, and the doubt is told without its number.
      await until(() => `${sql}: ${reason}, ${warnings}`, async () => {
        const transcript = await askd.ask(question, { conversation: newConversation(), options: { graph: 'text_to_sql', detail: 'nodes' } });
        const { data, ...complete } = transcript.complete();
        assert.ok(data, sql);
        warnings = (complete.warnings ?? []).filter(text => !/^only the first/.test(text));
        [reason = ''] = transcript.of('retry').map(event => event.reason);
        return heard === undefined ? reason === '' : heard.test(reason);
      });
      assert.equal(warnings.length, heard === undefined ? 0 : 1, `${sql}: ${warnings}`);
    }
  });

for (const [engine, askd] of Object.entries(servers))
  test(`${engine}: pairs of what only has a third in common are believed of nobody`, async () => {
    let reasons;
    const transcript = await until(() => `${wrong[0]}: ${reasons}`, async () => { // as above
      const asked = await askd.ask(wrong[0], { conversation: newConversation(), options: { graph: 'text_to_sql', detail: 'nodes' } });
      reasons = asked.of('retry').map(event => event.reason);
      return reasons.length > 0 && reasons.every(reason => /^\d+ rows of customerLocation are counted again in COUNT\(l\.id\)/.test(reason)) && asked;
    });
    const complete = transcript.complete();
    assert.equal(complete.data, undefined);
    assert.match(complete.validation_errors[0], /customerLocation are counted again/);
  });

// What the model insists on is said before its words, with both figures where the statement has one alone.
const [BALANCE] = cases, BY_TYPE = cases[1];
for (const [engine, askd] of Object.entries(servers))
  test(`${engine}: the first words of an answer say that its figure counts rows again, and what it is without`, async () => {
    const ask = async ([question]) => {
      let transcript;
      await until(() => `${question}: ${transcript?.text}`, async () => { // a proof has two seconds
        transcript = await askd.ask(question, { conversation: newConversation(), options: { graph: 'text_to_sql' } });
        return /^Careful: /.test(transcript.text);
      });
      return transcript;
    };
    const { text } = await ask(BALANCE);
    const [, rows, once, figure] = text.match(/^Careful: (\d+) rows of accounts are counted again in the figures, once for each of transactions: each counted once it is ([\d.]+), not ([\d.]+)\.\n\nHere it is\.$/);
    const complete = (await ask(BALANCE)).complete();
    assert.ok(Math.abs(Number(complete.data.rows[0][0]) - Number(figure)) < 0.02, `${complete.data.rows[0][0]} is ${figure}`);
    assert.ok(Number(once) < Number(figure) && Number(rows) > 0, text);
    assert.ok(complete.warnings.some(warning => warning.includes(`each counted once it is ${once}, not ${figure}`)), complete.warnings.join());
    assert.match((await ask(BY_TYPE)).text, /^Careful: \d+ rows of accounts are counted again in the figures, once for each of transactions\.\n\nHere it is\.$/);
  });

for (const graph of ['text_to_sql', 'sql_agent', 'banking'])
  test(`${graph}: they are said in the language of whoever reads`, async () => {
    let text;
    await until(() => text, async () => { // a proof has two seconds
      const transcript = await servers.sqlite.ask(BALANCE[0], { conversation: newConversation(), headers: { 'accept-language': 'de' }, options: { graph } });
      const { summary, warnings } = transcript.complete();
      text = summary ?? transcript.text;
      return warnings?.length > 0 && text.includes('accounts');
    });
    assert.match(text, /^Vorsicht: \d+ Zeilen von accounts sind in den Zahlen mehrfach gezählt, einmal für jede von transactions: jede einmal gezählt ist es [\d.]+, nicht [\d.]+\.\s+Here it is\.$/);
  });
