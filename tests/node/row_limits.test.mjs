// SPDX-License-Identifier: MIT
// tests/node/row_limits.test.mjs - a result that is cut says so, with the number of all rows, at every door;
// a long row is no empty result; what an engine or a peer says stays inside.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const ROWS = 3338;
const path = tempPath('rows.db');
const made = await run('sqlite3', [path], { cwd: '/tmp', input: `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT, created_at TEXT);
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), account_number TEXT, balance REAL, created_at TEXT);
  CREATE TABLE transactions (id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES accounts (id), type TEXT, amount REAL, created_at TEXT);
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
    INSERT INTO transactions SELECT i, i, 'debit', i, '2025-06-01' FROM n;
  CREATE TABLE report (id INTEGER PRIMARY KEY, title TEXT, body TEXT);
  INSERT INTO report VALUES (1, 'Short', 'brief'), (2, 'Monthly', replace(hex(zeroblob(70000)), '00', 'yy'));
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
    INSERT INTO customers SELECT i, 'CANARY-' || i, replace(hex(zeroblob(4000)), '00', '\\"'), '2025-01-01' FROM n;` });
assert.equal(made.code, 0, made.stderr);

const sql = text => '```sql\n' + text + '\n```';
const bank = (word, statement, prompt = '') => [
  line('bankingSql', sql(statement), { user: word }),
  line('insight', 'SUMMARY: Many.\nCHART: table', { user: prompt }),
];
const ALL = 'SELECT id, amount FROM transactions';
const agent = (word, table, statement, prompt = word) => [
  line('tables', `["${table}"]`, { user: word }), line('generate', sql(statement), { user: word }),
  line('correct', sql(statement), { user: word }), line('answer', 'An answer.', { user: prompt }),
];
const mock = await startMock([
  line('classify', 'GENERAL', { user: 'THE-LAST-QUESTION' }), line('general', 'The last one was heard.', { user: 'THE-LAST-QUESTION' }),
  line('general', 'An old one was heard.'),
  line('generate', sql('SELECT id, amount FROM transactions WHERE id < 9'), { user: 'half a statement', fault: 'length-4' }),
  line('tables', '["transactions"]', { user: 'half' }),
  line('generate', sql('SELECT COUNT(*) FROM transactions'), { user: 'half an answer' }),
  line('answer', 'There are very many of them indeed.', { user: 'half an answer', fault: 'length-3' }),
  line('intent', 'Everything.'),
  ...bank('all of them', ALL, 'Rows in all: 3338, cut off: true (the first 50 of 3338 are here)'),
  ...agent('every payment', 'transactions', ALL, 'Rows in all: 3338, cut off: true (the first 50 of 3338 are here)'),
  ...agent('the reports', 'report', 'SELECT * FROM report', 'yyyy... (140000 characters)'),
  ...agent('the letters', 'customers', 'SELECT * FROM customers'),
  ...agent('the canary', 'customers', "SELECT count(*) FROM customers WHERE id = 7 AND json_extract('{}', name) IS NULL"),
]);
const start = env => startAskd({ mock, database: path, env: { ASKD_TENANT_COLUMN: undefined, ASKD_SECURE_VIEWS: undefined, ...env } });
const askd = await start({});
const askFor = (server, message, graph = 'sql_agent') =>
  server.ask(message, { conversation: newConversation(), options: { graph } });

test('a statement of a graph is cut: all rows are counted, and everybody is told', async () => {
  const { data, warnings } = (await askFor(askd, 'Show every payment')).complete();
  assert.deepEqual([data.row_count, data.rows.length, data.truncated, data.total_rows], [100, 100, true, ROWS]);
  assert.match(warnings.join('\n'), /only the first 100 of 3338 rows are here/);
});

test('/ask is cut: five keys, and the number of all rows', async () => {
  const answer = await (await askd.post('/ask', { query: 'Show all of them' })).json();
  assert.equal(Object.keys(answer).length, 5);
  const { data, row_count, truncated, total_rows } = answer.execution_result;
  assert.deepEqual([data.length, row_count, truncated, total_rows], [100, 100, true, ROWS]);
});

test('MAX_QUERY_ROWS is the one limit, below and above its default', async () => {
  for (const [most, limit] of [[5, 'LIMIT 6'], [2500, 'LIMIT 2501']]) {
    const other = await start({ MAX_QUERY_ROWS: String(most) });
    const complete = (await askFor(other, 'Show every payment')).complete();
    assert.deepEqual([complete.data.row_count, complete.data.total_rows], [most, ROWS]);
    assert.ok(complete.sql.includes(most === 5 ? limit : 'LIMIT 2500'), complete.sql);
    const bankRows = await (await other.post('/ask', { query: 'Show all of them' })).json();
    assert.deepEqual([bankRows.execution_result.row_count, bankRows.execution_result.total_rows], [most, ROWS]);
    await other.stop();
  }
});

test('a long row is no empty result', async () => {
  const { data, answer } = (await askFor(askd, 'Show the reports')).complete();
  assert.equal(data.row_count, 2);
  assert.equal(data.truncated, false);
  assert.equal(data.rows[1][2].length, 140000, 'the caller gets it whole');
  assert.notEqual(answer, '');
});

test('a result near the limit of bytes is answered: what does not fit is left out and said', async () => {
  const large = await start({ MAX_QUERY_ROWS: '900' });
  const { data, warnings } = (await askFor(large, 'Show the letters')).complete();
  assert.equal(data.truncated, true);
  assert.equal(data.total_rows, 900);
  assert.ok(data.row_count > 100 && data.row_count < 900, String(data.row_count));
  assert.match(warnings.join('\n'), /only the first \d+ of 900 rows are here/);
  await large.stop();
});

test('an engine that quotes a row is not quoted', async () => {
  const transcript = await askFor(askd, 'Find the canary');
  assert.doesNotMatch(JSON.stringify(transcript), /CANARY/);
  assert.match(transcript.error('sql_failed').message, /could not compute an expression/);
});

test('half a statement is none, and half an answer says so', async () => {
  const error = (await askFor(askd, 'Ask half a statement')).error('model_rejected');
  assert.match(error.message, /too long for the model/);
  const transcript = await askFor(askd, 'Ask half an answer');
  assert.match(transcript.complete().warnings.join('\n'), /the answer is cut/);
});

test('the question is sent, however many messages are remembered', async () => {
  const server = await start({ MAX_CONVERSATION_MESSAGES: '1000' });
  const messages = Array.from({ length: 400 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `message ${i}` }));
  const answer = await (await server.post('/v1/chat/completions', {
    model: 'general_agent', messages: [...messages, { role: 'user', content: 'THE-LAST-QUESTION' }],
  })).json();
  assert.equal(answer.choices?.[0].message.content, 'The last one was heard.', JSON.stringify(answer));
  await server.stop();
});
