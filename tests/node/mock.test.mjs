// SPDX-License-Identifier: MIT
// tests/node/mock.test.mjs - the mock model speaks OpenAI's wire: the official client understands
// it, and every fault is the fault it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import http from 'node:http';
import OpenAI from 'openai';
import { startMock } from './lib/harness.mjs';
import { until } from './lib/process.mjs';

const mock = await startMock([
  { match: 'umlaut', reply: 'Grüße, 你好 😀!' },
  { match: 'twice', reply: 'wrong', times: 1 },
  { match: 'twice', reply: 'right' },
  { system: 'be brief', user: 'both', reply: 'fits' },
]);
const client = new OpenAI({ apiKey: 'sk-test', baseURL: `${mock.url}/v1`, maxRetries: 0 });
const messages = (user, system) =>
  [...(system ? [{ role: 'system', content: system }] : []), { role: 'user', content: user }];

const say = async (user, model = 'mock', more = {}) => {
  const stream = await client.chat.completions.create({ model, messages: messages(user), stream: true, ...more });
  let text = '', usage;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? '';
    usage ??= chunk.usage;
  }
  return { text, usage };
};

const post = (model, user = 'x') => fetch(`${mock.url}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model, stream: true, stream_options: { include_usage: true }, messages: messages(user) }),
});

test('a stream and a whole answer through the openai client', async () => {
  const { text, usage } = await say('umlaut', 'mock', { stream_options: { include_usage: true } });
  assert.equal(text, 'Grüße, 你好 😀!');
  assert.ok(usage.completion_tokens > 1);
  const whole = await client.chat.completions.create({ model: 'mock', messages: messages('umlaut') });
  assert.equal(whole.choices[0].message.content, 'Grüße, 你好 😀!');
  assert.equal(whole.choices[0].finish_reason, 'stop');
  assert.equal((await say('hello', 'mock-tokens-3')).text, 'word0 word1 word2');
  assert.equal((await client.models.list()).data[0].id, 'mock');
});

test('a line is used so many times; system and user must both fit', async () => {
  assert.equal((await say('twice')).text, 'wrong');
  assert.equal((await say('twice')).text, 'right');
  const answer = await client.chat.completions.create({ model: 'mock', messages: messages('both', 'be brief') });
  assert.equal(answer.choices[0].message.content, 'fits');
});

test('what does not matter to a client: split UTF-8, CRLF, comments, no usage, no [DONE]', async () => {
  for (const model of ['mock-split-utf8', 'mock-crlf', 'mock-comments', 'mock-no-usage', 'mock-no-done'])
    assert.equal((await say('umlaut', model)).text, 'Grüße, 你好 😀!', model);
});

test('refusals: 429 with Retry-After twice and then well, 500, 401, 404', async () => {
  const response = await post('mock-429-2');
  assert.equal(response.status, 429);
  assert.equal(response.headers.get('retry-after-ms'), '20');
  assert.equal((await post('mock-429-2')).status, 429);
  assert.equal((await say('x', 'mock-429-2-tokens-2')).text, 'word0 word1');
  for (const status of [500, 401, 404]) {
    await mock.reset();
    await assert.rejects(say('x', `mock-${status}`), error => error.status === status);
  }
  await mock.reset();
});

test('an answer cut, one with an error inside, one that is no answer', async () => {
  await assert.rejects(say('x', 'mock-cut-2'));
  await assert.rejects(say('x', 'mock-error-mid-2'), /overloaded/);
  assert.match(await (await post('mock-nonjson')).text(), /It works!/);
});

test('an aborted stream is counted', async () => {
  const before = await mock.stats();
  const abort = new AbortController();
  await new Promise((resolve, reject) => {
    const request = http.request(`${mock.url}/v1/chat/completions`, { method: 'POST', signal: abort.signal },
      response => response.once('data', () => abort.abort()));
    request.on('error', error => error.name === 'AbortError' ? resolve() : reject(error));
    request.end(JSON.stringify({ model: 'mock-stall-1', stream: true, messages: messages('x') }));
  });
  await until('the mock counts it', async () => (await mock.stats()).aborted === before.aborted + 1);
  assert.equal((await mock.stats()).open, 0);
});
