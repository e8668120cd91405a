// SPDX-License-Identifier: MIT
// tests/node/openai_chat.test.mjs - Chat Completions and the list of models, through OpenAI's own client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { startAskd, startMock } from './lib/harness.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, held, line, SLOW_TEXT } from './lib/scripts.mjs';

const ANSWER = 'The sky is blue because of scattering.';
const mock = await startMock([
  line('classify', 'SQL', { user: 'by status' }),
  line('generate', '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```', { user: 'by status' }),
  line('tables', '["workOrder"]'),
  line('answer', 'That is what there is.'),
  faulty('broken', 'error-mid-2'),
  faulty('refused', '500'),
  held(),
  ...general,
]);
const askd = await startAskd({ mock, env: { ASKD_API_KEYS: 'sk-one,sk-two', ASKD_LLM_ATTEMPTS: '1' } });

// Counts what really goes over the wire.
let hits = 0;
const client = (options = {}) => new OpenAI({
  baseURL: `${askd.url}/v1`, apiKey: 'sk-one',
  fetch: (...args) => { hits++; return fetch(...args); }, ...options,
});
const openai = client();
const ask = (content, more = {}) => ({ model: 'general_agent', messages: [{ role: 'user', content }], ...more });
const collect = async stream => {
  const chunks = [];
  for await (const chunk of stream)
    chunks.push(chunk);
  return chunks;
};
const textOf = chunks => chunks.map(chunk => chunk.choices[0]?.delta.content ?? '').join('');
const fails = async (promise, status, code) => {
  const before = hits;
  const error = await promise.then(() => assert.fail('no error'), one => one);
  assert.ok(error instanceof OpenAI.APIError, error.stack);
  assert.equal(error.status, status, error.message);
  if (code)
    assert.equal(error.code, code, error.message);
  return Object.assign(error, { hits: hits - before });
};

test('models: the graphs, and one of them', async () => {
  const names = (await openai.models.list()).data.map(model => model.id);
  assert.equal(names[0], 'orchestrator');
  assert.ok(names.includes('general_agent'));
  const model = await openai.models.retrieve('sql_agent');
  assert.deepEqual({ id: model.id, object: model.object, owned_by: model.owned_by }, { id: 'sql_agent', object: 'model', owned_by: 'askd' });
  assert.ok(Math.abs(model.created - Date.now() / 1000) < 3600);
  await fails(openai.models.retrieve('gpt-4o'), 404, 'model_not_found');
  assert.ok(!names.includes('statement'), 'a tool is no model');
  await fails(openai.models.retrieve('statement'), 404, 'model_not_found');
});

test('whole: text, usage, what else the run says', async () => {
  const { data, response } = await openai.chat.completions.create(ask('why')).withResponse();
  assert.equal(data.object, 'chat.completion');
  assert.equal(data.model, 'general_agent');
  assert.equal(data.choices[0].message.content, ANSWER);
  assert.equal(data.choices[0].finish_reason, 'stop');
  assert.ok(data.usage.prompt_tokens > 0 && data.usage.completion_tokens > 0);
  assert.equal(data.usage.total_tokens, data.usage.prompt_tokens + data.usage.completion_tokens);
  assert.equal(data.id, `chatcmpl-${response.headers.get('x-run-id')}`);
  assert.equal(data.x_event.event, 'complete');
  assert.equal(data.x_event.stats.completion_tokens, data.usage.completion_tokens);
  assert.match(data._request_id, /^[0-9a-f]{32}$/);
});

test('streamed: role, text, reason, no usage unless asked', async () => {
  const chunks = await collect(await openai.chat.completions.create(ask('why', { stream: true })));
  assert.equal(chunks[0].choices[0].delta.role, 'assistant');
  assert.equal(textOf(chunks), ANSWER);
  assert.equal(chunks.at(-1).choices[0].finish_reason, 'stop');
  assert.ok(chunks.every(chunk => chunk.choices.length === 1 && !('usage' in chunk)));
  assert.equal(new Set(chunks.map(chunk => chunk.id)).size, 1);
});

