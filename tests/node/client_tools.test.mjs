// SPDX-License-Identifier: MIT
// tests/node/client_tools.test.mjs - tools that the client has: a model calls them, the run waits, and goes on with
// their results; natively, and by the clients of OpenAI, AG-UI and the AI SDK.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, test } from 'node:test';
import { HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { Client as Client2 } from '@langchain/langgraph-sdk';
import { Client as Client1 } from 'langgraph-sdk-1';
import OpenAI from 'openai';
import { newConversation, question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { readStream } from './lib/sse.mjs';

const call = (name, args = {}) => ({ name, arguments: args });
const COUNT = 'SELECT COUNT(*) AS n FROM employee';
const mock = await startMock([
  { system: 'You answer questions about the data', user: 'where am I', result: 'Bern', reply: 'You are in Bern.' },
  { system: 'You answer questions about the data', user: 'where am I', calls: [call('get_location', { exact: true })] },
  { user: 'and in short', reply: 'In short: Bern.' },
  { user: 'force me', result: 'red', reply: 'It is red.' },
  { user: 'force me', result: 'Bern', calls: [call('get_colour')] },
  { user: 'force me', calls: [call('get_location', { exact: false })] },
  { user: 'say it', reply: 'I call nothing.' },
  { user: 'two things', result: 'blue', reply: 'Bern is blue [s3].' },
  { user: 'two things', reply: 'Let me see.', calls: [call('get_location', { exact: true }), call('get_colour'), call('run_sql', { sql: COUNT })] },
  { user: 'wrong', result: 'do not fit', reply: 'It does not fit.' },
  { user: 'wrong', calls: [call('get_location', { exact: 7 })] },
  { user: 'unknown', result: 'There is no tool', reply: 'There is none.' },
  { user: 'unknown', calls: [call('get_colour')] },
  { user: 'thanks', reply: 'You are welcome.' },
  { match: '', reply: 'Nobody expected this.' },
]);
// What the model is sent, on its way there.
const sent = [];
const between = http.createServer(async (request, response) => {
  const parts = [];
  for await (const part of request)
    parts.push(part);
  const body = Buffer.concat(parts).toString();
  sent.push(JSON.parse(body));
  const there = await fetch(mock.url + request.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  response.writeHead(there.status, { 'content-type': there.headers.get('content-type') });
  response.end(Buffer.from(await there.arrayBuffer()));
});
await new Promise(resolve => between.listen(0, '127.0.0.1', resolve));
after(() => { between.closeAllConnections(); between.close(); });
const offered = () => sent.at(-1).tools.map(tool => tool.function.name);
const askd = await startAskd({ mock: { url: `http://127.0.0.1:${between.address().port}` }, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('client.db')}` } });
const location = { name: 'get_location', description: 'Where the user is', parameters: { type: 'object', properties: { exact: { type: 'boolean' } }, required: ['exact'] } };
const colour = { name: 'get_colour', description: 'The colour of the page' };
const tools = [location, colour];
const nested = tools.map(tool => ({ type: 'function', function: tool }));
const ask = async (message, { conversation = newConversation(), list = tools } = {}) =>
  readStream((await askd.post('/internal/graphs/data_agent/stream', { ...question(message, conversation, { detail: 'nodes' }), tools: list })).body);
const resume = async (run, conversation, answer) => readStream((await askd.post(
  `/internal/runs/${run}/resume?company_id=${conversation.company_id}&user_id=${conversation.user_id}`, { resume: answer })).body);

test('a call waits for its client, others go on meanwhile and are not made again', async () => {
  const conversation = newConversation();
  const first = await ask('two things', { conversation });
  const paused = first.complete();
  assert.equal(paused.interrupted, true);
  assert.deepEqual(paused.interrupts[0].calls.map(({ tool, arguments: args }) => [tool, args]), [['get_location', { exact: true }], ['get_colour', {}]]);
  assert.deepEqual(first.of('tool_end').filter(event => event.id).map(event => event.tool), ['run_sql'], 'the statement ran');
  const [a, b] = paused.interrupts[0].calls;
  const half = (await resume(paused.run_id, conversation, { results: [{ id: a.id, content: { city: 'Bern' } }] })).complete();
  assert.deepEqual(half.interrupts[0].calls.map(one => one.tool), ['get_colour'], 'what is not answered is asked again');
  const done = await resume(half.run_id, conversation, { results: [{ id: b.id, content: 'blue' }] });
  assert.equal(done.text, 'Bern is blue [s3].');
  assert.equal(done.complete().stats.sql_attempts, 1, 'no statement ran twice');
  assert.equal(done.complete().statements.length, 1);
});

test('arguments are checked, and tools that are not there are refused', async () => {
  assert.equal((await ask('wrong')).text, 'It does not fit.');
  assert.equal((await ask('unknown', { list: [location] })).text, 'There is none.');
  const refused = async (list, status, expected, graph = 'data_agent') => {
    const response = await askd.post(`/internal/graphs/${graph}/stream`, { ...question('hello'), tools: list });
    assert.equal(response.status, status);
    assert.match(await response.text(), expected);
  };
  await refused([{ name: 'a b' }], 422, /\/tools\/0: expected a name/);
  await refused([location, location], 422, /\/tools\/1: 'get_location' is there twice/);
  await refused([{ name: 'run_sql' }], 422, /\/tools\/0: 'run_sql' is a tool of askd's own/);
  await refused([{ name: 'x', parameters: 'y' }], 422, /\/tools\/0: expected parameters/);
  await refused([location], 501, /not supported by the graph 'general_agent'; data_agent/, 'general_agent');
});

test("OpenAI's client: tool calls, results, and the answer, streamed and whole", async () => {
  const openai = new OpenAI({ baseURL: `${askd.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const ask = { model: 'data_agent', tools: nested, user: 'u1', metadata: { company_id: 'acme' } };
  const messages = [{ role: 'user', content: 'where am I?' }];
  const first = await openai.chat.completions.create({ ...ask, messages });
  assert.equal(first.choices[0].finish_reason, 'tool_calls');
  const [one] = first.choices[0].message.tool_calls;
  assert.deepEqual([one.function.name, JSON.parse(one.function.arguments)], ['get_location', { exact: true }]);
  messages.push(first.choices[0].message, { role: 'tool', tool_call_id: one.id, content: 'Bern' });
  const done = await openai.chat.completions.create({ ...ask, messages });
  assert.deepEqual([done.choices[0].finish_reason, done.choices[0].message.content], ['stop', 'You are in Bern.']);
  messages.push(done.choices[0].message, { role: 'user', content: 'thanks' });
  assert.equal((await openai.chat.completions.create({ ...ask, messages })).choices[0].message.content, 'You are welcome.');
  const runner = openai.chat.completions.runTools({ ...ask, stream: true, messages: [{ role: 'user', content: 'two things' }], tools: [
    { type: 'function', function: { ...location, function: () => 'Bern', parse: JSON.parse } },
    { type: 'function', function: { ...colour, parameters: { type: 'object', properties: {} }, function: () => 'blue', parse: JSON.parse } }] });
  assert.equal(await runner.finalContent(), 'Bern is blue [s3].');
  await assert.rejects(openai.chat.completions.create({ ...ask, messages: [...messages, { role: 'tool', tool_call_id: 'call_1', content: 'x' }] }), /tool_call_id of a call that waits/);
});

const openai = new OpenAI({ baseURL: `${askd.url}/v1`, apiKey: 'none', maxRetries: 0, defaultHeaders: { 'X-Askd-Company-Id': 'acme', 'X-Askd-User-Id': 'u1' } });
const metadata = { company_id: 'acme', user_id: 'u1' };
const flat = tools.map(tool => ({ type: 'function', strict: true, ...tool, parameters: tool.parameters ?? { type: 'object', properties: {} } }));
const respond = (input, more) => openai.responses.create({ model: 'data_agent', tools: flat, metadata, input, ...more });
const outputOf = (item, output) => ({ type: 'function_call_output', call_id: item.call_id, output });
const collect = async (stream, events = []) => {
  for await (const event of stream)
    events.push(event);
  return events;
};

test("OpenAI's Responses: function calls, whole, and on with previous_response_id", async () => {
  const first = await respond('where am I?');
  assert.deepEqual([first.status, first.tools, first.tool_choice, first.parallel_tool_calls], ['completed', flat, 'auto', true]);
  const [item] = first.output;
  assert.deepEqual([item.type, item.status, item.name, JSON.parse(item.arguments)], ['function_call', 'completed', 'get_location', { exact: true }]);
  assert.deepEqual((await openai.responses.retrieve(first.id)).output, first.output, 'asked for later');
  await assert.rejects(respond([outputOf(item, 'Bern')], { previous_response_id: (await respond('thanks')).id }), { status: 400, param: 'input' });
  await assert.rejects(respond([{ type: 'function_call_output', call_id: 'call_1', output: 'x' }]), { status: 400, param: 'input' });
  const done = await respond([outputOf(item, 'Bern')], { previous_response_id: first.id });
  assert.deepEqual([done.output_text, done.previous_response_id, done.id.split('.')[1]], ['You are in Bern.', first.id, first.id.split('.')[1]]);
  assert.equal((await openai.responses.retrieve(done.id)).output_text, 'You are in Bern.');
  await assert.rejects(respond([outputOf(item, 'Bern')], { previous_response_id: first.id }), { status: 409 });
  assert.equal((await respond('thanks', { previous_response_id: done.id })).output_text, 'You are welcome.');
});

test('a message of the user among results: the model hears both, in both of OpenAI\'s interfaces', async () => {
  const heard = () => sent.at(-1).messages.slice(-2).map(({ role, content }) => [role, content]);
  const expected = [['tool', '<data>\nBern\n</data>'], ['user', 'and in short']];
  const also = { role: 'user', content: 'and in short' };
  for (const order of [item => [outputOf(item, 'Bern'), also], item => [also, outputOf(item, 'Bern')]]) {
    const first = await respond('where am I?'), done = await respond(order(first.output[0]), { previous_response_id: first.id });
    assert.equal(done.output_text, 'In short: Bern.');
    assert.deepEqual(heard(), expected);
    assert.equal(done.id.split('.')[1], first.id.split('.')[1]);
  }
  const input = [{ role: 'user', content: 'where am I?' }], first = await respond(input);
  const whole = await respond([...input, ...first.output, outputOf(first.output[0], 'Bern'), also]);
  assert.equal(whole.output_text, 'In short: Bern.');
  assert.deepEqual(heard(), expected);
  const chat = messages => openai.chat.completions.create({ model: 'data_agent', tools: nested, metadata, messages });
  const messages = [{ role: 'user', content: 'where am I?' }], one = (await chat(messages)).choices[0].message;
  const last = await chat([...messages, one, { role: 'tool', tool_call_id: one.tool_calls[0].id, content: 'Bern' }, also]);
  assert.equal(last.choices[0].message.content, 'In short: Bern.');
  assert.deepEqual(heard(), expected);
  // two calls, one result and a message now, the other result later: the message stands behind both
  const two = (await respond('two things')), calls = two.output.filter(item => item.type === 'function_call');
  const more = await respond([outputOf(calls[0], 'Bern'), also], { previous_response_id: two.id });
  assert.deepEqual(more.output.filter(item => item.type === 'function_call').map(item => item.name), ['get_colour']);
  const both = await respond([outputOf(more.output.at(-1), 'blue')], { previous_response_id: more.id });
  assert.equal(both.output_text, 'In short: Bern.');
  assert.deepEqual(sent.at(-1).messages.slice(-4).map(one => one.role), ['tool', 'tool', 'tool', 'user']);
});

test("OpenAI's Responses: the whole input again, without previous_response_id", async () => {
  const input = [{ role: 'user', content: 'where am I?' }];
  const first = await respond(input);
  input.push(...first.output, outputOf(first.output[0], 'Bern'));
  const done = await respond(input);
  assert.equal(done.output_text, 'You are in Bern.');
  assert.equal(done.id.split('.')[1], first.id.split('.')[1], 'it is kept where the first is');
  input.push(...done.output, { role: 'user', content: 'thanks' });
  assert.equal((await respond(input)).output_text, 'You are welcome.');
});

test("OpenAI's Responses: parallel calls streamed, and streamed again from any event", async () => {
  const events = await collect(await respond('two things', { stream: true }));
  assert.deepEqual(events.map(event => event.sequence_number), events.map((_, i) => i));
  const kinds = ['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done'];
  const calls = events.filter(event => event.type.includes('function_call') || event.item?.type === 'function_call');
  const first = calls[0].output_index;
  assert.deepEqual(calls.map(event => [event.type, event.output_index]), [0, 1].flatMap(i => kinds.map(kind => [`response.${kind}`, first + i])));
  const { response } = events.at(-1);
  assert.equal(events.at(-1).type, 'response.completed');
  const items = response.output.filter(item => item.type === 'function_call');
  assert.deepEqual(items.map(item => [item.name, JSON.parse(item.arguments)]), [['get_location', { exact: true }], ['get_colour', {}]]);
  assert.deepEqual(calls.filter(event => event.type.endsWith('delta')).map(event => [event.item_id, event.delta]), items.map(item => [item.id, item.arguments]));
  assert.deepEqual(calls.filter(event => event.type.endsWith('done') && event.item).map(event => event.item), items);
  for (let at = 0; at < events.length; at++) {
    const rest = await collect(await openai.responses.retrieve(response.id, { stream: true, starting_after: at }));
    assert.deepEqual(rest.map(event => [event.sequence_number, event.type]), events.slice(at + 1).map(event => [event.sequence_number, event.type]));
  }
  const helper = openai.responses.stream({ model: 'data_agent', tools: flat, metadata, previous_response_id: response.id, input: items.map(item => outputOf(item, item.name === 'get_colour' ? 'blue' : 'Bern')) });
  assert.equal((await helper.finalResponse()).output_text, 'Bern is blue [s3].');
});

test("OpenAI's Responses: one call at a time, and in the background", async () => {
  const first = await respond('two things', { parallel_tool_calls: false });
  assert.equal(first.parallel_tool_calls, false);
  assert.deepEqual(first.output.filter(item => item.type === 'function_call').map(item => item.name), ['get_location']);
  const call = first.output.at(-1);
  const second = await respond([outputOf(call, 'Bern')], { previous_response_id: first.id, parallel_tool_calls: false });
  assert.deepEqual(second.output.filter(item => item.type === 'function_call').map(item => item.name), ['get_colour']);
  const begun = await respond([outputOf(second.output.at(-1), 'blue')], { previous_response_id: second.id, background: true });
  assert.equal(begun.background, true);
  const done = await until('it is over', async () => { const now = await openai.responses.retrieve(begun.id); return now.status === 'completed' && now; });
  assert.equal(done.output_text, 'Bern is blue [s3].');
});

test('the choice of a tool: what the model is offered and told, in both of OpenAI\'s interfaces', async () => {
  const forced = await respond('force me', { tool_choice: { type: 'function', name: 'get_location' } });
  assert.deepEqual([offered(), sent.at(-1).tool_choice], [['get_location'], 'required']);
  const again = await respond([outputOf(forced.output[0], 'Bern')], { previous_response_id: forced.id, tool_choice: 'required' });
  assert.deepEqual([offered(), sent.at(-1).tool_choice, again.output[0].name], [['get_location', 'get_colour'], 'required', 'get_colour']);
  const done = await respond([outputOf(again.output[0], 'red')], { previous_response_id: again.id });
  assert.equal(done.output_text, 'It is red.');
  assert.ok(offered().includes('run_sql') && offered().includes('get_colour') && sent.at(-1).tool_choice === undefined, 'a choice is of one request');
  const allowed = await respond('two things', { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_colour' }] } });
  assert.ok(!offered().includes('get_location') && offered().includes('get_colour') && offered().includes('run_sql'));
  assert.deepEqual(allowed.output.filter(item => item.type === 'function_call').map(item => item.name), ['get_colour'], 'a call that is not allowed never comes');
  await respond('thanks', { tool_choice: 'none' });
  assert.ok(!offered().includes('get_colour') && offered().includes('run_sql'));
  const chat = (more, content = 'force me') => openai.chat.completions.create({ model: 'data_agent', tools: nested, metadata, messages: [{ role: 'user', content }], ...more });
  const one = await chat({ tool_choice: { type: 'function', function: { name: 'get_location' } } });
  assert.deepEqual([offered(), sent.at(-1).tool_choice, one.choices[0].message.tool_calls[0].function.name], [['get_location'], 'required', 'get_location']);
  await chat({ tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'get_location' } }] } } });
  assert.deepEqual([offered(), sent.at(-1).tool_choice], [['get_location'], 'required']);
  assert.equal((await chat({ parallel_tool_calls: false }, 'two things')).choices[0].message.tool_calls.length, 1);
  await assert.rejects(chat({ tool_choice: 'required' }, 'say it'), { status: 502, code: 'model_unavailable' });
  for (const [more, status] of [[{ tool_choice: 'sometimes' }, 400], [{ tool_choice: { type: 'function', name: 'get_weather' } }, 400], [{ tool_choice: 'required', tools: [] }, 400],
    [{ tool_choice: { type: 'web_search_preview' } }, 400], [{ tool_choice: { type: 'allowed_tools', mode: 'required', tools: [] } }, 400]])
    await assert.rejects(respond('thanks', more), { status, param: 'tool_choice' });
});

