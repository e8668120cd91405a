// SPDX-License-Identifier: MIT
// tests/node/secure_views.test.mjs - docs/secure-views/*.sql as they are, on the real servers: the
// right key decrypts, a wrong one or none is said at start, companies see their own rows, and the
// key is nowhere to be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newConversation, question, sourceDir, startAskd, startMock, tempPath, ofUser1 } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';
import { administer, createDatabase, running } from './lib/servers.mjs';
import { readStream } from './lib/sse.mjs';

const docs = name => join(sourceDir, 'docs/secure-views', name);
const KEY = 'k-0123456789abcdef-s3cret';
const encrypt = {
  postgres: text => `pgp_sym_encrypt('${text}', '${KEY}', 'cipher-algo=aes256, s2k-mode=1')`,
  mysql: text => `AES_ENCRYPT('${text}', '${KEY}')`,
  sqlite: text => `'${text}'`,
};
const rows = engine => {
  const e = encrypt[engine], work = engine === 'postgres' ? '"workOrder"' : 'workOrder';
  return `
    INSERT INTO customer VALUES (1, 'acme', ${e('Ann')}, ${e('111')}, TRUE), (2, 'acme', ${e('Bob')}, NULL, FALSE),
      (3, 'globex', ${e('CANARY Globex')}, ${e('CANARY 333')}, TRUE);
    INSERT INTO employee VALUES (1, 'acme', ${e('Eve')}, ${e('CANARY ssn')}, 'technician'),
      (2, 'globex', ${e('CANARY Globex employee')}, NULL, 'manager');
    INSERT INTO ${work} VALUES (1, 'acme', 1, 1, 'open'), (2, 'globex', 3, 2, 'open');\n`;
};

const says = sql => '```sql\n' + sql + '\n```';
// Fails on a value of globex and on no other.
const failing = {
  postgres: "1 / (CASE WHEN name LIKE 'CANARY%' THEN 0 ELSE 1 END) = 1",
  mysql: "cot(CASE WHEN name LIKE 'CANARY%' THEN 0 ELSE 1 END) <> 0",
  sqlite: "abs(-9223372036854775807 - (CASE WHEN name LIKE 'CANARY%' THEN 1 ELSE 0 END)) > 0",
};
const session = {
  postgres: `SELECT set_config('app.company_id', 'acme', false), set_config('app.aesKey', '${KEY}', false);`,
  mysql: `SET @company_id = 'acme', @aesKey = '${KEY}';`,
};
const scenario = (name, sql) => [line('generate', says(sql), { user: name }), line('correct', says(sql), { user: name })];
const hostile = ['SELECT ssn FROM employee', 'SELECT * FROM secure_employee JOIN customer ON ssn IS NULL',
  'SELECT aes_key() FROM customer', 'SELECT @aesKey FROM customer', "SELECT current_setting('app.aesKey') FROM customer",
  'SELECT decrypted(name) FROM customer', "SELECT session_var('aesKey') FROM customer"];
const mock = await startMock([
  ...scenario('customers', 'SELECT id, name, phone FROM customer ORDER BY id'),
  ...scenario('joined', 'SELECT c.name, e.firstName FROM workOrder w JOIN customer c ON c.id = w.customerId'
    + ' JOIN employee e ON e.id = w.createdBy'),
  ...scenario('quoted', 'SELECT c.name, e."firstName" FROM "workOrder" w JOIN customer c ON c.id = w."customerId"'
    + ' JOIN employee e ON e.id = w."createdBy"'),
  ...Object.entries(failing).flatMap(([engine, condition]) => scenario(`failing ${engine}`,
    `SELECT id, name, phone FROM customer WHERE id IN (1, 3) AND ${condition}`)),
  ...scenario('nap', 'SELECT done FROM slow'),
  ...hostile.flatMap((sql, i) => scenario(`hostile ${i}.`, sql)),
  line('classify', 'SQL'), line('tables', '["customer","employee","workOrder"]'), line('answer', 'Here.'),
]);

// The url as the documented reader; the owner's for SQLite.
const make = async engine => {
  const name = `node_secure_${engine}`;
  if (engine === 'sqlite') {
    const path = tempPath('secure.db');
    const made = await run('sqlite3', [path], { input: readFileSync(docs('sqlite.sql'), 'utf8') + rows(engine) });
    assert.equal(made.code, 0, made.stderr);
    return `sqlite:${path}`;
  }
  const forget = engine === 'postgres' ? 'DROP ROLE IF EXISTS askd_reader;' : "DROP USER IF EXISTS 'askd_reader'@'%';";
  const url = new URL(await createDatabase(engine, name, [docs(`${engine}.sql`), { sql: rows(engine) + forget },
    docs(`${engine}_reader.sql`)]));
  url.username = 'askd_reader';
  url.password = 'change-me';
  return String(url);
};

