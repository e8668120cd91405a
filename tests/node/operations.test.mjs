// SPDX-License-Identifier: MIT
// tests/node/operations.test.mjs - what operators read: log lines with their fields, metrics that the
// dashboard draws, and that nothing of what was asked, read or kept secret is in either.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newConversation, question, sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { startCollector } from './lib/collector.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, line } from './lib/scripts.mjs';

const CANARY = {
  question: 'canaryquestion', literal: 'canaryliteral', answer: 'canaryanswer', key: 'sk-canarykey0123456789',
  caller: 'canarycallerkey0123456789', history: 'canaryhistory',
};
const GOOD = `SELECT firstName, '${CANARY.literal}' AS tag FROM employee LIMIT 3`;
const OVERFLOW = 'SELECT abs(-9223372036854775807 - 1) AS n FROM employee LIMIT 3';
const BAD = `SELECT ${CANARY.literal} FROM employee`;
const mock = await startMock([
  line('classify', 'SQL', { user: 'technicians' }), line('classify', 'SQL', { user: 'wrongly' }), line('classify', 'SQL', { user: 'overflow' }),
  line('tables', '["employee"]'), line('generate', '```sql\n' + BAD + '\n```', { user: 'wrongly' }),
  line('generate', '```sql\n' + OVERFLOW + '\n```', { user: 'overflow' }),
  line('generate', '```sql\n' + GOOD + '\n```'), line('correct', '```sql\n' + BAD + '\n```'),
  line('answer', `There are some, ${CANARY.answer}.`),
  faulty('broken', '404'), faulty('refused', '401'), ...general,
]);

const questions = [
  `Which technicians are there, ${CANARY.question}?`, `What went wrongly with ${CANARY.question}?`,
  `broken ${CANARY.question}`, `refused ${CANARY.question}`, `why is the sky ${CANARY.question}?`, `overflow ${CANARY.question}`,
];

const askAll = async (askd, headers = {}) => {
  const texts = [];
  for (const message of questions) {
    const response = await askd.post('/internal/chat/stream', question(message, { ...newConversation() }), { headers });
    texts.push(await response.text());
  }
  return texts;
};

// Those that have come whole.
const lines = askd => askd.child.stderr.split('\n').slice(0, -1).filter(text => text.startsWith('{')).map(text => JSON.parse(text));

