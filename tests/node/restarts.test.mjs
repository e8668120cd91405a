// SPDX-License-Identifier: MIT
// tests/node/restarts.test.mjs - PostgreSQL and MariaDB crash and come back under askd: every run ends
// once, with a code that says why, and askd needs no restart; nor does it need the database to start.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newConversation, question, startAskd, startMock } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { general, line } from './lib/scripts.mjs';
import { readStream } from './lib/sse.mjs';
import { createSamples, ownServers, running } from './lib/servers.mjs';

const servers = await ownServers(); // others go on working with theirs
after(() => servers.stop());

// A nap that statements of callers take, so that the schema is read at once.
const naps = {
  postgres: `CREATE TABLE naps (n INT NOT NULL, "companyId" TEXT NOT NULL); INSERT INTO naps VALUES (600, 'acme');
    CREATE VIEW slow AS SELECT "companyId", pg_sleep(CASE WHEN current_setting('app.company_id', true) <> '' THEN n ELSE 0 END)::text AS done FROM naps;`,
  mysql: `CREATE TABLE naps (n INT NOT NULL, companyId VARCHAR(99) NOT NULL); INSERT INTO naps VALUES (600, 'acme');
    CREATE FUNCTION caller() RETURNS VARCHAR(99) NOT DETERMINISTIC NO SQL RETURN @company_id;
    CREATE VIEW slow AS SELECT companyId, SLEEP(IF(caller() IS NULL, 0, n)) AS done FROM naps;`,
};
const RUNS = 3, POOL = 1; // two wait for a connection
const says = sql => '```sql\n' + sql + '\n```';
const scenario = (name, sql) => [line('generate', says(sql), { user: name }), line('correct', says(sql), { user: name })];
const mock = await startMock([
  ...scenario('nap', 'SELECT done FROM slow'), ...scenario('count', 'SELECT COUNT(*) AS n FROM customer'),
  line('classify', 'SQL', { user: 'Show me' }),
  line('tables', '["slow"]', { user: 'nap' }), line('tables', '["customer"]'),
  line('answer', 'Here it is.'), ...general,
]);

const ENDS = ['database_unavailable', 'overloaded', 'sql_failed'];

for (const engine of ['postgres', 'mysql']) {
  const database = `node_restarts_${engine}`;
  const url = await createSamples(engine, database, [{ sql: naps[engine] }]);
  const start = (options = {}) => startAskd({ mock, ...options, env: {
    ASKD_DATABASE_URL: url, SQL_SAMPLE_ROWS: '0', ASKD_DATABASE_POOL_SIZE: String(POOL),
    ASKD_SQL_TIMEOUT_SECONDS: '300', ASKD_WORKERS: '1' } });
  const count = askd => askd.ask('Show me the count.');
  const counts = async askd => assert.ok(Number((await count(askd)).complete().data.rows[0][0]) > 0);
  const heals = askd => until('a run completes again', async () => (await count(askd)).check().last.event === 'complete');

  test(`${engine}: a crash in mid-query costs each run one error, and the pool heals by itself`, async () => {
    const askd = await start();
    await counts(askd);
    const streams = [];
    for (let i = 0; i < RUNS; i++)
      streams.push(readStream((await askd.post('/internal/chat/stream', question('Show me the nap.',
        { ...newConversation(), user_id: `napper-${i}` }))).body));
    await until('the statements run', async () => await running(engine, database, 'slow') === POOL);
    await servers.down(engine);
    for (const transcript of await Promise.all(streams)) {
      const { last } = transcript.check(); // one terminal event, and nothing after it
      assert.equal(last.event, 'error', JSON.stringify(last));
      assert.ok(ENDS.includes(last.code), JSON.stringify(last));
      assert.equal(last.retryable, true, JSON.stringify(last));
    }
    const meanwhile = (await count(askd)).check().last;
    assert.equal(meanwhile.code, 'database_unavailable', JSON.stringify(meanwhile));
    assert.equal((await askd.fetch('/healthz')).status, 200);
    await servers.up(engine);
    await heals(askd);
    for (let i = 0; i < 2 * POOL; i++) // whichever connection is taken
      await counts(askd);
    await until('/readyz is ready', async () => (await (await askd.fetch('/readyz')).json()).status === 'ready');
  });

  test(`${engine}: idle connections that a restart closed cost nothing, or one retry`, async () => {
    const askd = await start();
    await Promise.all(Array.from({ length: POOL }, () => counts(askd)));
    await servers.down(engine);
    await servers.up(engine);
    await heals(askd);
    await Promise.all(Array.from({ length: 2 * POOL }, () => counts(askd)));
  });

  test(`${engine}: down when askd starts, then up`, async () => {
    await servers.down(engine);
    const askd = await start({ ready: 200 });
    const { last } = (await count(askd)).check();
    assert.equal(last.code, 'database_unavailable', JSON.stringify(last));
    assert.equal(last.retryable, true);
    await servers.up(engine);
    await until('/readyz is ready', async () => (await (await askd.fetch('/readyz')).json()).status === 'ready');
    await counts(askd);
  });
}
