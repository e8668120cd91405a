// SPDX-License-Identifier: MIT
// tests/node/mcp.test.mjs - /mcp through the clients that speak it: both official ones, in both families of
// revisions, and the conformance suite; tenancy, the guard, progress, cancelling, bad messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { askdCommand, newConversation, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { general, held, line } from './lib/scripts.mjs';

const COMPANIES = { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'user-1' };
const documents = tempPath('documents.db');
const env = { ASKD_VECTOR_URL: `sqlite:${documents}`, ASKD_KEYWORD_URL: `sqlite:${documents}` };
writeFileSync(tempPath('core.md'), '# Manual\n\n## Overtime\n\nOvertime is paid at 150 percent.\n');
const added = await askdCommand(['docs', 'add', tempPath('core.md')], { env: { ...env, ASKD_MODEL: 'offline' } });
assert.equal(added.code, 0, added.stderr);

const mock = await startMock([
  line('classify', 'SQL', { user: 'orders' }),
  line('tables', '["workOrder"]'),
  line('generate', '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```'),
  line('answer', 'Some are open.'),
  held(), ...general]);
const askd = await startAskd({ mock, env: { ...env, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const url = new URL(`${askd.url}/mcp`);

const connect = async (t, { headers = COMPANIES, to = url } = {}) => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(to, { requestInit: { headers } }));
  t.after(() => client.close());
  return client;
};
const connect2 = async (t, versionNegotiation) => {
  const client = new Client2({ name: 'test', version: '1' }, { versionNegotiation });
  await client.connect(new Transport2(url, { requestInit: { headers: COMPANIES } }));
  t.after(() => client.close());
  return client;
};
const rpc = (message, headers = {}, to = askd) =>
  to.post('/mcp', message, { headers: { accept: 'application/json, text/event-stream', ...headers } });
const call = (name, args, more) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, ...more } });
const textOf = result => result.content.map(part => part.text).join('');

test('initialize, ping, tools/list', async t => {
  const client = await connect(t);
  assert.equal(client.getServerVersion().name, 'askd');
  assert.deepEqual(client.getServerCapabilities(), { tools: {} });
  assert.match(client.getInstructions(), /list_tables/);
  assert.deepEqual(await client.ping(), {});
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(tool => tool.name), ['ask', 'run_sql', 'search_docs', 'list_tables']);
  for (const tool of tools) {
    assert.equal(tool.inputSchema.additionalProperties, false);
    assert.equal(tool.annotations.readOnlyHint, true);
  }
  const { graphs } = await (await askd.fetch('/internal/graphs')).json();
  assert.deepEqual(tools[0].inputSchema.properties.graph.enum, graphs.map(graph => graph.name));
});

const everyTool = async client => {
  const answer = await client.callTool({ name: 'ask', arguments: { question: 'how many orders are there?' } });
  assert.equal(answer.isError, undefined, textOf(answer));
  assert.equal(textOf(answer), 'Some are open.');
  assert.equal(answer.structuredContent.answer, 'Some are open.');
  assert.equal(answer.structuredContent.route, 'sql');
  assert.deepEqual(answer.structuredContent.data.columns, ['status', 'orders']);
  const rows = await client.callTool({ name: 'run_sql', arguments: { sql: 'SELECT COUNT(*) AS orders FROM workOrder' } });
  assert.equal(rows.isError, undefined, textOf(rows));
  assert.equal(rows.structuredContent.data.row_count, 1);
  assert.deepEqual(JSON.parse(textOf(rows)), rows.structuredContent);
  const found = await client.callTool({ name: 'search_docs', arguments: { query: 'How is overtime paid?' } });
  assert.equal(found.structuredContent.passages[0].document, 'core.md');
  const tables = await client.callTool({ name: 'list_tables' });
  assert.ok(tables.structuredContent.tables.some(table => table.name === 'workOrder'));
  const table = await client.callTool({ name: 'list_tables', arguments: { table: 'workOrder' } });
  assert.ok(table.structuredContent.tables[0].columns.some(column => column.name === 'status'));
};

test('every tool, by the first client', async t => everyTool(await connect(t)));
test('every tool, by the second client, whatever it speaks first', async t => {
  for (const negotiation of [undefined, { mode: 'auto' }, { mode: { pin: '2026-07-28' } }]) {
    const client = await connect2(t, negotiation);
    await everyTool(client);
    assert.equal(client.getNegotiatedProtocolVersion(), negotiation === undefined ? '2025-11-25' : '2026-07-28');
  }
});

