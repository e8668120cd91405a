// SPDX-License-Identifier: MIT
// tests/node/check.test.mjs - askd check: what is configured is tried once; a line for each part, a
// verdict, an exit code. The model is the mock; databases are SQLite and the real servers.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { askdCommand, sampleDatabase, sourceDir, startMock, tempPath } from './lib/harness.mjs';
import { administer, createSamples } from './lib/servers.mjs';
import { general, line } from './lib/scripts.mjs';

const folder = tempPath('check');
mkdirSync(folder);
const sample = `sqlite:${await sampleDatabase()}`;
const offline = {
  ASKD_MODEL: 'offline', ASKD_DATABASE_URL: sample, ASKD_TENANCY: 'off', ASKD_PROMPT_DIR: join(sourceDir, 'agents'),
};
const check = (env, args = ['check']) => askdCommand(args, { env: { ...offline, ...env }, cwd: folder });
// The lines of a part: [verdict, sentence] each.
const part = (result, name) => {
  const lines = result.stdout.split('\n'), rows = [];
  for (let i = lines.findIndex(one => one.startsWith(`${name} `)); i >= 0; i++) {
    const row = lines[i]?.slice(12).match(/^(ok|note|WRONG) +(.+)$/);
    if (!row || (rows.length > 0 && lines[i][0] !== ' '))
      break;
    rows.push([row[1], row[2]]);
  }
  return rows;
};
const has = (rows, verdict, text) =>
  assert.ok(rows.some(([is, said]) => is === verdict && text.test(said)), `${verdict} ${text}: ${JSON.stringify(rows)}`);

test('all is fine: 0, the settings that are set, and nothing is left behind', async () => {
  const result = await check();
  assert.equal(result.code, 0, result.stdout + result.stderr);
  has(part(result, 'database'), 'ok', /^sqlite: \d+ tables read in \d+ ms$/);
  has(part(result, 'database'), 'ok', /opened for reading only/);
  has(part(result, 'model'), 'ok', /offline engine/);
  has(part(result, 'embeddings'), 'ok', /512 dimensions/);
  has(part(result, 'documents'), 'ok', /none added/);
  assert.match(result.stdout, /^ASKD_MODEL +offline +environment$/m);
  assert.doesNotMatch(result.stdout, /ASKD_PORT/);
  assert.match(result.stdout, /\nfine: all that is configured answers\n$/);
  assert.ok(!existsSync(join(folder, 'data', 'documents.db')));
  const same = await check({}, ['config', 'check', '--connect']);
  assert.equal(same.code, 0);
  assert.deepEqual(part(same, 'model'), part(result, 'model'));
});

test('who may call, and the graphs in files', async () => {
  has(part(await check(), 'callers'), 'ok', /no keys: whoever is on this machine/);
  has(part(await check({ ASKD_API_KEYS: 'k1' }), 'callers'), 'ok', /whoever shows a key/);
  const wrong = await check({ ASKD_AUTH_FILE: '/nowhere/auth.json', ASKD_GRAPHS: '/nowhere/graphs' });
  assert.equal(wrong.code, 1);
  has(part(wrong, 'callers'), 'WRONG', /^ASKD_AUTH_FILE: .*No such file/);
  has(part(wrong, 'graphs'), 'WRONG', /^ASKD_GRAPHS: .*No such file/);
  assert.match(wrong.stdout, /\n2 things are wrong/);
});

test('a database that is not there: 1, and the others are tried all the same', async () => {
  const result = await check({ ASKD_DATABASE_URL: 'sqlite:nowhere.db' });
  assert.equal(result.code, 1);
  has(part(result, 'database'), 'WRONG', /nowhere\.db/);
  has(part(result, 'model'), 'ok', /offline/);
  assert.match(result.stdout, /\n1 thing is wrong/);
});

