// SPDX-License-Identifier: MIT
// tests/node/takeover_at_once.test.mjs - two servers on one store, whose leases outlast this test: the
// run of a server that is killed goes on at the other all the same, for the store can tell that its
// process has ended. The run of one that lives does not, whatever befalls it: it stands still for
// longer than a death takes to be seen, and its connections to the store are cut.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newConversation, ofUser1, question, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { general, held, words } from './lib/scripts.mjs';
import { administer, createDatabase } from './lib/servers.mjs';
import { readStream } from './lib/sse.mjs';

const TEXT = words(80), HEARD = 10, STILL_MS = 2500, DATABASE = 'askd_takeover';
const redisUrl = readFileSync(join(process.env.ASKD_TEST_SERVERS, 'redis.url'), 'utf8').trim().replace(/\/0$/, '/11');
const redis = async (...args) => {
  const { code, stdout, stderr } = await run('redis-cli', ['-u', redisUrl, ...args], { cwd: '/tmp' });
  assert.equal(code, 0, stdout + stderr);
};

const stores = {
  sqlite: { url: async () => `sqlite:${tempPath('at_once.db')}` }, // a file has no connection
  postgres: {
    url: async () => createDatabase('postgres', DATABASE),
    cut: () => administer('postgres', DATABASE, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '${DATABASE}' AND pid <> pg_backend_pid()`),
  },
  redis: {
    url: async () => redis('FLUSHDB').then(() => redisUrl),
    cut: async () => {
      await redis('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await redis('CLIENT', 'KILL', 'TYPE', 'normal');
    },
  },
};

const mock = await startMock([held('long', TEXT), ...general]);
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

for (const [name, { url, cut }] of Object.entries(stores))
  test(name, async t => {
    const env = { ASKD_CHECKPOINT_URL: await url(), ASKD_LEASE_SECONDS: '600', ASKD_DURABILITY: 'sync' };
    const [one, other] = await Promise.all([startAskd({ mock, env }), startAskd({ mock, env })]);
    const begin = async () => {
      const response = await one.post('/internal/chat/stream', question('long', newConversation()));
      const before = await readStream(response.body, ({ frames }) => frames.length >= HEARD);
      const last = `${before.runId}:${before.frames.length}`;
      return { last, rejoin: async server => readStream((await server.fetch(
        `/internal/runs/${before.runId}/stream?${ofUser1}`, { headers: { 'last-event-id': last } })).body) };
    };
    const attempts = ({ frames }) => frames.filter(({ data }) => data.attempt === 2);

    await t.test('a server that lives keeps its run', async () => {
      const { last, rejoin } = await begin();
      one.child.child.kill('SIGSTOP');
      await sleep(STILL_MS);
      one.child.child.kill('SIGCONT');
      for (let i = 0; cut && i < 5; i++) {
        await cut();
        await sleep(STILL_MS / 5);
      }
      const after = await mock.release(rejoin(one));
      after.complete({ after: last });
      assert.equal(attempts(after).length, 0, 'nothing begins again');
      assert.doesNotMatch(other.child.stderr, /run\.takeover/);
    });

    await t.test('a server that is killed does not', async () => {
      const { last, rejoin } = await begin();
      one.kill();
      const killed = Date.now();
      const taken = until('it goes on', () => /run\.takeover.*goes_on/.test(other.child.stderr)).then(() => Date.now() - killed);
      const after = await mock.release(rejoin(other));
      after.complete({ after: last });
      assert.equal(attempts(after).map(({ data }) => data.content).join(''), TEXT);
      t.diagnostic(`${name}: goes on ${await taken} ms after the kill`);
    });
    await other.stop();
  });
