// SPDX-License-Identifier: MIT
// tests/node/mockllm_openai.mjs MOCKLLM - the npm openai client against mockllm: what the mock
// speaks must be what a real client understands, faults included. Exits 77 (skipped) when the
// client is not installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import assert from 'node:assert/strict';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let OpenAI, AzureOpenAI;
try {
  ({ default: OpenAI, AzureOpenAI } = await import('openai'));
} catch {
  console.log('skipped: npm install in tests/node first');
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), 'mockllm-'));
const script = join(folder, 'script.jsonl');
const scripted = 'Größe: 3 × 4 = 12 😀 \n"done"';
writeFileSync(script, [
  { task: 'first time', match: 'twice', reply: 'first', times: 1 },
  { match: 'twice', reply: 'second' },
  { system: 'poet', match: 'poem', reply: scripted },
  { match: 'please fail', reply: 'never seen', fault: '500' },
].map(line => JSON.stringify(line)).join('\n') + '\n');

const mock = spawn(process.argv[2], ['--tokens', '5', '--script', script], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(mock.stdout, 'data');
const root = 'http://' + String(line).trim().replace('listening ', '');
const client = new OpenAI({ baseURL: root + '/v1', apiKey: 'k', maxRetries: 0 });
const ask = (model, text = 'hi', system = 'be terse') => ({
  model, messages: [{ role: 'system', content: system }, { role: 'user', content: text }],
});
const words = n => Array.from({ length: n }, (_, i) => 'word' + i).join(' ');

const stream = async (model, text, system) => {
  const chunks = await client.chat.completions.create(
    { ...ask(model, text, system), stream: true, stream_options: { include_usage: true } });
  let answer = '', usage = null, finish = null;
  for await (const chunk of chunks) {
    answer += chunk.choices[0]?.delta?.content ?? '';
    finish = chunk.choices[0]?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  return { answer, usage, finish };
};
const status = async promise => promise.then(() => 200, error => error.status ?? error.code ?? error.message);

const tests = {
  async 'models are listed'() {
    const { data } = await client.models.list();
    assert.equal(data[0].id, 'mock');
  },
  async 'a stream with usage'() {
    assert.deepEqual(await stream('mock-tokens-3'), {
      answer: words(3), finish: 'stop',
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
  },
  async 'the stream helper'() {
    const final = await client.chat.completions.stream(ask('mock-tokens-2')).finalChatCompletion();
    assert.equal(final.choices[0].message.content, words(2));
  },
  async 'one answer'() {
    const whole = await client.chat.completions.create(ask('mock-tokens-3'));
    assert.equal(whole.choices[0].message.content, words(3));
    assert.equal(whole.usage.completion_tokens, 3);
  },
  async 'harmless framings'() {
    for (const framing of ['split-utf8', 'crlf', 'comments', 'no-done', 'no-usage'])
      assert.equal((await stream(`mock-${framing}`, 'a poem', 'poet')).answer, scripted, framing);
  },
  async 'a script, in order, by system text and user text'() {
    assert.equal((await stream('mock', 'say it twice')).answer, 'first');
    assert.equal((await stream('mock', 'say it twice')).answer, 'second');
    assert.equal((await stream('mock', 'a poem', 'poet')).answer, scripted);
    assert.equal((await stream('mock', 'a poem', 'clerk')).answer, words(5));
    assert.equal(await status(stream('mock', 'please fail')), 500);
  },
  async 'embeddings, in base64 and as numbers'() {
    const input = ['overtime of crews', 'how is the overtime paid to a crew', 'tax rate'];
    const [base64, numbers] = await Promise.all([undefined, 'float'].map(encoding_format =>
      client.embeddings.create({ model: 'mock-dims-96', input, ...(encoding_format && { encoding_format }) })));
    assert.deepEqual(base64.data, numbers.data);
    assert.deepEqual(base64.data.map(item => [item.index, item.embedding.length]), [[0, 96], [1, 96], [2, 96]]);
    assert.ok(base64.usage.prompt_tokens > 0);
    const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    const [a, b, c] = base64.data.map(item => item.embedding);
    assert.ok(dot(a, b) > dot(a, c));
    const one = await client.embeddings.create({ model: 'mock', input: 'one', dimensions: 8 });
    assert.equal(one.data[0].embedding.length, 8);
    for (const refused of ['', [], ['fine', '']])
      assert.equal(await status(client.embeddings.create({ model: 'mock', input: refused })), 400);
    assert.equal(await status(client.embeddings.create({ model: 'mock-429-1', input: 'x' })), 429);
    assert.equal((await client.embeddings.create({ model: 'mock-429-1', input: 'x' })).data.length, 1);
  },
  async 'refusals'() {
    assert.equal(await status(stream('mock-401')), 401);
    assert.equal(await status(stream('mock-404')), 404);
    assert.equal(await status(stream('mock-429-1')), 429);
    assert.equal((await stream('mock-429-1-tokens-1')).answer, 'word0');
    const patient = new OpenAI({ baseURL: root + '/v1', apiKey: 'k', maxRetries: 2 });
    const whole = await patient.chat.completions.create(ask('mock-429-2-tokens-1'));
    assert.equal(whole.choices[0].message.content, 'word0');
  },
  async 'failures within a stream'() {
    await assert.rejects(stream('mock-cut-2'));
    await assert.rejects(stream('mock-error-mid-2'), /overloaded/);
    await assert.rejects(stream('mock-garbage'));
  },
  async 'bad requests'() {
    assert.equal(await status(client.chat.completions.create({ messages: [] })), 400);
    const response = await fetch(root + '/v1/chat/completions', { method: 'POST', body: '{' });
    assert.equal(response.status, 400);
    assert.ok((await response.json()).error.message);
  },
  async 'Azure'() {
    const azure = new AzureOpenAI({ endpoint: root, apiKey: 'k', apiVersion: '2024-06-01', deployment: 'mock-tokens-2', maxRetries: 0 });
    const whole = await azure.chat.completions.create(ask('ignored'));
    assert.equal(whole.choices[0].message.content, words(2));
  },
  async 'a client that goes is counted'() {
    const before = await (await fetch(root + '/mock/stats')).json();
    const abort = new AbortController();
    const chunks = await client.chat.completions.create(
      { ...ask('mock-tokens-1000-rate-20'), stream: true }, { signal: abort.signal });
    for await (const _ of chunks)
      break;
    abort.abort();
    for (let i = 0; i < 200; i++) {
      const after = await (await fetch(root + '/mock/stats')).json();
      if (after.aborted === before.aborted + 1 && after.open === 0)
        return;
    }
    assert.fail('not counted');
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log('ok', name);
  } catch (error) {
    failed++;
    console.log('FAILED', name, '-', error.message);
  }
}
mock.kill();
rmSync(folder, { recursive: true });
process.exit(failed === 0 ? 0 : 1);