test('streamed with usage: one more chunk, without choices', async () => {
  const chunks = await collect(await openai.chat.completions.create(ask('why', { stream: true, stream_options: { include_usage: true } })));
  const last = chunks.pop();
  assert.deepEqual(last.choices, []);
  assert.equal(last.usage.total_tokens, last.usage.prompt_tokens + last.usage.completion_tokens);
  assert.ok(last.usage.prompt_tokens > 0);
  assert.equal(chunks.at(-1).choices[0].finish_reason, 'stop');
});

test('the helper: content, final completion, total usage', async () => {
  const stream = openai.chat.completions.stream(ask('why', { stream_options: { include_usage: true } }));
  const deltas = [];
  stream.on('content', delta => deltas.push(delta));
  assert.equal(await stream.finalContent(), ANSWER);
  assert.equal(deltas.join(''), ANSWER);
  assert.equal((await stream.finalChatCompletion()).choices[0].finish_reason, 'stop');
  assert.ok((await stream.totalUsage()).total_tokens > 0);
});

test('what a graph does besides: tools as reasoning, events beside empty deltas', async () => {
  const chunks = await collect(await openai.chat.completions.create({ ...ask('orders by status', { stream: true, metadata: { company_id: 'acme' } }), model: 'orchestrator' }));
  const events = chunks.filter(chunk => chunk.x_event).map(chunk => chunk.x_event);
  assert.deepEqual(events.slice(0, 2), [{ event: 'route_decision', route: 'sql' }, { event: 'tool_start', tool: 'sql_agent' }]);
  assert.ok(events.at(-1).data.rows.length > 0, JSON.stringify(events));
  assert.ok(chunks.some(chunk => chunk.choices[0].delta.reasoning_content === 'sql_agent\n'));
  assert.equal(textOf(chunks), 'That is what there is.');
});

test('whose question it is: a header of a gateway, else the body, else nobody of the database', async () => {
  const rows = async (metadata, headers) =>
    (await openai.chat.completions.create({ ...ask('orders by status', { metadata }), model: 'orchestrator' }, { headers })).x_event.data.rows.length;
  assert.ok(await rows({ company_id: 'acme' }) > 0);
  assert.ok(await rows(undefined, { 'X-Askd-Company-Id': 'acme' }) > 0);
  assert.equal(await rows({ company_id: 'acme' }, { 'X-Askd-Company-Id': 'nobody' }), 0);
  assert.equal(await rows(undefined), 0);
});

test('messages before the last are what was said; else what the conversation holds', async () => {
  const model = await new PageModel(general).start();
  const other = await startAskd({ mock: model });
  try {
    const client = new OpenAI({ baseURL: `${other.url}/v1`, apiKey: 'none' });
    const heard = async (messages, more) => {
      await client.chat.completions.create({ model: 'orchestrator', messages, ...more });
      return model.asked.at(-1).filter(one => one.role !== 'system').map(one => `${one.role}: ${one.content}`);
    };
    const user = content => ({ role: 'user', content }), metadata = { conversation_id: 'chat', user_id: 'u' };
    const earlier = [{ role: 'system', content: 'Be brief.' }, user([{ type: 'text', text: 'first' }, { type: 'text', text: 'of all' }]),
      { role: 'assistant', content: 'yes' }];
    const said = ['user: Be brief.', 'user: first\nof all', 'assistant: yes'];
    const asked = await heard([...earlier, user('second')]);
    assert.deepEqual(asked.slice(0, 3), said);
    assert.match(asked.at(-1), /second/);
    assert.equal((await heard([user('third')])).length, 1, 'without a conversation nothing is kept');
    await heard([user('one')], { metadata });
    assert.deepEqual((await heard([user('two')], { metadata })).slice(0, 2), ['user: one', `assistant: ${ANSWER}`]);
    assert.deepEqual((await heard([...earlier, user('three')], { metadata })).slice(0, 3), said, 'what the client says was said');
    const headers = { 'X-OpenWebUI-Chat-Id': 'chat', 'X-OpenWebUI-User-Id': 'u' };
    await client.chat.completions.create({ model: 'orchestrator', messages: [user('four')] }, { headers });
    assert.ok(model.asked.at(-1).some(one => one.content === 'two'), 'the same conversation by its headers');
  } finally {
    await model.stop();
  }
});

