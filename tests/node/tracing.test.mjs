// SPDX-License-Identifier: MIT
// tests/node/tracing.test.mjs - what a collector gets: one span per run, node, model call, statement
// and search, in the caller's trace; what it does not get; and that a broken one harms no run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, question, startAskd, startMock } from './lib/harness.mjs';
import { startCollector } from './lib/collector.mjs';
import { until } from './lib/process.mjs';
import { startWatched } from './lib/watched.mjs';
import { faulty, general, line } from './lib/scripts.mjs';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const COUNT = "SELECT COUNT(*) FROM employee WHERE role <> 'canary-literal'";
const QUESTION = 'How many technicians called canary-question are active?';

const mock = await startMock([
  line('classify', 'SQL', { user: 'technicians' }),
  line('tables', '["employee"]'), line('generate', '```sql\n' + COUNT + '\n```'),
  line('correct', '```sql\n' + COUNT + '\n```'), line('answer', 'There are some, canary-answer.'),
  faulty('broken', '404'), faulty('shaky', '503-1', 'Well.'), ...general,
]);

const start = (collector, env = {}, more = {}) => startAskd({
  mock, env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...env }, ...more,
});

const askTraced = async (askd, message, headers = {}, options = undefined) => {
  const response = await askd.post('/internal/chat/stream', question(message, newConversation(), options), { headers });
  assert.equal(response.status, 200);
  const parent = response.headers.get('traceparent');
  const text = await response.text();
  return { parent, trace: parent?.split('-')[1], text };
};

const runSpan = (collector, trace) => until(() => `the run's span of ${trace}:\n${collector.problems.join('\n')}`,
  () => collector.of(trace, 'invoke_workflow')[0]);

