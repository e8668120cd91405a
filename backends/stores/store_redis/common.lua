-- SPDX-License-Identifier: MIT
-- common.lua - what the verbs of core/store share; first part of the one script of store_redis.c.
--
-- KEYS[1] is the prefix of all keys, ARGV[1] the verb, the rest its ask in the order of
-- store_wire.h. An answer is a list: a code, three numbers, then seven lists of records in
-- the order of store_wire.h. Keys, behind the prefix:
--   format            the version of all this
--   c:CONVERSATION    hash: whose, version, turns, times, title, token of the last save
--   t: n:             its turns by number (packed), its notes by name
--   k: km: kf:        its checkpoints by version: bytes, the rest (packed), which are full ones
--   uc:USER un:USER   a user's conversations by last change; a user's notes
--   age               all conversations by last change
--   r:RUN e:RUN       a run; a stream of its batches, each under the id of its last event
--   m:RUN ms:RUN      its checkpoints by version (packed); their versions
--   cr: cg: co:       a conversation's runs: by beginning, by last change, the open ones
--   rb oc: ur: ro     all runs by beginning: all, a company's, a user's, the open ones
--   ra rl             all runs by last change; running ones by the end of their lease
--   i:USER:...        run of an idempotency key in a conversation
--   pruner            who pruned last, and when
-- Keys are made from names, so one server has them all: not for Redis Cluster.

local p, call = KEYS[1], redis.call
local clock = call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local verbs = {}

local FORMAT = '1'
local format = call('GET', p .. 'format')
if not format then
    call('SET', p .. 'format', FORMAT)
elseif format ~= FORMAT then
    return {'protocol', 'it is of format ' .. format .. ', and this version of askd knows ' .. FORMAT}
end

local function answer(code, a)
    a = a or {}
    return {code, a.version or 0, a.total or 0, a.last_id or 0, a.checkpoints or {}, a.turns or {},
            a.notes or {}, a.summaries or {}, a.runs or {}, a.batches or {}, a.verdicts or {}}
end

-- A name for company and user together that no other pair has.
local function user_key(company, user)
    return #company .. ':' .. company .. ':' .. user
end

local function add_notes(notes, key)
    local pairs_ = call('HGETALL', key)
    for i = 1, #pairs_, 2 do
        notes[#notes + 1] = {pairs_[i], pairs_[i + 1]}
    end
end

local function put_note(key, name, bytes)
    if bytes == '' then
        call('HDEL', key, name)
    else
        call('HSET', key, name, bytes)
    end
end

-- ---- runs, as both halves need them ----

local FIELDS = {'conversation', 'company', 'user', 'run', 'graph', 'input', 'key', 'instance', 'epoch',
                'began', 'changed', 'lease', 'last', 'status', 'cancel'}
local AT = {}
for i, name in ipairs(FIELDS) do
    AT[name] = i
end
local RUNNING, PAUSED, COMPLETE = '0', '1', '2'

-- The run's fields in order; nil: there is none.
local function run_of(id)
    local run = call('HMGET', p .. 'r:' .. id, unpack(FIELDS))
    return run[1] and run or nil
end

local function is_open(run)
    return run[AT.status] == RUNNING or run[AT.status] == PAUSED
end

local function key_of_key(run)
    return p .. 'i:' .. user_key(run[AT.company], run[AT.user]) .. ':' .. #run[AT.conversation] .. ':' ..
               run[AT.conversation] .. ':' .. run[AT.key]
end

local function drop_run(id, run)
    local conversation = run[AT.conversation]
    for _, index in ipairs({'cr:' .. conversation, 'cg:' .. conversation, 'co:' .. conversation,
                            'rb', 'oc:' .. run[AT.company],
                            'ur:' .. user_key(run[AT.company], run[AT.user]), 'ro', 'ra', 'rl'}) do
        call('ZREM', p .. index, id)
    end
    if run[AT.key] ~= '' and call('GET', key_of_key(run)) == id then
        call('DEL', key_of_key(run))
    end
    call('UNLINK', p .. 'r:' .. id, p .. 'e:' .. id, p .. 'm:' .. id, p .. 'ms:' .. id)
end

-- Drop a conversation's runs, or those of one caller; how many.
local function drop_runs(conversation, company, user)
    local count = 0
    for _, id in ipairs(call('ZRANGE', p .. 'cr:' .. conversation, 0, -1)) do
        local run = run_of(id)
        if run and (not company or (run[AT.company] == company and run[AT.user] == user)) then
            drop_run(id, run)
            count = count + 1
        end
    end
    return count
end
