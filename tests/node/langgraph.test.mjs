// SPDX-License-Identifier: MIT
// tests/node/langgraph.test.mjs - the LangGraph API through @langchain/langgraph-sdk, both lines of it (2.0.0
// and 1.15.0): assistants, threads, states, runs, modes, joining, a socket cut after every frame, cancelling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import net from 'node:net';
import { Client as Client2 } from '@langchain/langgraph-sdk';
import { Client as Client1 } from 'langgraph-sdk-1';
import { newConversation, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, held, line, slow } from './lib/scripts.mjs';

const mock = await startMock([
  line('classify', 'GENERAL', { user: 'sky' }), // first: the earlier statement about orders stands with the question
  line('classify', 'SQL', { user: 'orders' }),
  line('tables', '["workOrder"]'),
  line('generate', '```sql\nSELECT status, COUNT(*) AS orders FROM workOrder GROUP BY status\n```'),
  line('answer', 'Some are open.'),
  faulty('broken', 'error-mid-2'), held(), slow(), ...general]);
const askd = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const other = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}` } });
const HEADERS = { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'user-1' };
const clientOf = (Client, more = {}) => new Client({ apiUrl: askd.url, apiKey: null, defaultHeaders: HEADERS, callerOptions: { maxRetries: 0 }, ...more });
const SDKS = [['2.0.0', Client2], ['1.15.0', Client1]];
const human = content => ({ messages: [{ type: 'human', content }] });
const ORDERS = human('how many orders are there?');
const MODES = ['values', 'updates', 'messages-tuple', 'custom', 'events'];
const GENERAL = 'The sky is blue because of scattering.';

const collect = async stream => {
  const parts = [];
  for await (const part of stream)
    parts.push(part);
  return parts;
};
const of = (parts, event) => parts.filter(part => part.event === event).map(part => part.data);
const textOf = parts => of(parts, 'messages').map(([chunk]) => chunk.content).join('');
const statusOf = promise => promise.then(() => 200, error => error.status ?? Number(/HTTP (\d+)/.exec(error.message)?.[1]));

for (const [name, Client] of SDKS) {
  const client = clientOf(Client);

  test(`${name}: assistants are the graphs`, async () => {
    const { graphs } = await (await askd.fetch('/internal/graphs')).json();
    const found = await client.assistants.search({ limit: 100 });
    assert.deepEqual(found.map(one => one.assistant_id), graphs.map(graph => graph.name));
    assert.deepEqual((await client.assistants.search({ graphId: 'banking' })).map(one => one.graph_id), ['banking']);
    assert.equal(await client.assistants.count(), graphs.length);
    const one = await client.assistants.get('orchestrator');
    assert.equal(one.name, 'orchestrator');
    const drawn = await client.assistants.getGraph('orchestrator');
    assert.ok(drawn.nodes.some(node => node.id === '__start__') && drawn.edges.some(edge => edge.conditional));
    assert.equal((await client.assistants.getSchemas('orchestrator')).graph_id, 'orchestrator');
    assert.equal(await statusOf(client.assistants.get('statement')), 404);
    assert.equal(await statusOf(client.assistants.create({ graphId: 'banking' })), 501);
  });

  test(`${name}: a thread: made, streamed, its state and history, erased`, async () => {
    const thread = await client.threads.create({ metadata: { title: 'x' } });
    assert.equal(thread.status, 'idle');
    assert.equal((await client.threads.get(thread.thread_id)).metadata.title, 'x');
    assert.deepEqual(await client.threads.getHistory(thread.thread_id), []);
    let created;
    const parts = await collect(client.runs.stream(thread.thread_id, 'orchestrator', {
      input: ORDERS, streamMode: MODES, onRunCreated: run => { created = run; } }));
    assert.equal(created.thread_id, thread.thread_id);
    assert.equal(parts[0].event, 'metadata');
    assert.deepEqual(parts[0].data, { run_id: created.run_id, thread_id: thread.thread_id });
    assert.equal(parts.at(-1).event, 'end');
    assert.equal(parts.at(-1).data.status, 'success');
    assert.equal(textOf(parts), 'Some are open.');
    const values = of(parts, 'values');
    assert.deepEqual(values[0].messages.map(message => message.type), ['human']);
    assert.deepEqual(values.at(-1).messages.map(message => [message.type, message.content]), [['human', 'how many orders are there?'], ['ai', 'Some are open.']]);
    assert.equal(values.at(-1).route, 'sql');
    assert.equal(values.at(-1).messages.at(-1).id, of(parts, 'messages')[0][0].id);
    assert.ok(of(parts, 'updates').some(update => update.classify));
    assert.ok(of(parts, 'custom').some(event => event.event === 'tool_start' && event.tool === 'sql_agent'));
    assert.deepEqual([...new Set(of(parts, 'events').map(event => event.event))].sort(), ['on_chain_end', 'on_chain_start', 'on_chat_model_stream']);
    assert.ok(parts.every(part => /^\d+\.\d+$/.test(part.id)));

    const state = await client.threads.getState(thread.thread_id); // what was just said is there
    assert.deepEqual(state.values.messages.map(message => message.content), ['how many orders are there?', 'Some are open.']);
    assert.deepEqual(state.next, []);
    assert.equal(state.metadata.title, 'x');
    const next = of(await collect(client.runs.stream(thread.thread_id, 'orchestrator', { input: human('why is the sky blue?'), streamMode: 'values' })), 'values');
    assert.deepEqual(next.map(one => one.messages.map(message => message.content)), // the whole thread's
      [['how many orders are there?', 'Some are open.', 'why is the sky blue?'], ['how many orders are there?', 'Some are open.', 'why is the sky blue?', GENERAL]]);
    const history = await client.threads.getHistory(thread.thread_id);
    assert.deepEqual(history.map(one => one.values.messages.length), [4, 2]);
    assert.equal(history[0].parent_checkpoint.checkpoint_id, history[1].checkpoint.checkpoint_id);
    const earlier = await client.threads.getState(thread.thread_id, history[1].checkpoint.checkpoint_id);
    assert.deepEqual(earlier.values, history[1].values);
    const run = await client.runs.get(thread.thread_id, created.run_id);
    assert.equal(run.status, 'success');
    const listed = await client.runs.list(thread.thread_id);
    assert.equal(listed.length, 2);
    assert.deepEqual(await client.runs.list(thread.thread_id, { limit: 1 }), listed.slice(0, 1));
    assert.deepEqual(await client.runs.list(thread.thread_id, { offset: 1 }), listed.slice(1));
    assert.deepEqual(await client.runs.list(thread.thread_id, { status: 'success' }), listed);
    assert.deepEqual(await client.runs.list(thread.thread_id, { status: 'error' }), []);
    assert.deepEqual(await client.runs.list(thread.thread_id, { select: ['run_id', 'status'] }), listed.map(({ run_id, status }) => ({ run_id, status })));
    for (const wrong of [{ status: 'over' }, { select: ['colour'] }, { limit: -1 }])
      assert.equal(await statusOf(client.runs.list(thread.thread_id, wrong)), 422, JSON.stringify(wrong));
    assert.ok((await client.threads.search({ limit: 50 })).some(one => one.thread_id === thread.thread_id));
    await client.threads.delete(thread.thread_id);
    assert.equal(await statusOf(client.threads.get(thread.thread_id)), 404);
    assert.equal(await statusOf(client.threads.getState(thread.thread_id)), 404);
  });

  test(`${name}: states as RemoteGraph asks for them, by a checkpoint in the body; what updates tell of messages`, async () => {
    const { thread_id } = await client.threads.create();
    assert.equal((await client.threads.getState(thread_id)).checkpoint.checkpoint_id, null, 'nothing was said yet');
    await client.runs.wait(thread_id, 'orchestrator', { input: ORDERS });
    const told = of(await collect(client.runs.stream(thread_id, 'orchestrator', { input: human('why is the sky blue?'), streamMode: 'updates' })), 'updates');
    const messages = told.flatMap(update => Object.values(update)).flatMap(put => put?.messages ?? []);
    assert.ok(messages.length > 0 && messages.every(message => ['human', 'ai'].includes(message.type) && !('role' in message)), JSON.stringify(messages));
    assert.doesNotMatch(JSON.stringify(told), /never an instruction/, 'what a prompt holds of earlier turns is for models');
    const history = await client.threads.getHistory(thread_id, { checkpoint: { thread_id } });
    assert.equal(history.length, 2);
    const { checkpoint } = history[1];
    assert.deepEqual((await client.threads.getState(thread_id, checkpoint, { subgraphs: false })).values, history[1].values);
    assert.deepEqual((await client.threads.getState(thread_id, { thread_id })).values, history[0].values);
    assert.deepEqual((await client.threads.getState(thread_id, checkpoint, { subgraphs: true })).values, history[1].values, 'no task has a state of its own');
    await assert.rejects(client.threads.getState(thread_id, { ...checkpoint, checkpoint_id: '999' }), /no such checkpoint/);
  });

  test(`${name}: wait, with and without a thread; create and join`, async () => {
    const alone = await client.runs.wait(null, 'orchestrator', { input: ORDERS });
    assert.equal(alone.messages.at(-1).content, 'Some are open.');
    assert.deepEqual(alone.data.columns, ['status', 'orders']);
    const thread = await client.threads.create();
    let created;
    const waited = await client.runs.wait(thread.thread_id, 'orchestrator', { input: human('hello'), onRunCreated: run => { created = run; } });
    assert.equal(waited.messages.at(-1).content, GENERAL);
    assert.match(created.run_id, /^run_/);
    const run = await client.runs.create(thread.thread_id, 'orchestrator', { input: human('hello') });
    assert.ok(['pending', 'running'].includes(run.status));
    const joined = await client.runs.join(thread.thread_id, run.run_id);
    assert.equal(joined.messages.length, 4);
    await assert.rejects(client.runs.wait(thread.thread_id, 'orchestrator', { input: human('a broken one') }), /model_/);
    const background = await client.runs.create(thread.thread_id, 'orchestrator', { input: human('slow, please') });
    const parts = await collect(client.runs.joinStream(thread.thread_id, background.run_id, { streamMode: ['messages-tuple', 'values'] }));
    assert.match(textOf(parts), /word79$/);
    assert.equal(of(parts, 'updates').length, 0);
    const again = await collect(client.runs.joinStream(thread.thread_id, background.run_id, { streamMode: 'values' }));
    assert.deepEqual(again.map(part => part.event), ['metadata', 'values', 'values', 'end']);
    const rest = await collect(client.runs.joinStream(thread.thread_id, background.run_id, { lastEventId: again[1].id, streamMode: 'values' }));
    assert.deepEqual(rest.map(part => part.id), again.slice(2).map(part => part.id));
  });

  test(`${name}: metadata of runs are kept with them, and shown`, async () => {
    const { thread_id } = await client.threads.create();
    const made = await client.runs.create(thread_id, 'orchestrator', { input: human('hello'), metadata: { ticket: 7, by: { name: 'Ann' } }, config: { metadata: { ticket: 8, more: true } } });
    const kept = { ticket: 7, by: { name: 'Ann' }, more: true };
    assert.deepEqual(made.metadata, kept);
    await client.runs.join(thread_id, made.run_id);
    assert.deepEqual((await client.runs.get(thread_id, made.run_id)).metadata, kept);
    const plain = await client.runs.create(thread_id, 'orchestrator', { input: human('hello') });
    assert.deepEqual(plain.metadata, {});
    await client.runs.join(thread_id, plain.run_id);
    const of = async from => Object.fromEntries((await from.runs.list(thread_id)).map(run => [run.run_id, run.metadata]));
    const both = { [made.run_id]: kept, [plain.run_id]: {} };
    assert.deepEqual(await of(client), both);
    assert.deepEqual((await client.runs.list(thread_id)).map(run => run.run_id), [plain.run_id, made.run_id], 'newest first');
    const elsewhere = clientOf(Client, { apiUrl: other.url });
    await until('another server of the store has both', async () => Object.keys(await of(elsewhere)).length === 2);
    assert.deepEqual(await of(elsewhere), both);
    assert.deepEqual((await elsewhere.runs.get(thread_id, made.run_id)).metadata, kept);
  });

  test(`${name}: a run without a thread is streamed`, async () => {
    const parts = await collect(client.runs.stream(null, 'general_agent', { input: { question: 'why?' }, streamMode: 'messages-tuple' }));
    assert.equal(textOf(parts), GENERAL);
  });

  test(`${name}: errors and cancelling`, async () => {
    const thread = await client.threads.create();
    const parts = await collect(client.runs.stream(thread.thread_id, 'orchestrator', { input: human('a broken one') }));
    const [error] = of(parts, 'error');
    assert.match(error.error, /^model_/);
    assert.equal(parts.at(-1).data.status, 'error');
    const run = await client.runs.create(thread.thread_id, 'orchestrator', { input: human('held, please') });
    const reading = collect(client.runs.joinStream(thread.thread_id, run.run_id));
    await until('it runs', async () => (await client.runs.get(thread.thread_id, run.run_id)).status === 'running');
    await client.runs.cancel(thread.thread_id, run.run_id, true);
    assert.equal((await client.runs.get(thread.thread_id, run.run_id)).status, 'interrupted');
    assert.equal((await reading).at(-1).data.status, 'interrupted');
    assert.equal(await statusOf(client.runs.cancel(thread.thread_id, run.run_id, false, 'rollback')), 409, 'what is over stays');
  });

  test(`${name}: cancelling with rollback takes back what was said`, async () => {
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, 'orchestrator', { input: human('hello') });
    const before = await client.threads.getState(thread_id);
    const run = await client.runs.create(thread_id, 'orchestrator', { input: human('held, please') });
    for await (const part of client.runs.joinStream(thread_id, run.run_id, { streamMode: 'messages-tuple' }))
      if (part.event === 'messages')
        break;
    await client.runs.cancel(thread_id, run.run_id, true, 'rollback');
    assert.equal((await client.runs.get(thread_id, run.run_id)).status, 'interrupted');
    assert.deepEqual(await client.threads.getState(thread_id), before);
    const { messages } = await client.runs.wait(thread_id, 'orchestrator', { input: human('hello again') });
    assert.deepEqual(messages.map(message => message.content), ['hello', GENERAL, 'hello again', GENERAL]);
  });

  test(`${name}: a run begins at the thread's last checkpoint, and at no other`, async () => {
    const { thread_id } = await client.threads.create();
    const ask = (text, more) => client.runs.wait(thread_id, 'orchestrator', { input: human(text), ...more });
    await ask('hello');
    const { checkpoint } = await client.threads.getState(thread_id);
    assert.equal((await ask('and hello', { checkpoint })).messages.length, 4);
    assert.equal(await statusOf(ask('elsewhere', { checkpoint })), 501);
    assert.equal(await statusOf(ask('elsewhere', { checkpointId: 'nothing' })), 501);
    assert.equal(await statusOf(client.runs.create(thread_id, 'orchestrator', { input: human('x'), checkpointId: checkpoint.checkpoint_id })), 501);
    assert.equal((await client.threads.getState(thread_id)).values.messages.length, 4);
  });

  test(`${name}: threads are found by metadata, ids and status`, async () => {
    const ticket = `t-${name}-${Date.now()}`, made = [];
    for (const metadata of [{ ticket, n: 1, by: { name: 'Ann' } }, { ticket, n: 2, by: { name: 'Bob' } }, { n: 1 }]) {
      const { thread_id } = await client.threads.create({ metadata });
      await client.runs.wait(thread_id, 'orchestrator', { input: human('hello') });
      made.push(thread_id);
    }
    const found = async query => (await client.threads.search({ limit: 50, ...query })).map(thread => thread.thread_id);
    assert.deepEqual(await found({ metadata: { ticket } }), [made[1], made[0]], 'the last changed first');
    assert.deepEqual(await found({ metadata: { ticket, n: 1 } }), [made[0]]);
    assert.deepEqual(await found({ metadata: { ticket, by: { name: 'Bob' } } }), [made[1]]);
    assert.deepEqual(await found({ metadata: { ticket, n: '1' } }), []);
    assert.deepEqual(await found({ metadata: { ticket }, limit: 1, offset: 1 }), [made[0]]);
    assert.deepEqual(await found({ metadata: { n: 1 }, ids: [made[2], 'nothing'] }), [made[2]]);
    assert.deepEqual(await found({ ids: made, status: 'idle' }), made.toReversed());
    assert.deepEqual(await found({ ids: made, status: 'busy' }), []);
    assert.deepEqual((await client.threads.search({ metadata: { ticket, n: 2 } }))[0].metadata, { ticket, n: 2, by: { name: 'Bob' } });
    assert.equal(await statusOf(client.threads.search({ status: 'over' })), 422);
    assert.equal(await statusOf(client.threads.search({ values: { a: 1 } })), 501);
  });

  test(`${name}: a thread is found behind many that hold much`, async () => {
    const ticket = `m-${name}-${Date.now()}`, many = [], more = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`member-${i}`, i]));
    for (let n = 0; n < 40; n++) {
      const { thread_id } = await client.threads.create({ metadata: { ticket, n, ...more } });
      await client.runs.wait(thread_id, 'orchestrator', { input: human('hello') });
      many.push(thread_id);
    }
    const found = await client.threads.search({ metadata: { ticket, n: 0 } });
    assert.deepEqual(found.map(thread => thread.thread_id), [many[0]], 'the one that changed first');
    assert.deepEqual(found[0].metadata, { ticket, n: 0, ...more });
  });

  test(`${name}: a copy goes its own way`, async () => {
    const thread = await client.threads.create({ metadata: { title: 'x' } });
    const said = async thread_id => (await client.threads.getState(thread_id)).values.messages.map(message => message.content);
    assert.equal((await client.threads.copy(thread.thread_id)).metadata.title, 'x', 'of a thread in which nothing was said');
    await client.runs.wait(thread.thread_id, 'orchestrator', { input: human('hello') });
    await client.runs.wait(thread.thread_id, 'orchestrator', { input: human('and hello') });
    const copy = await client.threads.copy(thread.thread_id);
    assert.notEqual(copy.thread_id, thread.thread_id);
    assert.deepEqual([copy.metadata.title, copy.status, copy.values.messages.length], ['x', 'idle', 4]);
    await client.runs.wait(copy.thread_id, 'orchestrator', { input: human('here only') });
    assert.deepEqual(await said(copy.thread_id), ['hello', GENERAL, 'and hello', GENERAL, 'here only', GENERAL]);
    assert.deepEqual(await said(thread.thread_id), ['hello', GENERAL, 'and hello', GENERAL]);
    assert.equal((await client.threads.getHistory(copy.thread_id)).length, 3);
    assert.equal(await statusOf(client.threads.copy('nothing')), 404);
  });

  test(`${name}: a busy thread: reject is 409, enqueue waits, interrupt takes its place`, async () => {
    const { thread_id } = await client.threads.create();
    const first = await client.runs.create(thread_id, 'orchestrator', { input: human('held, please') });
    assert.equal((await client.threads.get(thread_id)).status, 'busy');
    assert.equal(await statusOf(client.runs.create(thread_id, 'orchestrator', { input: human('hello'), multitaskStrategy: 'reject' })), 409);
    assert.equal(await statusOf(client.threads.delete(thread_id)), 409);
    const queued = client.runs.wait(thread_id, 'orchestrator', { input: human('hello'), multitaskStrategy: 'enqueue' });
    assert.equal((await mock.release(queued)).messages.at(-1).content, GENERAL);
    assert.equal((await client.runs.get(thread_id, first.run_id)).status, 'success');
    const second = await client.runs.create(thread_id, 'orchestrator', { input: human('held, please') });
    await client.runs.wait(thread_id, 'orchestrator', { input: human('hello'), multitaskStrategy: 'interrupt' });
    assert.equal((await client.runs.get(thread_id, second.run_id)).status, 'interrupted');
    const third = await client.runs.create(thread_id, 'orchestrator', { input: human('held, please, and taken back') });
    await until('it says something', async () => (await client.runs.get(thread_id, third.run_id)).status === 'running');
    const { messages } = await client.runs.wait(thread_id, 'orchestrator', { input: human('hello again'), multitaskStrategy: 'rollback' });
    assert.equal(messages.at(-1).content, GENERAL);
    assert.ok(!messages.some(message => /taken back/.test(message.content)));
    const state = await client.threads.getState(thread_id);
    assert.ok(!state.values.messages.some(message => /taken back/.test(message.content)));
  });

  test(`${name}: on_disconnect: cancel ends the run, continue does not`, async () => {
    for (const onDisconnect of ['cancel', 'continue']) {
      const { thread_id } = await client.threads.create();
      const abort = new AbortController();
      let run;
      await assert.rejects((async () => {
        for await (const part of client.runs.stream(thread_id, 'orchestrator', { input: human('held, please'), streamMode: 'messages-tuple', onDisconnect, signal: abort.signal, onRunCreated: one => { run = one; } }))
          if (part.event === 'messages')
            abort.abort(new Error('gone'));
        throw new Error('over');
      })());
      const over = until('it is over', async () => {
        const { status } = await client.runs.get(thread_id, run.run_id);
        return status !== 'running' && status;
      });
      const status = await (onDisconnect === 'cancel' ? over : mock.release(over));
      assert.equal(status, onDisconnect === 'cancel' ? 'interrupted' : 'success');
    }
  });

  test(`${name}: somebody else’s threads and runs are not there`, async () => {
    const { thread_id } = await client.threads.create();
    await client.runs.wait(thread_id, 'orchestrator', { input: human('hello') });
    const run = await client.runs.create(thread_id, 'orchestrator', { input: human('held') }); // busy, all the while
    const other = clientOf(Client, { defaultHeaders: { ...HEADERS, 'x-askd-company-id': 'globex' } });
    for (const ask of [() => other.threads.get(thread_id), () => other.threads.getState(thread_id), () => other.threads.getHistory(thread_id),
      () => other.threads.delete(thread_id), () => other.threads.copy(thread_id), () => other.runs.get(thread_id, run.run_id), () => other.runs.join(thread_id, run.run_id),
      () => other.runs.cancel(thread_id, run.run_id), () => collect(other.runs.joinStream(thread_id, run.run_id))])
      assert.equal(await statusOf(ask()), 404, `${ask}`);
    assert.deepEqual(await other.runs.list(thread_id), []);
    const theirs = await other.runs.wait(thread_id, 'orchestrator', { input: human('hello') });
    assert.equal(theirs.messages.filter(message => message.type === 'human').length, 1, 'a thread of this id is their own');
    const wrong = await client.threads.create();
    assert.equal(await statusOf(client.runs.get(wrong.thread_id, run.run_id)), 404, 'a run of another thread');
    await client.runs.cancel(thread_id, run.run_id, true);
  });
}

