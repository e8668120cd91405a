// SPDX-License-Identifier: MIT
// tests/node/runs.test.mjs - what a run is to its callers: detail, heartbeats, idempotency keys,
// several messages on one conversation, cancel, and clients that leave.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, question, startAskd, startMock, ofUser1 } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, held, line, slow, SLOW_TEXT, words } from './lib/scripts.mjs';
import { readStream, Transcript } from './lib/sse.mjs';

const mock = await startMock([
  slow(), held(), faulty('stalled', 'stall-3'), faulty('quick', 'rate-0'), ...general,
]);
const askd = await startAskd({ mock, env: { ASKD_HEARTBEAT_SECONDS: '0.1', ASKD_DISCONNECT_GRACE_SECONDS: '1' } });
const patient = await startAskd({ mock, env: { ASKD_DISCONNECT_GRACE_SECONDS: '600' } });
// How many streams askd has aborted at the mock; those of tests before are seen by then.
const aborted = async () => {
  await until('no stream is open', async () => (await mock.stats()).open === 0);
  return (await mock.stats()).aborted;
};
const hasToken = transcript => transcript.of('token').length > 2;
const idle = () => until('all runs ended', async () =>
  (await (await askd.fetch('/admin/runs')).json()).runs.every(run => run.state === 'ended'));

test('heartbeats fill silence, no more often than they should, and nothing else does', async () => {
  const beats = transcript => transcript.comments.filter(text => text.trim() === 'hb').length;
  const began = performance.now();
  const response = await askd.post('/internal/chat/stream', question('held, please'));
  const spoken = await readStream(response.body, transcript => transcript.of('token').length >= 10);
  const before = beats(spoken), frames = spoken.frames.length;
  await readStream(response.body, transcript => beats(transcript) >= before + 5, spoken);
  assert.ok(performance.now() - began >= beats(spoken) * 95, `${beats(spoken)} in ${performance.now() - began} ms`);
  assert.equal(spoken.frames.length, frames, 'silence has no events');
  (await mock.release(readStream(response.body, undefined, spoken))).complete();
});

test('detail: core hides what nodes do', async () => {
  const names = new Set((await askd.ask('quick one', { options: { detail: 'core' } })).events.map(event => event.event));
  assert.deepEqual([...names], ['route_decision', 'tool_start', 'token', 'complete']);
});

test('detail: nodes', async () => {
  const transcript = await askd.ask('quick one', { options: { detail: 'nodes' } });
  transcript.complete();
  const started = transcript.of('node_start').map(event => event.node);
  const ended = transcript.of('node_end').map(event => event.node);
  for (const node of ['load_checkpoint', 'classify', 'finalize', 'save_checkpoint'])
    assert.ok(started.includes(node) && ended.includes(node), `${node} in ${started}`);
  assert.deepEqual([...started].sort(), [...ended].sort());
  assert.deepEqual(transcript.of('tool_end').map(event => event.tool), ['general_agent']);
  const states = Object.fromEntries(transcript.of('state').map(event => [event.node, event.fields]));
  assert.equal(states.classify.next_step, 'GENERAL');
  assert.equal(states.finalize.final_answer, words(20));
  assert.deepEqual([...new Set(transcript.of('token').map(event => event.channel))], ['final']);
});

test('detail: debug shows intermediate text on its node\'s channel', async () => {
  const transcript = await askd.ask('quick one', { options: { detail: 'debug' } });
  transcript.complete();
  const classified = transcript.of('token').filter(event => event.channel === 'classify');
  assert.equal(classified.map(event => event.content).join(''), 'GENERAL');
  assert.equal(transcript.text, words(20));
});

test('an idempotency key: one run, whoever asks and when', async () => {
  const conversation = newConversation();
  const before = (await mock.stats()).requests;
  const headers = { 'idempotency-key': 'key-1' };
  const both = await Promise.all([0, 1].map(() => askd.ask('slow one', { conversation, headers })));
  const later = await askd.ask('slow one', { conversation, headers });
  for (const transcript of [...both, later]) {
    transcript.complete();
    assert.deepEqual(transcript.frames, both[0].frames);
  }
  assert.equal((await mock.stats()).requests - before, 2);
  const other = await askd.ask('quick one', {
    conversation: { ...newConversation(), user_id: 'user-2' }, headers,
  });
  assert.notEqual(other.runId, later.runId, 'somebody else\'s key is another key');
});

test('a second message while one runs: reject', async () => {
  const conversation = newConversation();
  const first = await askd.post('/internal/chat/stream', question('held one', conversation));
  const second = await askd.post('/internal/chat/stream', question('quick one', conversation));
  assert.equal(second.status, 409);
  assert.match(second.headers.get('content-type'), /^application\/problem\+json/);
  assert.equal((await second.json()).code, 'conflict');
  (await mock.release(readStream(first.body))).complete();
});

test('a second message while one runs: enqueue', async () => {
  const conversation = newConversation();
  const order = [];
  const ask = async (message, options) => {
    const transcript = await askd.ask(message, { conversation, options });
    transcript.complete();
    order.push(message);
  };
  const first = ask('held one');
  await mock.holds();
  const second = ask('quick one', { multitask: 'enqueue' });
  await until('it waits', async () =>
    (await (await askd.fetch('/admin/runs')).json()).runs.filter(run => run.conversation_id === conversation.id).length === 2);
  await mock.release(Promise.all([first, second]));
  assert.deepEqual(order, ['held one', 'quick one']);
});

