// SPDX-License-Identifier: MIT
// tests/node/faults.test.mjs - whatever the model's server does, a stream ends with exactly one
// terminal event, and its code says what was wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAskd, startMock } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, line, words } from './lib/scripts.mjs';

const WIDE = 'Grüße, 你好 😀! '.repeat(8).trim();
const PLAIN = words(20);

// What the model does while it answers; text: what reaches the user, code: how it ends otherwise.
const harmless = [
  { name: 'slow-first', fault: 'slow-first-400' },
  { name: 'split-utf8', fault: 'split-utf8', text: WIDE },
  { name: 'crlf', fault: 'crlf', text: WIDE },
  { name: 'comments', fault: 'comments' },
  { name: 'no-usage', fault: 'no-usage', estimated: true },
  { name: 'no-done', fault: 'no-done' },
  { name: 'linger', fault: 'linger' },
  { name: 'whole', fault: 'whole' },
];
const harmful = [
  { name: 'late-first', fault: 'slow-first-600000', waits: 'first', code: 'model_timeout', message: /first|1 s|1000 ms|nothing|time/i },
  { name: 'silent', fault: 'silent', waits: 'first', code: 'model_timeout' },
  { name: 'stall', fault: 'stall-3', waits: 'next', code: 'model_timeout', text: 'word0 word1'.slice(0, 12) },
  { name: 'cut', fault: 'cut-3', code: 'model_unavailable', message: /unavailable/ },
  { name: 'error-mid', fault: 'error-mid-3', code: 'model_unavailable', message: /unavailable/ },
  { name: 'garbage', fault: 'garbage', code: 'model_unavailable' },
  { name: 'nonjson', fault: 'nonjson', code: 'model_unavailable' },
];

const mock = await startMock([
  ...harmless.map(one => faulty(`case ${one.name} `, one.fault, one.text ?? PLAIN)),
  ...harmful.map(one => faulty(`case ${one.name} `, one.fault)),
  faulty('many requests', '429-2'), faulty('three failures', '500-3'), faulty('two failures', '503-2'),
  faulty('wrong key', '401'), faulty('no model', '404'),
  line('classify', 'SQL', { user: 'classify cut', fault: 'cut-0' }),
  ...general,
]);
// Who waits long enough for whatever comes; who waits a second for the first token, or for the next.
// Fewer than ten failures in a row are met by each: the breaker stays closed.
const start = env => startAskd({ mock, env });
const askd = await start({ ASKD_LLM_FIRST_TOKEN_SECONDS: '300' });
const hasty = {
  first: await start({ ASKD_LLM_FIRST_TOKEN_SECONDS: '1' }),
  next: await start({ ASKD_LLM_FIRST_TOKEN_SECONDS: '2' }),
};

test('faults that do no harm', async () => {
  await Promise.all(harmless.map(async ({ name, text = PLAIN, estimated }) => {
    const transcript = await askd.ask(`case ${name} please`);
    const { stats } = transcript.complete();
    assert.equal(transcript.text, text, name);
    assert.equal(stats.estimated, estimated, `${name}: ${JSON.stringify(stats)}`);
    assert.ok(stats.tokens > 0, name);
  }));
});

test('faults that end the run', async () => {
  await Promise.all(harmful.map(async ({ name, waits, code, message = /./, text }) => {
    const transcript = await (hasty[waits] ?? askd).ask(`case ${name} please`);
    const error = transcript.error(code);
    assert.match(error.message, message, name);
    assert.equal(error.retryable, true, name);
    if (text)
      assert.ok(transcript.text.startsWith('wor'), `${name}: what came stays: ${transcript.text}`);
  }));
});

test('429 with retry-after-ms, and then well', async () => {
  await mock.reset();
  const transcript = await askd.ask('many requests');
  assert.equal(transcript.complete() && transcript.text, PLAIN);
  assert.equal((await mock.stats()).requests, 4, 'classified once, answered the third time');
});

test('503 twice, and then well', async () => {
  await mock.reset();
  const transcript = await askd.ask('two failures');
  assert.equal(transcript.complete() && transcript.text, PLAIN);
});

test('500 three times is the end of it', async () => {
  await mock.reset();
  const error = (await askd.ask('three failures')).error('model_unavailable');
  assert.equal(error.retryable, true);
  assert.equal((await mock.stats()).requests, 4, 'three attempts');
});

test('a refused key is not tried again, and nothing of ours is named', async () => {
  await mock.reset();
  const error = (await askd.ask('wrong key')).error('model_rejected');
  assert.equal(error.message, 'the model refuses the request');
  assert.equal(error.retryable, false);
  assert.equal((await mock.stats()).requests, 2);
});

test('an unknown model', async () => {
  await mock.reset();
  (await askd.ask('no model')).error('model_rejected');
  await mock.reset();
});

test('a model lost before its first token is asked again', async () => {
  await mock.reset();
  (await askd.ask('classify cut')).error('model_unavailable');
  assert.equal((await mock.stats()).requests, 3);
});

test('nobody at the address, in which there is a password', async () => {
  const alone = await startAskd({
    mock: { url: 'http://somebody:pwSECRET9@127.0.0.1:9' }, ready: null, env: { ASKD_LLM_ATTEMPTS: '2' },
  });
  const error = (await alone.ask('hello')).error('model_unavailable');
  assert.equal(error.message, 'the model is unavailable');
});

test('a model that fails again and again is left alone for a while', async () => {
  const weak = await startAskd({
    mock, model: 'mock-500', env: { ASKD_LLM_ATTEMPTS: '2' },
  });
  for (let i = 0; i < 5; i++) // ten failures in a row
    (await weak.ask('hello')).error('model_unavailable');
  await mock.reset();
  (await weak.ask('hello')).error('model_unavailable');
  assert.equal((await mock.stats()).requests, 0, 'the breaker is open');
});

test('no key: the run says that no model is configured, /readyz says which variable (C6, R41)', async () => {
  const keyless = await startAskd({
    ready: 503, env: { ASKD_MODEL: 'openai', OPENAI_API_KEY: undefined },
  });
  const ready = await keyless.fetch('/readyz');
  assert.match(await ready.text(), /OPENAI_API_KEY/);
  const error = (await keyless.ask('hello')).error('model_not_configured');
  assert.equal(error.message, 'no model is configured');
  assert.equal(error.retryable, false);
  const ask = await keyless.post('/ask', { query: 'How many customers are there?' });
  const answer = await ask.json();
  assert.deepEqual(Object.keys(answer).sort(),
    ['chart_suggestion', 'error', 'execution_result', 'summary', 'validated_sql']);
  assert.equal(answer.error, 'no model is configured');
});

test('nothing is left open at the mock', async () => {
  await until('no open stream', async () => (await mock.stats()).open === 0);
});
