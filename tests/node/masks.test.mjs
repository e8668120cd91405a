// SPDX-License-Identifier: MIT
// tests/node/masks.test.mjs - columns that a policy or the semantic file masks or keeps private, over HTTP: what a
// caller gets, and that no prompt holds a value of theirs, on each engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';
import { createDatabase } from './lib/servers.mjs';

const SQL = `CREATE TABLE person(id INTEGER PRIMARY KEY, name VARCHAR(40), email VARCHAR(60), phone VARCHAR(40), iban VARCHAR(40), nick VARCHAR(40));
INSERT INTO person VALUES (1, 'Anna', 'canary.anna@example.com', 'canary-5551234', 'canary-DE0042', 'canary-nick');
INSERT INTO person VALUES (2, 'Ben', 'canary.ben@example.com', 'canary-5559876', 'canary-DE0043', 'canary-nack');\n`;
const databases = {
  sqlite: async () => {
    const path = tempPath('masks.db');
    const made = await run('sqlite3', [path], { cwd: '/tmp', input: SQL });
    assert.equal(made.code, 0, made.stderr);
    return `sqlite:${path}`;
  },
  postgres: () => createDatabase('postgres', 'node_masks', [{ sql: SQL }]),
  mysql: () => createDatabase('mysql', 'node_masks', [{ sql: SQL }]),
};
const fileOf = (name, content) => {
  const path = tempPath(name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};
const open = { allow_with: true, allow_set_operations: true, allow_recursive: 'bounded', whole_row_reference: 'visible' };
const policies = fileOf('mask-policies.json', {
  policies: { clerk: { ...open, columns: { person: { phone: 'last4', email: 'domain' } } }, lawyer: { ...open, columns: { person: { iban: 'private', phone: 'private' } } } },
  serve: { graphs: { sql_agent: 'clerk', text_to_sql: 'lawyer' } },
  mask_key: 'sixteen bytes or more',
});
const semantic = fileOf('mask-semantic.json', {
  version: 1, tables: { person: { columns: { iban: { access: 'private' }, nick: { access: 'hash' } } } },
});

const says = sql => '```sql\n' + sql + '\n```';
const statements = {
  masked: 'SELECT name, phone, email FROM person ORDER BY id',
  star: 'SELECT * FROM person ORDER BY id',
  guessed: "SELECT count(*) FROM person WHERE phone = 'canary-5551234' OR email LIKE 'canary%'",
  iban: 'SELECT iban FROM person ORDER BY id',
  // what a model may see of each: the columns that no private value is in
  mixed: "SELECT name, iban, UPPER(name) AS whom FROM person WHERE phone <> 'none' ORDER BY id",
  counted: 'SELECT name, COUNT(iban) AS n, MIN(iban) AS least FROM person GROUP BY name ORDER BY name',
  nested: 'SELECT x.name, x.i FROM (SELECT name, iban AS i FROM person) x ORDER BY 1',
};
const seen = { mixed: '["Anna","(private)","ANNA"]', counted: '["Anna",1,"(private)"]', nested: '["(private)","(private)"]' };
const leaks = stage => ({ ...line(stage, 'LEAK'), match: 'canary' });
const script = [
  // The questions name no value, so that a value in a prompt is one that askd put there. A model's own statement is
  // in the prompts of the second one.
  ...['tables', 'generate', 'correct', 'answer', 'translate', 'respond'].map(leaks),
  line('classify', 'SQL'), line('tables', '["person"]'),
  ...Object.entries(statements).filter(([name]) => name !== 'guessed').flatMap(([name, sql]) => [
    line('generate', says(sql), { user: `the ${name} one` }), line('correct', says(sql), { user: `the ${name} one` }),
    line('translate', says(sql), { user: `the ${name} one` })]),
  ...Object.entries(seen).map(([name, row]) => ({ ...line('respond', `Seen: ${name}.`, { user: `the ${name} one` }), match: row })),
  line('answer', 'Here it is.'), line('respond', 'Here it is.'),
];
const guessing = [
  line('classify', 'SQL'), line('tables', '["person"]'), line('generate', says(statements.guessed)), line('correct', says(statements.guessed)),
  line('answer', 'Here it is.'),
];

const env = { ASKD_POLICIES: policies, ASKD_SEMANTIC: semantic, ASKD_SECURE_VIEWS: '', ASKD_TENANT_COLUMN: '', ASKD_TENANCY: 'off', SQL_SAMPLE_ROWS: '2' };
const served = [];
for (const [engine, make] of Object.entries(databases)) {
  const url = await make();
  served.push([engine,
    await startAskd({ mock: await startMock(script), env: { ...env, ASKD_DATABASE_URL: url } }),
    await startAskd({ mock: await startMock(guessing), env: { ...env, ASKD_DATABASE_URL: url } })]);
}

for (const [engine, askd, guesser] of served) {
  const ask = (name, graph, server = askd) => server.ask(`Show the ${name} one.`, { conversation: newConversation(), options: { graph, detail: 'debug' } });
  const cells = transcript => transcript.complete().data.rows;

  test(`${engine}: a masked column is masked in rows, prompts and samples`, async () => {
    const transcript = await ask('masked', 'sql_agent');
    assert.deepEqual(cells(transcript), [['Anna', '****1234', '***@example.com'], ['Ben', '****9876', '***@example.com']]);
    assert.doesNotMatch(transcript.raw, /canary|LEAK/);
    const star = await ask('star', 'sql_agent');
    const [id, name, email, phone, nick] = cells(star)[0];
    assert.deepEqual([Number(id), name, email, phone], [1, 'Anna', '***@example.com', '****1234'], 'the private one is not there');
    assert.match(nick, /^[0-9a-f]{16}$/);
    assert.doesNotMatch(star.raw, /canary|LEAK/);
  });

  test(`${engine}: a guess is not confirmed`, async () => {
    assert.deepEqual(cells(await ask('guessed', 'sql_agent', guesser)).map(row => row.map(Number)), [[0]]);
  });

  test(`${engine}: a private column is in the caller's rows alone, where a policy gives it`, async () => {
    const given = await ask('iban', 'text_to_sql');
    assert.deepEqual(cells(given), [['canary-DE0042'], ['canary-DE0043']]);
    assert.doesNotMatch(given.raw, /LEAK/);
    for (const name of Object.keys(seen)) {
      const one = await ask(name, 'text_to_sql');
      assert.equal(cells(one).length, 2);
      assert.match(one.text, new RegExp(`^Seen: ${name}`), one.raw);
      assert.doesNotMatch(one.raw, /LEAK/);
    }
    const refused = await ask('iban', 'sql_agent');
    assert.equal(refused.check().last.event, 'error');
    assert.doesNotMatch(refused.raw, /canary|LEAK/);
  });
}
