// SPDX-License-Identifier: MIT
// tests/node/openai_responses.test.mjs - Responses, through OpenAI's own client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { startAskd, startMock, tempPath } from './lib/harness.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, held, line, SLOW_TEXT, words } from './lib/scripts.mjs';

const LONG = words(12);
const ANSWER = 'The sky is blue because of scattering.';
const mock = await startMock([faulty('broken', 'error-mid-2'), faulty('refused', '500'), held(),
  line('classify', 'SQL', { user: 'by status' }), line('tables', '["workOrder"]'), line('answer', 'That is what there is.'),
  line('generate', '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```', { user: 'by status' }), ...general]);
const askd = await startAskd({ mock, env: { ASKD_API_KEYS: 'sk-one', ASKD_LLM_ATTEMPTS: '1', ASKD_WORKERS: '2' } });

let hits = 0;
const openai = new OpenAI({ baseURL: `${askd.url}/v1`, apiKey: 'sk-one', fetch: (...args) => { hits++; return fetch(...args); } });
const ask = (input, more = {}) => ({ model: 'orchestrator', input, ...more });
const fails = async (promise, status, code) => {
  const before = hits;
  const error = await promise.then(() => assert.fail('no error'), one => one);
  assert.ok(error instanceof OpenAI.APIError, error.stack);
  assert.equal(error.status, status, error.message);
  if (code)
    assert.equal(error.code, code, error.message);
  return Object.assign(error, { hits: hits - before });
};

test('whole: output, usage, what was asked with', async () => {
  const { data, response } = await openai.responses.create(ask('why', { metadata: { note: 'x' }, user: 'u' })).withResponse();
  assert.equal(data.object, 'response');
  assert.equal(data.status, 'completed');
  assert.equal(data.output_text, ANSWER);
  assert.equal(data.output[0].content[0].text, ANSWER);
  assert.deepEqual(data.metadata, { note: 'x' });
  assert.ok(data.usage.input_tokens > 0 && data.usage.total_tokens === data.usage.input_tokens + data.usage.output_tokens);
  assert.ok(data.id.startsWith(`resp_${response.headers.get('x-run-id')}.`));
  assert.equal(data.x_event.route, 'general');
});

test('streamed: the events in their order, numbered', async () => {
  const events = [];
  for await (const event of await openai.responses.create(ask('why', { stream: true })))
    events.push(event);
  assert.deepEqual(events.map(event => event.sequence_number), events.map((_, i) => i));
  const kinds = events.map(event => event.type.replace('response.', '')).filter((kind, i, all) => kind !== all[i - 1]);
  assert.deepEqual(kinds, ['created', 'in_progress', 'output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done',
    'content_part.done', 'output_item.done', 'completed']);
  assert.equal(events.filter(event => event.type === 'response.output_text.delta').map(event => event.delta).join(''), ANSWER);
  assert.equal(events.at(-1).response.output[0].content[0].text, ANSWER);
  assert.equal(new Set(events.filter(event => event.response).map(event => event.response.id)).size, 1);
});

test('the helper: final response, deltas', async () => {
  const stream = openai.responses.stream(ask('why'));
  const deltas = [];
  stream.on('response.output_text.delta', event => deltas.push(event.delta));
  const final = await stream.finalResponse();
  assert.equal(final.output_text, ANSWER);
  assert.equal(deltas.join(''), ANSWER);
  assert.ok(final.usage.output_tokens > 0);
});

