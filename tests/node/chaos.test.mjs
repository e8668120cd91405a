// SPDX-License-Identifier: MIT
// tests/node/chaos.test.mjs - three askd on one PostgreSQL and one Redis behind a TCP balancer; at random
// times they are killed, stopped and let go on, the database crashes, sockets are cut and stalled.
//
// What happens when is drawn from CHAOS_SEED, for CHAOS_SECONDS: short here, long by bench/chaos.sh.
// Afterwards: every message had exactly one end, no event was lost or came twice, what was answered
// is in its conversation, nothing is left open in the stores or the database, memory is back.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchEventSource } from '@microsoft/fetch-event-source';
import { question, sampleDatabase, startAskd, startMock, stopAtEnd } from './lib/harness.mjs';
import { startBalancer } from './lib/balancer.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, words } from './lib/scripts.mjs';
import { administer, createDatabase, ownServers } from './lib/servers.mjs';
import { isTerminal } from './lib/sse.mjs';

const SEED = Number(process.env.CHAOS_SEED ?? 1), SECONDS = Number(process.env.CHAOS_SECONDS ?? 10);
const INSTANCES = 3, TALKERS = 24, LEASE = 1, FACTOR = 3;
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

const dice = seed => n => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 2 ** 32 * n);
};

const servers = await ownServers();
after(() => servers.stop());
const DATABASE = 'node_chaos';
const conversations = await createDatabase('postgres', DATABASE);
const events = readFileSync(join(process.env.ASKD_TEST_SERVERS, 'redis.url'), 'utf8').trim();
const mock = await startMock([faulty('chaos', 'rate-60', words(60)), ...general]);
const database = await sampleDatabase();

const instances = [];
const boot = async i => {
  instances[i] = await startAskd({ mock, ready: null, database, env: {
    ASKD_WORKERS: '2', ASKD_CHECKPOINT_URL: conversations, ASKD_EVENTS_URL: events,
    ASKD_LEASE_SECONDS: String(LEASE), ASKD_DURABILITY: process.env.CHAOS_DURABILITY ?? 'async',
    ASKD_DISCONNECT_GRACE_SECONDS: '20', ASKD_HEARTBEAT_SECONDS: '1', ASKD_LOG_LEVEL: 'info' } });
};
for (let i = 0; i < INSTANCES; i++)
  await boot(i);
const up = () => instances.filter(askd => askd && !askd.stopped);
const balancer = await startBalancer(() => up().map(askd => new URL(askd.url).port));
stopAtEnd({ child: { child: { kill() {} } }, stop: async () => balancer.stop() });

