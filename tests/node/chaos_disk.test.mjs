// SPDX-License-Identifier: MIT
// tests/node/chaos_disk.test.mjs - one askd whose conversations and runs are in SQLite on a disk that is full
// now and then; sometimes it is killed meanwhile.
//
// What happens when is drawn from CHAOS_SEED, for CHAOS_SECONDS: short here, long by bench/chaos.sh. While
// the disk is full answers stream all the same. Afterwards: every message had exactly one end, what was
// answered is in its conversation, once, also for the next server on the file; only what a server knew
// alone, since the disk was full, goes when it is killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { assertEnded, assertOnce, count, dice, ends, Message, readConversation, sleep, talk, withFetch } from './lib/asking.mjs';
import { smallDisk } from './lib/disk.mjs';
import { startAskd, startMock } from './lib/harness.mjs';
import { until } from './lib/process.mjs';
import { faulty, general, words } from './lib/scripts.mjs';

const SEED = Number(process.env.CHAOS_SEED ?? 1), SECONDS = Number(process.env.CHAOS_SECONDS ?? 6);
const ANSWER = words(40), TALKERS = 8, LEAST_FAULTS = 4, PAUSE = 3000; // of a server that has lost its store, at most
const disk = smallDisk(64 << 20);
process.on('exit', disk.drop); // once nothing else of this process writes there
const mock = await startMock([faulty('chaos', 'rate-100', ANSWER), ...general]);

let askd;
const boot = async () => {
  askd = await startAskd({ mock, ready: null, env: {
    ASKD_CHECKPOINT_URL: `sqlite:${join(disk.folder, 'conversations.db')}`, ASKD_WORKERS: '2',
    ASKD_LEASE_SECONDS: '1', ASKD_DISCONNECT_GRACE_SECONDS: '20' } });
};
await boot();

const messages = [], log = [], kills = [], full = []; // when: killed, and full from and to
let talking = true;
const talker = i => {
  const random = dice(SEED * 1000 + i);
  const conversation = { id: `disk-${SEED}-${i}`, user_id: `user-${i % 3}`, company_id: 'acme' };
  return talk(conversation, { messages, random, goes: () => talking, text: n => `chaos question ${n}`, answer: () => ANSWER,
    ask: message => withFetch(askd.url, message) });
};

const mayBeLost = ({ askedAt, endedAt }) => full.some(({ from, to }) =>
  from < (endedAt ?? Infinity) && to + PAUSE > askedAt && kills.some(at => at > askedAt && at < to + PAUSE));

// One each: a server that was killed may have left a run in the conversation, which is busy until that ends.
const watcher = n => ({ id: `disk-${SEED}-watcher-${n}`, user_id: 'user-9', company_id: 'acme' });

const wreck = async () => {
  const random = dice(SEED);
  for (const end = Date.now() + SECONDS * 1000; log.length < LEAST_FAULTS || Date.now() < end;) {
    const killed = random(3) === 0, ms = 200 + random(1500);
    log.push(killed ? 'full and killed' : 'full');
    full.push({ from: Date.now(), to: Infinity });
    assert.ok(disk.fill(askd.child.child.pid), 'the disk is full');
    const meanwhile = new Message(watcher(log.length), `chaos question ${log.length}`, ANSWER);
    messages.push(meanwhile);
    await withFetch(askd.url, meanwhile);
    assert.equal(meanwhile.terminals[0]?.event, 'complete', `an answer streams all the same: ${JSON.stringify({ ...meanwhile, body: undefined })}`);
    await sleep(ms);
    if (killed) {
      kills.push(Date.now());
      askd.kill();
      await askd.child.ended;
      disk.free(process.pid);
      await boot();
    } else {
      assert.ok(disk.free(askd.child.child.pid), 'it has room again');
    }
    full.at(-1).to = Date.now();
    await sleep(300 + random(900));
  }
};

const assertKept = async () => {
  const lost = [];
  for (const conversation of new Set(messages.map(message => message.conversation))) {
    let read = { missing: [] };
    await until(() => `${conversation.id} has ${read.missing.filter(m => !mayBeLost(m)).map(m => JSON.stringify({ ...m, body: undefined, ids: m.ids.at(-1) }))}; killed ${kills}, full ${JSON.stringify(full)}`, async () => {
      read = await readConversation(askd.url, conversation, messages);
      return [200, 404].includes(read.status) && read.missing.every(mayBeLost); // 404: all of it was lost
    });
    lost.push(...read.missing);
    if (read.status === 200)
      assertOnce(read.text);
  }
  return lost;
};

test(`a disk that is full, with seed ${SEED} for ${SECONDS} s`, async () => {
  const talkers = Array.from({ length: TALKERS }, (_, i) => talker(i));
  await wreck().finally(() => { talking = false; });
  await Promise.all(talkers);
  console.log(`faults ${count(log)}; messages ${messages.length}; ends ${ends(messages)}`);
  for (const message of messages) {
    assertEnded(message);
    assert.ok(message.forgotten.length === 0 || mayBeLost(message), `it was known: ${message.conversation.id} ${message.text}`);
  }
  const lost = await assertKept();
  await until('no run is open', async () =>
    (await (await askd.fetch('/admin/runs')).json()).runs.every(run => run.state === 'ended'));
  await askd.stop();
  await boot();
  assert.deepEqual(await assertKept(), lost, 'and for the next server on the file');
  console.log(`known to a killed server alone: ${lost.length}`);
});