test('a response goes on from the one before it; instructions and input items are heard', async () => {
  const model = await new PageModel(general).start();
  try {
    const server = await startAskd({ mock: model, env: { ASKD_WORKERS: '3' } });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none' });
    const heard = () => model.asked.at(-1).filter(one => one.role !== 'system').map(one => `${one.role}: ${one.content}`);
    let last = await client.responses.create(ask('one'));
    const home = last.id.split('.')[1];
    for (const question of ['two', 'three', 'four']) {
      last = await client.responses.create(ask(question, { previous_response_id: last.id, instructions: 'Be brief.' }));
      assert.equal(last.id.split('.')[1], home);
    }
    assert.deepEqual(heard().slice(0, -1), ['one', 'two', 'three'].flatMap(text => [`user: ${text}`, `assistant: ${ANSWER}`]).concat('user: Be brief.'));
    await client.responses.create(ask([{ role: 'user', content: [{ type: 'input_text', text: 'a' }] }, { role: 'assistant', content: 'b' }, { role: 'user', content: 'c' }]));
    assert.deepEqual(heard().slice(0, 2), ['user: a', 'assistant: b']);
    const alone = await client.responses.create(ask('alone', { store: false }));
    assert.ok(!alone.id.includes('.') && alone.store === false);
    const named = await client.responses.create(ask('named', { conversation: 'conv-1', user: 'u' }));
    assert.equal(named.conversation.id, 'conv-1');
    await assert.rejects(client.responses.create(ask('x', { previous_response_id: alone.id })), { status: 400, param: 'previous_response_id' });
    assert.equal((await client.responses.create(ask('x', { conversation: { id: 'conv-1' }, user: 'other' }))).conversation.id, 'conv-1');
    assert.deepEqual(heard(), ['user: x'], 'a conversation of their own');
  } finally {
    await model.stop();
  }
});

const client = (server, headers) => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0, defaultHeaders: headers });
const collect = async stream => {
  const events = [];
  for await (const event of stream)
    events.push(event);
  return events;
};

test('from a response that is not the last of its conversation: a branch', async () => {
  const model = await new PageModel([{ system: 'You route questions', reply: 'GENERAL' }, { user: 'left, held', reply: ANSWER, hold: 2 }, ...general]).start();
  const env = { ASKD_WORKERS: '3', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('branches.db')}` };
  const server = await startAskd({ mock: model, env }), other = await startAskd({ mock: model, env });
  try {
    const heard = () => model.asked.at(-1).filter(one => one.role === 'user').map(one => one.content);
    const say = (input, previous, more, from = server) => client(from).responses.create(ask(input, { previous_response_id: previous?.id, ...more }));
    const home = response => response.id.split('.')[1];
    const one = await say('one'), two = await say('two', one), three = await say('three', two, {}, other);
    assert.equal(home(three), home(one));
    const branch = await say('instead of three', two);
    assert.notEqual(home(branch), home(one));
    assert.deepEqual(heard(), ['one', 'two', 'instead of three']);
    assert.equal(branch.previous_response_id, two.id);
    const further = await say('further', branch, {}, other);
    assert.equal(home(further), home(branch));
    assert.deepEqual(heard(), ['one', 'two', 'instead of three', 'further']);
    await say('four', three);
    assert.deepEqual(heard(), ['one', 'two', 'three', 'four'], 'the trunk goes its own way');
    const again = await say('instead of two', one, {}, other);
    assert.deepEqual(heard(), ['one', 'instead of two']);
    assert.equal(new Set([one, branch, again].map(home)).size, 3);
    const left = (await say('left, held', again, { stream: true }))[Symbol.asyncIterator]();
    const { response } = (await left.next()).value;
    await until('it is held', async () => model.held.length > 0);
    assert.notEqual(home(await say('right', again)), home(response), 'while another goes on from there');
    model.release();
    while (!(await left.next()).done);
    for (const previous of [{ id: `resp_${one.id.split('.')[0].slice(5)}.nothing` }, { id: `${further.id.split('.')[0]}.${home(one)}` }])
      await assert.rejects(say('x', previous), { status: 400, param: 'previous_response_id' });
    await assert.rejects(client(server, { 'Idempotency-Key': 'k' }).responses.create(ask('x', { previous_response_id: one.id })), { status: 400 });
    await assert.rejects(client(server, { 'X-Askd-Company-Id': 'other' }).responses.create(ask('x', { previous_response_id: one.id })), { status: 400, param: 'previous_response_id' });
  } finally {
    await model.stop();
  }
});

test('without a store a branch is refused by name', async () => {
  const first = await openai.responses.create(ask('why'));
  await openai.responses.create(ask('and why', { previous_response_id: first.id }));
  const error = await fails(openai.responses.create(ask('or why', { previous_response_id: first.id })), 400, 'unsupported_parameter');
  assert.match(error.message, /branch/);
});

test('in the background: cut after every event and gone on with, at another server too; asked for at the end', async () => {
  const model = await new PageModel([{ system: 'You route questions', reply: 'GENERAL' }, { reply: LONG, hold: 6 }]).start();
  const env = { ASKD_WORKERS: '2', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('background.db')}` };
  const server = await startAskd({ mock: model, env }), other = await startAskd({ mock: model, env });
  try {
    for (let cut = 1, over = false; !over; cut++) {
      const seen = [], from = cut % 2 === 0 ? server : other;
      for await (const event of await client(server).responses.create(ask('why', { stream: true, background: true }))) {
        seen.push(event);
        over = seen.filter(one => one.type === 'response.output_text.delta').map(one => one.delta).join('').split(' ').length >= 6;
        if (seen.length === cut || over)
          break;
      }
      const { id } = seen[0].response;
      const resumed = await until('it is there', () => client(from).responses.retrieve(id, { stream: true, starting_after: seen.at(-1).sequence_number }).catch(() => null));
      await until('it is held', async () => model.held.length > 0);
      if (cut === 1)
        assert.equal((await client(from).responses.retrieve(id)).status, 'in_progress');
      model.release();
      const events = [...seen, ...await collect(resumed)];
      assert.deepEqual(events.map(event => event.sequence_number), events.map((_, i) => i), `cut after ${cut}`);
      assert.equal(events.filter(event => event.type === 'response.output_text.delta').map(event => event.delta).join(''), LONG);
      const whole = await client(from).responses.retrieve(id);
      assert.deepEqual([whole.id, whole.status, whole.output_text, whole.model], [id, 'completed', LONG, 'orchestrator']);
      assert.ok(whole.usage.output_tokens > 0);
      if (over) {
        for (let after = 0; after < events.length; after++) {
          const rest = await collect(await client(from).responses.retrieve(id, { stream: true, starting_after: after }));
          assert.deepEqual(rest.map(event => [event.sequence_number, event.type]), events.slice(after + 1).map(event => [event.sequence_number, event.type]));
        }
        await assert.rejects(client(from, { 'X-Askd-Company-Id': 'other' }).responses.retrieve(id), { status: 404 });
        await assert.rejects(client(from).responses.retrieve(id, { include: ['x'] }), { status: 400 });
        await assert.rejects(client(from).responses.retrieve(`${id}x`), { status: 404 });
      }
    }
    const begun = await client(server).responses.create(ask('why', { background: true }));
    assert.deepEqual([begun.status, begun.background, begun.output], ['in_progress', true, []]);
    await until('it is held', async () => model.held.length > 0);
    model.release();
    const done = await until('it is over', async () => {
      const now = await client(other).responses.retrieve(begun.id);
      return now.status === 'completed' && now;
    });
    assert.equal(done.output_text, LONG);
  } finally {
    await model.stop();
  }
});

