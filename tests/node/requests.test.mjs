// SPDX-License-Identifier: MIT
// tests/node/requests.test.mjs - what is refused before a run exists, and how it is said (CONTRACTS
// "Bad input"); keys; graphs; metrics.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { newConversation, question, sourceDir, startAskd } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { readStream } from './lib/sse.mjs';

const askd = await startAskd();
const STREAM = '/internal/chat/stream';
const good = question('hello');

const assertProblem = async (response, status, pointer) => {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.match(response.headers.get('content-type'), /^application\/problem\+json/);
  assert.ok(response.headers.get('x-request-id'));
  const problem = JSON.parse(text);
  assert.equal(problem.status, status);
  assert.ok(problem.title && problem.detail && problem.code, text);
  assert.equal(problem.pointer, pointer, text);
  return problem;
};

const nested = depth => '['.repeat(depth) + ']'.repeat(depth);
const message = text => ({ ...good, input: { message: text } });
const conversation = change => ({ ...good, conversation: { ...good.conversation, ...change } });

// body, status, pointer
const refused = {
  'no body': ['', 400],
  'no JSON': ['{"input":', 400],
  'trailing text': [JSON.stringify(good) + 'x', 400],
  'NUL in a string': ['{"input":{"message":"a\\u0000b"},"conversation":{"id":"a","user_id":"b","company_id":"c"}}', 400],
  'a lone surrogate': ['{"input":{"message":"\\ud800"},"conversation":{"id":"a","user_id":"b","company_id":"c"}}', 400],
  'bytes that are not UTF-8': [Buffer.concat([Buffer.from('{"input":{"message":"'), Buffer.from([0xff, 0xfe]),
    Buffer.from('"}}')]), 400],
  'too deep': [`{"x":${nested(70)},"input":{}}`, 400],
  'an array': [[], 422],
  'a number': ['1', 422],
  'no message': [{ ...good, input: {} }, 422, '/input/message'],
  'no input': [{ conversation: good.conversation }, 422, '/input/message'],
  'input is text': [{ ...good, input: 'hello' }, 422, '/input'],
  'message is a number': [message(1), 422, '/input/message'],
  'message is null': [message(null), 422, '/input/message'],
  'an empty message': [message(''), 422, '/input/message'],
  'only blanks': [message(' \n\t '), 422, '/input/message'],
  'a message over 32 KiB': [message('a'.repeat(32 * 1024 + 1)), 422, '/input/message'],
  'no conversation': [{ input: good.input }, 422, '/conversation/id'],
  'conversation is a list': [{ ...good, conversation: [] }, 422, '/conversation'],
  'an id of a wrong type': [conversation({ id: 7 }), 422, '/conversation/id'],
  'an id over 128 bytes': [conversation({ id: 'a'.repeat(129) }), 422, '/conversation/id'],
  'no user': [conversation({ user_id: undefined }), 422, '/conversation/user_id'],
  'an empty company': [conversation({ company_id: '' }), 422, '/conversation/company_id'],
  'options is a string': [{ ...good, options: 'fast' }, 422, '/options'],
  'an unknown option': [{ ...good, options: { speed: 1 } }, 422, '/options/speed'],
  'an option with a slash': [{ ...good, options: { 'a/b~c': 1 } }, 422, '/options/a~1b~0c'],
  'a detail that is none': [{ ...good, options: { detail: 'all' } }, 422, '/options/detail'],
  'a detail of a wrong type': [{ ...good, options: { detail: true } }, 422, '/options/detail'],
  'an on_disconnect that is none': [{ ...good, options: { on_disconnect: 'stay' } }, 422, '/options/on_disconnect'],
  'a multitask that is none': [{ ...good, options: { multitask: 'both' } }, 422, '/options/multitask'],
  'a graph that is none': [{ ...good, options: { graph: 'nothing' } }, 422, '/options/graph'],
};

for (const [name, [body, status, pointer]] of Object.entries(refused))
  test(`refused: ${name}`, async () => {
    const problem = await assertProblem(await askd.post(STREAM, body), status, pointer);
    assert.equal(problem.code, 'invalid_request');
  });

test('unknown members are ignored', async () => {
  const transcript = await askd.post(STREAM, { ...question('hello'), extra: { a: [1] } });
  assert.equal(transcript.status, 200);
  await transcript.text();
});

