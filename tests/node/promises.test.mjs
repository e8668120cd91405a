// SPDX-License-Identifier: MIT
// tests/node/promises.test.mjs - small promises of docs/requirements.md that only the whole program
// can keep: what the log says of a retry and of a store that is away, what is read once, how many
// tables are looked at, whose day "today" is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { askdCommand, newConversation, sampleDatabase, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const sql = text => '```sql\n' + text + '\n```';
const others = ['SELECT COUNT(*) FROM employee', 'SELECT (SELECT COUNT(*) FROM employee) AS n FROM customers', 'SELECT name FROM customers JOIN employee ON employee.id = customers.id'];
const sample = await sampleDatabase();
const wide = tempPath('wide.db'); // more than a prompt shows whole, so that tables are chosen
const names = Array.from({ length: 60 }, (_, i) => `item${i + 10}`);
const db = new DatabaseSync(wide);
for (const name of names)
  db.exec(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY, label TEXT, ssn TEXT, email TEXT, colour TEXT, weight_in_kilograms INTEGER, remark_of_the_keeper TEXT);
    INSERT INTO ${name} VALUES (1, 'label of ${name}', '123-45-6789', 'ann@example.com', 'red', 5, 'none')`);
db.close();
const mock = await startMock([
  ...others.flatMap((text, i) => [line('intent', `other ${i}.`, { user: `other ${i}.` }), line('bankingSql', sql(text), { user: `other ${i}.` })]),
  line('intent', 'Count.'), line('bankingSql', sql('SELECT COUNT(*) FROM users'), { times: 1 }), line('bankingSql', sql('SELECT COUNT(*) FROM customers')),
  line('insight', 'SUMMARY: Here.\nCHART: metric'),
  line('classify', 'SQL', { user: 'All' }), line('tables', JSON.stringify(names.slice(0, 12))),
  line('generate', sql('SELECT COUNT(*) AS n FROM item10'), { user: 'All items' }), line('generate', sql('SELECT COUNT(*) AS n FROM employee')),
  line('answer', 'Here.'), line('classify', 'GENERAL'), line('general', 'Hello.'),
]);
const askd = await startAskd({ mock, env: { ASKD_LOG_LEVEL: 'debug' } });
const debug = { options: { detail: 'debug' } };

test('a retry is a warning in the log, with its count and its error', async () => {
  const transcript = await askd.ask('How many users?', { path: '/internal/graphs/banking/stream', ...debug });
  transcript.complete();
  await until('it is logged', () => /WARN\W+graph\.retry .*budget=retry used=1 limit=2 reason="[^"]*users/i.test(askd.child.stderr));
});

test('a log that is to have no content has none of a retry either', async () => {
  const quiet = await startAskd({ mock, env: { ASKD_LOG_LEVEL: 'info' } });
  await quiet.ask('other 0.', { path: '/internal/graphs/banking/stream' });
  await until('it is logged', () => /graph\.retry .*used=2 limit=2/.test(quiet.child.stderr));
  assert.doesNotMatch(quiet.child.stderr, /reason="[^"]*employee/);
  await quiet.stop();
});

test('the bank has three tables', async () => {
  for (let i = 0; i < others.length; i++) {
    const transcript = await askd.ask(`other ${i}.`, { path: '/internal/graphs/banking/stream' });
    assert.equal(transcript.check().last.code, 'sql_rejected', others[i]);
  }
});

test('eight tables at most are looked at, of however many a model names, with a row of each', async () => {
  const small = await startAskd({ mock, database: wide, env: { ASKD_TENANT_COLUMN: undefined, ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined } });
  const { raw } = await small.ask('All items, please.', debug);
  const states = [...raw.matchAll(/data: (\{"event":"state".*\})/g)].map(found => JSON.parse(found[1]));
  const chosen = states.find(one => one.node === 'sql_agent/table_selector').fields.tables;
  assert.equal(chosen.length, 8, raw);
  const samples = states.map(one => one.fields.samples).filter(Boolean).join();
  assert.match(samples, /label of item10/);
  assert.doesNotMatch(samples, /ssn|\d{3}-\d\d-\d{4}|@/i, 'nothing that is private');
  const retrieved = await small.ask('All items, please.', { path: '/internal/graphs/text_to_sql/stream', ...debug });
  const info = [...retrieved.raw.matchAll(/data: (\{"event":"state".*\})/g)].map(found => JSON.parse(found[1]).fields.database_info).find(Boolean);
  assert.ok(info.match(/^## /gm).length <= 10, info);
  await small.stop();
});

test('a store has the time of each step, and a write-ahead log; one that cannot be read is warned of, and the turn goes on', async () => {
  const path = tempPath('broken.db'), conversation = newConversation();
  const one = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${path}` } });
  (await one.ask('All tables, please.', { conversation, options: { detail: 'nodes' } })).complete();
  const kept = await (await one.fetch(`/internal/conversations/${conversation.id}?company_id=acme&user_id=user-1`)).json();
  const { steps } = kept.messages.at(-1).details;
  assert.ok(steps.length > 1 && steps.every(step => typeof step.ms === 'number'), JSON.stringify(steps));
  await one.stop();
  const two = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${path}`, ASKD_DRAIN_TIMEOUT_SECONDS: '1' } });
  const file = new DatabaseSync(path);
  file.exec('PRAGMA busy_timeout = 10000');
  assert.equal(file.prepare('PRAGMA journal_mode').get().journal_mode, 'wal');
  for (const { name } of file.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all())
    file.exec(`ALTER TABLE "${name}" RENAME TO "away_${name}"`);
  file.close();
  const again = await two.ask('Hello again.', { conversation });
  again.complete();
  await until('it is warned of', () => /warn\W+conversation\.not_loaded/.test(two.child.stderr));
  await two.stop();
});

test('the join graph is read once, and not for each question', async () => {
  const path = tempPath('joins.json');
  const made = await askdCommand(['joins', 'introspect', '--db', `sqlite:${sample}`, '--out', path]);
  assert.equal(made.code, 0, made.stderr);
  const one = await startAskd({ mock, env: { ASKD_JOIN_GRAPH: path } });
  rmSync(path);
  (await one.ask('All tables, please.')).complete();
  assert.equal((await one.fetch('/readyz')).status, 200);
  await one.stop();
});

test('whose day "today" is says TZ', async () => {
  const days = [];
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) { // 25 hours apart: never one day
    const there = await startAskd({ env: { ASKD_TODAY: undefined, TZ: zone } });
    const { sql: said } = (await there.ask('How many work orders were created today?')).complete();
    days.push(said.match(/\d{4}-\d\d-\d\d/)?.[0]);
    await there.stop();
  }
  assert.ok(days[0] > days[1], String(days));
});
