// SPDX-License-Identifier: MIT
// tests/node/database.test.mjs - a database that is not there, is no database, or is locked: an
// error that says so, and everything else goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from 'node:net';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { question, sampleDatabase, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { Process, until } from './lib/process.mjs';
import { general, line } from './lib/scripts.mjs';

const COUNT = 'SELECT COUNT(*) FROM employee';
const mock = await startMock([
  line('classify', 'SQL', { user: 'technicians' }),
  line('tables', '["employee"]'), line('generate', '```sql\n' + COUNT + '\n```'),
  line('correct', '```sql\n' + COUNT + '\n```'), line('answer', 'There are some.'),
  ...general,
]);
const QUESTION = 'How many technicians are active?';

const assertUnavailable = async askd => {
  const error = (await askd.ask(QUESTION)).error('database_unavailable');
  assert.equal(error.retryable, true);
  assert.equal((await askd.fetch('/readyz')).status, 503);
  const answer = await (await askd.post('/ask', { query: 'How many customers are there?' })).json();
  assert.equal(Object.keys(answer).length, 5);
  assert.ok(answer.error);
  (await askd.ask('why is the sky blue?')).complete();
  return error;
};

test('missing, and there after a while', async () => {
  const path = tempPath('late.db');
  const askd = await startAskd({ mock, database: path, ready: 503 });
  await assertUnavailable(askd);
  copyFileSync(await sampleDatabase(), path + '.new');
  renameSync(path + '.new', path);
  await until('ready', async () => (await askd.fetch('/readyz')).status === 200);
  (await askd.ask(QUESTION)).complete();
});

test('one that never answers: the doors open, and say that it is being read', async t => {
  const held = [];
  // A PostgreSQL that takes connections without TLS (N) and a password (R), and answers no statement.
  const silent = createServer(socket => {
    held.push(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.write('N');
      socket.once('data', () => socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')));
    });
  });
  await new Promise(resolve => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    held.forEach(socket => socket.destroy());
    silent.close();
  });
  const askd = await startAskd({
    mock, ready: 'starting', env: {
      ASKD_DATABASE_URL: `postgresql://reader@127.0.0.1:${silent.address().port}/shop`,
      ASKD_SQL_TIMEOUT_SECONDS: '500',
    },
  });
  const ready = await (await askd.fetch('/readyz')).json();
  assert.equal(ready.status, 'starting');
  assert.match(JSON.stringify(ready.backends.database), /has not been read yet/);
  const refused = await askd.post('/internal/chat/stream', question(QUESTION));
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  assert.match((await refused.json()).detail, /starting/);
  await askd.stop();
});

test('no database at all', async () => {
  const path = tempPath('corrupt.db');
  writeFileSync(path, 'This is not a database, only text that is long enough to be looked at.'.repeat(100));
  await assertUnavailable(await startAskd({ mock, database: path, ready: 503 }));
});

test('none configured', async () => {
  const askd = await startAskd({ mock, env: { ASKD_DATABASE_URL: undefined } });
  const error = (await askd.ask(QUESTION)).error('database_unavailable');
  assert.equal(error.message, 'no database is set up for questions');
});

test('locked by somebody else, and free again', async () => {
  const path = tempPath('locked.db');
  copyFileSync(await sampleDatabase(), path);
  const askd = await startAskd({ mock, database: path, env: { ASKD_SQL_TIMEOUT_SECONDS: '4' } });
  (await askd.ask(QUESTION)).complete();
  const holder = new Process('sqlite3', [path], { input: null });
  holder.child.stdin.write('PRAGMA locking_mode=EXCLUSIVE;\nBEGIN EXCLUSIVE;\nSELECT \'held\';\n');
  await holder.said(/held/);
  const transcript = await askd.ask(QUESTION);
  assert.ok(['database_unavailable', 'sql_timeout'].includes(transcript.check().last.code),
    JSON.stringify(transcript.last));
  transcript.error('database_unavailable');
  holder.child.stdin.end('ROLLBACK;\n.quit\n');
  await holder.wait();
  (await askd.ask(QUESTION)).complete();
});
