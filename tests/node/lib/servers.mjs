// SPDX-License-Identifier: MIT
// tests/node/lib/servers.mjs - databases of a test's own on the real servers that ctest started, and
// an administrator's statements there; or servers of a test's own, to crash.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleDatabase, sourceDir, tempPath } from './harness.mjs';
import { run } from './process.mjs';

const setting = name => {
  assert.ok(process.env[name], `${name} is not set: run this through ctest`);
  return process.env[name];
};

const folder = () => setting('ASKD_TEST_SERVERS');

const finished = async (path, args, options) => {
  const result = await run(path, args, { cwd: '/tmp', ms: 600000, ...options });
  assert.equal(result.code, 0, `${path} ${args.join(' ')}: ${result.stderr}`);
  return result.stdout.trim();
};

// Make the database anew and run the SQL files (paths, or { sql }) in it; returns its url.
export const createDatabase = async (engine, name, files = []) => {
  const paths = files.map((file, i) => {
    if (typeof file === 'string')
      return file;
    const path = tempPath(`${name}-${i}.sql`);
    writeFileSync(path, file.sql);
    return path;
  });
  return finished(setting('ASKD_TEST_DATABASE'), ['create', folder(), engine, name, ...paths]);
};

// The sample database in the engine's own SQL.
export const createSamples = async (engine, name, more = []) => {
  const path = tempPath(`${name}-samples.sql`);
  writeFileSync(path, await finished(setting('MAKE_SAMPLES_BIN'), ['--sql', engine, await sampleDatabase()]) + '\n');
  return createDatabase(engine, name, [path, ...more]);
};

// Rows as lines, columns cut by tabs.
export const administer = async (engine, database, sql) => {
  const admin = new URL(readFileSync(join(folder(), `${engine}.url`), 'utf8').trim());
  if (engine === 'postgres') {
    admin.pathname = `/${database}`;
    return finished('psql', ['-X', '-q', '-A', '-t', '-F', '\t', String(admin), '-c', sql]);
  }
  return finished('mariadb', ['--no-defaults', '-u', admin.username, '-h', admin.hostname, '-P', admin.port,
    '-D', database, '-B', '-N', '-e', sql], { env: { MYSQL_PWD: admin.password } });
};

// How many statements with this text run in the database now, and ending them.
const activity = {
  postgres: (database, text) => `FROM pg_stat_activity WHERE datname = '${database}' AND state = 'active'
    AND pid <> pg_backend_pid() AND query LIKE '%${text}%'`,
  mysql: (database, text) => `FROM information_schema.processlist WHERE db = '${database}' AND id <> CONNECTION_ID()
    AND command <> 'Sleep' AND info LIKE '%${text}%'`,
};

export const running = async (engine, database, text) =>
  Number(await administer(engine, database, `SELECT COUNT(*) ${activity[engine](database, text)}`));

export const terminate = async (engine, database, text) => {
  if (engine === 'postgres')
    return administer(engine, database, `SELECT pg_terminate_backend(pid) ${activity[engine](database, text)}`);
  const ids = await administer(engine, database, `SELECT id ${activity[engine](database, text)}`);
  for (const id of ids.split('\n').filter(Boolean))
    await administer(engine, database, `KILL CONNECTION ${id}`);
};

// Servers for this test file alone, in the folder ASKD_OWN_SERVERS (what an earlier run left there is
// stopped first). From here on all of the above means them. down is a crash, up brings the server
// back on its port with its data.
export const ownServers = async () => {
  const script = join(sourceDir, 'tests/servers/servers.sh'), own = setting('ASKD_OWN_SERVERS');
  process.on('exit', () => spawnSync(script, ['stop', own], { stdio: 'ignore' }));
  await finished(script, ['start', own]);
  process.env.ASKD_TEST_SERVERS = own;
  process.env.ASKD_TEST_DATABASE = join(sourceDir, 'tests/servers/database.sh');
  const tell = verb => engine => finished(script, [verb, own, engine]);
  return { down: tell('down'), up: tell('up'), stop: () => finished(script, ['stop', own]) };
};
