// SPDX-License-Identifier: MIT
// tests/node/client_tools.test.mjs - tools that the client has: a model calls them, the run waits, and goes on with
// their results; natively, and by the clients of OpenAI, AG-UI and the AI SDK.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import OpenAI from 'openai';
import { newConversation, question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { readStream } from './lib/sse.mjs';

const call = (name, args = {}) => ({ name, arguments: args });
const COUNT = 'SELECT COUNT(*) AS n FROM employee';
const mock = await startMock([
  { system: 'You answer questions about the data', user: 'where am I', result: 'Bern', reply: 'You are in Bern.' },
  { system: 'You answer questions about the data', user: 'where am I', calls: [call('get_location', { exact: true })] },
  { user: 'two things', result: 'blue', reply: 'Bern is blue [s3].' },
  { user: 'two things', reply: 'Let me see.', calls: [call('get_location', { exact: true }), call('get_colour'), call('run_sql', { sql: COUNT })] },
  { user: 'wrong', result: 'do not fit', reply: 'It does not fit.' },
  { user: 'wrong', calls: [call('get_location', { exact: 7 })] },
  { user: 'unknown', result: 'There is no tool', reply: 'There is none.' },
  { user: 'unknown', calls: [call('get_colour')] },
  { user: 'thanks', reply: 'You are welcome.' },
  { match: '', reply: 'Nobody expected this.' },
]);
const askd = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('client.db')}` } });
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