test('one span per run, node, model call and statement, all in the caller’s trace', async () => {
  const collector = await startCollector();
  const proxy = await startWatched(mock), seen = () => proxy.requests.map(({ headers }) => headers.traceparent);
  const askd = await start(collector, {
    OPENAI_BASE_URL: `${proxy.url}/v1`, OTEL_SERVICE_NAME: 'asking', OTEL_EXPORTER_OTLP_HEADERS: 'x-team=data%20science,api-key=k',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.namespace=shop',
  });
  const { parent, text } = await askTraced(askd, QUESTION,
    { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'req-1' }, { detail: 'nodes' });
  assert.match(parent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  const run = await runSpan(collector, TRACE);
  assert.equal(run.parentSpanId, CALLER);
  assert.equal(parent.split('-')[2], run.spanId);
  assert.equal(run.kind, 2);
  assert.equal(run.name, 'invoke_workflow orchestrator');
  assert.equal(run.attributes['gen_ai.workflow.name'], 'orchestrator');
  assert.match(run.attributes['gen_ai.conversation.id'], /^conv-/);
  assert.equal(run.attributes['askd.route'], 'sql');
  assert.deepEqual([run.resource['service.name'], run.resource['deployment.environment.name'], run.resource['service.namespace']],
    ['asking', 'test', 'shop']);
  const { url, headers } = collector.requests[0];
  assert.equal(url, '/v1/traces');
  assert.deepEqual([headers['x-team'], headers['api-key']], ['data science', 'k']);

  const spans = collector.spans.filter(span => span.traceId === TRACE);
  const byId = new Map(spans.map(span => [span.spanId, span]));
  assert.equal(byId.size, spans.length, 'ids are unique');
  for (const span of spans)
    assert.ok(span === run || byId.has(span.parentSpanId), `${span.name} has a parent`);

  const visits = [...text.matchAll(/"event":"node_end","node":"([^"]+)"/g)].map(match => match[1]).sort();
  assert.ok(visits.includes('sql_agent/generate_sql') || visits.some(name => name.includes('/')), `${visits}`);
  assert.deepEqual(collector.of(TRACE, 'invoke_agent').map(span => span.attributes['gen_ai.agent.name']).sort(), visits);
  for (const span of collector.of(TRACE, 'invoke_agent')) {
    const path = span.attributes['gen_ai.agent.name'];
    const above = byId.get(span.parentSpanId);
    assert.equal(above.attributes['gen_ai.agent.name'] ?? '', path.includes('/') ? path.replace(/\/[^/]*$/, '') : '', path);
  }

  const chats = collector.of(TRACE, 'chat ');
  assert.equal(chats.length, seen().length);
  assert.deepEqual(chats.map(span => span.spanId).sort(), seen().map(header => header.split('-')[2]).sort());
  for (const header of seen())
    assert.match(header, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  for (const chat of chats) {
    assert.equal(chat.kind, 3);
    assert.equal(chat.attributes['gen_ai.operation.name'], 'chat');
    assert.equal(chat.attributes['gen_ai.provider.name'], 'openai');
    assert.equal(chat.attributes['gen_ai.request.model'], 'mock');
    assert.equal(chat.name, 'chat mock');
    assert.deepEqual(chat.attributes['gen_ai.response.finish_reasons'], ['stop']);
    assert.ok(chat.attributes['gen_ai.usage.output_tokens'] > 0);
    assert.ok(chat.attributes['gen_ai.response.time_to_first_chunk'] >= 0);
    assert.match(byId.get(chat.parentSpanId).name, /^invoke_agent/);
  }

  const statements = spans.filter(span => span.attributes['db.system.name'] === 'sqlite');
  assert.ok(statements.some(span => span.name === 'SELECT sqlite' && span.attributes['db.response.returned_rows'] === 1));
  for (const canary of ['canary', 'technicians', 'employee WHERE'])
    assert.ok(!collector.requests.some(request => request.text.includes(canary)), `${canary} is content`);
  await until('they are counted', async () => await askd.metric('askd_trace_spans_total') >= spans.length);
  await until('the log names the trace', () => askd.child.stderr.includes(`trace=${TRACE}`));
});

test('content, for those who opted in', async () => {
  const collector = await startCollector();
  const askd = await start(collector, { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' });
  const { trace } = await askTraced(askd, QUESTION);
  const run = await runSpan(collector, trace);
  assert.equal(run.attributes['askd.question'], QUESTION);
  assert.equal('parentSpanId' in run, false);
  const chat = collector.of(trace, 'chat ').find(span => span.attributes['askd.task'] === 'classify_whole');
  const input = JSON.parse(chat.attributes['gen_ai.input.messages']);
  assert.deepEqual([input[0].role, input.at(-1).role], ['system', 'user']);
  assert.match(input.at(-1).parts[0].content, /canary-question/);
  assert.deepEqual(JSON.parse(chat.attributes['gen_ai.output.messages']),
    [{ role: 'assistant', parts: [{ type: 'text', content: 'SQL' }], finish_reason: 'stop' }]);
  assert.ok(collector.of(trace, 'SELECT').some(span => span.attributes['db.query.text'].includes('canary-literal')));
});

test('searches and vectors, without a model', async () => {
  const collector = await startCollector();
  const askd = await start(collector, { ASKD_MODEL: 'offline', ASKD_VECTOR_URL: 'sqlite:vectors.db', ASKD_KEYWORD_URL: 'sqlite:vectors.db' });
  const { trace } = await askTraced(askd, 'How is overtime paid?');
  await runSpan(collector, trace);
  const kinds = collector.of(trace, 'retrieval').map(span => span.attributes['askd.search.kind']).sort();
  assert.deepEqual([...new Set(kinds)], ['keywords', 'vectors']);
  const [embedding] = collector.of(trace, 'embeddings');
  assert.equal(embedding.attributes['gen_ai.operation.name'], 'embeddings');
  assert.ok(embedding.attributes['gen_ai.embeddings.dimension.count'] > 0);
});

test('errors: the run, its node and the call say which; retries are one span', async () => {
  const collector = await startCollector();
  const askd = await start(collector);
  const broken = await askTraced(askd, 'broken please');
  const run = await runSpan(collector, broken.trace);
  assert.deepEqual([run.status, run.attributes['error.type']], [{ code: 2 }, 'model_rejected']);
  const failed = collector.of(broken.trace, 'chat').filter(span => span.status);
  assert.deepEqual(failed.map(span => span.attributes['error.type']), ['rejected']);
  assert.ok(collector.of(broken.trace, 'invoke_agent').some(span => span.attributes['error.type'] === 'model_rejected'));
  const shaky = await askTraced(askd, 'shaky please');
  await runSpan(collector, shaky.trace);
  assert.deepEqual(collector.of(shaky.trace, 'chat').map(span => span.attributes['askd.attempts']).filter(Boolean), [2]);
});

test('sampling is the caller’s, else the configuration’s', async () => {
  const collector = await startCollector();
  const askd = await start(collector, { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  const drawn = await askTraced(askd, 'why is the sky blue?');
  assert.match(drawn.parent, /-00$/);
  const left = await askTraced(askd, 'why is the sky blue?', { traceparent: `00-${TRACE}-${CALLER}-00` });
  assert.match(left.parent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  await askTraced(askd, 'why is the sky blue?', { traceparent: `00-${TRACE}-${CALLER}-01` });
  await runSpan(collector, TRACE);
  assert.deepEqual([...new Set(collector.spans.map(span => span.traceId))], [TRACE]);
  for (const header of ['nonsense', `00-${'0'.repeat(32)}-${CALLER}-01`, `ff-${TRACE}-${CALLER}-01`, `00-${TRACE.toUpperCase()}-${CALLER}-01`]) {
    const own = await askTraced(askd, 'why is the sky blue?', { traceparent: header });
    assert.ok(own.trace && own.trace !== TRACE, header);
  }
});

test('off: no header is added, but a caller’s trace is in the log', async () => {
  const askd = await startAskd({ mock, env: { ASKD_LOG_FORMAT: 'json' } });
  assert.equal((await askTraced(askd, 'why is the sky blue?')).parent, null);
  await askTraced(askd, 'why is the sky blue?', { traceparent: `00-${TRACE}-${CALLER}-01` });
  const end = await until('the line', () => askd.child.stderr.split('\n').slice(0, -1).filter(text => text.includes('"event":"run.end"'))
    .map(text => JSON.parse(text)).find(entry => entry.trace_id));
  assert.equal(end.trace_id, TRACE);
  assert.match(end.span_id, /^[0-9a-f]{16}$/);
  assert.equal(await askd.metric('askd_trace_spans_total'), 0);
});

test('a collector that refuses, partly takes, or asks to wait', async () => {
  const again = { headers: { 'retry-after': '0' } };
  const next = [{ status: 503, ...again }, { status: 429, ...again }]; // then 200
  const collector = await startCollector(() => next.shift() ?? 200);
  const askd = await start(collector);
  const outcome = async name => Number((await (await askd.fetch('/metrics')).text())
    .match(new RegExp(`askd_trace_spans_total\\{outcome="${name}"\\} (\\d+)`))[1]);
  const askOnce = async () => runSpan(collector, (await askTraced(askd, 'why is the sky blue?')).trace);
  await askOnce();
  assert.equal(new Set(collector.requests.slice(0, 3).map(request => request.text)).size, 1, 'the same batch, tried again twice');
  assert.equal(await outcome('dropped'), 0);
  next.push({ status: 200, body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}' });
  await askOnce();
  await until('one is dropped', async () => await outcome('dropped') === 1);
  next.push(400);
  const requests = collector.requests.length;
  await askTraced(askd, 'why is the sky blue?');
  await until('a batch that is refused is dropped', async () => await outcome('dropped') > 1);
  const refused = collector.requests[requests].text;
  assert.ok(!collector.requests.slice(requests + 1).some(request => request.text === refused), 'and not sent again');
  await until('three went wrong', async () => await askd.metric('askd_trace_export_failures_total') === 3);
  for (const state of ['failing', 'well'])
    await until(`it is logged that it is ${state}`, () => askd.child.stderr.includes(`trace.export state=${state}`));
});

test('a collector that is not there, or never answers: runs go on, the queue is bounded, the end comes', async () => {
  const silent = await startCollector(() => null);
  for (const endpoint of ['http://127.0.0.1:9', silent.url]) {
    const askd = await start({ url: endpoint });
    const dropped = () => askd.metric('askd_trace_spans_total');
    for (let runs = 0; runs < 2000 && await dropped() === 0; runs += 20) // 2048 spans may wait
      for (const { text } of await Promise.all(Array.from({ length: 20 }, () => askTraced(askd, 'why is the sky blue?'))))
        assert.match(text, /"event":"complete"/);
    await until('spans are dropped', async () => await dropped() > 0);
    await askd.stop();
  }
});

test('what waits is sent before the end', async () => {
  const collector = await startCollector();
  const askd = await start(collector);
  const { trace } = await askTraced(askd, 'why is the sky blue?');
  await askd.stop();
  assert.equal(collector.of(trace, 'invoke_workflow').length, 1);
});
