// SPDX-License-Identifier: MIT
// tests/node/schedules.test.mjs - schedules and webhooks: made, due, run once whoever dies, changed, and their results
// sent with a signature until they are taken.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { Client } from '@langchain/langgraph-sdk';
import { startAskd, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';

const JSON_TYPE = { 'content-type': 'application/json' };
const received = [], plan = []; // plan: statuses to answer with; then 200
const receiver = createServer((request, response) => {
  const parts = [];
  request.on('data', part => parts.push(part)).on('end', () => {
    received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(plan.shift() ?? 200).end('thanks');
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
receiver.unref();
const hook = `http://127.0.0.1:${receiver.address().port}/hooks/`;

const env = {
  ASKD_CHECKPOINT_URL: `sqlite:${tempPath('schedules.db')}`, ASKD_WEBHOOKS: `https://hooks.example.com/x/, ${hook}`,
  ASKD_WEBHOOK_PRIVATE: 'on', ASKD_WEBHOOK_RETRY_SECONDS: '0.05', ASKD_SCHEDULES: '8', ASKD_LEASE_SECONDS: '2' };
const askd = await startAskd({ env });
const call = async (server, method, path, body) => {
  const answer = await server.fetch(path, { method, headers: JSON_TYPE, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
};
const caller = user => ({ company_id: 'acme', user_id: user });
const of = user => `?company_id=acme&user_id=${user}`;
const QUESTION = 'How many work orders are there?';
const make = async (user, more, server = askd) => {
  const { status, body } = await call(server, 'POST', '/internal/schedules', { input: { message: QUESTION }, conversation: caller(user), ...more });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
};
const show = async (user, id, server = askd) => (await call(server, 'GET', `/internal/schedules/${id}${of(user)}`)).body;
const runNow = (user, id, server = askd) => call(server, 'POST', `/internal/schedules/${id}/run${of(user)}`);
const begun = (user, id, server = askd, count = 1) => until('it has begun', async () => {
  const { runs } = await show(user, id, server);
  return runs.filter(run => run.what === 'begun').length >= count && runs;
});
const conversations = async (user, server = askd) => (await call(server, 'GET', `/internal/conversations${of(user)}`)).body.conversations;
const messages = user => until('a message comes', () => received.filter(({ body }) => JSON.parse(body).data.user_id === user).length > 0 &&
  received.filter(({ body }) => JSON.parse(body).data.user_id === user));

test('a schedule is made, shown, listed, changed and removed', async () => {
  const made = await make('ann', { name: 'figures', cron: '0 7 * * mon-fri', timezone: 'Europe/Berlin', grace_s: 60 });
  assert.match(made.schedule_id, /^sch_[0-9a-f]{32}$/);
  assert.deepEqual([made.name, made.cron, made.timezone, made.graph, made.paused, made.grace_ms], ['figures', '0 7 * * mon-fri', 'Europe/Berlin', 'orchestrator', false, 60000]);
  const due = new Date(made.due_ms);
  assert.equal(new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' }).format(due), '07:00');
  assert.ok(![0, 6].includes(due.getUTCDay()) && made.due_ms > Date.now());
  assert.deepEqual(await show('ann', made.schedule_id), made);
  assert.deepEqual((await call(askd, 'GET', `/internal/schedules${of('ann')}`)).body.schedules, [made]);
  assert.deepEqual((await call(askd, 'GET', `/internal/schedules${of('bob')}`)).body.schedules, []);
  for (const [method, rest] of [['GET', ''], ['PATCH', ''], ['DELETE', ''], ['POST', '/run']])
    assert.equal((await call(askd, method, `/internal/schedules/${made.schedule_id}${rest}${of('bob')}`, method === 'PATCH' ? {} : undefined)).status, 404, method);
  const changed = (await call(askd, 'PATCH', `/internal/schedules/${made.schedule_id}${of('ann')}`, { cron: '@hourly', timezone: null, paused: true })).body;
  assert.deepEqual([changed.cron, changed.timezone, changed.paused, changed.name], ['@hourly', undefined, true, 'figures']);
  assert.equal((await call(askd, 'DELETE', `/internal/schedules/${made.schedule_id}${of('ann')}`)).status, 204);
  assert.equal((await call(askd, 'GET', `/internal/schedules/${made.schedule_id}${of('ann')}`)).status, 404);
});

for (const [more, pointer] of [
  [{ cron: '61 * * * *' }, '/cron'], [{ cron: '* * * *' }, '/cron'], [{}, '/cron'], [{ cron: '0 0 30 2 *' }, '/cron'],
  [{ cron: '@daily', timezone: 'Europe/Nowhere' }, '/timezone'], [{ cron: '@daily', timezone: '../x' }, '/timezone'],
  [{ cron: '@daily', after: { graph: 'banking' } }, '/cron'], [{ after: { graph: 'none' } }, '/after/graph'],
  [{ after: { graph: 'banking', status: 'ended' } }, '/after/status'], [{ cron: '@daily', grace_s: 0 }, '/grace_s'],
  [{ cron: '@daily', paused: 1 }, '/paused'], [{ cron: '@daily', webhook: 'https://elsewhere.example.com/' }, '/webhook'],
  [{ cron: '@daily', webhook: 'ftp://hooks.example.com/x/' }, '/webhook'], [{ cron: '@daily', webhook: { url: `${hook}a`, secret: 'short' } }, '/webhook/secret'],
  [{ cron: '@daily', input: {} }, '/input/message'], [{ cron: '@daily', conversation: { user_id: 'u' } }, '/conversation/company_id'],
  [{ cron: '@daily', options: { graph: 'none' } }, '/options/graph'], [{ cron: '@daily', nonsense: 1 }, ''],
])
  test(`refused: ${JSON.stringify(more)}`, async () => {
    const { status, body } = await call(askd, 'POST', '/internal/schedules', { input: { message: QUESTION }, conversation: caller('carol'), ...more });
    assert.equal(status, 422, JSON.stringify(body));
    assert.equal(body.errors?.[0]?.pointer ?? body.pointer ?? '', pointer === '' ? (body.errors?.[0]?.pointer ?? body.pointer ?? '') : pointer, JSON.stringify(body));
  });

test('there are so many of one user', async () => {
  for (let i = 0; i < 8; i++)
    await make('dora', { cron: '@yearly' });
  const { status, body } = await call(askd, 'POST', '/internal/schedules', { input: { message: QUESTION }, conversation: caller('dora'), cron: '@yearly' });
  assert.equal(status, 429);
  assert.match(body.detail, /ASKD_SCHEDULES/);
});

test('it runs when asked, in a conversation of its own, and the result is sent and signed', async () => {
  const made = await make('eva', { cron: '@yearly', webhook: `${hook}eva` });
  assert.match(made.webhook_secret, /^whsec_/);
  assert.equal(made.webhook.url, `${hook}eva`);
  assert.equal((await runNow('eva', made.schedule_id)).status, 202);
  const [run] = await begun('eva', made.schedule_id);
  const [sent] = await messages('eva');
  const message = JSON.parse(sent.body);
  assert.equal(message.type, 'run.completed');
  assert.deepEqual([message.data.run_id, message.data.schedule_id, message.data.question], [run.run_id, made.schedule_id, QUESTION]);
  assert.ok(message.data.answer.length > 0 && message.data.result.run_id === run.run_id);
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = sent.headers;
  const key = Buffer.from(made.webhook_secret.slice('whsec_'.length), 'base64');
  assert.equal(signature, `v1,${createHmac('sha256', key).update(`${id}.${time}.${sent.body}`).digest('base64')}`);
  const [kept] = await until('it is kept', async () => { const all = await conversations('eva'); return all.length > 0 && all; });
  assert.equal(kept.conversation_id, message.data.conversation_id);
  assert.equal((await show('eva', made.schedule_id)).due_ms, made.due_ms, 'its own time is untouched');
  assert.equal((await show('eva', made.schedule_id)).webhook_secret, undefined, 'the secret is shown once');
});

test('a receiver that is away gets the same message again', async () => {
  const made = await make('finn', { cron: '@yearly', webhook: `${hook}finn` });
  plan.push(500, 429, 302);
  await runNow('finn', made.schedule_id);
  const sent = await until('four attempts', () => { const own = received.filter(({ path }) => path === '/hooks/finn'); return own.length >= 4 && own; });
  assert.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
  await until('no failure is left', async () => (await show('finn', made.schedule_id)).webhook.failures === 0);
});

test('a receiver that is gone turns the webhook off', async () => {
  const made = await make('gil', { cron: '@yearly', webhook: `${hook}gil` });
  plan.push(410);
  await runNow('gil', made.schedule_id);
  const off = await until('it is off', async () => { const { webhook } = await show('gil', made.schedule_id); return webhook.enabled === false && webhook; });
  assert.match(off.last_failure, /410/);
  const again = (await call(askd, 'PATCH', `/internal/schedules/${made.schedule_id}${of('gil')}`, { webhook: { rotate: true } })).body;
  assert.equal(again.webhook.enabled, true);
  assert.notEqual(again.webhook_secret, made.webhook_secret);
  await runNow('gil', made.schedule_id);
  const sent = await until('it is sent', () => received.filter(({ path }) => path === '/hooks/gil')[1]);
  const signatures = sent.headers['webhook-signature'].split(' ');
  const of_ = secret => `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`${sent.headers['webhook-id']}.${sent.headers['webhook-timestamp']}.${sent.body}`).digest('base64')}`;
  assert.deepEqual(signatures, [of_(again.webhook_secret), of_(made.webhook_secret)], 'by the new and the old secret');
});

test('after a run of another graph', async () => {
  const made = await make('hana', { after: { graph: 'text_to_sql', status: 'complete' }, input: { message: 'How many employees are there?' } });
  assert.equal(made.due_ms, undefined);
  const ask = id => call(askd, 'POST', '/internal/graphs/text_to_sql/invoke', { input: { message: QUESTION }, conversation: { id, ...caller('hana') } });
  assert.equal((await ask('h-1')).status, 200);
  const [first] = await begun('hana', made.schedule_id);
  assert.equal((await ask('h-2')).status, 200);
  const runs = await begun('hana', made.schedule_id, askd, 2);
  assert.equal(runs.length, 2);
  assert.notEqual(runs[0].run_id, first.run_id);
  await new Promise(resolve => setTimeout(resolve, 7000)); // its own runs, and those that came before, are not what it comes after
  assert.equal((await show('hana', made.schedule_id)).runs.length, 2);
});

describe('by the minute, both at a time', { concurrency: true }, () => {
  test('every minute, on two servers of which one is killed: each time once', async () => {
    const made = await make('ida', { cron: '* * * * *', webhook: `${hook}ida` });
    const others = await Promise.all([startAskd({ env }), startAskd({ env })]);
    await begun('ida', made.schedule_id, others[0], 1);
    others[1].kill();
    await until('twice more', async () => (await show('ida', made.schedule_id)).runs.length >= 2);
    await call(askd, 'PATCH', `/internal/schedules/${made.schedule_id}${of('ida')}`, { paused: true });
    const { runs } = await show('ida', made.schedule_id);
    assert.equal(new Set(runs.map(run => run.due_ms)).size, runs.length, 'no time twice');
    assert.ok(runs.every(run => run.due_ms % 60000 === 0 && run.what === 'begun'));
    await until('all are kept', async () => (await conversations('ida')).length === runs.length);
    await until('all are sent', () => new Set(received.filter(({ path }) => path === '/hooks/ida').map(({ headers }) => headers['webhook-id'])).size === runs.length);
  });

  test('what could not begin in its grace is missed, and its owner reads so', async () => {
    const path = tempPath('missed.db');
    const own = { ...env, ASKD_CHECKPOINT_URL: `sqlite:${path}` };
    const first = await startAskd({ env: own });
    const made = await make('jon', { cron: '* * * * *', grace_s: 1 }, first);
    first.kill();
    await new Promise(resolve => setTimeout(resolve, made.due_ms - Date.now() + 2500));
    const second = await startAskd({ env: own });
    const runs = await until('it says so', async () => { const { runs } = await show('jon', made.schedule_id, second); return runs.length > 0 && runs; });
    assert.deepEqual([runs.at(-1).what, runs.at(-1).due_ms], ['missed', made.due_ms]);
  });
});

test("LangGraph's crons, by its own client", async () => {
  const client = new Client({ apiUrl: askd.url, apiKey: null, defaultHeaders: { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'lea' } });
  const input = { messages: [{ role: 'user', content: QUESTION }] };
  const made = await client.crons.create('orchestrator', { schedule: '0 7 * * *', input, webhook: `${hook}lea`, onRunCompleted: 'keep' });
  assert.deepEqual([made.assistant_id, made.thread_id, made.schedule, made.enabled, made.on_run_completed], ['orchestrator', null, '0 7 * * *', true, 'keep']);
  assert.match(made.next_run_date, /T07:00:00\.000Z$/);
  const ofThread = await client.crons.createForThread('t-1', 'orchestrator', { schedule: '@hourly', input, enabled: false });
  assert.deepEqual([ofThread.thread_id, ofThread.enabled, ofThread.next_run_date], ['t-1', false, null]);
  assert.deepEqual((await client.crons.search()).map(cron => cron.cron_id).sort(), [made.cron_id, ofThread.cron_id].sort());
  assert.deepEqual((await client.crons.search({ threadId: 't-1' })).map(cron => cron.cron_id), [ofThread.cron_id]);
  assert.deepEqual((await client.crons.search({ enabled: true })).map(cron => cron.cron_id), [made.cron_id]);
  assert.equal(await client.crons.count(), 2);
  assert.equal((await client.crons.search({ limit: 1, offset: 2 })).length, 0);
  const changed = await client.crons.update(made.cron_id, { schedule: '30 8 * * *', enabled: false });
  assert.deepEqual([changed.schedule, changed.enabled], ['30 8 * * *', false]);
  await client.crons.delete(made.cron_id);
  assert.equal(await client.crons.count({ assistantId: 'orchestrator' }), 1);
  await assert.rejects(client.crons.delete(made.cron_id), /404/);
  await assert.rejects(client.crons.create('orchestrator', { schedule: '61 * * * *', input }), /422/);
  await assert.rejects(client.crons.create('none', { schedule: '@daily', input }), /404/);
});
