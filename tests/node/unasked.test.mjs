// SPDX-License-Identifier: MIT
// tests/node/unasked.test.mjs - columns that say whose a row is or who touched it are in no prompt of a question that is
// not about them, whatever the model wrote wrongly before; that rows are the asker's company's is said wherever a
// statement is written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { startRecorded } from './lib/recorded.mjs';

const path = tempPath('unasked.db');
const made = await run('sqlite3', [path], { cwd: '/tmp', input: `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, tenantKey TEXT, label TEXT, points INTEGER, broughtBy INTEGER, createdBy INTEGER, updatedBy INTEGER);
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, customer_id INTEGER); CREATE TABLE transactions (id INTEGER PRIMARY KEY, account_id INTEGER);
  INSERT INTO customers VALUES (1, 'acme', 'Anna', 12, 1, 4, 7), (2, 'acme', 'Ben', 6, 1, 4, 7), (3, 'globex', 'Cleo', 9, 2, 5, 8);` });
assert.equal(made.code, 0, made.stderr);

const RIGHT = 'SELECT SUM(points) AS n FROM customers', NAMES = /tenantKey|createdBy|updatedBy/;
const WRONG = 'SELECT SUM(points) AS n FROM customers WHERE colour = 7';
const model = await startRecorded(({ system }) => {
  const sql = model.requests.some(({ task }) => task !== 'intent') ? RIGHT : WRONG;
  if (system.includes('and write the'))
    return JSON.stringify({ route: 'SQL', sql, cannot: null, search: null });
  if (system.includes('You repair one'))
    return JSON.stringify({ sql, cannot: null });
  return system.includes('SELECT statement') ? `\`\`\`sql\n${sql}\n\`\`\`` : system.includes('summarise') ? 'SUMMARY: 18.\nCHART: metric' : 'It is 18.';
});
const askd = await startAskd({ database: path, env: { ...model.env, ASKD_TENANT_COLUMN: 'tenantKey', ASKD_SECURE_VIEWS: undefined, ASKD_SHARED_TABLES: 'accounts,transactions', SQL_CANDIDATES: '1', SQL_SAMPLE_ROWS: '2' } });

// The text of each prompt of a question that the model answers wrongly at first.
const sent = async (graph, question) => {
  model.requests.length = 0;
  const { data } = (await askd.ask(question, { conversation: newConversation(), options: { graph } })).complete();
  assert.deepEqual(data.rows, [[18]], graph);
  return model.requests.map(({ system, user }) => `${system}\n${user}`);
};

for (const graph of ['orchestrator', 'sql_agent', 'text_to_sql', 'banking']) {
  test(`${graph}: a correction offers no column that nobody asked about`, async () => {
    const prompts = await sent(graph, 'How many points do the customers have in all?');
    assert.ok(prompts.some(text => /does NOT exist.* Available columns in customers: id, label, points, broughtBy/.test(text)), prompts.join('\n'));
    for (const text of prompts) {
      assert.doesNotMatch(text, NAMES);
      assert.equal(text.includes("All rows are of the asker's own company already"), /SELECT statement/.test(text), text);
    }
  });

  test(`${graph}: a correction offers the column that is asked about`, async () => {
    const told = (await sent(graph, 'How many points do the customers have that user 7 updated?')).find(text => text.includes('does NOT exist'));
    assert.match(told, /Available columns in customers: id, label, points, broughtBy, updatedBy/);
    assert.doesNotMatch(told, /tenantKey|createdBy/);
  });
}
