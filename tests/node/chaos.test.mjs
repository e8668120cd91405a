// SPDX-License-Identifier: MIT
// tests/node/chaos.test.mjs - three askd on one PostgreSQL and one Redis, which ask a MariaDB, behind a TCP
// balancer; at random times they are killed, stopped and let go on, the three servers crash, sockets are
// cut and stalled.
//
// What happens when is drawn from CHAOS_SEED, for CHAOS_SECONDS: short here, long by bench/chaos.sh.
// Afterwards: every message had exactly one end, no event was lost or came twice, what was answered
// is in its conversation, a run's once, even when its server was killed before it could save; no run had
// two owners; nothing is left open in the stores or the database, memory is back. Only what a server
// knew alone, since the store of events was away, goes with that server.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchEventSource } from '@microsoft/fetch-event-source';
import { assertEnded, assertOnce, count, dice, ends, readConversation, sleep, talk, withFetch } from './lib/asking.mjs';
import { newConversation, question, startAskd, startMock, stopAtEnd, ofUser1 } from './lib/harness.mjs';
import { startBalancer } from './lib/balancer.mjs';
import { PATIENCE_MS, until } from './lib/process.mjs';
import { faulty, general, line, words } from './lib/scripts.mjs';
import { administer, createDatabase, ownServers } from './lib/servers.mjs';
import { readStream, serverOf } from './lib/sse.mjs';

const SEED = Number(process.env.CHAOS_SEED ?? 1), SECONDS = Number(process.env.CHAOS_SECONDS ?? 10);
const INSTANCES = 3, TALKERS = 24, LEASE = 1, FACTOR = 3, ANSWER = words(60);
const servers = await ownServers();
after(() => servers.stop());
const DATABASE = 'node_chaos', ASKED = 'node_chaos_asked';
const conversations = await createDatabase('postgres', DATABASE);
const events = readFileSync(join(process.env.ASKD_TEST_SERVERS, 'redis.url'), 'utf8').trim();
// A statement that takes a while, for a caller only, so that the schema is read at once.
const asked = await createDatabase('mysql', ASKED, [{ sql: `
  CREATE TABLE naps (seconds DECIMAL(4, 2) NOT NULL, companyId VARCHAR(99) NOT NULL);
  INSERT INTO naps VALUES (0.5, 'company-0'), (0.5, 'company-1'), (0.5, 'company-2');
  CREATE FUNCTION caller() RETURNS VARCHAR(99) NOT DETERMINISTIC NO SQL RETURN @company_id;
  CREATE VIEW slow AS SELECT companyId, SLEEP(IF(caller() IS NULL, 0, seconds)) AS done FROM naps;` }]);
const statement = { user: 'chaos statement' }, slow = '```sql\nSELECT done FROM slow\n```';
const mock = await startMock([
  line('classify', 'SQL', statement), line('tables', '["slow"]', statement), line('generate', slow, statement),
  line('correct', slow, statement), line('answer', 'Here it is.', statement),
  faulty('chaos', 'rate-60', ANSWER), faulty('sleeper', 'rate-20', words(60)), ...general]);

const instances = [], everyone = []; // those that were killed, too
const start = () => startAskd({ mock, ready: null, env: {
  ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:quarantine_size_mb=16`, // what is freed is free
  ASKD_DATABASE_URL: asked, ASKD_SECURE_VIEWS: undefined, SQL_SAMPLE_ROWS: '0', ASKD_WORKERS: '2',
  ASKD_CHECKPOINT_URL: conversations, ASKD_EVENTS_URL: events,
  ASKD_LEASE_SECONDS: String(LEASE), ASKD_DURABILITY: process.env.CHAOS_DURABILITY ?? 'async',
  ASKD_DISCONNECT_GRACE_SECONDS: '20', ASKD_HEARTBEAT_SECONDS: '1', ASKD_LOG_LEVEL: 'info',
} });
// Whose store is away does not start: once more, as what watches over it would.
const boot = async i => {
  for (const end = Date.now() + PATIENCE_MS; !instances[i] || instances[i].stopped;)
    instances[i] = await start().catch(error => {
      if (!error.message.includes('"code":78') || Date.now() > end)
        throw error;
    });
  everyone.push(instances[i]);
};
for (let i = 0; i < INSTANCES; i++)
  await boot(i);
const up = () => instances.filter(askd => askd && !askd.stopped);
const balancer = await startBalancer(() => up().map(askd => new URL(askd.url).port));
stopAtEnd({ child: { child: { kill() {} } }, stop: async () => balancer.stop() });

const rss = askd => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${askd.child.child.pid}/status`, 'utf8'))[1]);

// ---- clients ----

globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
globalThis.window = { setTimeout, clearTimeout, fetch: (...args) => fetch(...args) };
const withEventSource = async message => {
  const last = message.ids.at(-1);
  await fetchEventSource(`${balancer.url}/internal/chat/stream`, {
    method: 'POST', body: message.body, signal: AbortSignal.timeout(PATIENCE_MS), openWhenHidden: true,
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
const talker = i => {
  const random = dice(SEED * 1000 + i);
  const conversation = { id: `chaos-${SEED}-${i}`, user_id: `user-${i % 5}`, company_id: `company-${i % 3}` };
  return talk(conversation, { messages, random, goes: () => talking,
    text: n => `chaos ${random(4) ? 'question' : 'statement'} ${n}`,
    answer: asked => asked.includes('question') ? ANSWER : undefined,
    ask: message => random(2) ? withFetch(balancer.url, message) : withEventSource(message) });
};

// ---- what goes wrong ----

const log = [];
const kills = [], outages = { postgres: [], redis: [], mysql: [] }; // when: of whom, and of stores from and to
const frozen = []; // when servers were stopped, and which, from and to
const busy = new Set(); // instances, and the database, that something happens to already
const alone = async (what, happens) => {
  if (busy.has(what))
    return;
  busy.add(what);
  await happens();
  busy.delete(what);
};

const crash = (engine, ms) => alone(engine, async () => {
  const outage = { from: Date.now(), to: Infinity };
  outages[engine].push(outage);
  await servers.down(engine);
  await sleep(ms);
  await servers.up(engine);
  outage.to = Date.now();
});

// Each draws all it needs at once: what happens does not depend on how long it takes.
const faults = {
  kill: (i, ms) => alone(i, async () => {
    const askd = instances[i];
    kills.push({ at: Date.now(), askd });
    askd.kill();
    await askd.child.ended;
    await sleep(ms);
    await boot(i);
  }),
  freeze: (i, ms) => alone(i, async () => {
    const askd = instances[i], { child } = askd.child;
    const sleeps = { askd, from: Date.now(), to: Infinity };
    frozen.push(sleeps);
    child.kill('SIGSTOP');
    await sleep(3 * LEASE * ms);
    child.kill('SIGCONT');
    sleeps.to = Date.now();
  }),
  database: (i, ms) => crash('postgres', ms),
  events: (i, ms) => crash('redis', ms),
  asked: (i, ms) => crash('mysql', ms),
  cut: async i => balancer.cut((_, n) => n % 3 === i),
  stall: async (i, ms) => balancer.stall((_, n) => n % 3 === i, ms),
};

const wreck = async () => {
  const random = dice(SEED), happening = [];
  const names = ['kill', 'freeze', 'cut', 'cut', 'stall', 'stall', 'database', 'events', 'asked'];
  for (const end = Date.now() + SECONDS * 1000; Date.now() < end;) {
    const name = names[random(names.length)];
    log.push(name);
    happening.push(faults[name](random(INSTANCES), random(1500)));
    await sleep(random(900));
  }
  await Promise.all(happening);
};

// Where the store of events was away, a server knows alone what it could not write: until it says that it has found the
// store again, or has asked again after a pause, and from before it says that it lost it, since it waits for a while first.
const WAITS = 2500, PAUSE = 5000;
const knewAlone = askd => {
  const [lost, found] = ['lost', 'found'].map(what =>
    [...askd.child.stderr.matchAll(new RegExp(`^(\\S+) (?:warn|info) +store\\.${what}`, 'gm'))].map(([, at]) => Date.parse(at)));
  return [
    ...outages.redis.map(({ from, to }) => ({ from, to: to + PAUSE })),
    ...lost.map(at => ({ from: at - WAITS, to: (found.find(later => later >= at) ?? Infinity) + PAUSE })),
  ];
};
const overlaps = (one, other) => one.from < other.to && other.from < one.to;
const lasts = ({ askedAt, endedAt }) => ({ from: askedAt, to: endedAt ?? Infinity });
// A server that was killed then, after the message was asked, took with it what it knew of its run.
const mayBeLost = message => kills.some(({ at, askd }) => at > message.askedAt &&
  knewAlone(askd).some(away => away.from < at && at < away.to && overlaps(away, lasts(message))));
// Who went on with whose run, as they log it.
const claims = () => everyone.flatMap((askd, owner) =>
  [...askd.child.stderr.matchAll(/run=(\S+) epoch=(\d+) what=(\w+)/g)].map(([, run, epoch, what]) => ({ owner, run, epoch, what })));

// An epoch of a run is one server's, and no client heard of an epoch that was nobody's.
const assertOneOwner = () => {
  const owners = {};
  for (const { owner, run, epoch } of claims())
    assert.equal(owners[`${run} ${epoch}`] ??= owner, owner, `run ${run} has two owners in epoch ${epoch}`);
  for (const id of messages.flatMap(message => message.ids).filter(id => serverOf(id) > 1))
    assert.ok(`${id.split(':')[0]} ${serverOf(id)}` in owners, `somebody has said ${id}`);
};

// Whether something was answered in the conversation that no killed server took with it.
const isAnswered = conversation => messages.some(message => message.conversation === conversation &&
  message.terminals[0]?.event === 'complete' && !mayBeLost(message));

// What is known of messages whose server was not killed: when, and what servers said of their runs.
const whatIsKnown = messages => {
  const about = messages.filter(message => !mayBeLost(message)).map(({ text, ids, forgotten, askedAt, endedAt }) => {
    const runs = [...forgotten, ids[0]].map(id => id?.split(':')[0] ?? 'no run');
    const said = everyone.flatMap((askd, i) => askd.child.stderr.split('\n').filter(line => runs.some(run => line.includes(run))).map(line => `  ${i}: ${line}`));
    return [`${text}: ${runs}, asked ${askedAt}, ended ${endedAt}`, ...said].join('\n');
  });
  return `killed ${kills.map(({ at }) => at)}, away ${JSON.stringify(outages)}, stopped ${JSON.stringify(frozen.map(({ from, to }) => ({ from, to })))}\n${about.join('\n')}`;
};

test(`chaos with seed ${SEED} for ${SECONDS} s`, async () => {
  for (const askd of instances)
    (await askd.ask('chaos statement first')).check();
  const floor = Math.max(...instances.map(rss));
  const talkers = Array.from({ length: TALKERS }, (_, i) => talker(i));
  await wreck().finally(() => { talking = false; });
  await Promise.all(talkers);
  console.log(`faults ${count(log)}; messages ${messages.length}; ends ${ends(messages)}`);
  await until('all three are up', async () => up().length === INSTANCES);

  for (const message of messages) {
    assertEnded(message);
    assert.ok(message.forgotten.length === 0 || mayBeLost(message), `nobody is told that a run is gone whose server lives: ${whatIsKnown([message])}`);
  }
  const lost = [];
  for (const conversation of new Set(messages.map(message => message.conversation))) {
    let read = { missing: [] };
    await until(() => `${conversation.id} is readable (${read.status}), with all that was answered; ${whatIsKnown(read.missing)}`, async () => {
      read = await readConversation(balancer.url, conversation, messages);
      // it is written behind the stream, and not there at all when nothing was answered in it
      return (read.status === 200 || (read.status === 404 && !isAnswered(conversation))) && read.missing.every(mayBeLost);
    });
    lost.push(...read.missing);
    if (read.status === 200)
      assertOnce(read.text);
  }
  console.log(`known to a killed server alone: ${lost.length} answered, ${messages.filter(m => m.forgotten.length).length} asked again`);

  assertOneOwner();
  await until('no run is open', async () => {
    const { runs } = await (await fetch(`${balancer.url}/admin/runs`)).json();
    return runs.every(run => run.state === 'ended');
  });
  await until('no statement is left in PostgreSQL', async () => Number(await administer('postgres', DATABASE,
    `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '${DATABASE}' AND pid <> pg_backend_pid() AND state <> 'idle'`)) === 0);
  await until('nor in MariaDB', async () => Number(await administer('mysql', ASKED,
    `SELECT COUNT(*) FROM information_schema.processlist WHERE db = '${ASKED}' AND id <> CONNECTION_ID() AND command <> 'Sleep'`)) === 0);
  await until(() => `memory: ${up().map(rss)} KiB, at most ${floor} before`, async () =>
    up().every(askd => rss(askd) < FACTOR * floor));
});

test('a server that slept past its lease sends its readers to who goes on', async () => {
  const [sleeper] = instances, conversation = newConversation();
  const response = await sleeper.post('/internal/chat/stream', question('sleeper', conversation));
  let run;
  const reading = readStream(response.body, transcript => {
    run = transcript.frames.length > 5 ? transcript.runId : undefined;
    return false;
  });
  await until('it speaks', async () => run);
  sleeper.child.child.kill('SIGSTOP');
  await until('another goes on', async () => claims().some(claim => claim.run === run && claim.what === 'goes_on'));
  sleeper.child.child.kill('SIGCONT');
  const before = await reading, told = before.frames.pop();
  assert.equal(told.data.code, 'lagged', JSON.stringify(told));
  assert.equal(told.data.retryable, true);
  assert.ok(!told.id, 'it has no id');
  const heard = before.frames.at(-1).id;
  const after = await readStream((await sleeper.fetch(`/internal/runs/${run}/stream?${ofUser1}`, { headers: { 'last-event-id': heard } })).body);
  after.complete({ after: heard });
  const query = new URLSearchParams({ company_id: conversation.company_id, user_id: conversation.user_id });
  const kept = await until('it is kept', async () => {
    const text = await (await fetch(`${instances[1].url}/internal/conversations/${conversation.id}?${query}`)).text();
    return text.includes('"sleeper"') && JSON.parse(text);
  });
  assert.equal(kept.turns, 1, 'by one of the two');
  assertOneOwner();
});