test('text.format json_schema: the data in the form of a schema, whole and streamed; a refusal that says why', async () => {
  const statuses = zodTextFormat(z.object({ answer: z.string(), statuses: z.array(z.object({ status: z.string(), orders: z.number().int() })) }), 'statuses');
  const asked = ask('work orders by status', { user: 'u', metadata: { company_id: 'acme' }, text: { format: statuses } });
  const whole = await openai.responses.parse(asked), { output_parsed: parsed } = whole;
  assert.equal(parsed.answer, 'That is what there is.');
  assert.ok(parsed.statuses.length > 1 && parsed.statuses.every(one => one.orders > 0), JSON.stringify(parsed));
  assert.deepEqual([whole.text.format.type, whole.text.format.name], ['json_schema', 'statuses']);
  const stream = openai.responses.stream(asked), events = [];
  stream.on('event', event => events.push(event));
  assert.deepEqual((await stream.finalResponse()).output_parsed, parsed);
  assert.deepEqual(JSON.parse(events.filter(event => event.type === 'response.output_text.delta').map(event => event.delta).join('')), parsed, 'no text before it');
  const wrong = { ...asked, text: { format: zodTextFormat(z.object({ rows: z.array(z.object({ profit: z.number(), status: z.string() })) }), 'x') } };
  const refused = await openai.responses.parse(wrong);
  assert.equal(refused.output_parsed, null);
  assert.match(refused.output[0].content[0].refusal, /profit: the data has no such column/);
  const said = [];
  for await (const event of await openai.responses.create({ ...wrong, stream: true }))
    said.push(event);
  assert.deepEqual(said.map(event => event.sequence_number), said.map((_, i) => i));
  assert.deepEqual(said.map(event => event.type.replace('response.', '')), ['created', 'in_progress', 'output_item.added', 'content_part.added', 'refusal.delta', 'refusal.done', 'content_part.done', 'output_item.done', 'completed']);
  assert.match(said[4].delta, /no such column.*That is what there is/s);
  assert.equal(said[5].refusal, said[4].delta);
  const none = await openai.responses.parse(ask('why', { text: { format: statuses, verbosity: 'low' } }));
  assert.match(none.output[0].content[0].refusal, /it is no data.*The sky is blue/s);
});

