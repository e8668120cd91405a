// SPDX-License-Identifier: MIT
// tests/node/schedules.test.mjs - schedules and webhooks: made, due, run once whoever dies, changed, and their results
// sent with a signature until they are taken.
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Client } from '@langchain/langgraph-sdk';
import { Client as Client1 } from 'langgraph-sdk-1';
import { startAskd, tempPath } from './lib/harness.mjs';
import { until } from './lib/process.mjs';

const JSON_TYPE = { 'content-type': 'application/json' };
const received = [], plans = {}; // by path: statuses to answer with; then 200
const receiver = createServer((request, response) => {
  const parts = [];
  request.on('data', part => parts.push(part)).on('end', () => {
    received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(plans[request.url]?.shift() ?? 200).end('thanks');
  });
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
receiver.unref();
const hook = `http://127.0.0.1:${receiver.address().port}/hooks/`;

// A receiver that answers nobody until it is let.
const slow = { held: [], most: 0, got: 0, open: false };
const slowReceiver = createServer((request, response) => {
  slow.got++;
  request.resume();
  if (slow.open) {
    response.end();
    return;
  }
  slow.held.push(response);
  slow.most = Math.max(slow.most, slow.held.length);
}).listen(0, '127.0.0.1');
await once(slowReceiver, 'listening');
slowReceiver.unref();
const slowHook = `http://127.0.0.1:${slowReceiver.address().port}/hooks/`;

const STORE = tempPath('schedules.db');
const KEYS = [1, 2].map(() => randomBytes(32).toString('base64'));
const env = {
  ASKD_CHECKPOINT_URL: `sqlite:${STORE}`, ASKD_WEBHOOKS: `https://hooks.example.com/x/, ${hook}, ${slowHook}`,
  ASKD_SECRETS_KEY: KEYS[0], ASKD_WEBHOOK_PRIVATE: 'on', ASKD_WEBHOOK_RETRY_SECONDS: '0.05', ASKD_SCHEDULES: '8', ASKD_LEASE_SECONDS: '2' };
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

// Its time comes at once: that in the store is one that is past.
const comeDue = (id, due_ms, path = STORE) => {
  const store = new DatabaseSync(path, { timeout: 60000 });
  try {
    store.exec('BEGIN IMMEDIATE'); // servers write it, too
    const { bytes } = store.prepare('SELECT bytes FROM jobs WHERE job_id = CAST(? AS TEXT)').get(id);
    const schedule = JSON.parse(Buffer.from(bytes).toString());
    store.prepare('UPDATE jobs SET due_ms = ?, bytes = ?, version = version + 1 WHERE job_id = ?').run(due_ms, Buffer.from(JSON.stringify({ ...schedule, due_ms })), id);
    store.exec('COMMIT');
  } finally {
    store.close();
  }
};
const minute = ago => Math.floor(Date.now() / 60000) * 60000 - ago * 60000;

// All at a time: most of them wait for one thing or another.
describe('schedules', { concurrency: true }, () => {
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
    assert.equal(message.type, 'run.completed', JSON.stringify(message.data.error));
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
    plans['/hooks/finn'] = [500, 429, 302];
    await runNow('finn', made.schedule_id);
    const sent = await until('four attempts', () => { const own = received.filter(({ path }) => path === '/hooks/finn'); return own.length >= 4 && own; });
    assert.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(sent.map(({ body }) => body)).size, 1);
    await until('no failure is left', async () => (await show('finn', made.schedule_id)).webhook.failures === 0);
  });

  test('a slow receiver has two messages at a time, and holds up no other', async () => {
    const one = await startAskd({ env: { ...env, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('slow.db')}`, ASKD_WORKERS: '1' } });
    const slowOnes = [];
    for (let i = 0; i < 4; i++)
      slowOnes.push(await make('slim', { cron: '@yearly', webhook: `${slowHook}slim` }, one));
    for (const { schedule_id } of slowOnes)
      await runNow('slim', schedule_id, one);
    await until('two are held', () => slow.held.length >= 2);
    for (const { schedule_id } of slowOnes)
      await begun('slim', schedule_id, one);
    const made = await make('fay', { cron: '@yearly', webhook: `${hook}fay` }, one);
    await runNow('fay', made.schedule_id, one);
    await messages('fay');
    assert.deepEqual([slow.most, slow.got], [2, 2]);
    slow.open = true;
    for (const response of slow.held.splice(0))
      response.end();
    await until('the others come', () => slow.got >= 4);
    assert.equal(slow.most, 2);
  });

  test('a receiver that is gone turns the webhook off', async () => {
    const made = await make('gil', { cron: '@yearly', webhook: `${hook}gil` });
    plans['/hooks/gil'] = [410];
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

  test('secrets are sealed in the store, under the newest key, and nothing goes out that cannot be signed', async () => {
    const path = tempPath('sealed.db');
    const own = { ...env, ASKD_CHECKPOINT_URL: `sqlite:${path}` };
    const kept = id => {
      const store = new DatabaseSync(path, { timeout: 60000 });
      try {
        return JSON.parse(Buffer.from(store.prepare('SELECT bytes FROM jobs WHERE job_id = ?').get(id).bytes).toString());
      } finally {
        store.close();
      }
    };
    const signedBy = (secret, { headers, body }) => `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64')).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`).digest('base64')}`;
    const sent = count => until(`message ${count}`, () => received.filter(({ path }) => path === '/hooks/kim')[count - 1]);
    const first = await startAskd({ env: own });
    const made = await make('kim', { cron: '@yearly', webhook: `${hook}kim` }, first);
    assert.match(kept(made.schedule_id).secret, /^sealed:1:/);
    await first.stop();
    const second = await startAskd({ env: { ...own, ASKD_SECRETS_KEY: `${KEYS[1]}, ${KEYS[0]}` } });
    const before = kept(made.schedule_id).secret;
    await runNow('kim', made.schedule_id, second);
    assert.equal((await sent(1)).headers['webhook-signature'], signedBy(made.webhook_secret, await sent(1)));
    const anew = await until('it is sealed anew', () => kept(made.schedule_id).secret !== before && kept(made.schedule_id).secret);
    assert.notEqual(anew.split(':')[2], before.split(':')[2]);
    await second.stop();
    const third = await startAskd({ env: { ...own, ASKD_SECRETS_KEY: KEYS[1] } }); // the old key is gone
    await runNow('kim', made.schedule_id, third);
    assert.equal((await sent(2)).headers['webhook-signature'], signedBy(made.webhook_secret, await sent(2)));
    await third.stop();
    const fourth = await startAskd({ env: { ...own, ASKD_SECRETS_KEY: '' } });
    await runNow('kim', made.schedule_id, fourth);
    await until('it is tried', async () => (await fourth.metric('askd_webhook_failures_total')) >= 1);
    assert.equal(received.filter(({ path }) => path === '/hooks/kim').length, 2, 'nothing goes out unsigned');
    for (const [webhook, pointer] of [[`${hook}kim`, '/webhook'], [{ url: `${hook}kim`, secret: made.webhook_secret }, '/webhook/secret']]) {
      const { status, body } = await call(fourth, 'POST', '/internal/schedules', { input: { message: QUESTION }, conversation: caller('kim'), cron: '@yearly', webhook });
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), new RegExp(`${pointer}: a secret of its own needs ASKD_SECRETS_KEY`));
    }
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
    // Its own runs, and those that came before, are not what it comes after: all that ended before a third are dealt with.
    assert.equal((await ask('h-3')).status, 200);
    assert.equal((await begun('hana', made.schedule_id, askd, 3)).length, 3);
  });

  test('after runs of which hundreds end between two looks: none is passed over, none taken twice, whoever looks', async () => {
    const path = tempPath('ends.db'), own = { ...env, ASKD_CHECKPOINT_URL: `sqlite:${path}` };
    const [first, second] = await Promise.all([startAskd({ env: own }), startAskd({ env: own })]);
    const made = await make('lea', { after: { graph: 'text_to_sql', status: 'complete' }, input: { message: QUESTION } }, first);
    const { company_id, user_id } = caller('lea'), from = Date.now() + 10;
    const ended = Array.from({ length: 330 }, (_, i) => [`run_end${String(999 - i)}`, [0, 7, 328].includes(i) ? 'text_to_sql' : 'banking', from + Math.floor(i / 3)]);
    const db = new DatabaseSync(path, { timeout: 60000 });
    db.exec('BEGIN IMMEDIATE');
    for (const [id, graph, at] of ended)
      db.prepare("INSERT INTO runs (conversation_id, company_id, user_id, run_id, graph, input, idempotency_key, instance, began_ms, changed_ms, lease_until_ms, epoch, last_event_id, status, cancel_asked) VALUES ('', ?, ?, ?, ?, x'', '', 'gone', ?, ?, 0, 1, 0, 2, 0)")
        .run(company_id, user_id, id, graph, at, at);
    db.exec('COMMIT');
    assert.equal((await begun('lea', made.schedule_id, second, 3)).length, 3);
    second.kill();
    const answer = await call(first, 'POST', '/internal/graphs/text_to_sql/invoke', { input: { message: QUESTION }, conversation: { id: 'l-1', ...caller('lea') } });
    assert.equal(answer.status, 200);
    const runs = await begun('lea', made.schedule_id, first, 4);
    assert.equal(new Set(runs.map(run => run.run_id)).size, 4, 'the last comes behind all others, and each comes once');
    const keys = db.prepare("SELECT idempotency_key AS k FROM runs WHERE company_id = ? AND user_id = ? AND idempotency_key <> ''").all(company_id, user_id).map(row => row.k.split('+')[1]);
    assert.deepEqual(keys.filter(key => key?.startsWith('run_end')).toSorted(), ['run_end671', 'run_end992', 'run_end999']);
    db.close();
  });

  test('three times by the clock, on three servers of which one is killed: each time once', async () => {
    const path = tempPath('clock.db'), own = { ...env, ASKD_CHECKPOINT_URL: `sqlite:${path}` };
    const [first, second, third] = await Promise.all([startAskd({ env: own }), startAskd({ env: own }), startAskd({ env: own })]);
    const made = await make('ida', { cron: '@yearly', webhook: `${hook}ida` }, first);
    const times = [minute(3), minute(2), minute(1)];
    comeDue(made.schedule_id, times[0], path);
    await begun('ida', made.schedule_id, second);
    comeDue(made.schedule_id, times[1], path);
    third.kill();
    await begun('ida', made.schedule_id, first, 2);
    comeDue(made.schedule_id, times[2], path);
    const runs = await begun('ida', made.schedule_id, first, 3);
    assert.deepEqual(runs.map(run => [run.what, run.due_ms]), times.map(time => ['begun', time]).reverse(), 'no time twice');
    await until('all are kept', async () => (await conversations('ida', first)).length === 3);
    await until('all are sent', () => new Set(received.filter(({ path }) => path === '/hooks/ida').map(({ headers }) => headers['webhook-id'])).size === 3);
  });

  test('what could not begin in its grace is missed, and its owner reads so', async () => {
    const path = tempPath('missed.db');
    const own = { ...env, ASKD_CHECKPOINT_URL: `sqlite:${path}` };
    const first = await startAskd({ env: own });
    const made = await make('jon', { cron: '@yearly', grace_s: 1 }, first);
    first.kill();
    const due_ms = minute(1);
    comeDue(made.schedule_id, due_ms, path);
    const second = await startAskd({ env: own });
    const runs = await until('it says so', async () => { const { runs } = await show('jon', made.schedule_id, second); return runs.length > 0 && runs; });
    assert.deepEqual([runs.at(-1).what, runs.at(-1).due_ms], ['missed', due_ms]);
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

  test("a cron's end, time zone and metadata, as the newer client has them", async () => {
    const client = new Client1({ apiUrl: askd.url, apiKey: null, defaultHeaders: { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'mia' } });
    const input = { messages: [{ role: 'user', content: QUESTION }] };
    const made = await client.crons.create('orchestrator', { schedule: '0 7 * * *', input, timezone: 'Asia/Tokyo', endTime: '2999-01-01T00:00:00+01:00', metadata: { team: 'blue', size: 3 } });
    assert.deepEqual([made.timezone, made.end_time, made.metadata], ['Asia/Tokyo', '2998-12-31T23:00:00.000Z', { team: 'blue', size: 3 }]);
    assert.match(made.next_run_date, /T22:00:00\.000Z$/, 'seven in Tokyo');
    const other = await client.crons.create('orchestrator', { schedule: '@daily', input, endTime: '2001-01-01T00:00:00Z', metadata: { team: 'red' } });
    assert.deepEqual([other.timezone, other.next_run_date], [null, null], 'its end is past: it never runs');
    const found = async metadata => (await client.crons.search({ metadata })).map(cron => cron.cron_id);
    assert.deepEqual(await found({ team: 'blue' }), [made.cron_id]);
    assert.deepEqual(await found({ team: 'blue', size: 4 }), []);
    assert.equal(await client.crons.count({ metadata: { team: 'red' } }), 1);
    const changed = await client.crons.update(made.cron_id, { endTime: null, timezone: 'UTC', metadata: { team: 'green' } });
    assert.deepEqual([changed.timezone, changed.end_time, changed.metadata], ['UTC', null, { team: 'green' }]);
    assert.match(changed.next_run_date, /T07:00:00\.000Z$/);
    for (const [more, pattern] of [[{ endTime: 'tomorrow' }, /end_time/], [{ timezone: 'Mars/Base' }, /timezone/], [{ metadata: { big: 'x'.repeat(20000) } }, /metadata/]])
      await assert.rejects(client.crons.create('orchestrator', { schedule: '@daily', input, ...more }), pattern);
  });

  test("a webhook of one run of LangGraph's: with a thread and without, waited for, streamed, left alone, and gone on with", async () => {
    const careful = await startAskd({ env: { ...env, ASKD_CHECKPOINT_URL: `sqlite:${tempPath('hooked.db')}`, ASKD_SQL_APPROVAL: 'always', ASKD_WORKERS: '2', ASKD_WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}` } });
    const client = new Client1({ apiUrl: careful.url, apiKey: null, defaultHeaders: { 'x-askd-company-id': 'acme', 'x-askd-user-id': 'nora' }, callerOptions: { maxRetries: 0 } });
    const input = content => ({ messages: [{ role: 'user', content }] });
    const sent = name => until(`${name} is sent`, () => received.find(({ path }) => path === `/hooks/${name}`));
    const { thread_id } = await client.threads.create();
    const paused = await client.runs.create(thread_id, 'orchestrator', { input: input(QUESTION), webhook: `${hook}nora-1` });
    const first = JSON.parse((await sent('nora-1')).body);
    assert.deepEqual([first.type, first.data.run_id, first.data.question, first.data.schedule_id], ['run.interrupted', paused.run_id, QUESTION, undefined]);
    await client.runs.wait(thread_id, 'orchestrator', { command: { resume: { action: 'approve' } }, webhook: `${hook}nora-2` });
    const second = await sent('nora-2'), message = JSON.parse(second.body);
    assert.deepEqual([message.type, message.data.conversation_id], ['run.completed', thread_id]);
    assert.ok(message.data.answer.length > 0 && message.data.run_id !== paused.run_id);
    assert.match(second.headers['webhook-signature'], /^v1,/);
    const parts = [];
    for await (const part of client.runs.stream(null, 'orchestrator', { input: input('hello'), webhook: `${hook}nora-3` }))
      parts.push(part);
    assert.equal(JSON.parse((await sent('nora-3')).body).data.run_id, parts[0].data.run_id);
    await client.runs.wait(null, 'orchestrator', { input: input('hello'), webhook: `${hook}nora-4` });
    assert.equal(JSON.parse((await sent('nora-4')).body).type, 'run.completed');
    await assert.rejects(client.runs.wait(null, 'orchestrator', { input: input('hello'), webhook: 'https://elsewhere.example.com/' }), /422.*webhook/);
  });
});
