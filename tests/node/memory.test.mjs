// SPDX-License-Identifier: MIT
// tests/node/memory.test.mjs - what is remembered of conversations: summaries behind the answer, whom and
// what they mentioned, for the model and offline, across a user's conversations and nobody else's; and
// that what is erased is in no file any more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readFileSync } from 'node:fs';
import { newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { line } from './lib/scripts.mjs';

const asUser = conversation =>
  `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;

let files = 0;
const newStore = () => tempPath(`memory-${++files}.db`);
const storeIn = path => ({ ASKD_CHECKPOINT_URL: `sqlite:${path}` });

// All there is of a database, its log of writes too.
const everything = path => [path, `${path}-wal`].filter(existsSync).map(file => readFileSync(file, 'latin1')).join('');

const last = async (askd, message, conversation) => {
  const said = (await askd.ask(message, { conversation })).events.at(-1);
  assert.equal(said.event, 'complete', JSON.stringify(said));
  return said;
};

test('offline: follow-ups know whom and what was spoken of, in the user\'s other conversations too', async () => {
  const askd = await startAskd({ env: storeIn(newStore()) });
  const first = newConversation();
  assert.match((await last(askd, 'Which employee has the most hours?', first)).sql, /LIMIT 1$/);
  const vera = /firstName = 'Vera' AND (t\d\.)?lastName = 'Brown'/;
  assert.match((await last(askd, 'What is her hourly rate?', first)).sql, vera);
  const may = await last(askd, 'How many hours did she work in May 2025?', first);
  assert.match(may.sql, vera);
  assert.match(may.sql, /'2025-05-01'/);
  const april = await last(askd, 'And in April?', first);
  assert.match(april.sql, vera);
  assert.match(april.sql, /'2025-04-01'/);
  await last(askd, 'Show work order 5', first);
  assert.match((await last(askd, 'What is the status of that work order?', first)).sql, /WHERE id = 5/);

  assert.match((await last(askd, 'How many hours did she work in June 2025?', newConversation())).sql, vera);

  for (const other of [{ user_id: 'user-2' }, { company_id: 'globex' }]) {
    const stranger = await last(askd, 'How many hours did she work in June 2025?', { ...newConversation(), ...other });
    assert.ok(!stranger.sql || !vera.test(stranger.sql), 'another\'s memory is not used');
  }
});

test('offline: what was meant outlives the process, as do follow-ups on it', async () => {
  const path = newStore(), conversation = newConversation();
  const before = await startAskd({ env: storeIn(path) });
  await last(before, 'Which employee has the most hours?', conversation);
  await last(before, 'How many hours did she work in May 2025?', conversation);
  await before.stop();
  const after = await startAskd({ env: storeIn(path) });
  const april = await last(after, 'And only in April?', conversation);
  assert.match(april.sql, /firstName = 'Vera'.*'2025-04-01'/s);
});

test('private columns are never remembered', async () => {
  const path = newStore(), conversation = newConversation();
  const askd = await startAskd({ env: storeIn(path) });
  const contact = await last(askd, 'What is the email of customer contact 1?', conversation);
  const address = JSON.stringify(contact.data.rows).match(/[\w.]+@[\w.]+/)[0];
  await last(askd, `Which customer contact has the email ${address}?`, conversation);
  await until('it is stored', () => everything(path).includes('@mentioned'));
  await askd.stop();
  const notes = await run('sqlite3', [path, 'SELECT bytes FROM notes']);
  assert.match(notes.stdout, /customer contact\tKira Garcia/);
  assert.ok(!notes.stdout.includes(address), notes.stdout);
});

const SUMMARY = 'You sum up a part of a conversation';
const script = [
  { system: SUMMARY, reply: 'SUMMARY-ONE of questions one to five.', fault: 'rate-200' },
  { match: 'SUMMARY-ONE', user: 'what is summed up', reply: 'GENERAL, and it was seen.' },
  line('classify', 'GENERAL'),
  line('general', 'An answer.'),
];

test('tiered: summaries are made behind the answer and shown to the model, once', async () => {
  const mock = await startMock(script);
  const path = newStore(), conversation = newConversation();
  const env = { ...storeIn(path), CONVERSATION_MEMORY_STRATEGY: 'tiered' };
  const askd = await startAskd({ mock, env });
  for (let n = 1; n <= 10; n++)
    await last(askd, `question ${n}`, conversation);
  await until('the summary is stored', () => everything(path).includes('SUMMARY-ONE'));
  const calls = (await mock.stats()).requests;
  await askd.ask('question 11', { conversation });
  assert.equal((await mock.stats()).requests - calls, 2, 'classify and answer: no summary is made twice');
  const seen = async server => (await server.ask('what is summed up', { conversation })).text;
  assert.match(await seen(askd), /it was seen/);

  // Another instance reads it from the store.
  await askd.stop();
  const again = await startAskd({ mock, env });
  assert.match(await seen(again), /it was seen/);
  const other = await again.ask('what is summed up', { conversation: newConversation() });
  assert.doesNotMatch(other.text, /it was seen/, 'a conversation\'s summary is its own');
});

test('the model is offered whom and what was mentioned', async () => {
  const mock = await startMock([
    line('classify', 'SQL'), line('tables', '["employee"]'),
    { ...line('generate', "```sql\nSELECT COUNT(*) AS n FROM employee WHERE firstName = 'Hugo'\n```"),
      match: 'employee: Hugo Novak', user: 'how many of his name' },
    line('generate', "```sql\nSELECT firstName, lastName, hourlyRate FROM employee WHERE firstName = 'Hugo' AND lastName = 'Novak'\n```"),
    line('answer', 'It is 49.'),
  ]);
  const askd = await startAskd({ mock, env: storeIn(newStore()) });
  await last(askd, 'rate of Hugo Novak', newConversation());
  assert.match((await last(askd, 'how many of his name', newConversation())).sql, /COUNT/);
  const stranger = await last(askd, 'how many of his name', { ...newConversation(), user_id: 'user-2' });
  assert.ok(!/COUNT/.test(stranger.sql), 'nothing of it is another user\'s');
});

test('what is erased is gone from the file; all of a user, too', async () => {
  const path = newStore();
  const askd = await startAskd({ env: { ...storeIn(path), CONVERSATION_MEMORY_STRATEGY: 'tiered' } });
  const one = newConversation(), two = newConversation(), other = { ...newConversation(), user_id: 'user-2' };
  for (let n = 1; n <= 11; n++)
    await last(askd, `How many employees are there? CANARY-${n}-ONE`, one);
  await last(askd, 'Show work order 7 CANARY-TWO', two);
  await last(askd, 'How many employees are there? CANARY-OTHER', other);
  await until('all is stored', () => ['CANARY-1-ONE', 'CANARY-11-ONE', 'CANARY-TWO', 'CANARY-OTHER'].every(word => everything(path).includes(word)));
  const erase = async (where, conversation, status) => {
    const response = await askd.fetch(`/internal/conversations${where}?${asUser(conversation)}`, { method: 'DELETE' });
    assert.equal(response.status, status, await response.text());
  };
  await erase(`/${one.id}`, other, 404);
  await until('nothing goes on', async () =>
    (await askd.fetch(`/internal/conversations/${one.id}?${asUser(one)}`, { method: 'DELETE' })).status === 204);
  await erase(`/${one.id}`, one, 404);
  assert.ok(!/CANARY-\d+-ONE/.test(everything(path)), 'no byte of it is left');
  assert.ok(everything(path).includes('CANARY-TWO'));

  await erase('', one, 204);
  assert.ok(!everything(path).includes('CANARY-TWO'), 'all of the user');
  assert.ok(everything(path).includes('CANARY-OTHER'), 'and of nobody else');
  await erase('', one, 204);
  const list = await (await askd.fetch(`/internal/conversations?${asUser(one)}`)).json();
  assert.deepEqual(list.conversations, []);
  assert.equal((await askd.fetch('/internal/conversations?company_id=acme', { method: 'DELETE' })).status, 400);
});

test('a long conversation costs no more a turn than a short one', async () => {
  const path = newStore(), conversation = newConversation();
  const askd = await startAskd({ env: { ...storeIn(path), CONVERSATION_MEMORY_STRATEGY: 'tiered', ASKD_LEASE_SECONDS: '600' } });
  const query = async sql => (await run('sqlite3', [path, sql])).stdout.trim().split('\n').filter(Boolean);
  // but for the checkpoints of the last run, which go when the next one has ended: they are one run's, in any turn
  const columns = await query("SELECT m.name || '|' || c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name <> 'marks'");
  const bytes = async turns => {
    await until(`${turns} turns are stored`, async () => (await query('SELECT count(*) FROM turns'))[0] === String(turns));
    await until('their runs have ended', async () => (await query('SELECT count(*) FROM runs WHERE status = 0'))[0] === '0');
    let sum = 0;
    for (const column of columns) {
      const [table, name] = column.split('|');
      sum += Number((await query(`SELECT coalesce(sum(length(CAST("${name}" AS BLOB))), 0) FROM "${table}"`))[0]);
    }
    return sum;
  };
  const grown = async (from, to) => {
    for (let n = from; n <= to; n++) {
      if (n === from)
        start = await bytes(from - 1);
      await last(askd, `How many employees are there? ${String(n).padStart(6, '0')}`, conversation);
    }
    return (await bytes(to) - start) / (to - from + 1);
  };
  let start = 0;
  await grown(1, 10);
  const early = await grown(11, 20);
  await grown(21, 90);
  const late = await grown(91, 100);
  assert.ok(Number((await query('SELECT count(DISTINCT run_id) FROM marks'))[0]) <= 1, 'of the last run only');
  assert.ok(early > 500, `bytes of a turn: ${early}`);
  assert.ok(late <= early * 1.1, `bytes of a turn: ${early} at first, ${late} later`);
});

test('two companies: no path shows the other\'s words', async () => {
  const askd = await startAskd({ env: storeIn(newStore()) });
  const ours = { id: 'same-name', user_id: 'ann', company_id: 'acme' };
  const theirs = { ...ours, company_id: 'globex' };
  const transcript = await askd.ask('How many employees are there? CANARY-ACME', { conversation: ours });
  const run = transcript.events.at(-1).run_id;
  const of = one => `company_id=${one.company_id}&user_id=${one.user_id}`;
  await until('it is stored', async () =>
    (await (await askd.fetch(`/internal/conversations?${of(ours)}&search=canary-acme`)).text()).includes('CANARY-ACME'));
  const paths = [
    ['GET', `/internal/conversations?${of(theirs)}`, 200],
    ['GET', `/internal/conversations?${of(theirs)}&search=CANARY`, 200],
    ['GET', `/internal/conversations/same-name?${of(theirs)}`, 404],
    ['GET', `/internal/conversations/same-name/checkpoints?${of(theirs)}`, 404],
    ['POST', `/internal/conversations/same-name/fork?${of(theirs)}&to=mine`, 404],
    ['DELETE', `/internal/conversations/same-name?${of(theirs)}`, 404],
    ['DELETE', `/internal/conversations?${of(theirs)}`, 204],
    ['GET', `/internal/runs/${run}/stream?${of(theirs)}`, 404],
    ['POST', `/internal/runs/${run}/cancel?${of(theirs)}`, 404],
    ['GET', `/internal/runs?${of(theirs)}`, 200],
  ];
  for (const [method, path, status] of paths) {
    const response = await askd.fetch(path, { method });
    const text = await response.text();
    assert.equal(response.status, status, `${method} ${path}: ${text}`);
    assert.ok(!text.includes('CANARY'), `${method} ${path}`);
  }
  const answer = await (await askd.post('/internal/chat/stream', { input: { message: 'How many are there?' }, conversation: theirs })).text();
  assert.match(answer, /"event":"complete"/);
  assert.ok(!answer.includes('CANARY') && !/employee/i.test(answer), 'a conversation of the same id is their own');
  const kept = await (await askd.fetch(`/internal/conversations/same-name?${of(ours)}`)).text();
  assert.ok(kept.includes('CANARY-ACME'), 'and it is all there still');
});
