// SPDX-License-Identifier: MIT
// tests/node/durable.test.mjs - what two servers of one store owe each other's callers: the answer of an
// invocation that was sent to the other one, the list of conversations whose first run waits for a person, a
// second message for a conversation that is busy at the other one; and what sync means where nothing is streamed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { endless, general, held } from './lib/scripts.mjs';

let files = 0;
const newStore = () => tempPath(`durable-${++files}.db`);
const two = async (env, more = {}) => {
  const store = { ASKD_CHECKPOINT_URL: `sqlite:${newStore()}`, ...env };
  return [await startAskd({ env: store, ...more }), await startAskd({ env: store, ...more })];
};
const whose = conversation => `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
const invoke = async (askd, graph, message, conversation, key) => {
  const response = await askd.post(`/internal/graphs/${graph}/invoke`, question(message, conversation), { headers: { 'idempotency-key': key } });
  return { status: response.status, body: await response.json() };
};

test('an invocation that is sent again, to another server, gets the first one\'s answer', async () => {
  const [first, second] = await two({});
  for (const graph of ['orchestrator', 'banking', 'text_to_sql']) {
    const conversation = newConversation(), key = `key-${graph}`, asked = 'How many employees are there?';
    const said = await invoke(first, graph, asked, conversation, key);
    const again = await invoke(second, graph, asked, conversation, key);
    assert.deepEqual([said.status, again.status], [200, 200], JSON.stringify(again.body));
    assert.deepEqual(again.body, { ...said.body, ...('messages' in said.body && { messages: null }) });
    assert.equal((await invoke(second, graph, 'Something else?', conversation, key)).status, 422);
  }
});

test('sync: what an invocation answers is stored by then', async () => {
  for (let n = 0; n < 3; n++) {
    const path = newStore(), conversation = newConversation();
    const askd = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${path}`, ASKD_DURABILITY: 'sync' } });
    const { status, body } = await invoke(askd, 'orchestrator', 'How many employees are there?', conversation, 'key');
    askd.kill(); // at once
    assert.equal(status, 200);
    const { stdout } = await run('sqlite3', [path, `SELECT count(*) > 0 FROM
      (SELECT bytes FROM events WHERE run_id = '${body.run_id}' UNION ALL
       SELECT bytes FROM journal WHERE instr(bytes, '${body.run_id}') > 0) WHERE instr(bytes, '"stats":') > 0`]);
    assert.equal(stdout.trim(), '1', 'the terminal event is there');
  }
});

test('a conversation whose first run waits for a person is in the list, at every server', async () => {
  const [first, second] = await two({ ASKD_SQL_APPROVAL: 'always' });
  const conversation = newConversation(), list = async askd =>
    (await (await askd.fetch(`/internal/conversations?${whose(conversation)}`)).json()).conversations;
  const said = (await first.ask('How many employees are there?', { conversation })).events.at(-1);
  assert.equal(said.interrupted, true);
  for (const askd of [first, second]) {
    const [one, ...others] = await until('it is listed', async () => {
      const listed = await list(askd);
      return listed.length > 0 && listed;
    });
    assert.deepEqual(others, []);
    assert.deepEqual([one.conversation_id, one.title, one.turns, one.waits], [conversation.id, 'How many employees are there?', 0, true]);
  }
  const stranger = { ...conversation, user_id: 'user-2' };
  assert.deepEqual((await (await first.fetch(`/internal/conversations?${whose(stranger)}`)).json()).conversations, []);
  const resumed = await second.post(`/internal/runs/${said.run_id}/resume?${whose(conversation)}`, { resume: { action: 'approve' } });
  assert.match(await resumed.text(), /"event":"complete"/);
  const [kept] = await until('its turn is kept', async () => {
    const listed = await list(first);
    return listed[0]?.turns === 1 && listed;
  });
  assert.equal(kept.waits, undefined);
});

test('a second message for a conversation that is busy at the other server', async () => {
  const mock = await startMock([held(), endless(), ...general]);
  const [first, second] = await two({ ASKD_LEASE_SECONDS: '600' }, { mock });
  const kept = async conversation => (await (await second.fetch(`/internal/conversations/${conversation.id}?${whose(conversation)}`)).json()).messages?.map(one => one.content);
  for (const multitask of ['reject', 'enqueue', 'interrupt', 'rollback']) {
    const conversation = newConversation();
    const message = ['reject', 'enqueue'].includes(multitask) ? 'held, please' : 'endless, please';
    const begun = first.ask(message, { conversation });
    await until('it runs at the first', async () =>
      (await (await second.fetch(`/internal/runs?${whose(conversation)}`)).json()).runs.some(one => one.conversation_id === conversation.id));
    if (multitask === 'reject') {
      const response = await second.post('/internal/chat/stream', question('hello', conversation, { multitask }));
      assert.equal(response.status, 409, await response.text());
      assert.equal((await mock.release(begun)).events.at(-1).event, 'complete');
      continue;
    }
    const asked = second.ask('hello', { conversation, options: { multitask } });
    const said = (await (multitask === 'enqueue' ? mock.release(asked) : asked)).events.at(-1);
    assert.equal(said.event, 'complete', `${multitask}: ${JSON.stringify(said)}`);
    const before = (await begun).events.at(-1);
    assert.equal(before.code ?? before.event, multitask === 'enqueue' ? 'complete' : 'cancelled', multitask);
    const messages = await until('what was said is kept', async () => {
      const all = await kept(conversation);
      return all?.includes('hello') && all;
    });
    const expected = multitask === 'rollback' ? ['hello'] : [message, 'hello'];
    assert.deepEqual(messages.filter((_, i) => i % 2 === 0), expected, multitask);
  }
});