const WARNING = /view secure_customer shows only NULL in columns that hold more; is DB_ENCRYPT_KEY the right key\?/;

for (const engine of ['sqlite', 'postgres', 'mysql']) {
  const url = await make(engine);
  const start = (key, env = {}) => startAskd({ mock, env: {
    ASKD_DATABASE_URL: url, DB_ENCRYPT_KEY: key, ASKD_SHARED_TABLES: undefined,
    ASKD_SECURE_VIEWS: docs('secure_views.json'), ...env } });
  const ask = (askd, what, company = 'acme') => askd.ask(`Show me ${what}`, {
    conversation: { ...newConversation(), company_id: company }, options: { detail: 'debug' },
  });
  const shown = async (askd, company) => (await ask(askd, 'the customers', company)).complete().data.rows;
  const silent = (askd, ...texts) => {
    for (const text of [askd.child.stdout, askd.child.stderr, ...texts])
      assert.ok(!text.includes(KEY) && !text.includes('change-me'), 'no secret is said');
  };

  test(`${engine}: with the right key its own rows are shown, decrypted`, async () => {
    const askd = await start(KEY);
    assert.deepEqual(await shown(askd, 'acme'), [[1, 'Ann', '111'], [2, 'Bob', null]]);
    assert.deepEqual(await shown(askd, 'globex'), [[3, 'CANARY Globex', 'CANARY 333']]);
    assert.deepEqual(await shown(askd, 'nobody'), []);
    const joined = await ask(askd, engine === 'postgres' ? 'the quoted' : 'the joined');
    assert.deepEqual(joined.complete().data.rows, [['Ann', 'Eve']]);
    assert.doesNotMatch(joined.raw, /CANARY/);
    assert.doesNotMatch(askd.child.stderr, /shows only NULL|not probed/);
    const ready = await (await askd.fetch('/readyz')).json();
    assert.equal(ready.backends.database.warnings, undefined);
    silent(askd, joined.raw, JSON.stringify(ready), await (await askd.fetch('/metrics')).text());
  });

  test(`${engine}: no condition is tried on another company's rows`, async () => {
    const askd = await start(KEY);
    const transcript = await ask(askd, `the failing ${engine}`);
    assert.deepEqual(transcript.complete().data.rows, [[1, 'Ann', '111']]);
    if (engine !== 'sqlite') {
      const alone = await administer(engine, `node_secure_${engine}`,
        `${session[engine]} SELECT count(*) FROM secure_customer WHERE id IN (1, 3) AND ${failing[engine]};`);
      assert.match(alone, /1\s*$/);
    }
  });

  test(`${engine}: neither secrets nor the key are within reach`, async () => {
    const askd = await start(KEY);
    for (let i = 0; i < hostile.length; i++) {
      const transcript = await ask(askd, `hostile ${i}.`);
      assert.equal(transcript.check().last.code, 'sql_rejected', `${hostile[i]}: ${JSON.stringify(transcript.last)}`);
      assert.doesNotMatch(transcript.raw, /CANARY/);
      silent(askd, transcript.raw);
    }
  });

  if (engine !== 'sqlite')
    for (const key of ['wrong', undefined])
      test(`${engine}: ${key ?? 'no'} key is said at start, and shows nothing`, async () => {
        const askd = await start(key);
        await askd.child.said(WARNING);
        assert.match(JSON.stringify((await (await askd.fetch('/readyz')).json()).backends.database.warnings), WARNING);
        for (const row of await shown(askd, 'acme'))
          assert.ok(!['Ann', 'Bob', '111'].includes(row[1]) && row[2] !== '111', JSON.stringify(row));
      });

  test(`${engine}: views that do not exist are all named`, async () => {
    const map = tempPath(`map-${engine}.json`);
    writeFileSync(map, '{"customer":"secure_customer","employee":"secure_gone","workOrder":"secure_gone_too"}');
    const askd = await startAskd({ mock, ready: 503, env: {
      ASKD_DATABASE_URL: url, DB_ENCRYPT_KEY: KEY, ASKD_SECURE_VIEWS: map } });
    await askd.child.said(/secure views that do not exist: secure_gone, secure_gone_too/);
  });
}

