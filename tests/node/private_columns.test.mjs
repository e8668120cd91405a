// SPDX-License-Identifier: MIT
// tests/node/private_columns.test.mjs - a column that one mark alone keeps from models, whatever its name: no prompt of
// any graph has a value of it, also where a statement was wrong, two are decided between, or rows are remembered.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { newConversation, startAskd, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { startRecorded } from './lib/recorded.mjs';

const path = tempPath('private-columns.db');
const made = await run('sqlite3', [path], { cwd: '/tmp', input: `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, colour TEXT, kind TEXT);
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, customer_id INTEGER); CREATE TABLE transactions (id INTEGER PRIMARY KEY, account_id INTEGER);
  INSERT INTO customers VALUES (1, 'Anna', 'canary red', 'old'), (2, 'Ben', 'canary blue', 'new'), (3, 'Cleo', 'canary red', 'old');` });
assert.equal(made.code, 0, made.stderr);
let files = 0;
const fileOf = (name, content) => {
  const file = tempPath(`${name}-${++files}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
};
const inSemantic = column => ({ ASKD_SEMANTIC: fileOf('private-semantic', { version: 1, tables: { customers: { columns: { colour: column } } } }) });
const inPolicy = access => ({ ASKD_POLICIES: fileOf('private-policies', { policies: { clerk: { allow_with: true, allow_set_operations: true, columns: { customers: { colour: access } } } }, serve: { graphs: { '*': 'clerk' } } }) });
// asked: what the statement shows beside the name; unreadable: nobody may have the column in rows.
const marks = { 'pii of the semantic file': { env: inSemantic({ pii: true }), asked: 'kind' },
  'private in the semantic file': { env: inSemantic({ access: 'private' }), asked: 'colour', unreadable: true }, 'hidden in the semantic file': { env: inSemantic({ access: 'hidden' }), asked: 'colour', unreadable: true },
  'private in a policy': { env: inPolicy('private'), asked: 'colour' }, 'hidden in a policy': { env: inPolicy('hidden'), asked: 'colour', unreadable: true } };

const start = async ({ env, asked }) => {
  // What is no column first, then a text that is nearly a value of the private column, then the rows.
  const statements = ['SELECT nowhere FROM customers', "SELECT COUNT(*) AS n FROM customers WHERE colour = 'canari red'", `SELECT name, ${asked} FROM customers ORDER BY id`];
  const model = await startRecorded(({ task, system, user }) => {
    const tried = model.requests.filter(one => !['intent', 'table_selection'].includes(one.task)).length;
    const sql = statements[Math.min(tried, 2)];
    switch (task) {
    case 'classify_whole': return JSON.stringify({ route: 'SQL', sql, cannot: null, search: null });
    case 'table_selection': return '{"tables": ["customers"]}';
    case 'sql_correction': return JSON.stringify({ sql, cannot: null });
    case 'sql_decision': return '{"choice": 1}';
    case 'insight': return 'SUMMARY: Here they are.\nCHART: table';
    default: return system.includes('SELECT statement') ? `\`\`\`sql\n${sql}\n\`\`\`` : user && 'Here they are.';
    }
  });
  return { model, askd: await startAskd({ database: path, env: { ...model.env, ...env, ASKD_SECURE_VIEWS: undefined, ASKD_SHARED_TABLES: undefined, ASKD_TENANT_COLUMN: '', SQL_CANDIDATES: '0', SQL_SAMPLE_ROWS: '3' } }) };
};
const served = [];
for (const [mark, one] of Object.entries(marks))
  served.push([mark, one, await start(one)]);

for (const [mark, { asked, unreadable }, { model, askd }] of served)
  test(`${mark}: no prompt has a value`, async () => {
    for (const graph of ['orchestrator', 'sql_agent', 'text_to_sql', 'banking']) {
      const conversation = newConversation();
      for (const question of ['Which colour does each of the customers have?', 'And which of them are red?']) {
        model.requests.length = 0;
        const transcript = await askd.ask(question, { conversation, options: { graph } });
        const complete = transcript.of('complete')[0];
        assert.ok(model.requests.length > 2, `${graph} was corrected`);
        for (const { task, body } of model.requests)
          assert.doesNotMatch(JSON.stringify(body), /canary (red|blue)/, `${graph}: ${task}`);
        if (unreadable)
          assert.doesNotMatch(transcript.raw, /canary (red|blue)/, graph);
        else if (complete?.data?.columns.length === 2)
          assert.match(JSON.stringify(complete.data.rows), asked === 'kind' ? /"Anna","old"/ : /"Anna","canary red"/, graph);
      }
    }
  });