test('a log line is an object with the fields that others look for', async () => {
  const askd = await startAskd({ mock, env: { ASKD_LOG_FORMAT: 'json' } });
  const conversation = newConversation();
  const response = await askd.post('/internal/chat/stream', question('Which technicians are there?', conversation),
    { headers: { 'x-request-id': 'req-7' } });
  await response.text();
  const request = await until('the request', () => lines(askd).find(entry => entry.event === 'http.request' && entry.request_id === 'req-7'));
  assert.match(request.ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual([request.level, request.component, request.method, request.route, request.status, request.outcome],
    ['info', 'http', 'POST', '/internal/chat/stream', 200, 'complete']);
  for (const name of ['duration_ms', 'first_byte_ms', 'first_token_ms', 'events', 'bytes'])
    assert.ok(Number.isInteger(request[name]), name);
  assert.ok(request.events >= 3, `${request.events}`);
  assert.ok(request.bytes > 300, `${request.bytes}`);
  assert.ok(request.first_byte_ms <= request.first_token_ms && request.first_token_ms <= request.duration_ms);
  const runId = response.headers.get('x-run-id');
  assert.deepEqual([request.run_id, request.conversation_id], [runId, conversation.id]);
  const answer = await askd.fetch('/readyz', { headers: { 'x-request-id': 'req-8' } });
  const size = (await answer.text()).length;
  const whole = await until('the answer', () => lines(askd).find(entry => entry.request_id === 'req-8'));
  assert.deepEqual([whole.route, whole.outcome], ['/readyz', 'sent']);
  for (const name of ['events', 'first_token_ms', 'run_id', 'conversation_id'])
    assert.ok(!(name in whole), name);
  assert.ok(whole.bytes > size && whole.bytes < size + 2000, `${whole.bytes} for ${size}`);
  const run = await until('the end', () => lines(askd).find(entry => entry.event === 'run.end'));
  assert.equal(run.run_id, runId);
  assert.deepEqual([run.request_id, run.conversation_id, run.route, run.graph], ['req-7', conversation.id, 'sql', 'orchestrator']);
  assert.ok(run.duration_ms >= 0 && run.first_token_ms >= 0 && run.llm_calls > 0);
  await (await askd.post('/internal/chat/stream', question('broken please'))).text();
  const failed = await until('the failure', () => lines(askd).find(entry => entry.event === 'node.failed'));
  assert.equal(failed.level, 'warn');
  assert.ok(failed.node);
  assert.equal(failed.err.code, 'model_rejected');
  assert.ok(failed.err.message.length > 0);
});

test('nothing that was asked, answered, read or kept secret is in a log or a trace', async () => {
  for (const level of ['info', 'warn', 'error']) {
    for (const format of ['json', 'text']) {
      const collector = await startCollector();
      const askd = await startAskd({
        mock, ready: null, env: {
          ASKD_LOG_LEVEL: level, ASKD_LOG_FORMAT: format, OPENAI_API_KEY: CANARY.key, ASKD_API_KEYS: CANARY.caller,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, DB_ENCRYPT_KEY: 'canaryencrypt',
        },
      });
      const headers = { authorization: `Bearer ${CANARY.caller}` };
      await until('ready', async () => (await askd.fetch('/readyz')).status === 200);
      const texts = await askAll(askd, headers);
      const said = [...texts[0].matchAll(/"content":"([^"]*)"/g)].map(match => match[1]).join('');
      assert.ok(said.includes(CANARY.answer), texts[0]);
      await (await askd.post('/internal/chat/stream', question('x'), { headers: { authorization: 'Bearer canarywrongkey' } })).text();
      await (await askd.post('/internal/chat/stream', `{"input": "${CANARY.question}"`, { headers })).text();
      await (await askd.fetch(`/internal/conversations/${CANARY.history}?user_id=u&company_id=c`, { headers })).text();
      await until('spans came', () => collector.spans.length > 10);
      await askd.stop();
      const names = await (async () => {
        const rows = texts[0].match(/"rows":(\[\[.*?\]\])/);
        return rows ? JSON.parse(rows[1]).map(row => row[0]) : [];
      })();
      assert.ok(names.length > 0, 'rows came');
      const traces = collector.requests.map(request => request.text).join('\n');
      for (const [where, text] of [['log', askd.child.stderr + askd.child.stdout], ['trace', traces]]) {
        for (const secret of ['canary', ...names])
          assert.ok(!new RegExp(secret === 'canary' ? 'canary(?!history)' : `\\b${secret}\\b`).test(text),
            `${secret} is in the ${where} (${level}, ${format}):\n${text.split('\n').filter(each => each.includes(secret)).join('\n').slice(0, 3000)}`);
      }
    }
  }
});

// What others look for, by the names they know.
const PLATFORM = ['http_requests_total', 'http_request_duration_seconds', 'sse_streams_active', 'sse_streams_total',
  'sse_time_to_first_event_seconds', 'sse_time_to_first_token_seconds', 'sse_event_gap_seconds', 'sse_bytes_sent_total',
  'sse_backpressure_pauses_total', 'sse_heartbeats_total', 'runs_active', 'runs_total', 'run_duration_seconds',
  'node_duration_seconds', 'node_retries_total', 'llm_requests_total', 'llm_request_duration_seconds',
  'llm_time_to_first_token_seconds', 'llm_tokens_total', 'llm_inflight', 'backend_query_duration_seconds', 'backend_errors_total',
  'pool_connections', 'pool_wait_seconds', 'cache_hits_total', 'cache_misses_total', 'sql_rejected_total', 'loop_lag_seconds',
  'loop_idle_ratio', 'threadpool_queue_depth', 'build_info'].map(name => `askd_${name}`)
  .concat(['cpu_seconds_total', 'resident_memory_bytes', 'open_fds', 'start_time_seconds'].map(name => `process_${name}`));

test('each metric that the dashboard draws is served, and each that is served is drawn or known', async () => {
  const askd = await startAskd({ mock });
  await askAll(askd);
  const text = await (await askd.fetch('/metrics')).text();
  const types = [...text.matchAll(/^# TYPE ([a-z_]+) (\w+)$/gm)].map(match => match.slice(1));
  const served = new Set(types.flatMap(([name, type]) => type === 'histogram' ? ['bucket', 'sum', 'count'].map(part => `${name}_${part}`) : [name]));
  const value = (name, labels) => Number(text.split('\n').find(each => each.startsWith(`${name}{${labels}} `))?.split(' ').at(-1));
  assert.ok(value('askd_sql_rejected_total', 'rule="unknown_column"') >= 1, 'the guard refused a statement');
  assert.ok(await askd.metric('askd_node_retries_total') >= 1, 'a node was entered once more');
  assert.ok(await askd.metric('askd_node_duration_seconds_count') > questions.length, 'nodes were visited');
  assert.ok(text.length < 200000, `${text.length} bytes for each scrape`);
  for (const name of PLATFORM)
    assert.ok(types.some(([served]) => served === name), `${name} is not served`);
  for (const labels of ['askd_sse_streams_total{route="/internal/chat/stream",method="POST",outcome="complete"} 2',
    'askd_runs_total{graph="orchestrator",route="sql",outcome="complete"}', 'askd_run_duration_seconds_count{graph="orchestrator"}',
    'askd_llm_requests_total{provider="openai",model="mock",code="ok"}', 'askd_llm_requests_total{provider="openai",model="mock",code="rejected"} 1', 'askd_llm_requests_total{provider="openai",model="mock",code="denied"} 1',
    'askd_llm_tokens_total{model="mock",direction="out"}', 'askd_backend_query_duration_seconds_count{backend="sqlite",op="query"}',
    'askd_backend_errors_total{backend="sqlite",op="query",class="rejected"}', 'askd_pool_connections{backend="sqlite",state="idle"}'])
    assert.ok(text.includes(`\n${labels}`), `${labels}:\n${text.split('\n').filter(each => each.startsWith(labels.split('{')[0])).join('\n')}`);
  assert.match(text, /^askd_build_info\{version="\d+\.\d+\.\d+",commit="([0-9a-f]{12}|unknown)"\} 1$/m);
  const dashboard = JSON.parse(readFileSync(join(sourceDir, 'docker/grafana/askd.json'), 'utf8'));
  const drawn = new Set();
  const ids = new Set();
  for (const panel of dashboard.panels) {
    assert.ok(!ids.has(panel.id) && panel.title, `panel ${panel.id}`);
    ids.add(panel.id);
    for (const target of panel.targets ?? []) {
      const names = [...target.expr.matchAll(/\b((?:askd|process)_[a-z_]+)/g)].map(match => match[1]);
      assert.equal(names.length, 1, target.expr);
      assert.ok(served.has(names[0]), `${panel.title}: ${names[0]} is not served`);
      drawn.add(names[0]);
      const labels = [...target.expr.matchAll(/by \(([^)]*)\)/g)].flatMap(match => match[1].split(',')).filter(name => !['le', 'instance'].includes(name));
      for (const label of labels)
        assert.match(text, new RegExp(`^${names[0]}\\{[^}]*${label}="`, 'm'), `${names[0]} has no ${label}`);
    }
  }
  const UNDRAWN = ['askd_allocations_total', 'askd_memory_held_bytes', 'askd_audit_records_total', 'askd_audit_lost_total', 'askd_connections_total', 'askd_handovers_total', 'askd_runs_kept', 'askd_sql_queries_total',
    'askd_sse_bytes_sent_total', 'askd_embeddings_tokens_total', 'process_max_fds', 'process_start_time_seconds'];
  const families = [...served].map(name => name.replace(/_(bucket|sum|count)$/, ''));
  const shown = new Set([...drawn].map(name => name.replace(/_(bucket|sum|count)$/, '')));
  assert.deepEqual([...new Set(families)].filter(name => !shown.has(name) && !UNDRAWN.includes(name)), []);
});

test('an answer within a minute of the processor from the start, without a model', async () => {
  const askd = await startAskd();
  const answer = await askd.ask('How many employees are active?');
  assert.match(answer.text, /\d/);
  assert.ok(answer.complete().sql);
  assert.ok(await askd.metric('process_cpu_seconds_total') < 60);
});