const rss = askd => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${askd.child.child.pid}/status`, 'utf8'))[1]);

// ---- clients ----

// How one message ended, with the ids of all its frames: { run, ids, terminals, status }.
class Message {
  constructor(conversation, text) {
    Object.assign(this, { conversation, text, ids: [], terminals: [], refusals: {} });
    this.headers = { 'content-type': 'application/json', 'idempotency-key': `${conversation.id}:${text}` };
    this.body = JSON.stringify(question(text, conversation));
  }

  take(id, data) {
    if (id)
      this.ids.push(id);
    const event = JSON.parse(data);
    if (isTerminal(event))
      this.terminals.push(event);
  }

  get done() {
    return this.terminals.length > 0 || this.gone;
  }

  // 409 while a dead server's run has the conversation, 503 while a store is away: again. Nothing more
  // comes after 204, 404 and 410.
  refused(status) {
    this.refusals[status] = (this.refusals[status] ?? 0) + 1;
    this.gone = [204, 400, 404, 410, 422].includes(status) ? status : undefined;
  }
}

const withFetch = async message => {
  const last = message.ids.at(-1);
  const response = last
    ? await fetch(`${balancer.url}/internal/runs/${last.split(':')[0]}/stream`, { headers: { 'last-event-id': last }, signal: AbortSignal.timeout(20000) })
    : await fetch(`${balancer.url}/internal/chat/stream`, { method: 'POST', headers: message.headers, body: message.body, signal: AbortSignal.timeout(20000) });
  if (response.status !== 200) {
    message.refused(response.status);
    await response.text();
    return;
  }
  let text = '';
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    text += bytes;
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const frame = text.slice(0, end);
      const data = /^data: (.*)$/m.exec(frame);
      if (data)
        message.take(/^id: (.*)$/m.exec(frame)?.[1], data[1]);
    }
  }
};

globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.window = { setTimeout, clearTimeout, fetch: (...args) => fetch(...args) };
const withEventSource = async message => {
  const last = message.ids.at(-1);
  await fetchEventSource(`${balancer.url}/internal/chat/stream`, {
    method: 'POST', body: message.body, signal: AbortSignal.timeout(20000), openWhenHidden: true,
    headers: { ...message.headers, ...(last && { 'last-event-id': last }) },
    onopen: async response => {
      if (response.status === 200)
        return;
      message.refused(response.status);
      throw new Error(`status ${response.status}`);
    },
    onmessage: ({ id, data }) => message.take(id, data),
    onerror: error => { throw error; }, // we ask again ourselves, in our time
  });
};

const messages = [];
let talking = true;
const talk = async i => {
  const random = dice(SEED * 1000 + i);
  const conversation = { id: `chaos-${SEED}-${i}`, user_id: `user-${i % 5}`, company_id: `company-${i % 3}` };
  for (let n = 0; talking; n++) {
    const message = new Message(conversation, `chaos question ${n}`);
    messages.push(message);
    const client = random(2) ? withFetch : withEventSource;
    for (const end = Date.now() + 60000; !message.done && Date.now() < end;) {
      await client(message).catch(error => { message.trouble = error; });
      if (!message.done)
        await sleep(50 + random(200));
    }
    await sleep(random(100));
  }
};

// ---- what goes wrong ----

const log = [];
const busy = new Set(); // instances, and the database, that something happens to already
const alone = async (what, happens) => {
  if (busy.has(what))
    return;
  busy.add(what);
  await happens();
  busy.delete(what);
};

// Each draws all it needs at once: what happens does not depend on how long it takes.
const faults = {
  kill: (i, ms) => alone(i, async () => {
    const askd = instances[i];
    askd.kill();
    await askd.child.ended;
    await sleep(ms);
    await boot(i);
  }),
  freeze: (i, ms) => alone(i, async () => {
    const { child } = instances[i].child;
    child.kill('SIGSTOP');
    await sleep(3 * LEASE * ms);
    child.kill('SIGCONT');
  }),
  database: (i, ms) => alone('database', async () => {
    await servers.down('postgres');
    await sleep(ms);
    await servers.up('postgres');
  }),
  cut: async i => balancer.cut((_, n) => n % 3 === i),
  stall: async (i, ms) => balancer.stall((_, n) => n % 3 === i, ms),
};

const wreck = async () => {
  const random = dice(SEED), happening = [];
  const names = ['kill', 'freeze', 'cut', 'cut', 'stall', 'stall', 'database'];
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end;) {
    const name = names[random(names.length)];
    log.push(name);
    happening.push(faults[name](random(INSTANCES), random(1500)));
    await sleep(random(900));
  }
  await Promise.all(happening);
};

const count = array => JSON.stringify(array.reduce((sum, key) => ({ ...sum, [key]: (sum[key] ?? 0) + 1 }), {}));

test(`chaos with seed ${SEED} for ${SECONDS} s`, async () => {
  const floors = await Promise.all(instances.map(rss));
  const talkers = Array.from({ length: TALKERS }, (_, i) => talk(i));
  await wreck();
  talking = false;
  await Promise.all(talkers);
  console.log(`faults ${count(log)}; messages ${messages.length}; ends ${count(messages.map(message =>
    message.terminals[0]?.code ?? message.terminals[0]?.event ?? message.gone ?? 'none'))}`);
  await until('all three are up', async () => up().length === INSTANCES);

  for (const message of messages) {
    const what = () => `${message.conversation.id} ${message.text}: ${JSON.stringify({ ...message, body: undefined, ids: message.ids.slice(-3) })} ${message.trouble}`;
    const run = message.ids[0]?.split(':')[0];
    assert.deepEqual(message.ids, message.ids.map((_, n) => `${run}:${n + 1}`), `no event lost or doubled: ${what()}`);
    assert.ok(message.done, `it ended: ${what()}`);
    assert.ok(message.terminals.length <= 1, `once: ${what()}`);
    // 204: the end is there, but under an id that the client has: what its dead server had not stored
    assert.ok(message.terminals.length === 1 || message.gone === 204, `with an event: ${what()}`);
  }

  const asked = Map.groupBy ? Map.groupBy(messages, message => message.conversation)
    : messages.reduce((map, message) => map.set(message.conversation, [...map.get(message.conversation) ?? [], message]), new Map());
  for (const [conversation, all] of asked) {
    const query = new URLSearchParams({ company_id: conversation.company_id, user_id: conversation.user_id, limit: '1000' });
    const read = await until(`${conversation.id} is readable`, async () => {
      const response = await fetch(`${balancer.url}/internal/conversations/${conversation.id}?${query}`).catch(() => null);
      const text = await response?.text();
      return response?.status === 200 ? text : null;
    });
    for (const message of all)
      if (message.terminals[0]?.event === 'complete')
        message.kept = read.includes(`"${message.text}"`);
  }
  const lost = messages.filter(message => message.kept === false);
  console.log(`answered but not kept: ${lost.length}`);
  assert.ok(lost.length === 0 || log.includes('database') || log.includes('kill'),
    `answers are kept unless the store or the server was away: ${lost.map(message => message.text)}`);

  await until('no run is open', async () => {
    const { runs } = await (await fetch(`${balancer.url}/internal/runs`)).json();
    return runs.every(run => run.state === 'ended');
  }, 30000);
  await until('no statement is left', async () => Number(await administer('postgres', DATABASE,
    `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '${DATABASE}' AND pid <> pg_backend_pid() AND state <> 'idle'`)) === 0);
  await until(() => `memory: ${up().map(rss)} KiB, before ${floors}`, async () =>
    up().every((askd, i) => rss(askd) < FACTOR * floors[i]));
});