test('a second message while one runs: interrupt', async () => {
  const conversation = newConversation();
  const first = await askd.post('/internal/chat/stream', question('stalled one', conversation));
  const begun = await readStream(first.body, hasToken);
  const second = await askd.ask('quick one', { conversation, options: { multitask: 'interrupt' } });
  second.complete();
  (await readStream(first.body, undefined, begun)).error('cancelled');
});

test('the cancel endpoint: the model\'s stream is aborted, the reader told', async () => {
  const before = await aborted();
  const response = await askd.post('/internal/chat/stream', question('stalled one'));
  const begun = await readStream(response.body, hasToken);
  const cancel = await askd.post(`/internal/runs/${begun.runId}/cancel?${ofUser1}`, '');
  assert.ok(cancel.ok, `${cancel.status} ${await cancel.text()}`);
  const error = (await readStream(response.body, undefined, begun)).error('cancelled');
  assert.ok(error.stats, 'usage survives a cancel');
  await until('the mock sees it', async () => (await mock.stats()).aborted === before + 1);
  const again = await askd.post(`/internal/runs/${begun.runId}/cancel?${ofUser1}`, '');
  assert.ok(again.status < 500, 'a second time is no fault');
  assert.equal((await askd.post('/internal/runs/run-0-nothing/cancel', '')).status, 404);
});

// Leave in the middle of a stream; returns the run's id.
const leave = async (server, message, options) => {
  const abort = new AbortController();
  const response = await server.post('/internal/chat/stream', question(message, newConversation(), options),
    { signal: abort.signal });
  const begun = await readStream(response.body, hasToken);
  abort.abort();
  return begun;
};

test('a client that leaves with on_disconnect cancel', async () => {
  const before = await aborted();
  await leave(patient, 'stalled one', { on_disconnect: 'cancel' });
  await until('the mock sees its stream aborted, not after the grace', async () => (await mock.stats()).aborted === before + 1);
});

test('a client that leaves and does not come back: cancelled after the grace', async () => {
  const before = await aborted();
  const begun = await leave(askd, 'stalled one');
  await until('the mock sees its stream aborted', async () => (await mock.stats()).aborted === before + 1);
  const rest = await readStream((await askd.fetch(`/internal/runs/${begun.runId}/stream?${ofUser1}`)).body);
  rest.error('cancelled');
});

test('a client that leaves and comes back gets all of it', async () => {
  const begun = await leave(patient, 'held one');
  const response = await patient.fetch(`/internal/runs/${begun.runId}/stream?${ofUser1}`,
    { headers: { 'last-event-id': begun.frames.at(-1).id } });
  const rest = await mock.release(readStream(response.body));
  rest.complete({ first: begun.frames.length + 1 });
  assert.equal(begun.text + rest.text, SLOW_TEXT);
});

test('several readers of one run each get all of it', async () => {
  const response = await askd.post('/internal/chat/stream', question('slow one'));
  const runId = response.headers.get('x-run-id');
  const readers = await Promise.all(Array.from({ length: 5 }, () => askd.fetch(`/internal/runs/${runId}/stream?${ofUser1}`)));
  const [first, ...others] = await Promise.all([response, ...readers].map(reader => readStream(reader.body)));
  first.complete();
  for (const other of others)
    assert.deepEqual(other.frames, first.frames);
});

test('a run passes its deadline', async () => {
  const hasty = await startAskd({ mock, env: { ASKD_RUN_TIMEOUT_SECONDS: '0.5' } });
  const error = (await hasty.ask('stalled one')).error('deadline_exceeded');
  assert.equal(error.retryable, true);
});

test('the next message may follow the terminal event at once', async () => {
  await Promise.all(Array.from({ length: 60 }, async () => {
    const conversation = newConversation();
    for (let i = 0; i < 4; i++) {
      const response = await askd.post('/internal/chat/stream', question('quick one', conversation));
      assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
      const seen = await readStream(response.body, transcript => transcript.last?.event === 'complete');
      seen.complete();
      response.body.cancel();
    }
  }));
});

test('a conversation belongs to who began it: of the same id, others have one of their own', async () => {
  const conversation = newConversation();
  (await askd.ask('quick one', { conversation })).complete();
  for (const stranger of [{ company_id: 'other' }, { user_id: 'other' }])
    (await askd.ask('quick one', { conversation: { ...conversation, ...stranger } })).complete();
});

test('what was said before goes to the model', async () => {
  const remembering = await startMock([
    line('general', 'I told you.', { user: 'again' }), ...general,
  ]);
  const other = await startAskd({ mock: remembering });
  const conversation = newConversation();
  (await other.ask('why is the sky blue?', { conversation })).complete();
  const second = await other.ask('say it again', { conversation });
  const first = await other.ask('say it again');
  assert.ok(second.complete().stats.prompt_tokens >= first.complete().stats.prompt_tokens);
});

test('nothing is left: no run, no stream at the mock', async () => {
  await until('no open stream', async () => (await mock.stats()).open === 0);
  await idle();
});
