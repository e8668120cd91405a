// SPDX-License-Identifier: MIT
// tests/node/checkpoints.test.mjs - looking back and going back: a conversation's checkpoints, one a turn and
// one a superstep of its last run, the state at each of them, and a fork from each of them; for the caller only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, startMock, tempPath, ofUser1 } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { readStream } from './lib/sse.mjs';
import { line } from './lib/scripts.mjs';

const mock = await startMock([
  line('classify', 'SQL'), line('tables', '["workOrder"]'),
  line('generate', '```sql\nSELECT COUNT(*) AS orders FROM workOrder\n```', { user: 'how many', fault: 'rate-100' }),
  line('answer', 'There are some.')]);
const kept = { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}`, ASKD_DURABILITY: 'sync' };
const askd = await startAskd({ mock, env: kept });
const offline = await startAskd({ env: { ...kept, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('offline.db')}` } });

const whose = conversation => `company_id=${conversation.company_id}&user_id=${conversation.user_id}`;
const get = async (server, conversation, path = '', query = '') => {
  const response = await server.fetch(`/internal/conversations/${conversation.id}${path}?${whose(conversation)}${query}`);
  return { status: response.status, body: await response.json() };
};
const fork = async (server, conversation, query) => {
  const response = await server.fetch(`/internal/conversations/${conversation.id}/fork?${whose(conversation)}&${query}`, { method: 'POST' });
  return { status: response.status, body: await response.json() };
};
const turns = async (server, conversation, count) => until(`${count} turns are kept`, async () => {
  const { status, body } = await get(server, conversation);
  return status === 200 && body.turns === count && body;
});
const last = async (server, message, conversation) => {
  const said = (await server.ask(message, { conversation })).events.at(-1);
  assert.equal(said.event, 'complete', JSON.stringify(said));
  return said;
};

test('each superstep that is stored can be seen, and another run goes on from it', async () => {
  const conversation = newConversation();
  await last(askd, 'how many orders, first?', conversation);
  const second = await last(askd, 'how many orders, second?', conversation);
  await turns(askd, conversation, 2);
  const { body } = await get(askd, conversation, '/checkpoints');
  assert.deepEqual(body.checkpoints.map(one => one.version), [2, 1]);
  assert.ok(body.supersteps.length >= 3, JSON.stringify(body.supersteps));
  assert.ok(body.supersteps.every(one => one.run_id === second.run_id), 'of the last run only');
  const steps = body.supersteps.map(one => one.step);
  assert.deepEqual(steps, [...steps].sort((a, b) => b - a), 'newest first');
  const of = await get(askd, conversation, '/checkpoints', `&run_id=${second.run_id}`);
  assert.deepEqual(of.body, { conversation_id: conversation.id, checkpoints: [], supersteps: body.supersteps });

  const seen = [];
  for (const { run_id, version, step } of body.supersteps) {
    const { status, body: state } = await get(askd, conversation, '/checkpoints', `&run_id=${run_id}&version=${version}`);
    assert.equal(status, 200, JSON.stringify(state));
    assert.deepEqual([state.run_id, state.version, state.step, state.graph], [run_id, version, step, 'orchestrator']);
    assert.equal(state.values.question, 'how many orders, second?');
    assert.ok(state.next.length > 0);
    seen.push(...state.inside.flatMap(one => one.next));
  }
  assert.ok(seen.includes('sql_generator'), `inside of the sub-graph, too: ${seen}`);

  for (const { run_id, version } of body.supersteps) {
    const before = (await mock.stats()).requests;
    const to = `${conversation.id}-${version}`, there = { ...conversation, id: to };
    const { status, body: forked } = await fork(askd, conversation, `to=${to}&run_id=${run_id}&version=${version}`);
    assert.equal(status, 201, JSON.stringify(forked));
    assert.deepEqual({ ...forked, run_id: '' }, { conversation_id: to, version: 1, turns: 1, run_id: '' });
    const stream = await readStream((await askd.fetch(`/internal/runs/${forked.run_id}/stream?${ofUser1}`)).body);
    assert.equal(stream.events.at(-1).event, 'complete', JSON.stringify(stream.events.at(-1)));
    assert.equal(stream.events.at(-1).sql, second.sql);
    const { supersteps: [newest] } = (await get(askd, there, '/checkpoints')).body; // itself can be seen
    if (newest) { // unless it was over before one was written
      const inner = await get(askd, there, '/checkpoints', `&run_id=${newest.run_id}&version=${newest.version}`);
      assert.deepEqual([inner.status, inner.body.run_id], [200, forked.run_id], JSON.stringify(inner.body));
    }
    const messages = (await turns(askd, there, 2)).messages.map(one => one.content);
    assert.deepEqual(messages, ['how many orders, first?', 'There are some.', 'how many orders, second?', 'There are some.']);
    const calls = (await mock.stats()).requests - before;
    assert.ok(calls <= (version === 1 ? 4 : 3), `what was done is not done again: ${calls} calls`);
  }
  assert.equal((await turns(askd, conversation, 2)).messages.length, 4, 'the first one is as it was');
});

