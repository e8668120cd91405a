// SPDX-License-Identifier: MIT
// tests/node/prompt_providers.test.mjs - the bodies that providers are sent: what models.json says of a model, a model
// for each task, what is left out for good once a server refused it, and the prefix that is marked for Anthropic's cache.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { newConversation, startAskd, tempPath } from './lib/harness.mjs';
import { startRecorded } from './lib/recorded.mjs';

const QUESTIONS = ['How many work orders are on hold?', 'How many work orders are open?'];
const sqlOf = user => `SELECT COUNT(*) FROM workOrder WHERE status = '${user.includes(QUESTIONS[0]) ? 'on hold' : 'open'}'`;
const right = ({ task, user }) => task === 'classify_whole' ? JSON.stringify({ route: 'SQL', sql: sqlOf(user), cannot: null, search: null }) : 'Here it is.';

let files = 0;
// A server with models.json of what models(url) gives; reply before the right one.
const serve = async (models, reply = right) => {
  const recorded = await startRecorded(reply), path = tempPath(`recorded-${files++}.json`);
  writeFileSync(path, JSON.stringify(models(recorded.url)));
  const askd = await startAskd({ env: { ASKD_MODEL: 'openai', ASKD_MODELS: path, SOME_KEY: 'sk-some', SQL_CANDIDATES: '1', ASKD_LLM_ATTEMPTS: '1' } });
  return { recorded, ask: question => askd.ask(question, { conversation: newConversation() }) };
};

const said = {
  'nothing': [{}, { temperature: true, stream_options: true, response_format: true, max_tokens: true, max_completion_tokens: false, reasoning_effort: false }],
  'a reasoning model': [{ limit: 'max_completion_tokens', temperature: false, reasoning_effort: 'low' }, { temperature: false, max_tokens: false, max_completion_tokens: true, reasoning_effort: true }],
  'no limit, no form': [{ limit: 'none', response_format: false }, { max_tokens: false, max_completion_tokens: false, response_format: false }],
  'no stream_options': [{ stream_options: false }, { stream_options: false, max_tokens: true }],
};
const running = {};
for (const [name, [settings]] of Object.entries(said))
  running[name] = await serve(url => ({ models: { one: { url: `${url}/v1`, model: 'gpt-of-any-name', key: 'SOME_KEY', ...settings } } }));

const NAMED = ['max_tokens', 'temperature', 'stream_options', 'response_format'];
const refusing = {};
for (const member of NAMED)
  refusing[member] = await serve(url => ({ models: { one: { url: `${url}/v1`, model: 'any', key: 'SOME_KEY' } } }),
    one => member in one.body ? { status: member === 'stream_options' ? 422 : 400, error: `Unsupported parameter: '${member}' is not supported with this model.` } : right(one));

const split = await serve(url => ({
  models: { small: { url: `${url}/v1`, model: 'the-small' }, large: { wire: 'anthropic', url, model: 'the-large', key: 'SOME_KEY' } },
  tasks: { classify: ['small'], sql: ['large'], default: ['small'] },
}));

for (const [name, [, expected]] of Object.entries(said))
  test(`what models.json says is what is sent: ${name}`, async () => {
    const { recorded, ask } = running[name];
    (await ask(QUESTIONS[0])).complete();
    const routing = recorded.requests.find(({ task }) => task === 'classify_whole').body;
    for (const [member, is] of Object.entries(expected))
      assert.equal(member in routing, is, `${member}: ${JSON.stringify(routing[member])}`);
    assert.equal(recorded.requests.length, 2, 'nothing was sent twice');
  });

for (const member of NAMED)
  test(`a server that names ${member} is sent the same without it, once, and never again`, async () => {
    const { recorded, ask } = refusing[member];
    (await ask(QUESTIONS[0])).complete();
    const [refused, again, ...rest] = recorded.requests;
    assert.ok(member in refused.body && !(member in again.body));
    const without = body => Object.fromEntries(Object.entries(body).filter(([name]) => !/^(max_\w+tokens)$/.test(name) && name !== member));
    assert.deepEqual(without(again.body), without(refused.body), 'all else is as it was');
    (await ask(QUESTIONS[1])).complete();
    const later = recorded.requests.slice(2 + rest.length);
    assert.equal(later.length, 2);
    for (const { body, task } of [...rest, ...later])
      assert.ok(!(member in body), task);
  });

test('a model for each task, on two wires; the prefix that is the same each time is marked for the cache', async () => {
  const { recorded, ask } = split;
  for (const question of QUESTIONS)
    (await ask(question)).complete();
  const models = Object.groupBy(recorded.requests, ({ task }) => task);
  assert.deepEqual(models.classify_whole.map(({ model, path }) => [model, path]), [['the-large', '/v1/messages'], ['the-large', '/v1/messages']], 'it writes the statement');
  assert.deepEqual(models.sql_answer.map(({ model, path }) => [model, path]), [['the-small', '/v1/chat/completions'], ['the-small', '/v1/chat/completions']]);
  const [one, other] = models.classify_whole.map(({ body }) => body);
  assert.deepEqual(one.system.at(-1).cache_control, { type: 'ephemeral' });
  assert.deepEqual(one.system, other.system, 'the next question finds it again');
  assert.ok(JSON.stringify(one.system).length > 2000);
  assert.notDeepEqual(one.messages, other.messages);
  assert.ok(!JSON.stringify(one.messages).includes('cache_control'));
});
