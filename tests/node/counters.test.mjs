// SPDX-License-Identifier: MIT
// tests/node/counters.test.mjs - what a run of one token and what a token take, counted, not timed: reads
// and writes (the kernel's count), transactions of the store (SQLite's), turns of the loop and pieces of
// memory (/metrics); the memory that a stream holds while its model says nothing, and what a server takes
// that nobody asks anything. The bounds are what they take with some air; who passes one has made every run or
// every token dearer.
//
// Requests come one after the other, so nothing is shared between them: with many at once each takes
// less. A busy machine makes tokens meet in one read, which takes less, too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startAskd, startMock, tempPath } from './lib/harness.mjs';
import { faulty, general, held, line, words } from './lib/scripts.mjs';

const RUNS = 100, TOKENS = 200;
const mock = await startMock([line('classify', 'GENERAL'), held(), faulty('long', 'rate-200', words(TOKENS)),
  line('general', 'Hello'), ...general]);

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

// The transactions that have changed the file, as its index in shared memory counts them.
const transactions = path => readFileSync(`${path}-shm`).readUInt32LE(8);

const count = async (askd, path) => {
  await sleep(2500); // what runs leave behind is written, and the workers have counted
  const io = readFileSync(`/proc/${askd.child.child.pid}/io`, 'utf8');
  const number = name => Number(new RegExp(`${name}: (\\d+)`).exec(io)[1]);
  return {
    calls: number('syscr') + number('syscw'),
    transactions: path ? transactions(path) : 0,
    turns: await askd.metric('askd_loop_lag_seconds_count'),
    allocations: await askd.metric('askd_allocations_total'),
  };
};

// What it takes, less what as much time takes without it.
const taken = async (askd, path, work) => {
  const before = await count(askd, path);
  const after_silence = await count(askd, path);
  const began = Date.now();
  await work();
  const seconds = (Date.now() - began) / 1000 + 2.5;
  const after = await count(askd, path);
  return Object.fromEntries(Object.keys(after).map(name =>
    [name, after[name] - after_silence[name] - (after_silence[name] - before[name]) * seconds / 2.5]));
};

const ask = async (askd, message, times) => {
  for (let i = 0; i < times; i++) {
    const transcript = await askd.ask(message);
    assert.equal(transcript.of('complete').length, 1);
  }
};

const hold = (what, taken, bounds) => {
  console.log(`# ${what}: ${Object.entries(taken).map(([name, value]) => `${value.toFixed(2)} ${name}`).join(', ')}`);
  for (const [name, most] of Object.entries(bounds)) {
    assert.ok(taken[name] <= most, `${what}: ${taken[name].toFixed(2)} ${name}, more than ${most}`);
  }
};

const each = (taken, times) => Object.fromEntries(Object.entries(taken).map(([name, value]) => [name, value / times]));

const WAITING = 100;

for (const [store, most] of Object.entries({ none: 43_500, sqlite: 47_000 })) {
  test(`what a stream holds while it waits, store ${store}`, async () => {
    const askd = await startAskd({ mock, env: {
      ASKD_CHECKPOINT_URL: store === 'sqlite' ? `sqlite:${tempPath('waiting.db')}` : 'none', ASKD_WORKERS: '1', ASKD_LOG_LEVEL: 'error',
      ASKD_MAX_RUNS: String(2 * WAITING), ASKD_LLM_IN_FLIGHT: String(4 * WAITING), ASKD_LINGER_SECONDS: '0',
    } });
    const bytes = async () => {
      await sleep(2500); // what was said is written, and the workers have counted
      return askd.metric('askd_memory_held_bytes');
    };
    const wait = async count => {
      await mock.reset();
      const all = Promise.all(Array.from({ length: count }, () => askd.ask('Say what is held')));
      await mock.holds(count);
      const taken = await bytes();
      for (const transcript of await mock.release(all))
        assert.equal(transcript.of('complete').length, 1);
      return taken;
    };
    const few = await wait(10); // whatever is made once, and for the first connections, is there
    const each = (await wait(WAITING) - few) / (WAITING - 10);
    console.log(`# a waiting stream, store ${store}: ${Math.round(each)} bytes`);
    assert.ok(each > 1000 && each <= most, `a waiting stream holds ${Math.round(each)} bytes, more than ${most}`);
    await askd.stop();
  });
}

for (const [store, bounds] of Object.entries({
  none: {
    run: { calls: 9.5, turns: 5, allocations: 132, transactions: 0 },
    token: { calls: 4.5, turns: 2.4, allocations: 0.15, transactions: 0 },
  },
  sqlite: {
    run: { calls: 24, turns: 7.5, allocations: 152, transactions: 3.2 },
    token: { calls: 7, turns: 3.3, allocations: 0.7, transactions: 0.6 },
  },
})) {
  test(`what a run and a token take, store ${store}`, async () => {
    const path = store === 'sqlite' ? tempPath('counters.db') : null;
    const askd = await startAskd({ mock, env: {
      ASKD_CHECKPOINT_URL: path ? `sqlite:${path}` : 'none', ASKD_WORKERS: '1', ASKD_LOG_LEVEL: 'error',
    } });
    await ask(askd, 'Say hello', 20); // whatever is made once
    const short = each(await taken(askd, path, () => ask(askd, 'Say hello', RUNS)), RUNS);
    hold(`a run of one token, store ${store}`, short, bounds.run);
    const long = await taken(askd, path, () => ask(askd, 'Say something long', 2));
    const token = Object.fromEntries(Object.keys(long).map(name => [name, (long[name] / 2 - short[name]) / (TOKENS - 1)]));
    hold(`a further token, store ${store}`, token, bounds.token);
    await askd.stop();
  });
}

test('what a server takes that nobody asks anything', async () => {
  const path = tempPath('idle.db');
  const askd = await startAskd({ mock, env: { ASKD_CHECKPOINT_URL: `sqlite:${path}`, ASKD_WORKERS: '4', ASKD_LOG_LEVEL: 'error' } });
  await ask(askd, 'Say hello', 8); // each worker has been at work
  const SECONDS = 8;
  await sleep(2500);
  const before = await count(askd, path);
  await sleep(1000 * SECONDS - 2500);
  const after = await count(askd, path);
  hold('an idle server of four workers, a second', each(Object.fromEntries(Object.keys(after).map(name =>
    [name, after[name] - before[name]])), SECONDS), { calls: 20, turns: 25, allocations: 15, transactions: 0.5 });
  await askd.stop();
});