test('a fork from the first turn\'s run has nothing before it', async () => {
  const conversation = newConversation();
  await last(askd, 'how many orders?', conversation);
  await turns(askd, conversation, 1);
  const { supersteps: [{ run_id, version }] } = (await get(askd, conversation, '/checkpoints')).body;
  const to = `${conversation.id}-b`;
  const { status, body } = await fork(askd, conversation, `to=${to}&run_id=${run_id}&version=${version}`);
  assert.deepEqual([status, body.turns, body.version], [201, 0, 0]);
  assert.equal((await turns(askd, { ...conversation, id: to }, 1)).messages[1].run_id, body.run_id);
});

test('what is not there, or somebody else\'s, cannot be seen or forked', async () => {
  const conversation = newConversation(), other = newConversation();
  const first = await last(askd, 'how many orders?', conversation);
  await last(askd, 'how many orders, again?', conversation);
  await last(askd, 'how many orders?', other);
  await turns(askd, conversation, 2);
  await turns(askd, other, 1);
  const { supersteps: [{ run_id, version }] } = (await get(askd, conversation, '/checkpoints')).body;
  const step = `&run_id=${run_id}&version=${version}`;
  const cases = [
    [conversation, `&run_id=${run_id}&version=1000`, 404],
    [conversation, `&run_id=${first.run_id}&version=1`, 404], // another run has ended since
    [conversation, '&run_id=nonsense&version=1', 404],
    [conversation, '&run_id=nonsense', 404],
    [{ ...other, id: conversation.id, user_id: 'user-2' }, step, 404],
    [{ ...other, id: conversation.id, company_id: 'globex' }, step, 404],
    [other, step, 404], // the run is of another conversation
  ];
  for (const [whom, query, status] of cases) {
    assert.equal((await get(askd, whom, '/checkpoints', query)).status, status, `${JSON.stringify(whom)} ${query}`);
    assert.equal((await fork(askd, whom, `to=never${query.includes('version') ? query : `${query}&version=1`}`)).status, status, query);
  }
  assert.equal((await fork(askd, conversation, `to=${other.id}${step}`)).status, 409, 'the name is taken');
  assert.equal((await fork(askd, conversation, `to=${other.id}`)).status, 409);
  assert.equal((await fork(askd, conversation, `to=never&run_id=${run_id}`)).status, 400, 'which of them');
  assert.equal((await get(askd, { ...conversation, id: 'never' })).status, 404, 'nothing was made');
  const { supersteps } = (await get(askd, { ...conversation, user_id: 'user-2' }, '/checkpoints')).body;
  assert.ok(!supersteps?.length);
});

test('a fork knows whom the conversation spoke of by then, and nobody of later', async () => {
  const conversation = newConversation();
  const hers = async where => (await last(offline, 'How many hours did she work in June 2025?', where)).sql;
  await last(offline, 'Which employee has the most hours?', conversation);
  assert.match(await hers(conversation), /'Vera'/);
  await last(offline, 'Which employee has the highest hourly rate?', conversation);
  assert.match(await hers(conversation), /'Dana'/);
  await turns(offline, conversation, 4);
  for (const [query, name] of [['version=2', /'Vera'/], ['version=4', /'Dana'/], ['', /'Dana'/]]) {
    const to = newConversation();
    const { status, body } = await fork(offline, conversation, `to=${to.id}&${query}`);
    assert.equal(status, 201, JSON.stringify(body));
    assert.match(await hers(to), name, `a fork at ${query || 'the end'}`);
  }
});