test('errors before the run: status, code, the member, and no second try where it cannot help', async () => {
  const create = more => openai.chat.completions.create(ask('why', more));
  const cases = [
    [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 400, 'tools'], [{ n: 2 }, 400, 'n'],
    [{ logprobs: true }, 400, 'logprobs'], [{ audio: { voice: 'x' } }, 400, 'audio'],
    [{ modalities: ['text', 'audio'] }, 400, 'modalities'], [{ response_format: { type: 'json_object' } }, 400, 'response_format'],
    [{ stop: ['x'] }, 400, 'stop'], [{ store: true }, 400, 'store'],
    [{ temperature: 'hot' }, 400, 'temperature'], [{ invented: 1 }, 400, 'invented'],
    [{ stream_options: { invented: 1 } }, 400, 'stream_options.invented'],
    [{ messages: [] }, 400, 'messages'], [{ messages: [{ role: 'assistant', content: 'x' }] }, 400, 'messages.0'],
    [{ messages: [{ role: 'user', content: '  ' }] }, 400, 'messages.0'],
    [{ messages: [{ role: 'tool', tool_call_id: 'x', content: 'x' }] }, 400, 'messages'],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }, 400, 'messages.0'],
    [{ model: 'gpt-4o' }, 404, 'model'],
  ];
  for (const [more, status, param] of cases) {
    const error = await fails(create(more), status);
    assert.equal(error.param, param, error.message);
    assert.equal(error.hits, 1, `${param}: ${error.hits} requests`);
    if (/not supported here/.test(error.message))
      assert.deepEqual([error.code, error.type], ['unsupported_parameter', 'invalid_request_error']);
    assert.match(error.requestID, /^[0-9a-f]{32}$/);
  }
  for (const fine of [{ n: 1 }, { temperature: 0.2, top_p: 1, max_tokens: 5, seed: 1, user: 'u' }, { tools: [], tool_choice: 'auto' },
    { response_format: { type: 'text' } }, { logit_bias: null, stop: null }, { modalities: ['text'] }])
    assert.equal((await create(fine)).choices[0].message.content, ANSWER);
});

const Statuses = z.object({ answer: z.string(), statuses: z.array(z.object({ status: z.string(), orders: z.number().int() })) });

test('response_format json_schema: the data in the form of a schema, whole and streamed', async () => {
  const question = { model: 'orchestrator', messages: [{ role: 'user', content: 'work orders by status' }], user: 'u', metadata: { company_id: 'acme' }, response_format: zodResponseFormat(Statuses, 'statuses') };
  const [choice] = (await openai.chat.completions.parse(question)).choices;
  const { parsed, refusal } = choice.message;
  assert.equal(refusal, null);
  assert.equal(parsed.answer, 'That is what there is.');
  assert.ok(parsed.statuses.length > 1 && parsed.statuses.every(one => one.orders > 0), JSON.stringify(parsed));
  const final = await openai.chat.completions.stream(question).finalChatCompletion();
  assert.deepEqual(final.choices[0].message.parsed, parsed);
  const chunks = await collect(await openai.chat.completions.create({ ...question, stream: true }));
  assert.deepEqual(JSON.parse(textOf(chunks)), parsed, 'no text before it');
});

test('response_format: what the data does not have, and what is no data, is a refusal that says why', async () => {
  const form = shape => zodResponseFormat(z.object(shape), 'x');
  const about = async (content, shape, model = 'orchestrator') =>
    (await openai.chat.completions.parse({ model, messages: [{ role: 'user', content }], user: 'u', metadata: { company_id: 'acme' }, response_format: form(shape) })).choices[0].message;
  const other = await about('work orders by status', { rows: z.array(z.object({ profit: z.number(), status: z.string() })) });
  assert.deepEqual([other.content, other.parsed], [null, null]);
  assert.match(other.refusal, /profit: the data has no such column/);
  const none = await about('why', { answer: z.string() }, 'general_agent');
  assert.match(none.refusal, /it is no data.*The sky is blue/s);
  const stream = openai.chat.completions.stream({ model: 'general_agent', messages: [{ role: 'user', content: 'why' }], response_format: form({ answer: z.string() }) });
  assert.match((await stream.finalChatCompletion()).choices[0].message.refusal, /it is no data/);
  for (const [response_format, param] of [[{ type: 'json_schema' }, 'response_format.json_schema'], [{ type: 'json_schema', json_schema: { name: 'x' } }, 'response_format.json_schema'],
    [{ type: 'json_schema', json_schema: { name: 'x', schema: {}, more: 1 } }, 'response_format.json_schema.more'], [{ type: 'xml' }, 'response_format']])
    assert.equal((await fails(openai.chat.completions.create(ask('why', { response_format })), 400)).param, param);
});