// What each door makes of a second message; of those with a strategy of their own, LangGraph's.
const doors = (message, { id }) => {
  const messages = [{ id: 'm1', role: 'user', content: message }];
  const thread = { assistant_id: 'orchestrator', input: { messages: [{ type: 'human', content: message }] } };
  return {
    asking: [
      ['/v1/chat/completions', { model: 'orchestrator', messages: [{ role: 'user', content: message }] }],
      ['/v1/responses', { model: 'orchestrator', input: message }],
      ['/v1/responses', { model: 'orchestrator', input: message, background: true }],
      ['/api/chat', { id, messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: message }] }] }],
      ['/ag-ui', { threadId: id, runId: 'r1', messages, state: {}, tools: [], context: [], forwardedProps: {} }],
    ],
    thread: how => ['', '/wait', '/stream'].map(path => [`/threads/${id}/runs${path}`, { ...thread, multitask_strategy: how }]),
  };
};

test('a conversation that is busy at the other server: what the other doors say', async () => {
  const mock = await startMock([endless('slow'), ...general]);
  const [first, second] = await two({ ASKD_LEASE_SECONDS: '600' }, { mock });
  const headersOf = ({ id, company_id, user_id }) => ({ 'x-askd-company-id': company_id, 'x-askd-user-id': user_id, 'x-askd-conversation-id': id });
  const begin = async conversation => { // its end, once it runs
    await first.post('/threads', { thread_id: conversation.id }, { headers: headersOf(conversation) });
    const end = first.ask('slow, please', { conversation }).then(transcript => transcript.events.at(-1));
    await until('it runs at the first', async () =>
      (await (await second.fetch(`/internal/runs?${whose(conversation)}`)).json()).runs.some(one => one.conversation_id === conversation.id));
    return { end };
  };
  const send = async (conversation, [path, body]) => {
    const response = await second.post(path, body, { headers: headersOf(conversation) });
    return { path, status: response.status, text: await response.text() };
  };
  const conversation = newConversation(), ask = doors('hello', conversation);
  const { end } = await begin(conversation);
  for (const { path, status, text } of await Promise.all([...ask.asking, ...ask.thread('reject')].map(door => send(conversation, door))))
    assert.equal(status, 409, `${path}: ${text}`);
  const stopped = await send(conversation, ask.thread('interrupt')[0]);
  assert.equal(stopped.status, 200, stopped.text);
  assert.equal((await end).code, 'cancelled');
  for (const how of ['interrupt', 'rollback'])
    for (const i of [1, 2]) {
      const next = newConversation();
      const other = await begin(next);
      const { path, status, text } = await send(next, doors('hello', next).thread(how)[i]);
      assert.equal(status, 200, `${path}: ${text}`);
      assert.match(text, /The sky is blue/);
      assert.equal((await other.end).code, 'cancelled', how);
      const messages = await until('what was said is kept', async () => {
        const kept = await (await second.fetch(`/internal/conversations/${next.id}?${whose(next)}`)).json();
        return kept.messages?.at(-2)?.content === 'hello' && kept.messages;
      });
      assert.equal(messages.length, how === 'rollback' ? 2 : 4, `${path} ${how}`);
    }
});

test('a run is listed and cancelled from the other server', async () => {
  const mock = await startMock([endless(), ...general]);
  const [first, second] = await two({ ASKD_LEASE_SECONDS: '600' }, { mock });
  const conversation = newConversation();
  const asked = first.ask('endless, please', { conversation });
  const { run_id } = await until('it is listed', async () => {
    const { runs } = await (await second.fetch(`/internal/runs?${whose(conversation)}`)).json();
    return runs.find(one => one.conversation_id === conversation.id);
  });
  const cancelled = await second.fetch(`/internal/runs/${run_id}/cancel?${whose(conversation)}`, { method: 'POST' });
  assert.equal(cancelled.status, 202, await cancelled.text());
  assert.equal((await asked).events.at(-1).code, 'cancelled');
});
