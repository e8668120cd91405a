// SPDX-License-Identifier: MIT
// tests/node/engines.test.mjs - askd over PostgreSQL and MariaDB: streams, walls between companies,
// statements that are cancelled, too slow, or lose their server, a pool that is full, and runs that
// are joined again, asked for twice, or overtaken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, question, startAskd, startMock, ofUser1 } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { general, line } from './lib/scripts.mjs';
import { readStream } from './lib/sse.mjs';
import { createSamples, running, terminate } from './lib/servers.mjs';

const quoted = { postgres: name => `"${name}"`, mysql: name => `\`${name}\`` };

// A nap in a view, since no statement of a model may call such a function by itself; for a caller only,
// so that the schema is read at once. It is longer than any of these tests, and so are the deadlines:
// when it is gone from the server, askd ended it.
const naps = {
  postgres: `CREATE TABLE naps (n INT NOT NULL, "companyId" TEXT NOT NULL); INSERT INTO naps VALUES (900, 'acme');
    CREATE VIEW slow AS SELECT "companyId", pg_sleep(CASE WHEN current_setting('app.company_id', true) <> '' THEN n ELSE 0 END)::text AS done FROM naps;`,
  mysql: `CREATE TABLE naps (n INT NOT NULL, companyId VARCHAR(99) NOT NULL); INSERT INTO naps VALUES (900, 'acme');
    CREATE FUNCTION caller() RETURNS VARCHAR(99) NOT DETERMINISTIC NO SQL RETURN @company_id;
    CREATE VIEW slow AS SELECT companyId, SLEEP(IF(caller() IS NULL, 0, n)) AS done FROM naps;`,
};

const harmless = q => [
  'SELECT name FROM customer',
  'SELECT * FROM customer',
  'SELECT * FROM employee',
  'SELECT c.* FROM customer AS c LEFT JOIN customer AS d ON d.id = c.id',
  `SELECT name FROM customer WHERE ${q('companyId')} = 'globex' OR 1 = 1`,
  'SELECT name FROM (SELECT name FROM customer) AS c UNION ALL SELECT name FROM customer',
  'WITH all_of_them AS (SELECT name FROM customer) SELECT name FROM all_of_them',
  'SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM customer AS other WHERE other.name LIKE \'Canary%\')',
  `SELECT c.name, COUNT(w.id) AS n FROM customer c JOIN ${q('workOrder')} w ON w.${q('customerId')} = c.id GROUP BY c.name`,
];
const hostile = q => [
  'SELECT ssn FROM employee',
  `SELECT ${q('passwordHash')} FROM ${q('user')}`,
  `SELECT login FROM ${q('user')} WHERE ${q('passwordHash')} LIKE 'canary%'`,
  'SELECT table_name FROM information_schema.tables',
  'DELETE FROM customer',
  'SELECT 1; SELECT ssn FROM employee',
  'SELECT name FROM customer /*! UNION SELECT ssn FROM employee */',
  q === quoted.postgres ? 'SELECT pg_sleep(1)' : 'SELECT SLEEP(1)',
  q === quoted.postgres ? "SELECT current_setting('app.company_id')" : 'SELECT @company_id',
  q === quoted.postgres ? "SELECT set_config('app.company_id', 'globex', false)" : "SELECT @company_id := 'globex'",
];

const SLOW = 'SELECT done FROM slow', COUNT = 'SELECT COUNT(*) AS n FROM customer';
const says = sql => '```sql\n' + sql + '\n```';
const scenario = (name, sql) => [line('generate', says(sql), { user: name }), line('correct', says(sql), { user: name })];