// A door in front of askd that cuts each connection after so many bytes, or frames, of an answer.
const cutting = async (frames = Infinity) => {
  const door = { left: Infinity, frames, cuts: 0 };
  const server = net.createServer(near => {
    const far = net.connect(Number(new URL(askd.url).port), '127.0.0.1');
    let sent = 0;
    far.on('data', bytes => {
      let room = Math.max(0, door.left - sent);
      for (let at = bytes.indexOf('\n\n'); at >= 0 && door.frames < Infinity; at = bytes.indexOf('\n\n', at + 2))
        if (--door.frames === 0) {
          room = at + 2;
          door.frames = Infinity;
        }
      sent += bytes.length;
      near.write(bytes.subarray(0, room));
      if (bytes.length > room) {
        door.left = Infinity; // the next one gets all
        door.cuts++;
        near.resetAndDestroy();
        far.destroy();
      }
    });
    near.on('data', bytes => {
      sent = 0; // of this request's answer
      far.write(bytes);
    }).on('error', () => {}).on('close', () => far.destroy());
    far.on('error', () => {}).on('close', () => near.end());
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  door.url = `http://127.0.0.1:${server.address().port}`;
  door.close = () => server.close();
  return door;
};

test('a stream that is cut after any frame, or within one, goes on where it was', async t => {
  const door = await cutting();
  t.after(door.close);
  const plain = clientOf(Client2);
  const { thread_id } = await plain.threads.create();
  const run = await plain.runs.create(thread_id, 'orchestrator', { input: ORDERS });
  await plain.runs.join(thread_id, run.run_id);
  const path = `/threads/${thread_id}/runs/${run.run_id}/stream?${MODES.map(mode => `stream_mode=${mode}`).join('&')}`;
  const raw = async (headers = {}) => (await (await askd.fetch(path, { headers: { ...HEADERS, ...headers } })).text());
  const framesOf = text => [...text.matchAll(/id: (.*)\nevent: (.*)\ndata: (.*)\n\n/g)].map(([, id, event, data]) => ({ id, event, data: JSON.parse(data) }));
  const whole = framesOf(await raw());
  assert.ok(whole.length > 20);
  for (let i = 0; i < whole.length; i++)
    assert.deepEqual(framesOf(await raw({ 'last-event-id': whole[i].id })), whole.slice(i + 1), `after ${whole[i].id}`);
  for (const [, Client] of SDKS) { // and by the clients' own way, the socket reset in the middle of it
    const text = await raw();
    for (const share of [0.1, 0.5, 0.9]) {
      door.cuts = 0;
      door.left = 800 + Math.floor(text.length * share);
      const parts = await collect(clientOf(Client, { apiUrl: door.url }).runs.stream(thread_id, 'orchestrator', { input: ORDERS, streamMode: MODES }));
      assert.equal(door.cuts, 1);
      const ids = parts.map(part => part.id);
      assert.equal(new Set(ids).size, ids.length, 'nothing twice');
      assert.deepEqual(parts.map(part => part.event), whole.map(frame => frame.event), 'nothing missing');
    }
  }
});

// Each cut has a thread and a door of its own, so that their waits before they come back pass together.
test('the clients themselves, their sockets killed after every frame', async () => {
  const stream = async (Client, apiUrl) => {
    const { thread_id } = await clientOf(Client).threads.create();
    return collect(clientOf(Client, { apiUrl }).runs.stream(thread_id, 'orchestrator', { input: ORDERS, streamMode: MODES }));
  };
  for (const [name, Client] of SDKS) {
    const whole = await stream(Client, askd.url);
    const cut = async frames => {
      const door = await cutting(frames);
      try {
        const parts = await stream(Client, door.url);
        assert.equal(door.cuts, frames < whole.length ? 1 : door.cuts, `${name}: after frame ${frames}`);
        assert.deepEqual(parts.map(part => [part.id, part.event]), whole.map(part => [part.id, part.event]), `${name}: after frame ${frames}`);
      } finally {
        door.close();
      }
    };
    for (let first = 1; first <= whole.length; first += 8)
      await Promise.all(Array.from({ length: Math.min(8, whole.length - first + 1) }, (_, i) => cut(first + i)));
  }
});

test('refusals name the member, or the feature', async () => {
  const { thread_id } = newConversation();
  const refused = async (more, status, pattern, path = '/runs/wait') => {
    const response = await askd.post(path, { assistant_id: 'orchestrator', input: human('x'), ...more }, { headers: HEADERS });
    assert.equal(response.status, status, JSON.stringify(more));
    assert.match((await response.json()).detail, pattern);
  };
  await refused({ webhook: 'http://x' }, 422, /^\/webhook: webhooks are off here/);
  await refused({ interrupt_before: ['a'] }, 501, /^\/interrupt_before/);
  await refused({ checkpoint_id: '1' }, 422, /^\/checkpoint_id: only a thread/);
  await refused({ checkpoint: { checkpoint_id: '1', checkpoint_ns: 'sql_agent:1' } }, 501, /^\/checkpoint\/checkpoint_ns/);
  await refused({ context: { a: 1 } }, 501, /^\/context/);
  await refused({ metadata: { a: 'x'.repeat(20000) } }, 422, /^\/metadata: expected at most/);
  await refused({ metadata: 1 }, 422, /^\/metadata/);
  await refused({ after_seconds: 5 }, 501, /^\/after_seconds/);
  await refused({ durability: 'sync' }, 501, /^\/durability/);
  await refused({ command: { goto: 'x' } }, 501, /^\/command\/goto/);
  await refused({ input: null, command: { resume: 1 } }, 422, /^\/command\/resume: only a thread/);
  await refused({ config: { recursion_limit: 5 } }, 501, /recursion/);
  await refused({ config: { configurable: { model: 'x' } } }, 422, /^\/config\/configurable\/model/);
  for (const mode of ['messages', 'debug', 'tasks', 'checkpoints'])
    await refused({ stream_mode: [mode] }, 501, new RegExp(`mode '${mode}'`));
  await refused({ stream_mode: 'nonsense' }, 422, /nonsense/);
  await refused({ assistant_id: 'nothing' }, 404, /nothing/);
  await refused({ assistant_id: undefined }, 422, /^\/assistant_id/);
  await refused({ input: {} }, 422, /^\/input/);
  await refused({ input: { messages: [{ type: 'ai', content: 'x' }] } }, 422, /last message/);
  await refused({ input: { messages: [{ type: 'human', content: [{ type: 'image_url' }] }] } }, 501, /not text/);
  await refused({ on_disconnect: 'nonsense' }, 422, /on_disconnect/);
  await refused({ nonsense: 1 }, 422, /nonsense/);
  for (const [method, path, feature] of [['POST', '/runs/batch', /batches/], ['POST', '/store/items/search', /items/],
    ['POST', '/threads/x/state', /state/], ['DELETE', '/threads/x/runs/y', /deleting/], ['POST', '/threads/count', /counting/],
    ['GET', '/threads/x/stream', /all runs/]]) {
    const response = await askd.fetch(path, { method, ...(method === 'POST' && { body: '{}' }) });
    assert.equal(response.status, 501, path);
    assert.match((await response.json()).detail, feature);
  }
});

test('a key in X-Api-Key, as the client sends it', async () => {
  const guarded = await startAskd({ mock, env: { ASKD_API_KEYS: 'secret-key' } });
  for (const [, Client] of SDKS) {
    assert.equal((await new Client({ apiUrl: guarded.url, apiKey: 'secret-key' }).assistants.search()).length, 8);
    assert.equal(await statusOf(clientOf(Client, { apiUrl: guarded.url, apiKey: 'wrong' }).assistants.search()), 401);
  }
});

// What a page that is loaded again finds of a run that waits.
const asked = async (client, thread_id, run_id, interrupt) => {
  const thread = await client.threads.get(thread_id);
  assert.equal(thread.status, 'interrupted');
  assert.deepEqual(Object.values(thread.interrupts), [[interrupt]]);
  const state = await client.threads.getState(thread_id);
  assert.deepEqual(state.values.messages.map(message => message.content), ['how many orders are there?']);
  assert.deepEqual(state.next, ['sql_agent']);
  assert.deepEqual(state.tasks.map(task => [task.name, task.interrupts]), [['sql_agent', [interrupt]]]);
  assert.deepEqual(state.interrupts, [interrupt]);
  assert.equal(state.checkpoint.checkpoint_id, run_id);
  assert.deepEqual(await client.threads.getState(thread_id, run_id), state);
  assert.deepEqual(await client.threads.getHistory(thread_id), [state]);
  const listed = (await client.threads.search({ limit: 50 })).find(one => one.thread_id === thread_id);
  assert.equal(listed.status, 'interrupted');
};

test('a run that waits for a person: __interrupt__, and command.resume', async () => {
  const careful = await startAskd({ mock, env: { ASKD_SQL_APPROVAL: 'always', ASKD_CHECKPOINT_URL: `sqlite:${tempPath('careful.db')}` } });
  for (const [, Client] of SDKS) {
    const client = clientOf(Client, { apiUrl: careful.url });
    const { thread_id } = await client.threads.create();
    let run;
    const paused = await collect(client.runs.stream(thread_id, 'orchestrator', { input: ORDERS, streamMode: ['values', 'updates'], onRunCreated: one => { run = one; } }));
    assert.equal(paused.at(-1).data.status, 'interrupted');
    const [interrupt] = of(paused, 'values').at(-1).__interrupt__;
    assert.match(interrupt.value.sql, /^SELECT status/);
    assert.deepEqual(of(paused, 'updates').find(update => update.__interrupt__).__interrupt__, [interrupt]);
    assert.equal((await client.runs.get(thread_id, run.run_id)).status, 'interrupted');
    await asked(client, thread_id, run.run_id, interrupt);
    const resumed = await collect(client.runs.stream(thread_id, 'orchestrator', { command: { resume: { action: 'approve' } }, streamMode: ['values', 'messages-tuple'] }));
    assert.equal(textOf(resumed), 'Some are open.');
    assert.equal(resumed.at(-1).data.status, 'success');
    const state = await client.threads.getState(thread_id);
    assert.deepEqual(state.values.messages.map(message => message.content), ['how many orders are there?', 'Some are open.']);
    assert.deepEqual([state.next, state.tasks, (await client.threads.get(thread_id)).status], [[], [], 'idle']);
    assert.equal(await statusOf(client.threads.getState(thread_id, run.run_id)), 404);
    assert.equal(await statusOf(collect(client.runs.stream(thread_id, 'orchestrator', { command: { resume: { action: 'approve' } } }))), 409);
    const second = await client.runs.create(thread_id, 'orchestrator', { input: ORDERS }); // behind a turn, too
    await client.runs.join(thread_id, second.run_id);
    assert.equal((await client.threads.getState(thread_id)).values.messages.length, 3);
    assert.equal((await client.threads.getHistory(thread_id)).length, 2);
  }
});
