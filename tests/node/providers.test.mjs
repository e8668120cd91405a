// SPDX-License-Identifier: MIT
// tests/node/providers.test.mjs - models.json: models of several providers, each by its wire, a model for each
// task, who follows when one fails; and the quirks of providers, as a reader sees them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { askdCommand, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { general } from './lib/scripts.mjs';

const SKY = 'The sky is blue because of scattering.';
const QUESTION = 'Why is the sky blue?';
const mock = await startMock(general);
const openai = (model, more = {}) => ({ url: `${mock.url}/v1`, model, key: 'SOME_KEY', ...more });
const anthropic = (model, more = {}) => ({ wire: 'anthropic', url: mock.url, model, key: 'OTHER_KEY', ...more });

let files = 0;
const modelsFile = content => {
  const path = tempPath(`models-${files++}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const KEYS = { SOME_KEY: 'sk-some', OTHER_KEY: 'sk-other', OPENAI_API_KEY: undefined, ASKD_LLM_ATTEMPTS: '1' };
const withModels = (content, env = {}, more = {}) =>
  startAskd({ env: { ASKD_MODEL: 'openai', ASKD_MODELS: modelsFile(content), ...KEYS, ...env }, ...more });

test('Anthropic alone: the answer, its model, tokens from the cache, the cost', async () => {
  const askd = await withModels({ models: { one: anthropic('mock-cached-5', { prices: { input: 3, cached_input: 0.3, output: 15 } }) } });
  const transcript = await askd.ask(QUESTION);
  assert.equal(transcript.text, SKY);
  const { stats } = transcript.complete();
  assert.equal(stats.model, 'mock-cached-5');
  assert.equal(stats.models, undefined);
  assert.equal(stats.cached_tokens, 10); // of two calls
  assert.ok(stats.cost > 0, JSON.stringify(stats));
  assert.match(await (await askd.fetch('/metrics')).text(), /askd_llm_requests_total\{provider="anthropic",model="mock-cached-5",code="ok"\} 2/);
});

test('a model for each task, and all that wrote are named', async () => {
  const askd = await withModels({
    models: { small: openai('mock-small'), large: anthropic('mock-large') },
    tasks: { default: ['large'], classify_whole: ['small'] },
  });
  const transcript = await askd.ask(QUESTION);
  assert.equal(transcript.text, SKY);
  const { stats } = transcript.complete();
  assert.equal(stats.model, 'mock-large');
  assert.deepEqual(stats.models, ['mock-small', 'mock-large']);
});

for (const [name, first] of Object.entries({
  'out of reach': { url: 'http://127.0.0.1:9/v1', model: 'gone' },
  overloaded: anthropic('mock-overloaded-1000000'),
  'a wrong key': openai('mock-401'),
  'an unknown model': openai('mock-404'),
}))
  test(`${name}: the next provider answers`, async () => {
    const askd = await withModels({ models: { first, second: anthropic('mock-second'), third: openai('mock-third') } });
    const transcript = await askd.ask(QUESTION);
    assert.equal(transcript.text, SKY);
    assert.equal(transcript.complete().stats.model, 'mock-second');
  });

test('after the first text nobody follows', async () => {
  const askd = await withModels({
    models: { small: openai('mock-small'), cut: anthropic('mock-cut-2'), other: openai('mock-other') },
    tasks: { default: ['cut', 'other'], classify_whole: ['small'] },
  });
  const transcript = await askd.ask(QUESTION);
  transcript.error('model_unavailable');
  assert.ok(SKY.startsWith(transcript.text) && transcript.text.length > 0, transcript.text);
});

test('a text that a filter refuses goes to nobody else, and the key is not blamed', async () => {
  const askd = await withModels({ models: { first: openai('mock-moderated'), second: openai('mock-second') } });
  const error = (await askd.ask(QUESTION)).error('model_rejected');
  assert.doesNotMatch(error.message, /SOME_KEY/);
});

// What each provider's quirk comes to for a reader; docs/models.md has who does what.
for (const [name, model, more] of [
  ['OpenAI: reasoning models', 'mock-newer-limit-no-temperature'],
  ['Azure OpenAI', 'mock', { wire: 'azure', url: mock.url }],
  ['Anthropic', 'mock-reasoning', { wire: 'anthropic', url: mock.url }],
  ['Gemini: thoughts in the text', 'mock-thinks'],
  ['Mistral: no stream_options, an array of parts', 'mock-no-stream-options-parts'],
  ['Groq: reasoning beside the text, no usage', 'mock-reasoning-no-usage'],
  ['OpenRouter: comments while it waits', 'mock-comments-reasoning'],
  ['vLLM without a parser', 'mock-unopened', { starts_thinking: true }],
  ['Ollama: no key, no limit', 'mock-keyless-no-limit-thinks', { key: undefined }],
  ['llama.cpp: no finish but an end', 'mock-keyless-no-usage-split-utf8', { key: undefined }],
  ['a model that thinks its tokens away', 'mock-overthinks'],
  ['a model that was silent once', 'mock-empty-1'],
])
  test(`${name}: the answer and nothing else`, async () => {
    const askd = await withModels({ models: { only: { ...openai(model), ...more } } });
    for (let i = 0; i < 2; i++) {
      const transcript = await askd.ask(QUESTION);
      assert.equal(transcript.text, SKY);
      assert.equal(transcript.complete().stats.model, model);
    }
  });

test('without models.json: a server on http needs no key', async () => {
  const askd = await startAskd({ mock, model: 'mock-keyless', env: { OPENAI_API_KEY: undefined } });
  assert.equal((await askd.ask(QUESTION)).text, SKY);
});

test('a file with mistakes: exit 78, each by its place; config check says the same', async () => {
  const env = { ...KEYS, ASKD_MODEL: 'openai', ASKD_PORT: '0', ASKD_MODELS: modelsFile({
    models: { one: { wire: 'grpc', model: 'm' }, two: openai('m', { key: 'NOT_SET' }) }, tasks: { sql: ['three'] },
  }) };
  delete env.OPENAI_API_KEY;
  for (const args of [['serve'], ['config', 'check']]) {
    const result = await askdCommand(args, { env });
    assert.equal(result.code, 78, result.stderr);
    const said = result.stderr + result.stdout;
    assert.match(said, /models-\d+\.json: \/models\/one\/wire: expected openai, azure or anthropic; got 'grpc'/);
    assert.match(said, /\/models\/one\/url: is needed/);
    assert.match(said, /\/models\/two\/key: the variable of this name is not set/);
    assert.match(said, /\/tasks\/sql: one of the names is not in \/models/);
  }
});
