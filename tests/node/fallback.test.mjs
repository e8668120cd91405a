// SPDX-License-Identifier: MIT
// tests/node/fallback.test.mjs - ASKD_MODEL_FALLBACK=offline: whichever way a model's server fails before it has
// said anything, the offline engine answers or says that it cannot, in every graph and at every door.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newConversation, sourceDir, startAskd, startMock } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, line, words } from './lib/scripts.mjs';

const QUESTION = 'How many customers have accounts?';
const ANSWER = /^There are \d+ customers with accounts\.$/;
const OPEN = 'How did the wizards fare?';
const LIMITS = { ASKD_LLM_ATTEMPTS: '1', ASKD_LLM_FIRST_TOKEN_SECONDS: '1' };
const LENIENT = { ...LIMITS, ASKD_MODEL_FALLBACK: 'offline' };
const gone = { url: 'http://127.0.0.1:9' };
const mock = await startMock([faulty('cut off', 'cut-3', words(20)), ...general]);
const with_ = (model, env = LENIENT) => startAskd({ mock, model, env });
const askd = await startAskd({ mock: gone, env: { ...LENIENT, ASKD_SEMANTIC: join(sourceDir, 'samples/semantic.json') } });
const { graphs } = await (await askd.fetch('/internal/graphs')).json();

const weather = {
  'nobody at the address': () => startAskd({ mock: gone, env: LENIENT }),
  '500': () => with_('mock-500'),
  '503': () => with_('mock-503-1000000'),
  '429, again and again': () => with_('mock-429-1000000-retry-after-1', { ...LENIENT, ASKD_LLM_ATTEMPTS: '2' }),
  'no answer at all': () => with_('mock-silent'),
  'too slow to begin': () => with_('mock-slow-first-60000'),
  'too slow altogether': () => with_('mock-silent', { ...LENIENT, ASKD_LLM_FIRST_TOKEN_SECONDS: '60', ASKD_LLM_TIMEOUT_SECONDS: '1' }),
  'cut before the first token': () => with_('mock-cut-0'),
  'a page instead of an answer': () => with_('mock-nonjson'),
};

for (const [name, start] of Object.entries(weather))
  test(`${name}: stood in for, and said`, async () => {
    const askd = await start();
    const transcript = await askd.ask(QUESTION);
    const { stats, sql } = transcript.complete();
    assert.match(transcript.text, ANSWER);
    assert.equal(stats.model, 'offline');
    assert.match(sql, /accounts/);
    await until('it is logged', () => /llm\.fallback/.test(askd.child.stderr));
    assert.ok(await askd.metric('askd_llm_requests_total') > 0);
  });

test('the breaker is open: nobody waits for the model any more', async () => {
  const askd = await with_('mock-500');
  for (let i = 0; i < 10; i++) // ten failures in a row
    assert.match((await askd.ask(QUESTION)).text, ANSWER);
  await mock.reset();
  const transcript = await askd.ask(QUESTION);
  assert.match(transcript.text, ANSWER);
  assert.equal(transcript.complete().stats.model, 'offline');
  assert.equal((await mock.stats()).requests, 0);
});

test('what is no weather stays an error: a key that is refused or missing, a model that is unknown', async () => {
  for (const model of ['mock-401', 'mock-404'])
    (await (await with_(model)).ask(QUESTION)).error('model_rejected');
  const keyless = await startAskd({ ready: 503, env: { ...LENIENT, ASKD_MODEL: 'openai', OPENAI_API_KEY: undefined } });
  (await keyless.ask(QUESTION)).error('model_not_configured');
});

test('after the first words nobody else goes on: the error says so, and what came stays', async () => {
  const patient = await with_('mock', { ...LENIENT, ASKD_LLM_FIRST_TOKEN_SECONDS: undefined });
  const transcript = await patient.ask('Please get cut off');
  transcript.error('model_unavailable');
  assert.match(transcript.text, /^word0/);
});

test('off by default', async () => {
  const strict = await startAskd({ mock: gone, env: LIMITS });
  (await strict.ask(QUESTION)).error('model_unavailable');
});

// ---- every graph ----

for (const { name } of graphs)
  test(`${name}: an answer or a reason, and no error of the model`, async () => {
    for (const message of [QUESTION, OPEN]) {
      const transcript = await askd.ask(message, { conversation: newConversation(), options: { graph: name } });
      if (name === 'banking' && message === OPEN) { // it has no other way to say so
        assert.match(transcript.error('sql_rejected').message, /word/);
        continue;
      }
      const { stats, sql, abstained } = transcript.complete();
      if (stats.llm_calls > 0) // nothing to read, nothing to ask a model
        assert.equal(stats.model, 'offline', message);
      assert.ok(transcript.text.length > 0, message);
      if (['orchestrator', 'sql_agent', 'text_to_sql', 'banking'].includes(name) && message === QUESTION)
        assert.match(sql, /accounts/, name);
      if (message === OPEN) {
        assert.equal(sql, undefined, name);
        assert.ok(abstained || /model|found|documents|cannot|can't/i.test(transcript.text), transcript.text);
      }
    }
  });

// ---- every door ----

test('the doors say who answered: POST /ask, Chat Completions, LangGraph', async () => {
  const asked = await (await askd.post('/ask', { query: QUESTION })).json();
  assert.equal(asked.error, null);
  assert.ok(asked.execution_result.data.length > 0);
  const completion = await (await askd.post('/v1/chat/completions',
    { model: 'orchestrator', messages: [{ role: 'user', content: QUESTION }] })).json();
  assert.match(completion.choices[0].message.content, ANSWER);
  assert.equal(completion.x_event.stats.model, 'offline');
  const stream = await askd.post('/runs/stream', { assistant_id: 'orchestrator',
    input: { messages: [{ type: 'human', content: QUESTION }] }, stream_mode: ['values', 'custom', 'messages-tuple'] });
  const frames = await stream.text();
  assert.match(frames, /customers with accounts/);
  assert.match(frames, /"model":"offline"/);
});

test('a reason at every door', async () => {
  const asked = await (await askd.post('/ask', { query: OPEN })).json();
  assert.ok(asked.error ?? asked.summary);
  assert.equal(asked.validated_sql, null);
  const completion = await (await askd.post('/v1/chat/completions',
    { model: 'sql_agent', messages: [{ role: 'user', content: OPEN }] })).json();
  assert.ok(completion.x_event.abstained);
  assert.ok(completion.choices[0].message.content.length > 0);
  const frames = await (await askd.post('/runs/stream', { assistant_id: 'sql_agent',
    input: { messages: [{ type: 'human', content: OPEN }] }, stream_mode: ['values', 'custom'] })).text();
  assert.match(frames, /abstained/);
});
