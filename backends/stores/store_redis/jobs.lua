-- SPDX-License-Identifier: MIT
-- jobs.lua - the verbs of core/store about jobs, which are due at a time. Part of the script.

local function write_job(name, job, token)
    local words = {'token', token}
    for i, field in ipairs(JOB_FIELDS) do
        words[2 * i + 1], words[2 * i + 2] = field, job[i]
    end
    call('HSET', p .. 'j:' .. name, unpack(words))
    if tonumber(job[JOB.due]) > 0 then
        call('ZADD', p .. 'jd:' .. job[JOB.kind], job[JOB.due], job[JOB.job])
    else
        call('ZREM', p .. 'jd:' .. job[JOB.kind], job[JOB.job])
    end
    call('ZADD', p .. 'jk:' .. job[JOB.kind], job[JOB.began], job[JOB.job])
    call('SADD', p .. 'ju:' .. user_key(job[JOB.company], job[JOB.user]), name)
    return answer('ok', {jobs = {job}})
end

-- The ids of the user's jobs of a kind, last begun first.
local function ids_of_user(kind, company, user)
    local ids, began = {}, {}
    for _, name in ipairs(call('SMEMBERS', p .. 'ju:' .. user_key(company, user))) do
        if name:sub(1, #kind + 1) == kind .. ':' then
            local id = name:sub(#kind + 2)
            ids[#ids + 1], began[id] = id, tonumber(call('ZSCORE', p .. 'jk:' .. kind, id) or 0)
        end
    end
    table.sort(ids, function(a, b)
        return began[a] > began[b] or (began[a] == began[b] and a < b)
    end)
    return ids
end

function verbs.put(conversation, company, user, kind, id, due, bytes, expected, most, token)
    local name = kind .. ':' .. id
    local old = job_of(name)
    if old and call('HGET', p .. 'j:' .. name, 'token') == token then
        return answer('ok', {jobs = {old}}) -- sent again: the first answer was lost
    end
    if expected ~= '0' and (not old or old[JOB.company] ~= company or old[JOB.user] ~= user) then
        return answer('not_found')
    end
    if old and old[JOB.version] ~= expected then
        return answer('conflict')
    end
    if not old and tonumber(most) > 0 and #ids_of_user(kind, company, user) >= tonumber(most) then
        return answer('busy')
    end
    return write_job(name, {conversation, company, user, kind, id, bytes, tonumber(expected) + 1, due,
                            old and old[JOB.began] or now, now}, token)
end

function verbs.take(kind, lease)
    local id = call('ZRANGEBYSCORE', p .. 'jd:' .. kind, '-inf', now, 'LIMIT', 0, 1)[1]
    local job = id and job_of(kind .. ':' .. id)
    if not job then
        return answer('not_found')
    end
    job[JOB.version], job[JOB.due], job[JOB.changed] = tonumber(job[JOB.version]) + 1,
                                                       now + tonumber(lease), now
    return write_job(kind .. ':' .. id, job, '')
end

function verbs.jobs(conversation, company, user, kind, id, limit)
    local jobs, ids = {}, {id}
    if id == '' and company ~= '' and user ~= '' then
        ids = ids_of_user(kind, company, user)
    elseif id == '' then
        ids = call('ZREVRANGE', p .. 'jk:' .. kind, 0, -1)
    end
    for _, each in ipairs(ids) do
        local job = job_of(kind .. ':' .. each)
        if job and is_of(job, company, user, conversation) and #jobs < tonumber(limit) then
            jobs[#jobs + 1] = job
        end
    end
    return answer('ok', {jobs = jobs})
end

function verbs.drop(conversation, company, user, kind, id, expected)
    local name = kind .. ':' .. id
    local job = job_of(name)
    if not job or not is_of(job, company, user, conversation) then
        return answer('not_found')
    end
    if expected ~= '0' and job[JOB.version] ~= expected then
        return answer('conflict')
    end
    drop_job(name, job)
    return answer('ok')
end
