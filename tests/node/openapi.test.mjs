// SPDX-License-Identifier: MIT
// tests/node/openapi.test.mjs - /openapi.json: every route of the table and no other, without a complaint of
// spectral, and true: what the server really sends is held against its schemas.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { newConversation, question, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { faulty, general, line } from './lib/scripts.mjs';

const sql = (user, statement) => [line('classify', 'SQL', { user }), line('generate', `\`\`\`sql\n${statement}\n\`\`\``, { user })];
const mock = await startMock([
  ...sql('by status', 'SELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status'),
  ...sql('mistaken', 'SELECT nonsense FROM workOrder'),
  line('correct', '```sql\nSELECT COUNT(*) AS orders FROM workOrder\n```'),
  line('tables', '["workOrder"]'),
  line('answer', 'That is what there is.'),
  line('classify', 'GENERAL', { user: 'a broken one' }),
  line('classify', 'RAG', { user: 'document' }),
  faulty('broken', 'error-mid-2'),
  ...general,
]);
const askd = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}`, ASKD_DURABILITY: 'sync' } });
const documentText = await (await askd.fetch('/openapi.json')).text();
const api = JSON.parse(documentText);

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'api', components: api.components });
const pointer = key => key.replaceAll('~', '~0').replaceAll('/', '~1');
const check = (schema, value, what) => {
  const validate = ajv.compile(schema);
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value).slice(0, 1000)}`);
};
// References in a schema of the document, as ajv finds them.
const absolute = schema => JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/'));
const named = name => ({ $ref: `api#/components/schemas/${pointer(name)}` });

// What the document says of an operation's answer with this status and type.
const schemaOf = (method, path, status, type) => {
  const operation = api.paths[path]?.[method.toLowerCase()];
  assert.ok(operation, `${method} ${path} is not in the document`);
  const found = operation.responses[status] ?? operation.responses.default;
  assert.ok(found, `${method} ${path}: ${status} is not in the document`);
  const answer = found.$ref ? api.components.responses[found.$ref.split('/').at(-1)] : found;
  if (!answer.content)
    return null;
  assert.ok(answer.content[type], `${method} ${path} ${status}: ${type} is not in the document`);
  return absolute(answer.content[type].schema);
};

