/* SPDX-License-Identifier: MIT */
/* backends/stores/store_memory_jobs.c - jobs in a list, last begun first; each in an arena that a
 * change makes anew.
 *
 * Failure: as core/store/store_job_asks.h says of each call; no memory. */
#include "backends/stores/store_memory_internal.h"

#include "backends/stores/store_wire.h"
#include "core/base/mem.h"

enum { JOB_BYTES = 16 * 1024 * 1024 };

struct kept_job {
    struct list link;
    struct arena arena;
    struct store_job job;
};

static struct kept_job *job_of(struct list *link)
{
    return list_item(link, struct kept_job, link);
}

static void drop_job(struct kept_job *kept)
{
    list_remove(&kept->link);
    arena_fini(&kept->arena);
    mem_free(kept);
}

static struct kept_job *find(struct store_memory *memory, struct str kind, struct str job_id)
{
    LIST_EACH(link, &memory->jobs)
        if (str_equal(job_of(link)->job.kind, kind) && str_equal(job_of(link)->job.job_id, job_id))
            return job_of(link);
    return NULL;
}

/* NULL: no memory. */
static struct kept_job *copy_of(const struct store_job *job)
{
    struct kept_job *made = mem_zalloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    arena_init(&made->arena, JOB_BYTES);
    made->job = *job;
    made->job.key = identity_copy(&made->arena, &job->key);
    made->job.kind = arena_str(&made->arena, job->kind);
    made->job.job_id = arena_str(&made->arena, job->job_id);
    made->job.bytes = arena_str(&made->arena, job->bytes);
    if (arena_ok(&made->arena))
        return made;
    arena_fini(&made->arena);
    mem_free(made);
    return NULL;
}

static bool has_most(const struct store_memory *memory, const struct store_put *ask)
{
    uint64_t count = 0;
    LIST_EACH(link, &memory->jobs)
        count += str_equal(job_of(link)->job.kind, ask->job.kind) &&
                 identity_is_same_user(&job_of(link)->job.key, &ask->job.key);
    return ask->most > 0 && count >= ask->most;
}

static enum err_code judge_put(const struct store_memory *memory, const struct kept_job *old,
                               const struct store_put *ask, struct err *err)
{
    if (old == NULL && ask->expected_version > 0)
        return err_set(err, ERR_NOT_FOUND, "there is no such job");
    if (old == NULL)
        return has_most(memory, ask) ? err_set(err, ERR_BUSY, STORE_WIRE_MANY) : ERR_OK;
    if (ask->expected_version > 0 && !identity_is_same_user(&old->job.key, &ask->job.key))
        return err_set(err, ERR_NOT_FOUND, "there is no such job");
    return old->job.version == ask->expected_version
               ? ERR_OK
               : err_set(err, ERR_CONFLICT, "the job was changed meanwhile");
}

enum err_code store_memory_put(struct store_memory *memory, struct store_call *call,
                               struct err *err)
{
    const struct store_put *ask = call->ask.put;
    struct kept_job *old = find(memory, ask->job.kind, ask->job.job_id);
    enum err_code code = judge_put(memory, old, ask, err);
    if (code != ERR_OK)
        return code;
    struct kept_job *made = copy_of(&ask->job);
    if (made == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a job");
    made->job.changed_ms = store_memory_now(memory);
    made->job.began_ms = old == NULL ? made->job.changed_ms : old->job.began_ms;
    made->job.version = ask->expected_version + 1;
    if (old == NULL) {
        list_push_front(&memory->jobs, &made->link);
    } else {
        list_push(&old->link, &made->link); /* before the old one: in its place */
        drop_job(old);
    }
    return store_add_job(call, &made->job);
}

enum err_code store_memory_take(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    const struct store_take *ask = call->ask.take;
    uint64_t now_ms = store_memory_now(memory);
    struct kept_job *found = NULL;
    LIST_EACH(link, &memory->jobs) {
        struct kept_job *kept = job_of(link);
        if (str_equal(kept->job.kind, ask->kind) && kept->job.due_ms > 0 &&
            kept->job.due_ms <= now_ms && (found == NULL || kept->job.due_ms <= found->job.due_ms))
            found = kept;
    }
    if (found == NULL)
        return err_set(err, ERR_NOT_FOUND, "no job is due");
    found->job.version++;
    found->job.due_ms = now_ms + ask->lease_ms;
    found->job.changed_ms = now_ms;
    return store_add_job(call, &found->job);
}

static bool fits(const struct store_job *job, const struct identity *key, struct str kind,
                 struct str job_id)
{
    return str_equal(job->kind, kind) && identity_fits(&job->key, key) &&
           (str_is_empty(job_id) || str_equal(job->job_id, job_id));
}

enum err_code store_memory_jobs(struct store_memory *memory, struct store_call *call,
                                struct err *err UNUSED)
{
    const struct store_jobs *ask = call->ask.jobs;
    uint64_t left = store_rows(ask->limit);
    enum err_code code = ERR_OK;
    LIST_EACH(link, &memory->jobs) {
        const struct store_job *job = &job_of(link)->job;
        if (code != ERR_OK || left == 0)
            return code;
        if (!fits(job, &ask->key, ask->kind, ask->job_id))
            continue;
        code = store_add_job(call, job);
        left--;
    }
    return code;
}

enum err_code store_memory_drop(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    const struct store_drop *ask = call->ask.drop;
    struct kept_job *kept = find(memory, ask->kind, ask->job_id);
    if (kept == NULL || !identity_fits(&kept->job.key, &ask->key))
        return err_set(err, ERR_NOT_FOUND, "there is no such job");
    if (ask->expected_version > 0 && kept->job.version != ask->expected_version)
        return err_set(err, ERR_CONFLICT, "the job was changed meanwhile");
    drop_job(kept);
    return ERR_OK;
}

uint64_t store_memory_drop_jobs(struct store_memory *memory, const struct identity *key)
{
    uint64_t count = 0;
    LIST_EACH_SAFE(link, &memory->jobs) {
        struct kept_job *kept = job_of(link);
        if (!identity_is_same_user(&kept->job.key, key) ||
            (!str_is_empty(key->conversation_id) &&
             !str_equal(kept->job.key.conversation_id, key->conversation_id)))
            continue;
        drop_job(kept);
        count++;
    }
    return count;
}

void store_memory_drop_all_jobs(struct store_memory *memory)
{
    LIST_EACH_SAFE(link, &memory->jobs)
        drop_job(job_of(link));
}