test('a body over 1 MiB, with its length and without', async () => {
  const body = JSON.stringify(message('a'.repeat(1024 * 1024)));
  await assertProblem(await askd.post(STREAM, body), 413);
  const socket = net.connect(new URL(askd.url).port, '127.0.0.1');
  socket.on('error', () => {}); // it may be closed while we still send
  socket.write(`POST ${STREAM} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  const [first] = await new Promise((resolve, reject) => {
    socket.once('data', data => resolve([data.toString()]));
    socket.once('close', () => reject(new Error('closed without an answer')));
  });
  assert.match(first, /^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('headers over 32 KiB, a target over 8 KiB', async () => {
  const wide = await askd.fetch('/healthz', { headers: { 'x-wide': 'a'.repeat(40 * 1024) } });
  await assertProblem(wide, 431);
  await assertProblem(await askd.fetch('/healthz?' + 'a'.repeat(9 * 1024)), 414);
});

const raw = text => new Promise((resolve, reject) => {
  const socket = net.connect(new URL(askd.url).port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', part => { answer += part; }).on('error', reject)
    .on('close', () => resolve(answer));
  socket.write(text);
});

test('what is not HTTP gets 400 and the connection ends', async () => {
  assert.match(await raw('hello\r\n\r\n'), /^HTTP\/1\.1 400 /);
  assert.match(await raw('GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'), /^HTTP\/1\.1 400 /);
  const smuggled = await raw('POST /ask HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n' +
    'Connection: close\r\n\r\n0\r\n\r\n');
  assert.match(smuggled, /^HTTP\/1\.1 400 /);
});

test('pipelined requests are answered in order', async () => {
  const answers = await raw('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\n' +
    'GET /version HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
});

test('a request id is taken over or made', async () => {
  const given = await askd.fetch('/healthz', { headers: { 'x-request-id': 'abc-1' } });
  assert.equal(given.headers.get('x-request-id'), 'abc-1');
  const forged = await askd.fetch('/healthz', { headers: { 'x-request-id': 'a b=c' } });
  assert.notEqual(forged.headers.get('x-request-id'), 'a b=c');
});

test('no such path, no such graph, another method', async () => {
  await assertProblem(await askd.fetch('/nothing'), 404);
  await assertProblem(await askd.fetch('/internal/graphs/nothing'), 404);
  await assertProblem(await askd.post('/internal/graphs/nothing/stream', good), 404);
  await assertProblem(await askd.post('/internal/graphs/nothing/invoke', good), 404);
  const get = await askd.fetch(STREAM);
  assert.equal(get.headers.get('allow'), 'POST');
  await assertProblem(get, 405);
  const put = await askd.fetch('/internal/graphs', { method: 'PUT', body: '{}' });
  assert.match(put.headers.get('allow'), /GET/);
  await assertProblem(put, 405);
});

test('a Last-Event-ID that is none, of nobody, of somebody else', async () => {
  const ask = (headers, body = question('hello')) => askd.post(STREAM, body, { headers });
  await assertProblem(await ask({ 'last-event-id': 'x:y' }), 400);
  const own = await askd.ask('hello');
  const stolen = await ask({ 'last-event-id': `${own.runId}:1` },
    question('hello', { ...newConversation(), company_id: 'other' }));
  await assertProblem(stolen, 404);
  const gone = own.runId.slice(0, -4) + (own.runId.endsWith('0000') ? '1111' : '0000');
  assert.ok([400, 404, 410].includes((await ask({ 'last-event-id': `${gone}:1` })).status));
});

test('graphs: list, definition, Mermaid', async () => {
  const { graphs } = await (await askd.fetch('/internal/graphs')).json();
  const names = graphs.map(graph => graph.name);
  for (const name of ['orchestrator', 'banking', 'sql_agent', 'general_agent', 'text_to_sql'])
    assert.ok(names.includes(name), `${name} in ${names}`);
  for (const name of names) {
    const definition = await (await askd.fetch(`/internal/graphs/${name}`)).json();
    assert.equal(definition.name, name);
    assert.ok(definition.nodes.length > 0 && definition.edges.length > 0);
    const picture = await askd.fetch(`/internal/graphs/${name}?format=mermaid`);
    assert.match(picture.headers.get('content-type'), /^text\/plain/);
    assert.match(await picture.text(), /^(---|graph|flowchart|stateDiagram)/);
  }
  await assertProblem(await askd.fetch('/internal/graphs/banking?format=svg'), 422);
});

test('a graph by its name, without a conversation', async () => {
  const response = await askd.post('/internal/graphs/general_agent/stream', { input: { message: 'hello' } });
  assert.equal(response.status, 200);
  const transcript = await readStream(response.body);
  assert.equal(transcript.complete().route, 'general_agent');
  assert.ok(!('conversation_id' in transcript.last));
  await assertProblem(await askd.post('/internal/graphs/general_agent/stream', { input: {} }), 422, '/input/message');
  await assertProblem(await askd.post('/internal/graphs/general_agent/stream',
    { input: { message: 'hello' }, options: { graph: 'banking' } }), 422, '/options/graph');
});

test('keys: none, a wrong one, each of several; health stays open', async () => {
  const guarded = await startAskd({ env: { ASKD_API_KEYS: 'first-key, second-key' } });
  const list = headers => guarded.fetch('/internal/graphs', { headers });
  const without = await list({});
  assert.match(without.headers.get('www-authenticate'), /Bearer/);
  assert.equal((await assertProblem(without, 401)).code, 'unauthorized');
  await assertProblem(await list({ authorization: 'Bearer third-key' }), 401);
  await assertProblem(await list({ authorization: 'Bearer ' }), 401);
  await assertProblem(await list({ authorization: 'Basic first-key' }), 401);
  for (const key of ['first-key', 'second-key'])
    assert.equal((await list({ authorization: `Bearer ${key}` })).status, 200);
  for (const path of ['/healthz', '/readyz', '/metrics'])
    assert.equal((await guarded.fetch(path)).status, 200);
  const secret = await guarded.post(STREAM, good);
  await assertProblem(secret, 401);
  assert.doesNotMatch(guarded.child.stderr, /first-key|second-key|third-key/);
});

test('metrics: what Prometheus accepts, and what happened', async () => {
  (await askd.ask('hello')).check();
  const response = await askd.fetch('/metrics');
  assert.match(response.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const promtool = join(sourceDir, 'build/tools/usr/bin/promtool');
  if (existsSync(promtool)) {
    const judged = await run(promtool, ['check', 'metrics'], { input: text });
    assert.equal(judged.code, 0, judged.stdout + judged.stderr);
  }
  for (const line of text.trimEnd().split('\n'))
    assert.match(line, /^# (HELP|TYPE) [a-z_]+ .+$|^[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? [-+.\deE]+(Inf)?$/);
  assert.ok(await askd.metric('askd_sse_streams_total') >= 1);
  assert.ok(await askd.metric('askd_runs_total') >= 1);
  assert.match(text, /^askd_runs_total\{graph="orchestrator",route="[a-z]+",outcome="complete"\} [1-9]/m);
  assert.match(text, /^askd_http_requests_total\{route="\/internal\/chat\/stream",method="POST",code="200"\} [1-9]/m);
  assert.match(text, /^askd_http_request_duration_seconds_count\{route="\/internal\/chat\/stream",method="POST"\} [1-9]/m);
  const streams = await askd.metric('askd_sse_streams_total');
  assert.ok(await askd.metric('askd_sse_time_to_first_event_seconds_count') >= 1);
  assert.ok(await askd.metric('askd_sse_time_to_first_event_seconds_count') <= streams);
  assert.ok(await askd.metric('askd_sse_event_gap_seconds_count') >= 1);
  await until('the loops are measured', async () => await askd.metric('askd_loop_idle_ratio') > 0);
  assert.ok(await askd.metric('askd_loop_idle_ratio') <= 1);
  for (const name of ['askd_llm_inflight', 'askd_threadpool_queue_depth'])
    await until(`${name} is 0`, async () => await askd.metric(name) === 0);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds', 'process_max_fds',
    'process_start_time_seconds'])
    assert.ok(await askd.metric(name) > 0, name);
  await until('no stream is left', async () => await askd.metric('askd_sse_streams_active') === 0);
});

test('health and version', async () => {
  assert.equal(await (await askd.fetch('/healthz')).text(), 'ok\n');
  assert.equal((await (await askd.fetch('/version')).json()).name, 'askd');
  const ready = await (await askd.fetch('/readyz')).json();
  assert.equal(ready.status, 'ready');
  const head = await askd.fetch('/healthz', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), '');
});