test('run_sql goes through the guard: rows of the caller’s company, nothing hidden, no writing', async t => {
  const client = await connect(t);
  const count = async (headers, sql) => {
    const one = await connect(t, { headers });
    return one.callTool({ name: 'run_sql', arguments: { sql } });
  };
  const of = async company => {
    const result = await count({ ...COMPANIES, 'x-askd-company-id': company }, 'SELECT COUNT(*) AS n FROM workOrder');
    return result.structuredContent.data.rows[0][0];
  };
  assert.equal(await of('acme'), 760, 'as many as the samples make');
  assert.equal(await of('globex'), 190);
  assert.equal(await of('nobody'), 0);
  const conversation = newConversation();
  const native = await askd.post('/internal/graphs/statement/invoke', { input: { message: 'SELECT 1' }, conversation });
  assert.equal(native.status, 404, 'the tools’ graphs are no doors of their own');
  const nameless = await count({}, 'SELECT COUNT(*) AS n FROM workOrder');
  assert.equal(nameless.structuredContent.data.rows[0][0], 0, 'who names no company sees no rows of any');
  for (const sql of ['DELETE FROM workOrder', 'SELECT 1; SELECT 2', 'SELECT * FROM sqlite_master', 'SELECT nonsense FROM workOrder']) {
    const refused = await client.callTool({ name: 'run_sql', arguments: { sql } });
    assert.equal(refused.isError, true, sql);
    assert.match(textOf(refused), /^sql_rejected: ./, sql);
  }
  const many = await client.callTool({ name: 'run_sql', arguments: { sql: 'SELECT w.id FROM workOrder w, workOrder v LIMIT 5000' } });
  assert.ok(many.isError || many.structuredContent.data.row_count <= 100, 'the row cap holds');
});

test('conversations: an id is its company’s and user’s own', async t => {
  const mine = await connect(t);
  const conversation_id = newConversation().id;
  const first = await mine.callTool({ name: 'ask', arguments: { question: 'hello', conversation_id } });
  assert.equal(first.structuredContent.conversation_id, conversation_id);
  const other = await connect(t, { headers: { 'x-askd-company-id': 'globex', 'x-askd-user-id': 'user-1' } });
  const nameless = await connect(t, { headers: {} });
  for (const client of [other, nameless]) {
    const theirs = await client.callTool({ name: 'ask', arguments: { question: 'hello', conversation_id } });
    assert.ok(!theirs.isError, textOf(theirs));
    assert.equal(theirs.structuredContent.conversation_id, conversation_id);
  }
});

test('progress for who asks for it', async t => {
  const steps = [];
  for (const client of [await connect(t), await connect2(t, { mode: { pin: '2026-07-28' } })]) {
    steps.length = 0;
    const onprogress = step => steps.push(step);
    const question = { name: 'ask', arguments: { question: 'how many orders are there?' } };
    const answer = client instanceof Client ? await client.callTool(question, undefined, { onprogress }) : await client.callTool(question, { onprogress });
    assert.equal(textOf(answer), 'Some are open.');
    assert.ok(steps.length > 3);
    assert.ok(steps.some(step => step.message === 'route: sql'));
    assert.ok(steps.some(step => /execut/.test(step.message)));
    assert.deepEqual(steps.map(step => step.progress), steps.map((_, i) => i + 1));
  }
  const plain = await rpc(call('ask', { question: 'hello' }, { _meta: { progressToken: 1 } }), { accept: 'application/json' });
  assert.match(plain.headers.get('content-type'), /^application\/json/);
});

test('cancelling ends the run, by either family’s way', async t => {
  const question = { name: 'ask', arguments: { question: 'held, please' } };
  for (const onprogress of [undefined, () => {}])
    for (const make of [connect, () => connect2(t, undefined), () => connect2(t, { mode: { pin: '2026-07-28' } })]) {
      const client = await make(t);
      const errors = [];
      client.onerror = error => errors.push(error);
      const abort = new AbortController();
      const options = { signal: abort.signal, onprogress };
      const asked = client instanceof Client ? client.callTool(question, undefined, options) : client.callTool(question, options);
      const ended = assert.rejects(asked);
      await until('it runs', async () => await askd.metric('askd_runs_active') === 1);
      abort.abort();
      await ended;
      await until('the run is over', async () => await askd.metric('askd_runs_active') === 0);
      assert.deepEqual(errors.filter(error => /unknown message/i.test(error.message)), []);
    }
});

