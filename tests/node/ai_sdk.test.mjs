// SPDX-License-Identifier: MIT
// tests/node/ai_sdk.test.mjs - the UI message stream, through the AI SDK's own transport and reader: a
// question, tools, sources, failures, and a chat that is resumed wherever its socket was cut.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DefaultChatTransport, readUIMessageStream } from 'ai';
import { startAskd, startMock, tempPath } from './lib/harness.mjs';
import { PageModel } from './lib/page_model.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, line, words } from './lib/scripts.mjs';

const ANSWER = 'The sky is blue because of scattering.';
const LONG = words(12);
const mock = await startMock([
  line('classify', 'SQL', { user: 'by status' }),
  line('generate', '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```', { user: 'by status' }),
  line('tables', '["workOrder"]'),
  line('answer', 'That is what there is.'),
  faulty('broken', 'error-mid-2'),
  ...general,
]);
const askd = await startAskd({ mock, env: { ASKD_API_KEYS: 'sk-one' } });

let chats = 0;
const newChat = () => `chat-${++chats}`;
const userMessage = text => ({ id: `m-${text}`, role: 'user', parts: [{ type: 'text', text }] });
const transport = (server = askd, options = {}) => new DefaultChatTransport({
  api: `${server.url}/api/chat`, headers: { authorization: 'Bearer sk-one', 'X-Askd-Company-Id': 'acme' }, ...options,
});
const send = (text, { chatId = newChat(), messages = [], server, options, ...more } = {}) => transport(server, options).sendMessages({
  chatId, messages: [...messages, userMessage(text)], trigger: 'submit-message', messageId: undefined, abortSignal: undefined, ...more,
});
const collect = async stream => {
  const chunks = [];
  for await (const chunk of stream)
    chunks.push(chunk);
  return chunks;
};
// The message as the SDK makes it, with what it complained about.
const messageOf = async chunks => {
  let message;
  const errors = [];
  const stream = new ReadableStream({ start(to) { chunks.forEach(chunk => to.enqueue(chunk)); to.close(); } });
  for await (const one of readUIMessageStream({ stream, onError: error => errors.push(error) }))
    message = one;
  return { message, errors };
};
const textOf = message => message.parts.filter(part => part.type === 'text').map(part => part.text).join('');

test('a question: text, metadata, the header of the protocol', async () => {
  let head;
  const chunks = await collect(await send('why', { options: { fetch: async (...args) => { const answer = await fetch(...args); head = answer.headers; return answer; } } }));
  assert.equal(head.get('x-vercel-ai-ui-message-stream'), 'v1');
  assert.match(head.get('content-type'), /^text\/event-stream/);
  const { message, errors } = await messageOf(chunks);
  assert.deepEqual(errors, []);
  assert.equal(textOf(message), ANSWER);
  assert.equal(message.id, head.get('x-run-id'));
  assert.equal(message.metadata.run_id, message.id);
  assert.equal(message.metadata.route, 'general');
  assert.ok(message.parts.filter(part => part.type === 'text').every(part => part.state === 'done'));
  assert.deepEqual(chunks.at(-1).type, 'finish');
});

test('tools are parts with their end, the route is transient, rows are metadata', async () => {
  const chunks = await collect(await send('orders by status'));
  assert.deepEqual(chunks.find(chunk => chunk.type === 'data-route'), { type: 'data-route', data: { event: 'route_decision', route: 'sql' }, transient: true });
  const { message, errors } = await messageOf(chunks);
  assert.deepEqual(errors, []);
  const [tool] = message.parts.filter(part => part.type === 'dynamic-tool');
  assert.equal(tool.toolName, 'sql_agent');
  assert.equal(tool.state, 'output-available');
  assert.equal(typeof tool.output.ms, 'number');
  assert.ok(message.metadata.data.rows.length > 0);
  assert.equal(textOf(message), 'That is what there is.');
});

test('what was said before goes to the model', async () => {
  const model = await new PageModel(general).start();
  try {
    const server = await startAskd({ mock: model });
    const messages = [userMessage('first'), { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'text', text: 'yes' },
      { type: 'dynamic-tool', toolName: 'sql_agent', toolCallId: 't', state: 'output-available', input: {}, output: {} }] }];
    await collect(await send('second', { server, messages, trigger: 'regenerate-message', messageId: 'x' }));
    assert.deepEqual(model.asked.at(-1).filter(one => one.role !== 'system').slice(0, 2).map(one => one.content), ['first', 'yes']);
  } finally {
    await model.stop();
  }
});