test('a tenant column: in how many tables; a name that no table has is wrong', async () => {
  const right = await check({ ASKD_TENANCY: '', ASKD_TENANT_COLUMN: 'companyId' });
  const [, count, of] = right.stdout.match(/companyId is in (\d+) of (\d+) tables/).map(Number);
  assert.ok(count > 0 && count < of, right.stdout);
  has(part(right, 'database'), 'ok', /^sqlite: \d+ tables read in \d+ ms$/); // also before long lines
  const wrong = await check({ ASKD_TENANCY: '', ASKD_TENANT_COLUMN: 'company_idd' });
  assert.equal(wrong.code, 1);
  has(part(wrong, 'database'), 'WRONG', /company_idd is in 0 of/);
  const unset = await check({ ASKD_TENANCY: '' });
  assert.equal(unset.code, 1);
  has(part(unset, 'database'), 'WRONG', /set ASKD_TENANT_COLUMN/);
});

test('a model: which one answered and how long it took; a false key, one that is away', async () => {
  const mock = await startMock([{ user: 'one word', reply: 'ready' }, ...general]);
  const key = { ASKD_MODEL: 'openai', OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: `${mock.url}/v1`, ASKD_LLM_ATTEMPTS: '1' };
  const fine = await check(key);
  assert.equal(fine.code, 0, fine.stdout + fine.stderr);
  has(part(fine, 'model'), 'ok', /answered in \d+ ms$/);
  assert.doesNotMatch(fine.stdout + fine.stderr, /very-secret/);
  const refused = await startMock([{ user: 'one word', reply: 'no', fault: '401' }]);
  for (const url of [`${refused.url}/v1`, 'http://127.0.0.1:1/v1']) {
    const wrong = await check({ ...key, OPENAI_BASE_URL: url });
    assert.equal(wrong.code, 1, url);
    assert.equal(part(wrong, 'model')[0][0], 'WRONG');
  }
  const stands = await check({ ...key, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', ASKD_MODEL_FALLBACK: 'offline' });
  has(part(stands, 'model'), 'WRONG', /offline engine stands in/);
  const none = await check({ ASKD_MODEL: 'openai' });
  has(part(none, 'model'), 'WRONG', /OPENAI_API_KEY/);
});

test('stores: one that is away', async () => {
  const result = await check({ ASKD_CHECKPOINT_URL: 'redis://127.0.0.1:1' });
  assert.equal(result.code, 1);
  assert.equal(part(result, 'stores')[0][0], 'WRONG');
});

test('settings that are wrong: 78, nothing is tried', async () => {
  const result = await check({ ASKD_PORT: 'many' });
  assert.equal(result.code, 78);
  assert.match(result.stderr, /ASKD_PORT/);
  assert.equal(part(result, 'model').length, 0);
});

for (const engine of ['postgres', 'mysql'])
  test(`${engine}: whether its role may write; a wrong password`, async () => {
    const database = `check_${engine}`, owner = new URL(await createSamples(engine, database));
    await administer(engine, database, {
      postgres: `DROP ROLE IF EXISTS check_reader; CREATE ROLE check_reader LOGIN PASSWORD 'reads';
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO check_reader`,
      mysql: `CREATE OR REPLACE USER check_reader@'%' IDENTIFIED BY 'reads'; GRANT SELECT ON ${database}.* TO check_reader@'%'`,
    }[engine]);
    const reader = new URL(owner);
    reader.username = 'check_reader';
    reader.password = 'reads';
    const admin = new URL(readFileSync(join(process.env.ASKD_TEST_SERVERS, `${engine}.url`), 'utf8').trim());
    admin.pathname = `/check_${engine}`;
    const reads = await check({ ASKD_DATABASE_URL: String(reader) });
    assert.equal(reads.code, 0, reads.stdout);
    has(part(reads, 'database'), 'ok', /may only read/);
    const writes = await check({ ASKD_DATABASE_URL: String(admin) });
    assert.equal(writes.code, 0, writes.stdout);
    has(part(writes, 'database'), 'note', /may write/);
    assert.match(writes.stdout, /\nfine, with \d+ notes?\n$/);
    const wrong = new URL(reader);
    wrong.password = 'not-this-one';
    wrong.username = 'nobody_here';
    const refused = await check({ ASKD_DATABASE_URL: String(wrong) });
    assert.equal(refused.code, 1);
    assert.equal(part(refused, 'database')[0][0], 'WRONG');
    assert.doesNotMatch(refused.stdout + refused.stderr, /not-this-one/);
  });
