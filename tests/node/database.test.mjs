// SPDX-License-Identifier: MIT
// tests/node/database.test.mjs - a database that is not there, is no database, or is locked: an
// error that says so, and everything else goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServer } from 'node:net';
import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { askdCommand, question, sampleDatabase, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { Process, run, until } from './lib/process.mjs';
import { general, line } from './lib/scripts.mjs';

const COUNT = 'SELECT COUNT(*) FROM employee';
const mock = await startMock([
  line('classify', 'SQL', { user: 'technicians' }),
  line('tables', '["employee"]'), line('generate', '```sql\n' + COUNT + '\n```'),
  line('correct', '```sql\n' + COUNT + '\n```'), line('answer', 'There are some.'),
  ...general,
]);
const QUESTION = 'How many technicians are active?';

const readiness = async askd => {
  const answer = await askd.fetch('/readyz');
  return { http: answer.status, ...await answer.json() };
};

const assertUnavailable = async askd => {
  const error = (await askd.ask(QUESTION)).error('database_unavailable');
  assert.equal(error.retryable, true);
  assert.equal((await readiness(askd)).status, 'degraded', 'the rest goes on');
  const answer = await (await askd.post('/ask', { query: 'How many customers are there?' })).json();
  assert.equal(Object.keys(answer).length, 5);
  assert.ok(answer.error);
  (await askd.ask('why is the sky blue?')).complete();
  return error;
};

test('missing, and there after a while', async () => {
  const path = tempPath('late.db');
  const askd = await startAskd({ mock, database: path });
  await assertUnavailable(askd);
  copyFileSync(await sampleDatabase(), path + '.new');
  renameSync(path + '.new', path);
  await until('ready', async () => (await readiness(askd)).status === 'ready');
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
  await assertUnavailable(await startAskd({ mock, database: path }));
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

// ---- what a lost database does not take with it ----

const withDocuments = name => ({ ASKD_KEYWORD_URL: `sqlite:${tempPath(name)}`, ASKD_VECTOR_URL: `sqlite:${tempPath(name)}` });
const addManual = async env => {
  const path = tempPath('manual.md');
  writeFileSync(path, '# Manual\n\n## Overtime\n\nOvertime is paid at one and a half times the hourly rate.\n');
  const { code, stderr } = await askdCommand(['docs', 'add', path], { env: { ASKD_MODEL: 'offline', ...env } });
  assert.equal(code, 0, stderr);
};
const LOST = 'The database is unavailable: questions about its data cannot be answered now.';

test('without a database and a model, documents and small talk go on', async () => {
  const env = withDocuments('blind-documents.db');
  await addManual(env);
  const path = tempPath('blind.db');
  const askd = await startAskd({ database: path, env });
  const before = await readiness(askd);
  assert.deepEqual([before.http, before.status, before.backends.database.status], [200, 'degraded', 'unavailable']);
  const said = (await askd.ask('How is overtime paid?')).complete();
  assert.equal(said.route, 'rag');
  assert.deepEqual(said.warnings, [LOST]);
  assert.equal(said.citations.length, 1);
  assert.equal((await askd.ask('How are penguins fed in Antarctica?')).complete().abstained, 'The documents do not say, and I can\'t answer that without a language model.');
  const hello = await askd.ask('Hello');
  assert.equal(hello.complete().route, 'general');
  assert.match(hello.text, /The database is unavailable now/);
  (await askd.ask('How many work orders are there?')).error('database_unavailable');
  copyFileSync(await sampleDatabase(), path);
  await until('it is read', async () => (await readiness(askd)).status === 'ready');
  assert.deepEqual((await askd.ask('How many work orders are there?')).complete().warnings ?? [], []);
  assert.deepEqual((await askd.ask('How is overtime paid?')).complete().warnings ?? [], []);
  const { database, keywords } = (await readiness(askd)).backends;
  assert.ok(Date.parse(database.answered_at) > 0 && Date.parse(keywords.answered_at) > 0);
});

test('with a model, a question about data is known as one while no table is', async () => {
  const env = withDocuments('lost-documents.db');
  await addManual(env);
  const lost = await startMock([line('classify', '{"route":"SQL","tables":[]}', { user: 'technicians' }), line('classify', '{"route":"RAG"}', { user: 'vertime' }),
    line('rag_answer', 'At one and a half times the rate [1].'), ...general]);
  const askd = await startAskd({ mock: lost, database: tempPath('never.db'), env });
  assert.equal((await readiness(askd)).status, 'degraded');
  (await askd.ask(QUESTION)).error('database_unavailable');
  assert.deepEqual((await askd.ask('How is overtime paid?')).complete().warnings, [LOST]);
  assert.deepEqual((await askd.ask('why is the sky blue?')).complete().warnings, [LOST]);
});

test('readiness tells when each backend answered and when it did not', async () => {
  const own = await startMock([...general]);
  const askd = await startAskd({ mock: own, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('seen.db')}`, ASKD_LLM_ATTEMPTS: '1' } });
  const recent = text => assert.ok(Math.abs(Date.now() - Date.parse(text)) < 600000, text);
  const { model } = (await readiness(askd)).backends;
  assert.deepEqual([model.answered_at, model.failed_at], [undefined, undefined], 'nothing was asked');
  (await askd.ask('why is the sky blue?')).complete();
  await until('the store was seen', async () => (await readiness(askd)).backends.conversations.answered_at);
  const then = (await readiness(askd)).backends;
  recent(then.model.answered_at);
  recent(then.conversations.answered_at);
  assert.equal(then.model.failed_at, undefined);
  await own.stop();
  (await askd.ask('and the sea?')).check();
  const after = (await readiness(askd)).backends.model;
  recent(after.failed_at);
  assert.equal(after.failure, 'unavailable');
  assert.equal(after.answered_at, then.model.answered_at);
});

test('banking is offered where the database has its tables, and says else why not', async () => {
  const path = tempPath('shop.db');
  const { code } = await run('sqlite3', [path, 'CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), total REAL);']);
  assert.equal(code, 0);
  const shop = await startAskd({ database: path, env: { ASKD_TENANT_COLUMN: undefined, ASKD_SHARED_TABLES: undefined, ASKD_SECURE_VIEWS: undefined } });
  const own = await startAskd();
  const why = /the graph 'banking' is about a database with a table 'accounts', which this one has not/;
  const lists = async askd => [
    (await (await askd.fetch('/internal/graphs')).json()).graphs.map(one => one.name),
    (await (await askd.fetch('/v1/models')).json()).data.map(one => one.id),
    (await (await askd.post('/assistants/search', {})).json()).map(one => one.graph_id),
    (await (await askd.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { headers: { accept: 'application/json, text/event-stream' } })).json())
      .result.tools.find(one => one.name === 'ask').inputSchema.properties.graph.enum,
  ];
  for (const list of await lists(shop))
    assert.ok(!list.includes('banking') && list.includes('orchestrator'), list.join());
  for (const list of await lists(own))
    assert.ok(list.includes('banking'), list.join());
  for (const [path, body] of [['/ask', { query: 'How many customers are there?' }], ['/internal/graphs/banking/stream', question('How many customers are there?')],
    ['/internal/chat/stream', question('How many customers are there?', undefined, { graph: 'banking' })]]) {
    const refused = await shop.post(path, body);
    assert.equal(refused.status, 404, path);
    assert.match((await refused.json()).detail, why, path);
  }
  assert.equal((await (await own.post('/ask', { query: 'How many customers are there?' })).json()).error, null);
});