test('what is wrong, and what is not built', async () => {
  const create = more => openai.responses.create(ask('why', more));
  for (const [more, status, param] of [[{ tools: [{ type: 'web_search' }] }, 400, 'tools'], [{ background: true, store: false }, 400, 'background'],
    [{ text: { format: { type: 'json_schema', name: 'x' } } }, 400, 'text.format'], [{ text: { format: { type: 'json_object' } } }, 400, 'text.format'],
    [{ text: { format: { type: 'json_schema', name: 'x', schema: {} } }, background: true }, 400, 'text.format'], [{ text: { invented: 1 } }, 400, 'text.invented'], [{ include: ['file_search_call.results'] }, 400, 'include'],
    [{ prompt: { id: 'x' } }, 400, 'prompt'], [{ input: '' }, 400, 'input'], [{ input: undefined }, 400, 'input'], [{ invented: 1 }, 400, 'invented'],
    [{ model: 'gpt-4o' }, 404, 'model'], [{ conversation: 'a', previous_response_id: 'resp_x' }, 400, 'conversation'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }, 400, 'input.0']]) {
    const error = await fails(create(more), status);
    assert.equal(error.param, param, error.message);
    assert.equal(error.hits, 1);
  }
  assert.equal((await create({ tools: [], tool_choice: 'auto', temperature: 1, text: { format: { type: 'text' } }, reasoning: { effort: 'low' } })).output_text, ANSWER);
  await fails(openai.responses.retrieve('resp_x'), 404);
  await fails(openai.responses.retrieve('resp_x', { include: ['file_search_call.results'] }), 404);
  await fails(openai.responses.cancel('resp_x'), 501, 'unsupported');
  await fails(openai.responses.delete('resp_x'), 501, 'unsupported');
  assert.match((await fails(openai.embeddings.create({ model: 'orchestrator', input: 'x' }), 501)).message, /embeddings are not supported here/);
  await fails(openai.completions.create({ model: 'orchestrator', prompt: 'x' }), 501, 'unsupported');
  await fails(openai.chat.completions.list(), 501, 'unsupported');
  await fails(openai.get('/invented'), 404, 'not_found');
});

test('a run that fails: its status; in a stream response.failed', async () => {
  const error = await fails(openai.responses.create(ask('refused')), 503, 'model_unavailable');
  assert.equal(error.hits, 1);
  const events = [];
  for await (const event of await openai.responses.create(ask('broken', { stream: true })))
    events.push(event);
  assert.equal(events.at(-1).type, 'response.failed');
  assert.equal(events.at(-1).response.error.code, 'model_unavailable');
  assert.match(events.at(-1).response.output[0].content[0].text, /^word0/);
});

test('aborted in the middle: the run is cancelled', async () => {
  const stream = await openai.responses.create(ask('held', { stream: true }));
  let text = '';
  for await (const event of stream) {
    text += event.type === 'response.output_text.delta' ? event.delta : '';
    if (text.length > 20)
      break;
  }
  assert.ok(text.length < SLOW_TEXT.length);
  await until('no run goes on', async () => (await askd.metric('askd_runs_active')) === 0);
  assert.equal(await askd.metric('askd_runs_total{graph="orchestrator",route="general",outcome="cancelled"}'), 1);
});
