// SPDX-License-Identifier: MIT
// tests/node/follow_ups.test.mjs - questions that go on with what was said: documents are searched by what
// they mean, the last statement is before the model, and what other conversations spoke of is not.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { askdCommand, newConversation, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

const manual = `# Manual

## Rentals

A rented ladder can be kept for two days; the office prolongs it by a week.

## Signing in

You sign in with the name that you were given. On Sundays nobody answers the telephone.

## Overtime

Hours over forty a week are overtime. On Sundays hours are paid twice.
`;

const folder = mkdtempSync(join(tmpdir(), 'askd-follow-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const store = join(folder, 'store.db');
const env = { ASKD_VECTOR_URL: `sqlite:${store}`, ASKD_KEYWORD_URL: `sqlite:${store}` };
writeFileSync(join(folder, 'manual.md'), manual);
const added = await askdCommand(['docs', 'add', join(folder, 'manual.md')], { env: { ...env, ASKD_MODEL: 'offline' } });
assert.equal(added.code, 0, added.stdout + added.stderr);

const count = 'SELECT COUNT(*) AS n FROM employee WHERE hourlyRate < 40';
const routed = object => JSON.stringify({ sql: null, cannot: null, search: null, ...object });
const alone = { system: 'You write the last question of a conversation' };
const says = (part, reply, user) => ({ system: 'You answer questions from the documents', match: part, user, reply });
const mock = await startMock([
  // two turns about documents: the router says what the second means
  line('classify', routed({ route: 'RAG', search: 'How long can a rented ladder be kept, can it be prolonged?' }), { user: 'Can that be extended?' }),
  line('classify', routed({ route: 'RAG' }), { user: 'rented ladder' }),
  // a router that says a route alone: the documents' agent asks
  line('classify', 'RAG', { user: 'And on Sundays?' }), line('classify', 'RAG', { user: 'How is overtime paid?' }),
  { ...alone, match: 'assistant: Overtime is paid', user: 'And on Sundays?', reply: 'How are hours of overtime on Sundays paid?' },
  says('As it was searched for: How are hours of overtime on Sundays paid?', 'On Sundays hours are paid twice. [1]', 'paid twice'),
  says('the office prolongs it', 'The office prolongs it by a week. [1]', 'Can that be extended?'),
  says('rented ladder', 'It can be kept for two days. [1]', 'Question: How long can'),
  says('Hours over forty', 'Overtime is paid. [1]', 'Question: How is overtime paid?'),
  says('', 'The documents do not say.'),
  // statements: the second sees the first
  { match: 'The last statement that answered:\nSELECT COUNT(*) AS n FROM employee WHERE hourlyRate &lt; 40', system: 'You route questions', user: 'And how many of them are active?',
    reply: routed({ route: 'SQL', sql: `${count} AND isActive = 1` }) },
  line('classify', routed({ route: 'SQL', sql: count }), { user: 'below 40' }),
  line('classify', routed({ route: 'SQL', cannot: 'they are not known' }), { user: 'of them' }),
  // what was mentioned elsewhere
  { match: 'Mentioned before', user: 'weather', reply: routed({ route: 'SQL', cannot: 'it was told of others' }) },
  line('classify', routed({ route: 'GENERAL' }), { user: 'weather' }),
  line('classify', routed({ route: 'SQL', sql: "SELECT firstName, lastName FROM employee ORDER BY id LIMIT 1" }), { user: 'Who was first?' }),
  line('general', 'I cannot know.'), line('answer', 'Here it is.'),
]);
const askd = await startAskd({ mock, env });

const turns = (name, said, graph) =>
  test(name, async () => {
    const conversation = newConversation();
    for (const [message, expected, calls] of said) {
      const transcript = await askd.ask(message, { conversation, ...(graph && { options: { graph } }) });
      assert.equal(transcript.text, expected, message);
      assert.equal(transcript.complete().stats.llm_calls, calls, message);
    }
  });

turns('the router says what a follow-up means', [
  ['How long can a rented ladder be kept?', 'It can be kept for two days. [1]', 2],
  ['Can that be extended?', 'The office prolongs it by a week. [1]', 2]]);
turns('a router that does not is helped by one call', [
  ['How is overtime paid?', 'Overtime is paid. [1]', 2],
  ['And on Sundays?', 'On Sundays hours are paid twice. [1]', 3]]);
turns('the agent of the documents alone has a conversation, too', [
  ['How is overtime paid?', 'Overtime is paid. [1]', 1],
  ['And on Sundays?', 'On Sundays hours are paid twice. [1]', 2]], 'rag_agent');

test('the last statement is in the history', async () => {
  const conversation = newConversation();
  await askd.ask('How many employees earn below 40?', { conversation });
  const next = (await askd.ask('And how many of them are active?', { conversation })).complete();
  assert.match(next.sql, /hourlyRate < 40 AND isActive = 1/);
  const alone = (await askd.ask('And how many of them are active?', { conversation: newConversation() })).complete();
  assert.match(alone.abstained, /not known/);
});

test('what another conversation mentioned is in no prompt', async () => {
  await askd.ask('Who was first?', { conversation: newConversation() });
  assert.equal((await askd.ask('What about the weather?', { conversation: newConversation() })).text, 'I cannot know.');
});

test('without a model few words follow the question before', async t => {
  const offline = await startAskd({ env });
  t.after(() => offline.stop());
  const conversation = newConversation();
  await offline.ask('How is overtime paid?', { conversation, options: { graph: 'rag_agent' } });
  const next = await offline.ask('And on Sundays?', { conversation, options: { graph: 'rag_agent' } });
  assert.match(next.text, /On Sundays hours are paid twice/);
});