// What may be read while a statement runs: everything the server shows of every connection. The
// statement is one that waits until it is cancelled.
const ACTIVITY = {
  postgres: "SELECT string_agg(coalesce(query, ''), ' ') FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
  mysql: "SELECT GROUP_CONCAT(COALESCE(info, '') SEPARATOR ' ') FROM information_schema.processlist WHERE id <> CONNECTION_ID()",
};
const naps = {
  postgres: `CREATE TABLE naps (n INT NOT NULL, "companyId" TEXT NOT NULL); INSERT INTO naps VALUES (900, 'acme');
    CREATE VIEW slow AS SELECT "companyId", pg_sleep(CASE WHEN current_setting('app.company_id', true) <> '' THEN n ELSE 0 END)::text AS done FROM naps;`,
  mysql: `CREATE TABLE naps (n INT NOT NULL, companyId VARCHAR(99) NOT NULL); INSERT INTO naps VALUES (900, 'acme');
    CREATE FUNCTION caller() RETURNS VARCHAR(99) NOT DETERMINISTIC NO SQL RETURN @company_id;
    CREATE VIEW slow AS SELECT companyId, SLEEP(IF(caller() IS NULL, 0, n)) AS done FROM naps;`,
};

for (const engine of ['postgres', 'mysql'])
  for (const format of ['json', 'text'])
    test(`${engine}: at level debug, as ${format}, the key is in no log, metric, event or activity view`, async () => {
      const database = `node_secrets_${engine}_${format}`;
      const url = await createDatabase(engine, database, [docs(`${engine}.sql`), { sql: rows(engine) + naps[engine] }]);
      const askd = await startAskd({ mock, env: { ASKD_DATABASE_URL: url, DB_ENCRYPT_KEY: KEY, ASKD_LOG_LEVEL: 'debug',
        ASKD_LOG_FORMAT: format, ASKD_SECURE_VIEWS: docs('secure_views.json'), ASKD_SQL_TIMEOUT_SECONDS: '600',
        SQL_SAMPLE_ROWS: '0' } });
      const ask = what => askd.ask(`Show me ${what}`, { conversation: { ...newConversation(), company_id: 'acme' },
        options: { detail: 'debug' } });
      const events = [];
      for (const what of ['the customers', 'hostile 0.', 'hostile 3.'])
        events.push((await ask(what)).check().raw);
      const idle = await administer(engine, database, ACTIVITY[engine]);
      const napping = await askd.post('/internal/chat/stream', question('Show me the nap', newConversation(), { detail: 'debug' }));
      await until('the statement runs', async () => await running(engine, database, 'slow') > 0);
      const busy = await administer(engine, database, ACTIVITY[engine]);
      await askd.post(`/internal/runs/${napping.headers.get('x-run-id')}/cancel?${ofUser1}`, {});
      events.push((await readStream(napping.body)).check().raw);
      assert.match(busy, /slow/, 'what runs is seen');
      await until('it is at level debug', () => (format === 'json' ? /"level":"debug"/ : / debug /i).test(askd.child.stderr));
      const everything = { logs: askd.child.stdout + askd.child.stderr, activity: idle + busy, events: events.join(''),
        metrics: await (await askd.fetch('/metrics')).text(), ready: await (await askd.fetch('/readyz')).text() };
      const hex = Buffer.from(KEY).toString('hex'), base64 = Buffer.from(KEY).toString('base64').replace(/=+$/, '');
      for (const [where, text] of Object.entries(everything))
        for (const secret of [KEY, hex, hex.toUpperCase(), base64, new URL(url).password].filter(Boolean))
          assert.ok(!text.includes(secret), `${where}: ${text.slice(Math.max(0, text.indexOf(secret) - 200), text.indexOf(secret) + 20)}`);
    });

// What the servers write down. docs/secure-views.md says the same.
test('postgres: the role\'s statements are logged without their values', async () => {
  const url = await make('postgres');
  const setting = async (name, value) => administer('postgres', 'postgres', `ALTER SYSTEM ${value ? `SET ${name} = '${value}'` : `RESET ${name}`}`);
  const log = () => readFileSync(join(readFileSync(join(process.env.ASKD_TEST_SERVERS, 'scratch'), 'utf8').trim(), 'postgres.log'), 'utf8');
  await setting('log_statement', 'all');
  await administer('postgres', 'postgres', 'SELECT pg_reload_conf()');
  const before = log().length;
  try {
    const askd = await startAskd({ mock, env: { ASKD_DATABASE_URL: url, DB_ENCRYPT_KEY: KEY,
      ASKD_SECURE_VIEWS: docs('secure_views.json') } });
    (await askd.ask('Show me the customers', { conversation: { ...newConversation(), company_id: 'acme' } })).complete();
  } finally {
    await setting('log_statement');
    await administer('postgres', 'postgres', 'SELECT pg_reload_conf()');
  }
  const said = log().slice(before);
  assert.match(said, /secure_customer/, 'statements are in the log');
  assert.ok(!said.includes(KEY), 'the key is not');
});
