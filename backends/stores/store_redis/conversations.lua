-- SPDX-License-Identifier: MIT
-- conversations.lua - the verbs of core/store about conversations; second part of the script.

local MOST_SKIPPED = 1000 -- conversations whose runs are fresh, in one call of prune
local SHARED_MOST = 8     -- conversations whose shared notes come with another of the user's
local ERASE_AT_ONCE = 64  -- conversations, or runs, of a user in one call of erase

-- nil: there is none. Its name with its owner comes in any case.
local function find(conversation, company, user)
    local of = owned(conversation, company, user)
    local c = call('HMGET', p .. 'c/' .. of, 'version', 'turns', 'token')
    if not c[1] then
        return nil, of
    end
    return {version = assert(tonumber(c[1])), turns = assert(tonumber(c[2])), token = c[3]}, of
end

local function turn_of(of, conversation, number)
    local t = cmsgpack.unpack(call('HGET', p .. 't/' .. of, number))
    return {number, t[1], t[2], conversation, t[3], t[4], t[5], t[6], t[7]}
end

-- The shared notes of the caller's other conversations, last changed first.
local function add_shared(notes, conversation, company, user)
    local left = SHARED_MOST
    for _, other in ipairs(call('ZREVRANGE', p .. 'uc:' .. user_key(company, user), 0, SHARED_MOST)) do
        if other ~= conversation and left > 0 then
            left = left - 1
            local own = {}
            add_notes(own, p .. 'n/' .. owned(other, company, user))
            for _, note in ipairs(own) do
                if note[1]:sub(1, 1) == '@' then
                    notes[#notes + 1] = {'@' .. note[1], note[2]}
                end
            end
        end
    end
end

function verbs.load(conversation, company, user, before, limit, at_version, since)
    local c, of = find(conversation, company, user)
    local turns, notes = {}, {}
    before, limit, at_version = tonumber(before), tonumber(limit), tonumber(at_version)
    if c then
        local number = tonumber(since) == c.version and 0 or c.turns
        if before > 0 and before - 1 < number then
            number = before - 1
        end
        while number > 0 and #turns < limit do
            local turn = turn_of(of, conversation, number)
            if at_version == 0 or turn[2] <= at_version then
                turns[#turns + 1] = turn
            end
            number = number - 1
        end
        for i = 1, math.floor(#turns / 2) do
            turns[i], turns[#turns + 1 - i] = turns[#turns + 1 - i], turns[i]
        end
        add_notes(notes, p .. 'n/' .. of)
    end
    add_notes(notes, p .. 'un:' .. user_key(company, user))
    add_shared(notes, conversation, company, user)
    return answer('ok', {version = c and c.version, total = c and c.turns, turns = turns, notes = notes})
end

local function checkpoint_of(of, version, with_bytes)
    local m = cmsgpack.unpack(call('HGET', p .. 'km/' .. of, version))
    local bytes = with_bytes and call('HGET', p .. 'k/' .. of, version)
    return {version, m[1], m[2], m[3], m[4], bytes or ''}
end

function verbs.restore(conversation, company, user, at_version)
    local c, of = find(conversation, company, user)
    local checkpoints, at = {}, tonumber(at_version)
    if not c or at > c.version then
        return answer('not_found')
    end
    at = at == 0 and c.version or at
    local full = call('ZREVRANGEBYSCORE', p .. 'kf/' .. of, at, '-inf', 'LIMIT', 0, 1)[1]
    if not full then
        return answer('not_found')
    end
    for version = tonumber(full), at do
        checkpoints[#checkpoints + 1] = checkpoint_of(of, version, true)
    end
    return answer('ok', {version = at, checkpoints = checkpoints})
end

function verbs.checkpoints(conversation, company, user, before, limit)
    local c, of = find(conversation, company, user)
    local checkpoints = {}
    before, limit = tonumber(before), tonumber(limit)
    if not c then
        return answer('not_found')
    end
    local version = c.version
    if before > 0 and before - 1 < version then
        version = before - 1
    end
    while version > 0 and #checkpoints < limit do
        checkpoints[#checkpoints + 1] = checkpoint_of(of, version, false)
        version = version - 1
    end
    return answer('ok', {checkpoints = checkpoints})
end

function verbs.save(conversation, company, user, expected, token, run, step, full, bytes, title,
                    turn_count, note_count, ...)
    local c, of = find(conversation, company, user)
    local more, at, version = {...}, 1, 0
    if c then
        if c.token == token then -- sent again: the first answer was lost
            return answer('ok', {version = c.version})
        end
        version = c.version
    end
    if version ~= tonumber(expected) then
        return answer('conflict', {version = version})
    end
    version = version + 1
    local turns, key = c and c.turns or 0, p .. 'c/' .. of
    if not c then
        call('HSET', key, 'company', company, 'user', user, 'id', conversation, 'began', now,
             'title', '')
    end
    if turns == 0 and tonumber(turn_count) > 0 then
        call('HSET', key, 'title', title)
    end
    call('HSET', p .. 'k/' .. of, version, bytes)
    call('HSET', p .. 'km/' .. of, version, cmsgpack.pack({now, run, tonumber(step), tonumber(full)}))
    if full == '1' then
        call('ZADD', p .. 'kf/' .. of, version, version)
    end
    for _ = 1, tonumber(turn_count) do
        turns = turns + 1
        call('HSET', p .. 't/' .. of, turns,
             cmsgpack.pack({version, now, more[at], more[at + 1], more[at + 2], more[at + 3],
                            tonumber(more[at + 4])}))
        at = at + 5
    end
    for _ = 1, tonumber(note_count) do
        put_note(p .. 'n/' .. of, more[at], more[at + 1])
        at = at + 2
    end
    call('HSET', key, 'version', version, 'turns', turns, 'changed', now, 'token', token)
    call('ZADD', p .. 'uc:' .. user_key(company, user), now, conversation)
    call('ZADD', p .. 'age', now, of)
    return answer('ok', {version = version})
end

function verbs.keep(conversation, company, user, name, bytes)
    local c, of = find(conversation, company, user)
    if conversation == '' then
        put_note(p .. 'un:' .. user_key(company, user), name, bytes)
    elseif c then
        put_note(p .. 'n/' .. of, name, bytes)
    else
        return answer('not_found')
    end
    return answer('ok')
end

function verbs.list(company, user, before, limit)
    local summaries = {}
    local top = before == '0' and '+inf' or '(' .. before
    for _, conversation in ipairs(call('ZREVRANGEBYSCORE', p .. 'uc:' .. user_key(company, user), top,
                                       '-inf', 'LIMIT', 0, limit)) do
        local c = call('HMGET', p .. 'c/' .. owned(conversation, company, user), 'title', 'version', 'turns',
                       'began', 'changed')
        summaries[#summaries + 1] = {conversation, c[1], c[2], c[3], c[4], c[5]}
    end
    return answer('ok', {summaries = summaries})
end

local function is_later(a, b)
    return a[3] > b[3] or (a[3] == b[3] and a[1] > b[1])
end

-- No turn is later than its conversation's last change, so it ends when no later one can come.
function verbs.search(company, user, text, limit)
    local turns = {}
    text, limit = text:lower(), tonumber(limit)
    local index = call('ZREVRANGE', p .. 'uc:' .. user_key(company, user), 0, -1, 'WITHSCORES')
    for i = 1, #index, 2 do
        if #turns >= limit and tonumber(index[i + 1]) < turns[limit][3] then
            break
        end
        local conversation = index[i]
        local of = owned(conversation, company, user)
        for number = 1, tonumber(call('HGET', p .. 'c/' .. of, 'turns')) do
            local turn = turn_of(of, conversation, number)
            if turn[6]:lower():find(text, 1, true) or turn[7]:lower():find(text, 1, true) then
                turns[#turns + 1] = turn
            end
        end
        table.sort(turns, is_later)
        for extra = #turns, limit + 1, -1 do
            turns[extra] = nil
        end
    end
    return answer('ok', {turns = turns})
end

-- Of the conversations that changed last: there is no index of notes, and the others wait.
local NOTES_FROM = 5000
function verbs.notes(prefix, limit)
    local notes = {}
    limit = tonumber(limit)
    for _, of in ipairs(call('ZREVRANGE', p .. 'age', 0, NOTES_FROM - 1)) do
        local own = {}
        add_notes(own, p .. 'n/' .. of)
        for _, note in ipairs(own) do
            if #notes < limit and note[1]:sub(1, #prefix) == prefix then
                notes[#notes + 1] = note
            end
        end
        if #notes >= limit then
            break
        end
    end
    return answer('ok', {notes = notes})
end

-- With its runs.
local function drop_conversation(conversation, company, user)
    local of = owned(conversation, company, user)
    drop_runs(of)
    call('UNLINK', p .. 'c/' .. of, p .. 't/' .. of, p .. 'n/' .. of, p .. 'k/' .. of,
         p .. 'km/' .. of, p .. 'kf/' .. of)
    call('ZREM', p .. 'uc:' .. user_key(company, user), conversation)
    call('ZREM', p .. 'age', of)
end

-- Some of what is the user's; how many conversations and runs.
local function erase_user(company, user)
    local of, total = user_key(company, user), 0
    for _, conversation in ipairs(call('ZRANGE', p .. 'uc:' .. of, 0, ERASE_AT_ONCE - 1)) do
        drop_conversation(conversation, company, user)
        total = total + 1
    end
    for _, id in ipairs(call('ZRANGE', p .. 'ur:' .. of, 0, ERASE_AT_ONCE - 1)) do
        drop_run(id, run_of(id))
        total = total + 1
    end
    if total == 0 then
        drop_jobs('', company, user)
        call('UNLINK', p .. 'un:' .. of)
    end
    return total
end

function verbs.erase(conversation, company, user)
    if conversation == '' then
        return answer('ok', {total = erase_user(company, user)})
    end
    local c, of = find(conversation, company, user)
    drop_jobs(conversation, company, user)
    if c then
        drop_conversation(conversation, company, user)
    elseif drop_runs(of) == 0 then
        return answer('not_found')
    end
    return answer('ok')
end

function verbs.prune(age, limit, lock, instance)
    local last = call('HMGET', p .. 'pruner', 'instance', 'time')
    if last[1] and last[1] ~= instance and now < tonumber(last[2]) + tonumber(lock) then
        return answer('busy')
    end
    call('HSET', p .. 'pruner', 'instance', instance, 'time', now)
    local before, total, skipped = now - tonumber(age), 0, 0
    limit = tonumber(limit)
    while total < limit and skipped < MOST_SKIPPED do
        local old = call('ZRANGEBYSCORE', p .. 'age', '-inf', before, 'LIMIT', skipped, limit - total)
        for _, of in ipairs(old) do
            local run = call('ZREVRANGE', p .. 'cg/' .. of, 0, 0, 'WITHSCORES')
            if run[1] and tonumber(run[2]) > before then
                skipped = skipped + 1
            else
                drop_conversation(unpack(call('HMGET', p .. 'c/' .. of, 'id', 'company', 'user')))
                total = total + 1
            end
        end
        if #old == 0 then
            break
        end
    end
    for _, id in ipairs(call('ZRANGEBYSCORE', p .. 'ra', '-inf', before, 'LIMIT', 0, limit - total)) do
        drop_run(id, run_of(id))
        total = total + 1
    end
    return answer('ok', {total = total})
end
