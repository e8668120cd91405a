// SPDX-License-Identifier: MIT
// tests/node/erasing.test.mjs - what is erased is gone from PostgreSQL and Redis, from every table and key:
// a conversation, then all of a user; what others said stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newConversation, startAskd } from './lib/harness.mjs';
import { run, until } from './lib/process.mjs';
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