for (const [name, Client] of [['2.0.0', Client2], ['1.15.0', Client1]]) {
  const client = new Client({ apiUrl: askd.url, apiKey: null, defaultHeaders: { 'X-Askd-Company-Id': 'acme', 'X-Askd-User-Id': 'u1' }, callerOptions: { maxRetries: 0 } });
  const human = content => ({ messages: [{ type: 'human', content }], tools: nested });
  const callsOf = interrupts => interrupts.map(one => [one.value.type, one.value.toolCall.name, one.value.toolCall.args]);
  const answerOf = values => values.messages.at(-1).content;

  test(`LangGraph's client ${name}: each call an interrupt, answered by their ids, by those of the calls, and in the thread's state`, async () => {
    const { thread_id } = await client.threads.create();
    const parts = await collect(client.runs.stream(thread_id, 'data_agent', { input: human('two things'), streamMode: ['values', 'updates'] }));
    const interrupts = parts.findLast(part => part.event === 'values').data.__interrupt__;
    assert.deepEqual(callsOf(interrupts), [['tool', 'get_location', { exact: true }], ['tool', 'get_colour', {}]]);
    assert.deepEqual(parts.find(part => part.event === 'updates' && part.data.__interrupt__).data.__interrupt__, interrupts);
    const state = await client.threads.getState(thread_id);
    assert.deepEqual([state.tasks[0].interrupts, state.interrupts], [interrupts, interrupts]);
    assert.deepEqual(Object.values((await client.threads.get(thread_id)).interrupts), [interrupts]);
    const [one, two] = interrupts;
    const half = await client.runs.wait(thread_id, 'data_agent', { command: { resume: { [one.id]: { [one.value.toolCall.id]: 'Bern' } } } });
    assert.deepEqual(callsOf(half.__interrupt__), [['tool', 'get_colour', {}]], 'what is not answered is asked again');
    assert.notEqual(half.__interrupt__[0].id, two.id);
    const done = await client.runs.wait(thread_id, 'data_agent', { command: { resume: { [half.__interrupt__[0].value.toolCall.id]: 'blue' } } });
    assert.equal(answerOf(done), 'Bern is blue [s3].');
  });

  test(`LangGraph's client ${name}: one call, and its value as it is; nobody waits for the run; a tool that failed`, async () => {
    const { thread_id } = await client.threads.create();
    const [interrupt] = (await client.runs.wait(thread_id, 'data_agent', { input: human('where am I?') })).__interrupt__;
    await assert.rejects(client.runs.wait(thread_id, 'data_agent', { command: { resume: { [`${interrupt.id}x`]: 'Bern', [interrupt.id]: { results: [] } }, goto: 'x' } }), /501/);
    const run = await client.runs.create(thread_id, 'data_agent', { command: { resume: { city: 'Bern' } } });
    const done = await client.runs.join(thread_id, run.run_id);
    assert.equal(answerOf(done), 'You are in Bern.');
    const other = await client.threads.create();
    const [asked] = (await client.runs.wait(other.thread_id, 'data_agent', { input: human('where am I?') })).__interrupt__;
    await client.runs.wait(other.thread_id, 'data_agent', { command: { resume: { [asked.id]: { error: 'no leave, says Bern' } } } });
    assert.match(sent.at(-1).messages.at(-1).content, /no leave/);
    const third = await client.threads.create();
    await client.runs.wait(third.thread_id, 'data_agent', { input: human('two things') });
    await assert.rejects(client.runs.wait(third.thread_id, 'data_agent', { command: { resume: 'Bern' } }), /422.*answers nothing/);
  });
}

