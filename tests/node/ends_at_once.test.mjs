// SPDX-License-Identifier: MIT
// tests/node/ends_at_once.test.mjs - many runs of one user that end at once on two servers of a PostgreSQL store: a
// schedule that comes after them comes after each, once; and what an end costs that store.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAskd } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { administer, createDatabase } from './lib/servers.mjs';

const RUNS = 120, USER = { company_id: 'acme', user_id: 'lea' };
const url = await createDatabase('postgres', 'ends_at_once');
const env = { ASKD_CHECKPOINT_URL: url, ASKD_EVENTS_URL: url, ASKD_MAX_RUNS: '200', ASKD_COMPANY_SHARE: '100' };
const servers = await Promise.all([startAskd({ env }), startAskd({ env })]);
after(() => Promise.all(servers.map(server => server.stop())));

const sql = text => administer('postgres', 'ends_at_once', text);
const ask = async (i, graph) => {
  const response = await servers[i % 2].post(`/internal/graphs/${graph}/invoke`,
    { input: { message: 'How many work orders are there?' }, conversation: { id: `c-${graph}-${i}`, ...USER } });
  assert.equal(response.status, 200, await response.text());
};
const begun = async () => {
  const found = await sql(`SELECT count(*), count(DISTINCT idempotency_key) FROM askd_store.runs WHERE caller = 'lea' AND idempotency_key <> ''`);
  return found.split('\t').map(Number);
};

test('none is passed over and none is taken twice', async t => {
  const made = await servers[0].post('/internal/schedules',
    { input: { message: 'How many employees are there?' }, conversation: USER, after: { graph: 'text_to_sql', status: 'complete' } });
  assert.equal(made.status, 201, await made.text());
  await Promise.all(Array.from({ length: RUNS }, (_, i) => ask(i, 'text_to_sql')));
  const ends = async () => (await sql(`SELECT count(*), count(DISTINCT changed_ms) FROM askd_store.runs
    WHERE caller = 'lea' AND graph = 'text_to_sql' AND idempotency_key = '' AND status > 1`)).split('\t').map(Number);
  await until('the store has all their ends', async () => (await ends())[0] === RUNS); // an answer may be told before
  assert.deepEqual(await ends(), [RUNS, RUNS], 'each end is behind all before it');
  await until('each has been come after', async () => (await begun())[0] >= RUNS);
  // A last one: what was taken before it has been dealt with when it is taken.
  await ask(RUNS, 'text_to_sql');
  await until('the last, too', async () => (await begun())[0] >= RUNS + 1);
  assert.deepEqual(await begun(), [RUNS + 1, RUNS + 1]);
  t.diagnostic(`${RUNS} runs on two servers, ${RUNS} more behind them`);
});

// Said, not judged: an end while its user has a schedule, and while the user has none.
test('what an end costs', async t => {
  const cost = async user => sql(`DO $$ DECLARE t0 timestamptz := clock_timestamp(); BEGIN FOR i IN 1..1000 LOOP
      PERFORM askd_store.v8_end('acme'::bytea, '${user}'::bytea); END LOOP; RAISE EXCEPTION 'ms %', extract(milliseconds FROM clock_timestamp() - t0); END $$`)
    .then(() => undefined, error => Number(/ms ([\d.]+)/.exec(error.message)?.[1]));
  for (const [what, user] of [['with a schedule', 'lea'], ['without', 'nobody']]) {
    const ms = await cost(user);
    assert.ok(ms > 0);
    t.diagnostic(`1,000 ends ${what}: ${ms.toFixed(1)} ms in the server, in the round trip that ends the run`);
  }
});
