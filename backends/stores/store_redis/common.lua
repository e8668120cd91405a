-- SPDX-License-Identifier: MIT
-- common.lua - what the verbs of core/store share; first part of the one script of store_redis.c.
--
-- KEYS[1] is the prefix of all keys, ARGV[1] the verb, the rest its ask in the order of
-- store_wire.h. An answer is a list: a code, three numbers, then seven lists of records in
-- the order of store_wire.h. Keys, behind the prefix:
--   format            the version of all this
--   c/OWNED           hash: whose, id, version, turns, times, title, token of the last save
--   t/ n/             its turns by number (packed), its notes by name
--   k/ km/ kf/        its checkpoints by version: bytes, the rest (packed), which are full ones
--   uc:USER un:USER   ids of a user's conversations by last change; a user's notes
--   age               all conversations, as OWNED, by last change
--   r:RUN e:RUN       a run; a stream of its batches, each under the id of its last event
--   m:RUN ms:RUN      its checkpoints by version (packed); their versions
--   cr/ cg/ co/       a conversation's runs: by beginning, by last change, the open ones
--   rb oc: ur: ro     all runs by beginning: all, a company's, a user's, the open ones
--   ra rl             all runs by last change; running ones by the end of their lease
--   ue:USER           a user's runs that have ended, by when they did
--   i:USER:...        run of an idempotency key in a conversation
--   j:KIND:JOB        a job (kinds have no colon)
--   jd:KIND jk:KIND   jobs of a kind: by when they are due, by beginning
--   ju:USER           a user's jobs, each as KIND:JOB
--   pruner            who pruned last, and when
--   al                who shows that it lives (a subscriber of alive:INSTANCE): 0, or gone since when
-- OWNED names a conversation with its owner: two owners' conversations of one id are two. In format 1
-- an id was one for all, and what is under c/ now was under c:ID; in format 2 there was no ue:.
-- Keys are made from names, so one server has them all: not for Redis Cluster.

local p, call = KEYS[1], redis.call
local clock = call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local verbs = {}

local function answer(code, a)
    a = a or {}
    return {code, a.version or 0, a.total or 0, a.last_id or 0, a.checkpoints or {}, a.turns or {},
            a.notes or {}, a.summaries or {}, a.runs or {}, a.batches or {}, a.verdicts or {},
            a.jobs or {}}
end

-- A name for company and user together that no other pair has.
local function user_key(company, user)
    return #company .. ':' .. company .. ':' .. user
end

-- A name for a conversation that no other of any user has.
local function owned(conversation, company, user)
    return #company .. ':' .. #user .. ':' .. company .. user .. conversation
end

-- From format 2: runs that have ended are found by when they did.
local function index_ends()
    for _, id in ipairs(call('ZRANGE', p .. 'rb', 0, -1)) do
        local run = call('HMGET', p .. 'r:' .. id, 'company', 'user', 'status', 'changed')
        if run[1] and tonumber(run[3]) > 1 then
            call('ZADD', p .. 'ue:' .. user_key(run[1], run[2]), run[4], id)
        end
    end
end

-- From format 1: what was found by the id of a conversation is found by its owner, too.
local function upgrade()
    for _, id in ipairs(call('ZRANGE', p .. 'age', 0, -1)) do
        local c = call('HMGET', p .. 'c:' .. id, 'company', 'user')
        local of = c[1] and owned(id, c[1], c[2])
        for _, kind in ipairs(of and {'c', 't', 'n', 'k', 'km', 'kf'} or {}) do
            if call('EXISTS', p .. kind .. ':' .. id) == 1 then
                call('RENAME', p .. kind .. ':' .. id, p .. kind .. '/' .. of)
            end
        end
        if of then
            call('HSET', p .. 'c/' .. of, 'id', id)
            call('ZADD', p .. 'age', call('ZSCORE', p .. 'age', id), of)
        end
        call('ZREM', p .. 'age', id)
    end
    for _, id in ipairs(call('ZRANGE', p .. 'rb', 0, -1)) do
        local run = call('HMGET', p .. 'r:' .. id, 'conversation', 'company', 'user')
        for _, kind in ipairs(run[1] and {'cr', 'cg', 'co'} or {}) do
            local score = call('ZSCORE', p .. kind .. ':' .. run[1], id)
            if score then
                call('ZADD', p .. kind .. '/' .. owned(unpack(run)), score, id)
                call('ZREM', p .. kind .. ':' .. run[1], id)
            end
        end
    end