for (const engine of ['postgres', 'mysql']) {
  const database = `node_engines_${engine}`;
  const url = await createSamples(engine, database, [{ sql: naps[engine] }]);
  const cases = [...harmless(quoted[engine]), ...hostile(quoted[engine])];
  const mock = await startMock([
    ...cases.flatMap((sql, i) => scenario(`case ${i}.`, sql)),
    ...scenario('nap', SLOW), ...scenario('count', COUNT),
    line('classify', 'SQL', { user: 'Show me' }),
    line('tables', '["slow"]', { user: 'nap' }), line('tables', '["customer","employee","user","workOrder"]'),
    line('answer', 'Here it is.'), ...general,
  ]);
  const start = (env = {}) => startAskd({ mock, env: { ASKD_DATABASE_URL: url, SQL_SAMPLE_ROWS: '0',
    ASKD_SQL_TIMEOUT_SECONDS: '600', ASKD_RUN_TIMEOUT_SECONDS: '600', ...env } });
  const shared = await start();

  const ask = (askd, what, company = 'acme') => askd.ask(`Show me ${what}`, {
    conversation: { ...newConversation(), company_id: company }, options: { detail: 'debug' },
  });
  const counts = async askd => {
    const rows = (await ask(askd, 'the count.')).complete().data.rows;
    assert.equal(rows.length, 1);
    assert.ok(Number(rows[0][0]) > 0);
  };
  const begin = async askd => { // a nap, and its stream once the statement runs
    const response = await askd.post('/internal/chat/stream', question('Show me the nap.'));
    await until('the statement runs', async () => await running(engine, database, 'slow') > 0);
    return { run: response.headers.get('x-run-id'), stream: readStream(response.body) };
  };
  const gone = () => until('the statement is gone', async () => await running(engine, database, 'slow') === 0);

  test(`${engine}: a question is answered`, async () => {
    await counts(shared);
    const ready = await (await shared.fetch('/readyz')).json();
    assert.equal(ready.backends.database.kind, engine === 'postgres' ? 'postgresql' : 'mysql');
    assert.ok(await shared.metric('askd_backend_query_duration_seconds_count') > 0);
    assert.ok(await shared.metric('askd_pool_connections') > 0);
  });

  for (const [company, other] of [['acme', /canary globex/i], ['globex', /canary acme/i]])
    test(`${engine}: ${company} sees its own rows only`, async () => {
      for (let i = 0; i < harmless(quoted[engine]).length; i++) {
        const transcript = await ask(shared, `case ${i}.`, company);
        transcript.complete();
        assert.doesNotMatch(transcript.raw, other, cases[i]);
        assert.doesNotMatch(transcript.raw, /canary-/i, cases[i]);
      }
      const whole = await ask(shared, 'case 0.', company);
      assert.match(JSON.stringify(whole.last.data.rows), new RegExp(`canary ${company}`, 'i'), 'its own is there');
    });

  test(`${engine}: secrets and everything that is no question are refused`, async () => {
    for (let i = harmless(quoted[engine]).length; i < cases.length; i++) {
      const transcript = await ask(shared, `case ${i}.`);
      assert.equal(transcript.check().last.code, 'sql_rejected', `${cases[i]}: ${JSON.stringify(transcript.last)}`);
      assert.doesNotMatch(transcript.raw, /canary-|globex(?! *[,'"])/i, cases[i]);
    }
  });

  test(`${engine}: cancelled, the statement is gone from the server`, async () => {
    const { run, stream } = await begin(shared);
    const before = performance.now();
    assert.ok((await shared.post(`/internal/runs/${run}/cancel?${ofUser1}`, {})).ok);
    await gone();
    const ms = performance.now() - before;
    console.log(`# ${engine}: gone and seen to be so after ${ms.toFixed(0)} ms`);
    (await stream).error('cancelled');
    await counts(shared);
  });

  test(`${engine}: a run is joined again, while its statement runs and after`, async () => {
    const abort = new AbortController();
    const response = await shared.post('/internal/chat/stream', question('Show me the nap.', undefined, { detail: 'nodes' }),
      { signal: abort.signal });
    const run = response.headers.get('x-run-id');
    await until('the statement runs', async () => await running(engine, database, 'slow') > 0);
    abort.abort();
    const path = `/internal/runs/${run}/stream?${ofUser1}`;
    const again = readStream((await shared.fetch(path)).body);
    const late = readStream((await shared.fetch(path, { headers: { 'last-event-id': `${run}:1` } })).body);
    await shared.post(`/internal/runs/${run}/cancel?${ofUser1}`, {});
    const whole = await again;
    whole.error('cancelled');
    (await late).check({ first: 2 });
    assert.deepEqual((await late).frames, whole.frames.slice(1));
    await gone();
    const count = await ask(shared, 'the count.');
    const rest = await readStream((await shared.fetch(`/internal/runs/${count.runId}/stream?${ofUser1}`,
      { headers: { 'last-event-id': `${count.runId}:2` } })).body);
    assert.deepEqual(rest.frames, count.frames.slice(2));
  });

  test(`${engine}: asked for twice with one key, it runs once`, async () => {
    const conversation = newConversation(), headers = { 'idempotency-key': `key-${engine}` };
    const queries = await shared.metric('askd_backend_query_duration_seconds_count');
    const both = await Promise.all([0, 1].map(() => shared.ask('Show me the count.', { conversation, headers })));
    const once = await shared.metric('askd_backend_query_duration_seconds_count') - queries;
    both[0].complete();
    assert.deepEqual(both[0].frames, both[1].frames);
    assert.deepEqual((await shared.ask('Show me the count.', { conversation, headers })).frames, both[0].frames);
    assert.equal(await shared.metric('askd_backend_query_duration_seconds_count') - queries, once, 'a replay asks nothing');
  });

  test(`${engine}: a second message while a statement runs: reject, enqueue, interrupt`, async () => {
    const conversation = newConversation();
    const first = await shared.post('/internal/chat/stream', question('Show me the nap.', conversation));
    const stream = readStream(first.body);
    await until('the statement runs', async () => await running(engine, database, 'slow') > 0);
    const second = await shared.post('/internal/chat/stream', question('Show me the count.', conversation));
    assert.equal(second.status, 409);
    const queued = shared.ask('Show me the count.', { conversation, options: { multitask: 'enqueue' } });
    await shared.post(`/internal/runs/${first.headers.get('x-run-id')}/cancel?${ofUser1}`, {});
    (await stream).error('cancelled');
    (await queued).complete();
    const third = readStream((await shared.post('/internal/chat/stream', question('Show me the nap.', conversation))).body);
    await until('the statement runs', async () => await running(engine, database, 'slow') > 0);
    (await shared.ask('Show me the count.', { conversation, options: { multitask: 'interrupt' } })).complete();
    (await third).error('cancelled');
    await gone();
  });

  test(`${engine}: its reader left, and nobody came back`, async () => {
    const askd = await start({ ASKD_DISCONNECT_GRACE_SECONDS: '0' });
    const abort = new AbortController();
    const response = await askd.post('/internal/chat/stream', question('Show me the nap.'), { signal: abort.signal });
    assert.equal(response.status, 200);
    await until('the statement runs', async () => await running(engine, database, 'slow') > 0);
    abort.abort();
    await gone();
    await counts(askd);
  });

  test(`${engine}: too slow, it is ended on the server, too`, async () => {
    const askd = await start({ ASKD_SQL_TIMEOUT_SECONDS: '6', SQL_CORRECTION_MAX_ATTEMPTS: '1' });
    (await ask(askd, 'the nap.')).error('sql_timeout');
    await gone();
    await counts(askd);
  });

  test(`${engine}: the server ends the connection in mid-query`, async () => {
    const { stream } = await begin(shared);
    await terminate(engine, database, 'slow');
    const transcript = await stream;
    assert.equal(transcript.error('database_unavailable').retryable, true);
    await counts(shared);
    await counts(shared);
  });

  test(`${engine}: a full pool is overloaded, and then it is not`, async () => {
    const askd = await start({ ASKD_DATABASE_POOL_SIZE: '1' });
    const { run, stream } = await begin(askd);
    const error = (await ask(askd, 'the count.')).error('overloaded');
    assert.equal(error.retryable, true);
    assert.equal(error.retry_after, 1);
    const answer = await askd.post('/internal/graphs/sql_agent/invoke', question('Show me the count.'));
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.match(await answer.text(), /overloaded/);
    await askd.post(`/internal/runs/${run}/cancel?${ofUser1}`, {});
    (await stream).error('cancelled');
    await counts(askd);
  });
}
