-- SPDX-License-Identifier: MIT
-- runs.lua - the verbs of core/store about runs and their events; last part of the script.

local READ_AT_ONCE, LIST_AT_ONCE = 16, 100
local IDS_A_SERVER = 1000000000 -- core/store/event.h
local GONE_MS = 400

local function set(id, run, values)
    local words = {}
    for name, value in pairs(values) do
        run[AT[name]] = value
        words[#words + 1] = name
        words[#words + 1] = value
    end
    call('HSET', p .. 'r:' .. id, unpack(words))
end

-- A new lease from now on.
local function set_lease(id, run, lease)
    set(id, run, {changed = now, lease = now + tonumber(lease)})
    call('ZADD', p .. 'ra', now, id)
    call('ZADD', p .. 'cg/' .. owned_of(run), now, id)
    call('ZADD', p .. 'rl', run[AT.lease], id)
end

-- Into the indexes of what is open, or out of them.
local function set_open(id, run)
    for _, index in ipairs({'ro', 'co/' .. owned_of(run)}) do
        if is_open(run) then
            call('ZADD', p .. index, run[AT.began], id)
        else
            call('ZREM', p .. index, id)
        end
    end
end

-- It has ended now, behind all of the user's that ended before.
local function set_end(id, run)
    local ends = p .. 'ue:' .. user_key(run[AT.company], run[AT.user])
    local last = call('ZREVRANGE', ends, 0, 0, 'WITHSCORES')[2]
    set(id, run, {changed = string.format('%.0f', math.max(now, (tonumber(last) or 0) + 1))})
    call('ZADD', ends, run[AT.changed], id)
end

-- The run when it may still be written for by this instance at this epoch.
local function fenced(id, instance, epoch)
    local run = run_of(id)
    if run and run[AT.status] == RUNNING and run[AT.epoch] == epoch and run[AT.instance] == instance then
        return run
    end
    return nil
end

function verbs.begin(conversation, company, user, id, graph, input, key, instance, lease, alone)
    local there = run_of(id)
    if there then -- sent again: the first answer was lost
        return answer(there[AT.instance] == instance and 'ok' or 'conflict', {runs = {there}})
    end
    local run = {conversation, company, user, id, graph, input, key, instance, '1', now, now, now, 0,
                 RUNNING, 0}
    local rival = key ~= '' and call('GET', key_of_key(run))
    if not rival and alone == '1' and conversation ~= '' then
        rival = call('ZRANGE', p .. 'co/' .. owned_of(run), 0, 0)[1]
    end
    if rival then
        return answer('conflict', {runs = {run_of(rival)}})
    end
    local words = {}
    for i, name in ipairs(FIELDS) do
        words[2 * i - 1], words[2 * i] = name, run[i]
    end
    call('HSET', p .. 'r:' .. id, unpack(words))
    if key ~= '' then
        call('SET', key_of_key(run), id)
    end
    for _, index in ipairs({'cr/' .. owned_of(run), 'rb', 'oc:' .. company,
                            'ur:' .. user_key(company, user)}) do
        call('ZADD', p .. index, now, id)
    end
    set_lease(id, run, lease)
    set_open(id, run)
    return answer('ok', {runs = {run}})
end

local function put_mark(id, version, step, full, bytes)
    if call('ZADD', p .. 'ms:' .. id, version, version) == 1 then
        call('HSET', p .. 'm:' .. id, version, cmsgpack.pack({now, tonumber(step), tonumber(full), bytes}))
    end
end

function verbs.resume(conversation, company, user, id, graph, input, key, instance, lease, alone, paused,
                      step, bytes)
    local old, was_there = run_of(paused), run_of(id) -- there: sent again
    if not was_there then
        if not old or not is_of(old, company, user, '') then
            return answer('not_found')
        elseif old[AT.status] ~= PAUSED then
            return answer('conflict', {runs = {old}})
        end
        set(paused, old, {status = COMPLETE})
        set_open(paused, old)
    end
    local begun = verbs.begin(conversation, company, user, id, graph, input, key, instance, lease, alone)
    if was_there then
        return begun
    elseif begun[1] ~= 'ok' then
        set(paused, old, {status = PAUSED})
        set_open(paused, old)
        return begun
    end
    set_end(paused, old)
    call('ZADD', p .. 'ra', now, paused)
    call('ZADD', p .. 'cg/' .. owned_of(old), now, paused)
    call('UNLINK', p .. 'm:' .. paused, p .. 'ms:' .. paused)
    put_mark(id, 1, step, 1, bytes)
    return begun
end

-- Which of the instances have somebody who listens to their channel, which ends with their
-- connection: true or false by name, asked for in one go; empty: Redis does not say.
local function find_alive(instances)
    local channels, alive = {}, {}
    for i = 1, math.min(#instances, 4000) do
        channels[i] = p .. 'alive:' .. instances[i]
    end
    local counted = redis.pcall('PUBSUB', 'NUMSUB', unpack(channels))
    for i = 1, counted.err and 0 or #channels do
        alive[instances[i]] = tonumber(counted[2 * i]) > 0
    end
    return alive
end

-- Whether all connections were cut just now, since the server has started anew.
local function is_young()
    local info = redis.pcall('INFO', 'server')
    local seconds = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)')
    return seconds and tonumber(seconds) < 10
end

-- The leases of those who showed that they live and have not done so for a while are over. A
-- connection that was cut has that while to come again. instance, when it shows it, is known from now
-- on.
local function end_leases(instance)
    local gone, any = {}, false
    local known, names = call('HGETALL', p .. 'al'), {instance}
    for i = 1, #known, 2 do
        names[#names + 1] = known[i]
    end
    local living = find_alive(names)
    if living[instance] then
        call('HSETNX', p .. 'al', instance, 0)
    end
    for i = 1, #known, 2 do
        local name, since, alive = known[i], tonumber(known[i + 1]), living[known[i]]
        if alive and since > 0 then
            call('HSET', p .. 'al', name, 0)
        elseif alive == false and since == 0 and not is_young() then
            call('HSET', p .. 'al', name, now)
        elseif alive == false and since > 0 and now - since >= GONE_MS then
            gone[name], any = true, true
        end
    end
    if not any then
        return
    end
    for _, id in ipairs(call('ZRANGEBYSCORE', p .. 'rl', '(' .. now, '+inf')) do
        local run = run_of(id)
        if run and gone[run[AT.instance]] and run[AT.status] == RUNNING then
            set(id, run, {lease = now})
            call('ZADD', p .. 'rl', now, id)
        end
    end
    for name in pairs(gone) do -- a run that began meanwhile has its lease
        call('HDEL', p .. 'al', name)
    end
end

function verbs.claim(id, instance, lease)
    end_leases(instance)
    if id == '' then
        id = call('ZRANGEBYSCORE', p .. 'rl', '-inf', now, 'LIMIT', 0, 1)[1]
    end
    local run = id and run_of(id)
    if not run then
        return answer('not_found')
    end
    local is_over = run[AT.status] == RUNNING and tonumber(run[AT.lease]) <= now
    if run[AT.status] ~= PAUSED and not is_over then
        return answer('conflict')
    end
    set(id, run, {instance = instance, epoch = tonumber(run[AT.epoch]) + 1, status = RUNNING})
    set_lease(id, run, lease)
    set_open(id, run)
    return answer('ok', {runs = {run}})
end

function verbs.renew(id, instance, epoch, lease)
    local run = fenced(id, instance, epoch)
    if not run then
        return answer('conflict')
    end
    set_lease(id, run, lease)
    return answer('ok', {runs = {run}})
end

-- When run has ended: of its conversation's ended runs the one that began last keeps its marks, and a
-- run of none keeps none. Older ones than the last few have none.
local function drop_marks(id, run)
    local runs, newest = {id}
    if run[AT.conversation] ~= '' then
        runs = call('ZREVRANGE', p .. 'cr/' .. owned_of(run), 0, 16)
    end
    for _, other in ipairs(runs) do
        local at = run_of(other)
        if run[AT.conversation] == '' or (newest and at and not is_open(at)) then
            call('UNLINK', p .. 'm:' .. other, p .. 'ms:' .. other)
        elseif at and not is_open(at) then
            newest = other
        end
    end
end

function verbs.finish(id, instance, epoch, status)
    local run = fenced(id, instance, epoch)
    if not run then
        run = run_of(id)
        local is_done = run and run[AT.status] == status and run[AT.epoch] == epoch and
                            run[AT.instance] == instance -- sent again
        return answer(is_done and 'ok' or 'conflict')
    end
    set(id, run, {status = status, changed = now})
    call('ZADD', p .. 'ra', now, id)
    call('ZADD', p .. 'cg/' .. owned_of(run), now, id)
    if status ~= RUNNING then
        call('ZREM', p .. 'rl', id)
    end
    set_open(id, run)
    if not is_open(run) then
        set_end(id, run)
        drop_marks(id, run)
    end
    return answer('ok')
end

local function index_of(conversation, company, user, only_open)
    if conversation ~= '' and company ~= '' and user ~= '' then
        return (only_open and 'co/' or 'cr/') .. owned(conversation, company, user)
    elseif only_open then
        return 'ro'
    elseif company ~= '' and user ~= '' then
        return 'ur:' .. user_key(company, user)
    elseif company ~= '' then
        return 'oc:' .. company
    end
    return 'rb'
end

-- The id for an idempotency key; a caller that is not named whole is looked for.
local function id_of_key(conversation, company, user, key)
    if company ~= '' and user ~= '' then
        return call('GET', key_of_key({conversation, company, user, '', '', '', key}))
    end
    for _, id in ipairs(call('ZRANGE', p .. index_of(conversation, company, user, false), 0, -1)) do
        if call('HGET', p .. 'r:' .. id, 'key') == key and
            is_of(run_of(id), company, user, conversation) then
            return id
        end
    end
    return nil
end

function verbs.find(conversation, company, user, id, key)
    if id == '' and key ~= '' then
        id = id_of_key(conversation, company, user, key)
    end
    local run = id and run_of(id)
    if not run or not is_of(run, company, user, conversation) then
        return answer('not_found')
    end
    return answer('ok', {runs = {run}})
end

function verbs.runs(conversation, company, user, limit, only_open)
    local runs, at = {}, 0
    local index = p .. index_of(conversation, company, user, only_open == '1')
    limit = tonumber(limit)
    while #runs < limit do
        local ids = call('ZREVRANGE', index, at, at + LIST_AT_ONCE - 1)
        for _, id in ipairs(ids) do
            local run = run_of(id)
            if #runs < limit and is_of(run, company, user, conversation) then
                runs[#runs + 1] = run
            end
        end
        at = at + #ids
        if #ids < LIST_AT_ONCE then
            break
        end
    end
    return answer('ok', {runs = runs})
end

function verbs.ended(company, user, after, after_id, limit)
    local runs, at = {}, 0
    limit = tonumber(limit)
    while #runs < limit do
        local ids = call('ZRANGEBYSCORE', p .. 'ue:' .. user_key(company, user), after, '+inf', 'LIMIT', at,
                         LIST_AT_ONCE)
        for _, id in ipairs(ids) do
            local run = run_of(id)
            if run and #runs < limit and (run[AT.changed] ~= after or id > after_id) then
                runs[#runs + 1] = run
            end
        end
        at = at + #ids
        if #ids < LIST_AT_ONCE then
            break
        end
    end
    return answer('ok', {runs = runs})
end

function verbs.stop(conversation, company, user, id, how)
    local run = run_of(id)
    if not run or not is_of(run, company, user, conversation) then
        return answer('not_found')
    end
    if is_open(run) then
        set(id, run, {cancel = math.max(tonumber(run[AT.cancel]), tonumber(how))})
    end
    return answer('ok', {runs = {run}})
end

-- Whether the batch is kept, the run's last event, and how it is asked to cancel.
local function append(id, instance, epoch, first, count, bytes)
    local at = call('HMGET', p .. 'r:' .. id, 'instance', 'epoch', 'status', 'last', 'cancel')
    if at[1] ~= instance or at[2] ~= epoch or at[3] ~= RUNNING then
        return false, 0, 0
    end
    local last, cancel = tonumber(at[4]), at[5]
    first, count = tonumber(first), tonumber(count)
    if first + count - 1 <= last then -- sent again
        return true, last, cancel
    end
    if first ~= last + 1 and (first ~= (tonumber(epoch) - 1) * IDS_A_SERVER + 1 or first <= last) then
        return false, last, cancel
    end
    last = first + count - 1
    call('XADD', p .. 'e:' .. id, string.format('%.0f-0', last), 'first', first, 'bytes', bytes)
    call('HSET', p .. 'r:' .. id, 'last', last)
    return true, last, cancel
end

function verbs.append(...)
    local kept, last = append(...)
    return answer(kept and 'ok' or 'conflict', {last_id = last})
end

-- Its words are read where they are: there are more than a call may have.
function verbs.write(count)
    local verdicts = {}
    for i = 1, tonumber(count) do
        local at = 3 + (i - 1) * 6
        local kept, last, cancel = append(unpack(ARGV, at, at + 5))
        verdicts[i] = {kept and 1 or 0, last, cancel}
    end
    return answer('ok', {verdicts = verdicts})
end

function verbs.read(conversation, company, user, id, after, limit_bytes)
    local run = run_of(id)
    local batches, bytes = {}, 0
    if not run or not is_of(run, company, user, conversation) then
        return answer('not_found')
    end
    after, limit_bytes = tonumber(after), tonumber(limit_bytes)
    while true do
        local entries = call('XRANGE', p .. 'e:' .. id, string.format('%.0f-0', after + 1), '+', 'COUNT',
                             READ_AT_ONCE)
        for _, entry in ipairs(entries) do
            local first, text = tonumber(entry[2][2]), entry[2][4]
            bytes = bytes + #text
            if #batches > 0 and bytes > limit_bytes then
                return answer('ok', {last_id = tonumber(run[AT.last]), runs = {run}, batches = batches})
            end
            after = tonumber(entry[1]:match('^%d+'))
            batches[#batches + 1] = {first, after - first + 1, text}
        end
        if #entries < READ_AT_ONCE then
            return answer('ok', {last_id = tonumber(run[AT.last]), runs = {run}, batches = batches})
        end
    end
end

function verbs.mark(id, instance, epoch, version, step, full, bytes)
    if not fenced(id, instance, epoch) then
        return answer('conflict')
    end
    put_mark(id, version, step, full, bytes)
    return answer('ok')
end

function verbs.marks(conversation, company, user, id, before, limit, only_list)
    local run, checkpoints = run_of(id), {}
    if not run or not is_of(run, company, user, conversation) then
        return answer('not_found')
    end
    local versions = call('ZREVRANGEBYSCORE', p .. 'ms:' .. id, before == '0' and '+inf' or '(' .. before,
                          '-inf', 'LIMIT', 0, limit)
    for i = #versions, 1, -1 do
        local m = cmsgpack.unpack(call('HGET', p .. 'm:' .. id, versions[i]))
        checkpoints[#checkpoints + 1] = {tonumber(versions[i]), m[1], id, m[2], m[3],
                                         only_list == '1' and '' or m[4]}
    end
    return answer('ok', {runs = {run}, checkpoints = checkpoints})
end

return verbs[ARGV[1]](unpack(ARGV, 2, math.min(#ARGV, 4000)))
