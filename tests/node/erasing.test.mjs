// SPDX-License-Identifier: MIT
// tests/node/erasing.test.mjs - what is erased is gone from PostgreSQL and Redis, from every table and key, and
// from memory: a conversation, then all of a user; what others said, and what another server runs, stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newConversation, startAskd, startMock, ofUser1 } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
import { faulty, general, words } from './lib/scripts.mjs';
import { administer, createDatabase } from './lib/servers.mjs';

const hex = text => Buffer.from(text).toString('hex');

// Every row of every table, bytes in hexadecimal.
const tables = ['conversations', 'checkpoints', 'turns', 'notes', 'user_notes', 'runs', 'marks', 'events'];
const inPostgres = database => async word => {
  const rows = await administer('postgres', database, tables.map(table => `SELECT t::text FROM askd_store.${table} t`).join(' UNION ALL '));
  return rows.includes(hex(word)) || rows.includes(word) || rows.toLowerCase().includes(hex(word.toLowerCase()));
};

const redis = async (url, ...args) => {
  const result = await run('redis-cli', ['-u', url, ...args], { cwd: '/tmp' });
  assert.equal(result.code, 0, result.stderr);
  return result.stdout;
};
// What a script finds in names and values of all kinds.
const SCRIPT = `local function has(v) if type(v) == 'table' then for _, x in ipairs(v) do if has(x) then return true end end
  return false end return tostring(v):find(ARGV[1], 1, true) ~= nil end
local reads = {string = {'GET'}, hash = {'HGETALL'}, list = {'LRANGE', 0, -1}, set = {'SMEMBERS'}, zset = {'ZRANGE', 0, -1},
  stream = {'XRANGE', '-', '+'}}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local read = reads[redis.call('TYPE', key).ok]
  if has(key) or has(redis.call(read[1], key, unpack(read, 2))) then return 1 end
end
return 0`;
const inRedis = url => async word => (await redis(url, 'EVAL', SCRIPT, '0', word)).trim() === '1';

const stores = {
  async postgres() {
    const url = await createDatabase('postgres', 'node_erasing');
    return { url, holds: inPostgres('node_erasing') };
  },
  async redis() {
    const url = readFileSync(join(process.env.ASKD_TEST_SERVERS, 'redis.url'), 'utf8').trim().replace(/\/0$/, '/13');
    await redis(url, 'FLUSHDB');
    return { url, holds: inRedis(url) };
  },
};

for (const [name, make] of Object.entries(stores))
  test(`${name}: what is erased is gone`, async () => {
    const { url, holds } = await make();
    const askd = await startAskd({ env: { ASKD_CHECKPOINT_URL: url, CONVERSATION_MEMORY_STRATEGY: 'tiered' } });
    const mine = newConversation(), more = newConversation(), other = { ...newConversation(), user_id: 'user-2' };
    const say = async (message, conversation) =>
      assert.equal((await askd.ask(message, { conversation })).events.at(-1).event, 'complete');
    const erase = (path, who) => askd.fetch(`/internal/conversations${path}?company_id=${who.company_id}&user_id=${who.user_id}`, { method: 'DELETE' });
    for (let n = 1; n <= 11; n++)
      await say(`How many employees are there? CANARYONE${n}`, mine);
    await say('Show work order 7 CANARYTWO', more);
    await say('How many employees are there? CANARYOTHER', other);
    for (const word of ['CANARYONE1', 'CANARYONE11', 'CANARYTWO', 'CANARYOTHER'])
      await until(`${word} is stored`, () => holds(word));

    await until('it is erased', async () => (await erase(`/${mine.id}`, mine)).status === 204);
    assert.equal(await holds('CANARYONE'), false);
    assert.equal(await holds('CANARYTWO'), true);
    assert.equal((await erase('', mine)).status, 204);
    assert.equal(await holds('CANARYTWO'), false);
    assert.equal(await holds(mine.user_id), false, 'nor is there the user');
    assert.equal(await holds('CANARYOTHER'), true);
  });

for (const [name, make] of Object.entries(stores))
  test(`${name}: nor is it in memory; what another server runs is not erased`, async () => {
    const { url } = await make();
    const mock = await startMock([faulty('slow', 'rate-40', words(800)), ...general]);
    const env = { ASKD_CHECKPOINT_URL: url, ASKD_WORKERS: '2' };
    const first = await startAskd({ env, mock }), second = await startAskd({ env, mock });
    const who = 'company_id=acme&user_id=user-1', mine = newConversation(), more = newConversation();
    const erase = async (askd, path) => (await askd.fetch(`/internal/conversations${path}?${who}`, { method: 'DELETE' })).status;
    const ask = async conversation => (await first.ask('hello', { conversation, headers: { 'idempotency-key': conversation.id } })).events.at(-1).run_id;
    const runs = [await ask(mine), await ask(more)];
    assert.equal(await ask(mine), runs[0], 'by its key');
    await until('one is erased', async () => await erase(first, `/${mine.id}`) === 204);
    assert.equal((await first.fetch(`/internal/runs/${runs[0]}/stream?${ofUser1}`)).status, 410);
    assert.notEqual(await ask(mine), runs[0]);
    assert.equal(await erase(first, ''), 204);
    await until('all of it is, on every worker', async () => (await first.fetch(`/internal/runs/${runs[1]}/stream?${ofUser1}`)).status === 410);

    const busy = newConversation(), end = first.ask('slow, please', { conversation: busy });
    const { run_id } = await until('it runs', async () =>
      (await (await second.fetch(`/internal/runs?${who}`)).json()).runs.find(run => run.conversation_id === busy.id));
    for (const askd of [first, second])
      assert.equal(await erase(askd, `/${busy.id}`), 409);
    await second.fetch(`/internal/runs/${run_id}/cancel?${who}`, { method: 'POST' });
    assert.equal((await end).events.at(-1).code, 'cancelled');
    await until('it is over', async () => await erase(second, `/${busy.id}`) === 204);
  });