test('a key is needed, one of several', async () => {
  const error = await fails(client({ apiKey: 'sk-wrong' }).models.list(), 401, 'unauthorized');
  assert.equal(error.type, 'authentication_error');
  assert.ok((await client({ apiKey: 'sk-two' }).models.list()).data.length > 0);
});

test('a run that fails: its status and no second try; in a stream an error with its code', async () => {
  const error = await fails(openai.chat.completions.create(ask('refused')), 503, 'model_unavailable');
  assert.equal(error.hits, 1);
  assert.equal(error.headers.get('x-should-retry'), 'false');
  const stream = await openai.chat.completions.create(ask('broken', { stream: true }));
  const chunks = [];
  const broken = await (async () => {
    for await (const chunk of stream)
      chunks.push(chunk);
  })().then(() => assert.fail('no error'), one => one);
  assert.ok(broken instanceof OpenAI.APIError, broken.stack);
  assert.equal(broken.code, 'model_unavailable');
  assert.match(textOf(chunks), /^word0/);
});

test('aborted in the middle: the run is cancelled', async () => {
  const stream = await openai.chat.completions.create(ask('held', { stream: true }));
  let text = '';
  for await (const chunk of stream) {
    text += chunk.choices[0].delta.content ?? '';
    if (text.length > 20)
      break; // aborts the request
  }
  assert.ok(text.length > 20 && text.length < SLOW_TEXT.length);
  await until('no run goes on', async () => (await askd.metric('askd_runs_active')) === 0);
  assert.equal(await askd.metric('askd_runs_total{graph="general_agent",route="general_agent",outcome="cancelled"}'), 1);
});

test('one request at a time in a conversation: 409, tried again by the client', async () => {
  const metadata = { conversation_id: 'chat-1', user_id: 'u', company_id: 'c' };
  const first = openai.chat.completions.create(ask('held', { metadata }));
  await until('it runs', async () => (await askd.metric('askd_runs_active')) === 1);
  await fails(client({ maxRetries: 0 }).chat.completions.create(ask('why', { metadata })), 409, 'conflict');
  const conflicts = () => askd.metric('askd_http_requests_total{route="/v1/chat/completions",method="POST",code="409"}');
  const refused = await conflicts();
  const waiting = client({ maxRetries: 8 }).chat.completions.create(ask('why', { metadata }));
  await until('it was refused', async () => await conflicts() > refused);
  await mock.release(first);
  const second = await waiting;
  assert.equal((await first).choices[0].message.content, SLOW_TEXT);
  assert.equal(second.choices[0].message.content, ANSWER);
  const other = { ...metadata, user_id: 'somebody else' };
  assert.equal((await openai.chat.completions.create(ask('why', { metadata: other }))).choices[0].message.content, ANSWER, 'of the same id, and their own');
});

test('an Idempotency-Key joins the run instead of starting one', async () => {
  const over = () => until('all runs are over and counted', async () => (await askd.metric('askd_runs_active')) === 0);
  await over();
  const before = await askd.metric('askd_runs_total');
  const options = { idempotencyKey: 'key-1', headers: { 'Idempotency-Key': 'key-1' } };
  const [one, two] = [await openai.chat.completions.create(ask('why'), options), await openai.chat.completions.create(ask('why'), options)];
  assert.equal(one.id, two.id);
  await over();
  assert.equal(await askd.metric('askd_runs_total'), before + 1);
});