test('another session’s calls cannot be cancelled', async () => {
  const asked = rpc(call('ask', { question: 'held, please' }), { 'mcp-session-id': 'one' });
  await until('it runs', async () => await askd.metric('askd_runs_active') === 1);
  const cancel = headers => rpc({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, headers);
  assert.equal((await cancel({})).status, 202);
  assert.equal((await cancel({ 'mcp-session-id': 'two' })).status, 202);
  const answer = await mock.release(asked.then(response => response.json()));
  assert.equal(answer.result.isError, undefined);
});

test('errors: JSON-RPC’s for messages, the tool’s for its work', async () => {
  const wrong = async (message, status, code, headers) => {
    const response = await rpc(message, headers);
    assert.equal(response.status, status);
    assert.equal((await response.json()).error.code, code);
  };
  await wrong('{', 400, -32700);
  await wrong([{ jsonrpc: '2.0', id: 1, method: 'ping' }], 501, -32600);
  await wrong({ jsonrpc: '2.0', id: 1 }, 400, -32600);
  await wrong({ jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32601);
  await wrong({ jsonrpc: '2.0', id: 1, method: 'ping' }, 400, -32022, { 'mcp-protocol-version': '1999-01-01' });
  await wrong(call('nothing', {}), 200, -32602);
  await wrong(call('ask', []), 200, -32602);
  await wrong({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x' } }, 200, -32602);
  const failed = async (args, pattern) => {
    const { result } = await (await rpc(call('ask', args))).json();
    assert.equal(result.isError, true);
    assert.match(textOf(result), pattern);
  };
  await failed({}, /question/);
  await failed({ question: 'x', graph: 'nothing' }, /no graph 'nothing'/);
  await failed({ question: 'x', graph: 'statement' }, /no graph 'statement'/);
  await failed({ question: 'x', company_id: 'acme' }, /company_id/);
  const initialized = await rpc({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal(initialized.status, 202);
  assert.equal(await initialized.text(), '');
  assert.equal((await rpc({ jsonrpc: '2.0', id: 9, result: {} })).status, 202);
});

test('GET and DELETE: 405; keys; pages of other sites', async () => {
  for (const method of ['GET', 'DELETE']) {
    const response = await askd.fetch('/mcp', { method, headers: { accept: 'text/event-stream' } });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST');
  }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  assert.equal((await rpc(ping, { origin: 'https://evil.example' })).status, 403);
  const guarded = await startAskd({ mock, env: { ASKD_API_KEYS: 'secret-key' } });
  assert.equal((await rpc(ping, {}, guarded)).status, 401);
  assert.equal((await rpc(ping, { authorization: 'Bearer secret-key' }, guarded)).status, 200);
});

test('a database that is down, a server that is full: the model reads why', async t => {
  const full = await startAskd({ mock, env: { ASKD_MAX_RUNS: '1', ASKD_MAX_QUEUED_RUNS: '0' } });
  const asked = rpc(call('ask', { question: 'held, please' }), {}, full);
  await until('it runs', async () => await full.metric('askd_runs_active') === 1);
  const { result } = await (await rpc(call('ask', { question: 'hello' }), {}, full)).json();
  assert.equal(result.isError, true);
  assert.match(textOf(result), /try again later/);
  await mock.release(asked.then(response => response.text()));
  const down = await startAskd({ mock, env: { ASKD_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }, ready: null });
  const client = await connect(t, { to: new URL(`${down.url}/mcp`) });
  for (const name of ['run_sql', 'list_tables'])
    assert.equal((await client.callTool({ name, arguments: name === 'run_sql' ? { sql: 'SELECT 1' } : {} })).isError, true, name);
});

test('a statement that a person must approve: the model reads that it waits', async t => {
  const careful = await startAskd({ mock, env: { ASKD_SQL_APPROVAL: 'always', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('careful.db')}` } });
  const client = await connect(t, { to: new URL(`${careful.url}/mcp`) });
  const waits = await client.callTool({ name: 'run_sql', arguments: { sql: 'SELECT COUNT(*) AS n FROM workOrder' } });
  assert.match(textOf(waits), /waits for a person/);
  assert.equal(waits.structuredContent.interrupted, true);
  assert.equal(waits.structuredContent.data, undefined);
  const resumed = await careful.post(`/internal/runs/${waits.structuredContent.run_id}/resume?company_id=acme&user_id=user-1`, { resume: { action: 'approve' } });
  assert.match(await resumed.text(), /"row_count":1/);
});

// What the suite asks of a server made for it (its tools, its prompts), and what this one does not offer.
const NOT_OURS = [
  'logging-set-level', 'completion-complete', 'tools-call-simple-text', 'tools-call-image', 'tools-call-audio',
  'tools-call-embedded-resource', 'tools-call-mixed-content', 'tools-call-with-logging', 'tools-call-error', 'tools-call-with-progress',
  'tools-call-sampling', 'tools-call-elicitation', 'json-schema-2020-12', 'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums', 'resources-list', 'resources-read-text', 'resources-read-binary',
  'resources-templates-read', 'resources-subscribe', 'resources-unsubscribe', 'prompts-list', 'prompts-get-simple',
  'prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image',
];

test('the conformance suite: what it asks of every server holds', async () => {
  const modules = join(sourceDir, 'tests/node/node_modules');
  const baseline = tempPath('expected.yml');
  writeFileSync(baseline, `server:\n${NOT_OURS.map(name => `  - ${name}\n`).join('')}`);
  const result = await run(process.execPath, [join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
    'server', '--url', url.href.replace('127.0.0.1', 'localhost'), '--expected-failures', baseline], { cwd: tempPath('.'), ms: 600000 });
  assert.equal(result.code, 0, result.stdout + result.stderr);
  for (const name of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])
    assert.match(result.stdout, new RegExp(`${name}\\b`), `${name} ran:\n${result.stdout}`);
});