// Ask for path (as the document has it), and hold the answer against the document.
const fits = async (method, path, { params = {}, query = '', body, headers, status } = {}) => {
  const real = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name])) + query;
  if (body && (status ?? 200) < 400)
    check(absolute(api.paths[path].post.requestBody.content['application/json'].schema), body, `the body of ${path}`);
  const response = await askd.fetch(real, { method, headers: { ...(body && { 'content-type': 'application/json' }), ...headers }, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (status)
    assert.equal(response.status, status, text);
  const type = response.headers.get('content-type')?.split(';')[0];
  const schema = schemaOf(method, path, response.status, type);
  if (!schema || !/json$/.test(type))
    return text;
  const value = JSON.parse(text);
  check(schema, value, `${method} ${path} ${response.status}`);
  return value;
};

test('it has each route of the table, and no other', async () => {
  const [table] = readFileSync(join(sourceDir, 'server/process/routes.c'), 'utf8').split(' absent[]');
  const routes = new Set([...table.matchAll(/\{HTTP_METHOD_([A-Z]+),\s*"([^"]+)"/g)]
    .map(([, method, route]) => `${method} ${route}`));
  const written = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.keys(methods).filter(name => name !== 'parameters').map(method => `${method.toUpperCase()} ${path}`));
  assert.deepEqual(written.sort(), [...routes].sort());
  assert.match(api.openapi, /^3\.1\./);
  assert.match(api.info.version, /^\d+\.\d+\.\d+$/);
});

test('each parameter of a path is described, each reference leads somewhere, each schema is one', () => {
  for (const [path, methods] of Object.entries(api.paths)) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = (methods.parameters ?? []).map(one => one.$ref ? api.components.parameters[one.$ref.split('/').at(-1)] : one);
    assert.deepEqual(described.filter(one => one.in === 'path').map(one => one.name).sort(), wanted.sort(), path);
  }
  for (const [, kind, name] of documentText.matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
    assert.ok(api.components[kind][name], `${kind}/${name}`);
  for (const name of Object.keys(api.components.schemas))
    ajv.compile(named(name));
});

const spectral = join(sourceDir, 'build/tools/spectral/node_modules/.bin/spectral');
test('spectral has nothing to say', { skip: !existsSync(spectral) && 'spectral is not installed' }, async () => {
  writeFileSync(tempPath('openapi.json'), documentText);
  writeFileSync(tempPath('ruleset.json'), '{"extends":["spectral:oas"]}');
  const { code, stdout } = await run(spectral, ['lint', '--fail-severity', 'hint', '--ruleset', tempPath('ruleset.json'), tempPath('openapi.json')],
    { cwd: tempPath('.'), ms: 600000 });
  assert.equal(code, 0, stdout);
});

// Every event of real streams.
const seen = new Set();
const asked = async (message, options, expected) => {
  const transcript = await askd.ask(message, { conversation: newConversation(), options });
  transcript.check();
  assert.equal(transcript.last.event, expected, JSON.stringify(transcript.last));
  for (const event of transcript.events) {
    check(named('Event'), event, message);
    seen.add(event.event);
  }
  return transcript;
};

test('streams: every event is one of the document, of every graph and detail', async () => {
  for (const detail of ['core', 'nodes', 'debug']) {
    await asked('orders by status', { detail }, 'complete');
    await asked('mistaken', { detail }, 'complete');
    await asked('why', { detail }, 'complete');
    await asked('a document', { detail }, 'complete');
    await asked('a broken one', { detail }, 'error');
  }
  const { graphs } = await fits('GET', '/internal/graphs');
  for (const { name } of graphs) {
    const response = await askd.post(`/internal/graphs/${name}/stream`, question('orders by status', newConversation(), { detail: 'nodes' }));
    const events = (await response.text()).split('\n').filter(text => text.startsWith('data: ')).map(text => JSON.parse(text.slice(6)));
    events.forEach(event => check(named('Event'), event, name));
    await fits('GET', '/internal/graphs/{graph}', { params: { graph: name } });
    await fits('POST', '/internal/graphs/{graph}/invoke', { params: { graph: name }, body: question('orders by status', newConversation()) });
  }
  for (const name of ['route_decision', 'tool_start', 'token', 'complete', 'error', 'node_start', 'node_end', 'tool_end', 'retry', 'state'])
    assert.ok(seen.has(name), `no ${name} was seen`);
  assert.throws(() => check(named('Event'), { event: 'token', channel: 'final' }, 'x'), /content/);
  assert.throws(() => check(named('Event'), { event: 'token', channel: 'final', content: '', other: 1 }, 'x'));
});

test('answers and refusals', async () => {
  const conversation = newConversation(), whose = `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
  const transcript = await askd.ask('orders by status', { conversation });
  const id = { conversation: conversation.id }, history = `?${whose}`;
  await until('it is kept', async () => (await askd.fetch(`/internal/conversations/${conversation.id}?${whose}`)).status === 200);
  await fits('POST', '/ask', { body: { query: 'How many customers are there?' }, status: 200 });
  await fits('GET', '/internal/runs', { query: history, status: 200 });
  await fits('POST', '/internal/runs/{run}/cancel', { params: { run: transcript.runId }, query: history, status: 200 });
  await fits('GET', '/internal/runs/{run}/stream', { params: { run: transcript.runId }, query: history, headers: { 'last-event-id': transcript.frames.at(-1).id }, status: 204 });
  await fits('GET', '/internal/runs/{run}/stream', { params: { run: 'nonsense' }, status: 404 });
  await fits('GET', '/internal/suggestions', { query: '?tables=workOrder', status: 200 });
  await fits('GET', '/internal/tables', { query: history, status: 200 });
  for (const [body, status] of [[{ score: 1, reason: 'right' }, 200], [{ score: 'x' }, 422]])
    await fits('POST', '/internal/runs/{run}/feedback', { params: { run: transcript.runId }, query: history, body, status });
  await fits('POST', '/internal/runs/{run}/feedback', { params: { run: 'nonsense' }, query: history, body: { score: 1 }, status: 404 });
  await fits('POST', '/internal/results', { query: history, body: { sql: 'SELECT number FROM workOrder', format: 'json', rows: 3 }, status: 200 });
  await fits('GET', '/internal/conversations', { query: history, status: 200 });
  await fits('GET', '/internal/conversations', { query: `${history}&search=orders`, status: 200 });
  await fits('GET', '/internal/conversations/{conversation}', { params: id, query: history, status: 200 });
  await fits('GET', '/internal/conversations/{conversation}/checkpoints', { params: id, query: history, status: 200 });
  const { supersteps: [{ run_id, version }] } = await fits('GET', '/internal/conversations/{conversation}/checkpoints', { params: id, query: history, status: 200 });
  const step = `${history}&run_id=${run_id}&version=${version}`;
  for (const query of [`${history}&version=1`, `${history}&run_id=${run_id}`, step])
    await fits('GET', '/internal/conversations/{conversation}/checkpoints', { params: id, query, status: 200 });
  await fits('POST', '/internal/conversations/{conversation}/fork', { params: id, query: `${history}&to=forked`, status: 201 });
  await fits('POST', '/internal/conversations/{conversation}/fork', { params: id, query: `${step}&to=forked-within`, status: 201 });
  await fits('DELETE', '/internal/conversations/{conversation}', { params: id, query: history, status: 204 });
  await fits('GET', '/internal/conversations/{conversation}', { params: id, query: history, status: 404 });
  await fits('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, status: 200 });
  await fits('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run_sql', arguments: { sql: 'SELECT 1' } } }, status: 200 });
  await fits('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1 }, status: 400 });
  await fits('POST', '/mcp', { body: [], status: 501 });
  const agUi = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'why' }] };
  for (const [path, params] of [['/ag-ui', {}], ['/ag-ui/{graph}', { graph: 'general_agent' }]]) {
    const text = await fits('POST', path, { params, body: agUi, status: 200 });
    for (const row of text.split('\n').filter(row => row.startsWith('data: ')))
      check(named('AgUiEvent'), JSON.parse(row.slice(6)), path);
    await fits('POST', path, { params, body: { ...agUi, parentRunId: 'p' }, status: 501 });
  }
  const human = { assistant_id: 'orchestrator', input: { messages: [{ type: 'human', content: 'why' }] } };
  for (const path of ['/assistants/search', '/assistants/count', '/threads/search'])
    await fits('POST', path, { body: {}, status: 200 });
  for (const path of ['/assistants/{assistant}', '/assistants/{assistant}/graph', '/assistants/{assistant}/schemas'])
    await fits('GET', path, { params: { assistant: 'banking' }, status: 200 });
  const { thread_id: thread } = await fits('POST', '/threads', { body: {}, status: 200 });
  const { run_id: run } = await fits('POST', '/threads/{thread}/runs', { params: { thread }, body: human, status: 200 });
  await fits('GET', '/threads/{thread}/runs/{run}/join', { params: { thread, run }, status: 200 });
  for (const path of ['/threads/{thread}', '/threads/{thread}/state', '/threads/{thread}/runs', '/threads/{thread}/runs/{run}', '/threads/{thread}/runs/{run}/stream'])
    await fits('GET', path, { params: { thread, run }, status: 200 });
  const [{ checkpoint }] = await fits('POST', '/threads/{thread}/history', { params: { thread }, body: {}, status: 200 });
  await fits('POST', '/threads/{thread}/copy', { params: { thread }, status: 200 });
  await fits('GET', '/threads/{thread}/state/{checkpoint}', { params: { thread, checkpoint: checkpoint.checkpoint_id }, status: 200 });
  await fits('POST', '/threads/{thread}/runs/wait', { params: { thread }, body: human, status: 200 });
  await fits('POST', '/threads/{thread}/runs/stream', { params: { thread }, body: human, status: 200 });
  await fits('POST', '/threads/{thread}/runs/{run}/cancel', { params: { thread, run }, status: 202 });
  await fits('POST', '/runs/wait', { body: human, status: 200 });
  await fits('POST', '/runs/stream', { body: human, status: 200 });
  await fits('POST', '/runs', { body: human, status: 200 });
  await fits('DELETE', '/threads/{thread}', { params: { thread }, status: 204 });
  for (const path of ['/internal/about', '/readyz', '/version', '/healthz', '/metrics', '/openapi.json', '/'])
    await fits('GET', path, { status: 200 });
  await fits('GET', '/internal/graphs/{graph}', { params: { graph: 'banking' }, query: '?format=mermaid', status: 200 });
  await fits('GET', '/internal/graphs/{graph}', { params: { graph: 'none' }, status: 404 });
  await fits('POST', '/internal/chat/stream', { body: { input: {} }, status: 422 });
  await fits('POST', '/internal/chat/stream', { body: question('x', newConversation(), { unknown: 1 }), status: 422 });
  await fits('POST', '/internal/chat/stream', { body: [], status: 422 });
});

test('the doors for OpenAI\'s clients: their answers, refusals and chunks', async () => {
  const body = (content, more) => ({ model: 'orchestrator', messages: [{ role: 'user', content }], ...more });
  await fits('GET', '/v1/models', { status: 200 });
  await fits('GET', '/v1/models/{model}', { params: { model: 'banking' }, status: 200 });
  await fits('GET', '/v1/models/{model}', { params: { model: 'none' }, status: 404 });
  await fits('POST', '/v1/chat/completions', { body: body('orders by status'), status: 200 });
  await fits('POST', '/v1/chat/completions', { body: body('x', { n: 2 }), status: 400 });
  await fits('POST', '/v1/chat/completions', { body: [], status: 400 });
  const text = await fits('POST', '/v1/chat/completions', { body: body('orders by status', { stream: true, stream_options: { include_usage: true } }), status: 200 });
  const frames = text.split('\n').filter(one => one.startsWith('data: ')).map(one => one.slice(6));
  assert.equal(frames.pop(), '[DONE]');
  frames.forEach(frame => check(named('ChatCompletionChunk'), JSON.parse(frame), 'a chunk'));
  const asked = { model: 'orchestrator', input: 'orders by status' };
  await fits('POST', '/v1/responses', { body: asked, status: 200 });
  await fits('POST', '/v1/responses', { body: { ...asked, prompt: { id: 'x' } }, status: 400 });
  const { id: response } = await fits('POST', '/v1/responses', { body: { ...asked, background: true }, status: 200 });
  const again = await fits('GET', '/v1/responses/{response}', { params: { response }, query: '?stream=true&starting_after=0', status: 200 });
  for (const [, data] of again.matchAll(/^data: (.*)$/gm))
    check(named('ResponseEvent'), JSON.parse(data), 'an event once more');
  assert.equal((await fits('GET', '/v1/responses/{response}', { params: { response }, status: 200 })).status, 'completed');
  await fits('GET', '/v1/responses/{response}', { params: { response: 'resp_x' }, status: 404 });
  for (const input of ['orders by status', 'a broken one']) {
    const events = await fits('POST', '/v1/responses', { body: { ...asked, input, stream: true }, status: 200 });
    for (const [, type, data] of events.matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
      check(named('ResponseEvent'), JSON.parse(data), 'an event');
      assert.equal(JSON.parse(data).type, type);
    }
  }
});

test('the door for the AI SDK: its parts and refusals', async () => {
  const body = (text, more) => ({ id: newConversation().id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text }] }], ...more });
  for (const question of ['orders by status', 'mistaken', 'a document', 'a broken one']) {
    const text = await fits('POST', '/api/chat', { body: body(question), status: 200 });
    const frames = text.split('\n').filter(one => one.startsWith('data: ')).map(one => one.slice(6));
    assert.equal(frames.pop(), '[DONE]');
    frames.forEach(frame => check(named('UiPart'), JSON.parse(frame), 'a part'));
  }
  await fits('POST', '/api/chat', { body: body(' '), status: 400 });
  await fits('GET', '/api/chat/{chat}/stream', { params: { chat: 'none' }, status: 204 });
});
