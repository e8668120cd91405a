// SPDX-License-Identifier: MIT
// tests/node/rivals.test.mjs - a question with several readings is answered where all have the same rows, and
// asked back where they do not: each reading's statement passes the guard and runs; and so does one that shows
// whether others share the first place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, tempPath } from './lib/harness.mjs';
import { run } from './lib/process.mjs';

const QUESTION = 'Revenue by country';
const path = tempPath('rivals.db');
const change = async sql => assert.equal((await run('sqlite3', [path, sql])).code, 0);
await change(`
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL);
  CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id),
    billing_country TEXT NOT NULL, invoice_date TEXT NOT NULL, total NUMERIC NOT NULL);
  INSERT INTO customers VALUES (1, 'Ada', 'Norway'), (2, 'Ben', 'Chile'), (3, 'Cid', 'Norway');
  INSERT INTO invoices VALUES (1, 1, 'Norway', '2025-01-04', 12.5), (2, 2, 'Chile', '2025-02-11', 40.25),
    (3, 3, 'Norway', '2025-03-02', 7), (4, 2, 'Chile', '2025-04-09', 3.1);`);
const env = {
  ASKD_DATABASE_URL: `sqlite:${path}`, ASKD_SECURE_VIEWS: undefined, ASKD_TENANT_COLUMN: undefined, ASKD_SHARED_TABLES: undefined,
};
const askd = await startAskd({ env });

test('readings with the same rows are one', async () => {
  const conversation = newConversation();
  const transcript = await askd.ask(QUESTION, { conversation });
  const { clarify, abstained, data } = transcript.complete();
  assert.equal(clarify, undefined, transcript.text);
  assert.equal(abstained, undefined);
  assert.deepEqual(data.rows, [['Chile', 43.35], ['Norway', 19.5]]);
  assert.match(transcript.text, /Chile 43\.35, Norway 19\.50\./);
  const after = (await askd.ask('and in February 2025?', { conversation })).complete();
  assert.deepEqual(after.data?.rows, [['Chile', 40.25]], JSON.stringify(after));
});

test('readings with other rows are asked back, with nothing of a statement', async () => {
  await change(`UPDATE invoices SET billing_country = 'Peru' WHERE id = 4`);
  const conversation = newConversation();
  const open = (await askd.ask(QUESTION, { conversation })).complete();
  assert.equal(open.clarify.options.length, 2);
  assert.ok(open.abstained);
  for (const name of ['sql', 'data', 'tables', 'chart', 'notes'])
    assert.equal(open[name], undefined, name);
  const places = [];
  for (const choice of ['1', '2']) {
    const other = newConversation();
    await askd.ask(QUESTION, { conversation: other });
    places.push((await askd.ask(choice, { conversation: other })).complete().data.rows.map(row => row[0]));
  }
  assert.deepEqual(places.map(names => names.includes('Peru')).sort(), [false, true]);
});

test('who comes first may be the same by chance', async () => {
  await change(`UPDATE invoices SET billing_country = 'Chile' WHERE id = 4`);
  const open = (await askd.ask('Which country has the highest revenue?')).complete();
  assert.equal(open.clarify.options.length, 2);
});

test('that others share the first place is said', async () => {
  const shared = (await askd.ask('Which customer has the fewest invoices?')).complete();
  assert.equal(shared.data.rows.length, 1);
  assert.deepEqual(shared.warnings, ['others share the first place with what is shown']);
  const alone = (await askd.ask('Which customer has the most invoices?')).complete();
  assert.deepEqual(alone.warnings ?? [], []);
});

test('where a person approves statements, none runs to find out', async () => {
  const careful = await startAskd({ env: { ...env, ASKD_SQL_APPROVAL: 'always' } });
  const open = (await careful.ask(QUESTION)).complete();
  assert.equal(open.clarify.options.length, 2);
});