test("AG-UI's client: a tool of its own, answered in its next run", async () => {
  const agent = new HttpAgent({ url: `${askd.url}/ag-ui/data_agent`, headers: { 'X-Askd-Company-Id': 'acme', 'X-Askd-User-Id': 'u1' }, threadId: newConversation().id });
  agent.addMessage({ id: 'm1', role: 'user', content: 'where am I?' });
  await agent.runAgent({ runId: 'r1', tools });
  const asked = agent.messages.at(-1).toolCalls?.[0] ?? agent.messages.findLast(message => message.toolCalls)?.toolCalls[0];
  assert.deepEqual([asked.function.name, JSON.parse(asked.function.arguments)], ['get_location', { exact: true }]);
  agent.addMessage({ id: 'm2', role: 'tool', toolCallId: asked.id, content: 'Bern' });
  const { newMessages } = await agent.runAgent({ runId: 'r2', tools });
  assert.equal(newMessages.at(-1).content, 'You are in Bern.');
});

test("the AI SDK's transport: a tool of the client, and the answer behind it", async () => {
  const transport = new DefaultChatTransport({ api: `${askd.url}/api/chat`, headers: { 'X-Askd-Company-Id': 'acme', 'X-Askd-User-Id': 'u1' }, body: { model: 'data_agent', tools } });
  const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'where am I?' }] }], chatId = newConversation().id;
  const send = async (message) => {
    for await (message of readUIMessageStream({ message, stream: await transport.sendMessages({ chatId, trigger: 'submit-message', messages }) }));
    return message;
  };
  const asked = await send();
  const part = asked.parts.find(one => one.type === 'tool-get_location');
  assert.deepEqual([part.state, part.input], ['input-available', { exact: true }]);
  Object.assign(part, { state: 'output-available', output: { city: 'Bern' } });
  messages.push(asked);
  const done = await send(asked);
  assert.equal(done.parts.filter(one => one.type === 'text').map(one => one.text).join(''), 'You are in Bern.');
});