test('a run that fails is an error part; what is wrong before it, plain text', async () => {
  const chunks = await collect(await send('broken'));
  assert.equal(chunks.at(-1).type, 'error');
  assert.equal(chunks.at(-1).code, 'model_unavailable');
  const { errors } = await messageOf(chunks);
  assert.equal(errors.length, 1);
  const refused = async (promise, pattern) => assert.rejects(promise, error => pattern.test(error.message) && !/^[{<]/.test(error.message));
  await refused(send('why', { options: { headers: {} } }), /^.*key/i);
  await refused(send('why', { body: { model: 'none' } }), /there is no 'none'; there are orchestrator/);
  await refused(send('why', { body: { invented: 1 } }), /\/invented/);
  await refused(send('why', { trigger: 'something-else' }), /triggers/);
  await refused(send('  '), /blanks/);
  await refused(send('why', { messages: [{ id: 'f', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'data:,x' }] }] }), /not text/);
});

// Every stream of the first server is cut after so many parts while its model holds still; then it is resumed,
// at the second one.
const cutEverywhere = async (model, server, other) => {
  for (let cut = 1; ; cut++) {
    const chatId = newChat(), abort = new AbortController();
    const stream = await send('why', { server, chatId, abortSignal: abort.signal });
    const reader = stream.getReader(), seen = [];
    const more = async () => {
      const { done, value } = await reader.read();
      if (!done)
        seen.push(value);
      return !done;
    };
    while (seen.length < cut && !(seen.filter(part => part.type === 'text-delta').map(part => part.delta).join('').split(' ').length >= 6))
      assert.ok(await more(), `it ended after ${seen.length} parts`);
    const last = seen.length < cut;
    abort.abort();
    await reader.cancel().catch(() => {});
    const resumed = await until('it can be resumed', () => transport(other).reconnectToStream({ chatId }));
    await until('it is held', async () => model.held.length > 0);
    model.release();
    const { message, errors } = await messageOf(await collect(resumed));
    assert.deepEqual(errors, []);
    assert.equal(textOf(message), LONG);
    assert.equal(message.id, seen[0].messageId, 'the same run');
    await until('it is over', async () => await transport(other).reconnectToStream({ chatId }) === null);
    if (last)
      break;
  }
  assert.equal(await transport(other).reconnectToStream({ chatId: 'never' }), null);
};

test('cut after every part and resumed: the whole message; 204 when nothing goes on', async () => {
  const model = await new PageModel([{ system: 'You route questions', reply: 'GENERAL' }, { reply: LONG, hold: 6 }]).start();
  const server = await startAskd({ mock: model, env: { ASKD_WORKERS: '3' } });
  try {
    await cutEverywhere(model, server, server);
  } finally {
    await model.stop();
  }
});

test('so too at another server of the same store; there it is nobody else\'s, either', async () => {
  const model = await new PageModel([{ system: 'You route questions', reply: 'GENERAL' }, { reply: LONG, hold: 6 }]).start();
  const env = { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('shared.db')}`, ASKD_WORKERS: '2' };
  const server = await startAskd({ mock: model, env }), other = await startAskd({ mock: model, env });
  try {
    await cutEverywhere(model, server, other);
    const chatId = newChat(), reader = (await send('why', { server, chatId })).getReader();
    await reader.read();
    await until('it is held', async () => model.held.length > 0);
    assert.equal(await transport(other, { headers: { 'X-Askd-Company-Id': 'other' } }).reconnectToStream({ chatId }), null);
    const resumed = await until('it can be resumed', () => transport(other).reconnectToStream({ chatId }));
    model.release();
    assert.equal(textOf((await messageOf(await collect(resumed))).message), LONG);
    while (!(await reader.read()).done);
  } finally {
    await model.stop();
  }
});

test('a chat is nobody else\'s to resume', async () => {
  const model = await new PageModel([{ system: 'You route questions', reply: 'GENERAL' }, { reply: LONG, hold: 2 }]).start();
  const server = await startAskd({ mock: model });
  try {
    const chatId = newChat(), reader = (await send('why', { server, chatId })).getReader();
    await reader.read();
    const other = { headers: { 'X-Askd-Company-Id': 'other' } };
    assert.equal(await transport(server, other).reconnectToStream({ chatId }), null);
    const theirs = (await send('hello', { server, chatId, options: other })).getReader();
    assert.ok(!(await theirs.read()).done, 'a chat of the same id is their own');
    await theirs.cancel();
    await assert.rejects(send('why', { server, chatId }), /going on/);
    await until('it is held', async () => model.held.length > 0);
    model.release();
    while (!(await reader.read()).done);
  } finally {
    await model.stop();
  }
});