end

local FORMAT = '3'
local format = call('GET', p .. 'format')
if format == '1' or format == '2' then
    if format == '1' then
        upgrade()
    end
    index_ends()
elseif format and format ~= FORMAT then
    return {'protocol', 'it is of format ' .. format .. ', and this version of askd knows ' .. FORMAT}
end
if format ~= FORMAT then
    call('SET', p .. 'format', FORMAT)
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

local function fits(want, is)
    return want == '' or want == is
end

-- Whether a run or a job, whose first fields say whose it is, fits; an empty text fits any.
local function is_of(record, company, user, conversation)
    return fits(conversation, record[1]) and fits(company, record[2]) and fits(user, record[3])
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

local function owned_of(run)
    return owned(run[AT.conversation], run[AT.company], run[AT.user])
end

local function key_of_key(run)
    return p .. 'i:' .. user_key(run[AT.company], run[AT.user]) .. ':' .. #run[AT.conversation] .. ':' ..
               run[AT.conversation] .. ':' .. run[AT.key]
end

local function drop_run(id, run)
    local of = owned_of(run)
    for _, index in ipairs({'cr/' .. of, 'cg/' .. of, 'co/' .. of, 'rb', 'oc:' .. run[AT.company],
                            'ur:' .. user_key(run[AT.company], run[AT.user]),
                            'ue:' .. user_key(run[AT.company], run[AT.user]), 'ro', 'ra', 'rl'}) do
        call('ZREM', p .. index, id)
    end
    if run[AT.key] ~= '' and call('GET', key_of_key(run)) == id then
        call('DEL', key_of_key(run))
    end
    call('UNLINK', p .. 'r:' .. id, p .. 'e:' .. id, p .. 'm:' .. id, p .. 'ms:' .. id)
end

-- Drop a conversation's runs; how many.
local function drop_runs(of)
    local ids = call('ZRANGE', p .. 'cr/' .. of, 0, -1)
    for _, id in ipairs(ids) do
        drop_run(id, run_of(id))
    end
    return #ids
end

-- ---- jobs, as both halves need them ----

local JOB_FIELDS = {'conversation', 'company', 'user', 'kind', 'job', 'bytes', 'version', 'due', 'began',
                    'changed'}
local JOB = {}
for i, name in ipairs(JOB_FIELDS) do
    JOB[name] = i
end

-- The job's fields in order; nil: there is none.
local function job_of(name)
    local job = call('HMGET', p .. 'j:' .. name, unpack(JOB_FIELDS))
    return job[1] and job or nil
end

local function drop_job(name, job)
    call('UNLINK', p .. 'j:' .. name)
    call('ZREM', p .. 'jd:' .. job[JOB.kind], job[JOB.job])
    call('ZREM', p .. 'jk:' .. job[JOB.kind], job[JOB.job])
    call('SREM', p .. 'ju:' .. user_key(job[JOB.company], job[JOB.user]), name)
end

-- Drop the jobs of a user, or of one of the user's conversations; how many.
local function drop_jobs(conversation, company, user)
    local count = 0
    for _, name in ipairs(call('SMEMBERS', p .. 'ju:' .. user_key(company, user))) do
        local job = job_of(name)
        if job and fits(conversation, job[JOB.conversation]) then
            drop_job(name, job)
            count = count + 1
        end
    end
    return count
end
