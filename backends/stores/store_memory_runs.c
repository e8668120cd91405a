/* SPDX-License-Identifier: MIT */
/* backends/stores/store_memory_runs.c - runs in the order of their beginning, each with its
 * batches.
 *
 * Failure: as core/store/store_asks.h says of each call; no memory. */
#include "backends/stores/store_memory_internal.h"

#include "core/base/mem.h"
#include "core/store/event.h"

enum { RUN_BYTES = 64 * 1024 * 1024 };

static struct store_memory_run *run_of(struct list *link)
{
    return list_item(link, struct store_memory_run, link);
}

static bool is_open(const struct store_run *run)
{
    return run->status == STORE_RUNNING || run->status == STORE_PAUSED;
}

static struct store_memory_run *find(struct store_memory *memory, struct str run_id,
                                     const struct identity *key)
{
    LIST_EACH(link, &memory->runs) {
        struct store_memory_run *run = run_of(link);
        if (str_equal(run->run.run_id, run_id) && identity_fits(&run->run.key, key))
            return run;
    }
    return NULL;
}

static struct store_memory_run *find_key(struct store_memory *memory, struct str idempotency_key,
                                         const struct identity *key)
{
    LIST_EACH(link, &memory->runs) {
        struct store_memory_run *run = run_of(link);
        if (!str_is_empty(idempotency_key) && identity_fits(&run->run.key, key) &&
            str_equal(run->run.key.conversation_id, key->conversation_id) &&
            str_equal(run->run.idempotency_key, idempotency_key))
            return run;
    }
    return NULL;
}

static enum err_code find_none(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "there is no such run");
}

/* The run fence may still write for. */
static struct store_memory_run *find_fenced(struct store_memory *memory,
                                            const struct store_fence *fence, struct err *err)
{
    const struct identity any = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct store_memory_run *run = find(memory, fence->run_id, &any);
    if (run != NULL && run->run.status == STORE_RUNNING && run->run.epoch == fence->epoch &&
        str_equal(run->run.instance, fence->instance))
        return run;
    err_set(err, ERR_CONFLICT, "the run has ended or is another instance's now");
    return NULL;
}

/* ---- life ---- */

void store_memory_drop_run(struct store_memory_run *run)
{
    list_remove(&run->link);
    list_remove(&run->ended);
    arena_fini(&run->arena);
    mem_free(run);
}

bool store_memory_drop_runs(struct store_memory *memory, const struct identity *key)
{
    bool any = false;
    LIST_EACH_SAFE(link, &memory->runs) {
        struct store_memory_run *run = run_of(link);
        if (!identity_fits(&run->run.key, key))
            continue;
        store_memory_drop_run(run);
        any = true;
    }
    return any;
}

bool store_memory_has_fresh_run(const struct store_memory *memory, const struct identity *key,
                                uint64_t changed_ms)
{
    LIST_EACH(link, &memory->runs) {
        const struct store_run *run = &run_of(link)->run;
        if (run->changed_ms > changed_ms && identity_equal(&run->key, key))
            return true;
    }
    return false;
}

static struct store_memory_run *find_rival(struct store_memory *memory,
                                           const struct store_begin *ask)
{
    const struct identity *key = &ask->run.key;
    struct store_memory_run *run = find_key(memory, ask->run.idempotency_key, &ask->run.key);
    if (run != NULL || !ask->alone || str_is_empty(key->conversation_id))
        return run;
    LIST_EACH(link, &memory->runs)
        if (is_open(&run_of(link)->run) && identity_equal(&run_of(link)->run.key, key))
            return run_of(link);
    return NULL;
}

static void set_lease(struct store_memory *memory, struct store_run *run, uint64_t lease_ms)
{
    run->changed_ms = store_memory_now(memory);
    run->lease_until_ms = run->changed_ms + lease_ms;
}

static enum err_code begin_run(struct store_memory *memory, struct store_call *call,
                               const struct store_begin *ask, struct err *err)
{
    const struct identity any = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct store_memory_run *there = find(memory, ask->run.run_id, &any);
    struct store_memory_run *rival = there != NULL ? there : find_rival(memory, ask), *made;
    call->knows_version = true;
    call->version = store_memory_version(memory, &ask->run.key);
    if (there != NULL && str_equal(there->run.instance, ask->run.instance)) /* sent again */
        return store_add_run(call, &there->run);
    if (rival != NULL) {
        err_set(err, ERR_CONFLICT, "there is a run already: %.*s", STR_ARG(rival->run.run_id));
        return store_add_run(call, &rival->run) == ERR_OK ? ERR_CONFLICT : ERR_NO_MEMORY;
    }
    made = mem_zalloc(1, sizeof *made);
    if (made == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a run");
    arena_init(&made->arena, RUN_BYTES);
    list_init(&made->batches);
    list_init(&made->marks);
    list_init(&made->ended);
    struct store_run *run = &made->run;
    *run = ask->run;
    run->key = identity_copy(&made->arena, &ask->run.key);
    run->run_id = arena_str(&made->arena, ask->run.run_id);
    run->graph = arena_str(&made->arena, ask->run.graph);
    run->input = arena_str(&made->arena, ask->run.input);
    run->idempotency_key = arena_str(&made->arena, ask->run.idempotency_key);
    run->instance = arena_str(&made->arena, ask->run.instance);
    run->epoch = 1;
    run->began_ms = store_memory_now(memory);
    run->last_event_id = 0;
    run->status = STORE_RUNNING;
    run->cancel_asked = run->forget_asked = false;
    set_lease(memory, run, ask->lease_ms);
    list_push(&memory->runs, &made->link);
    if (arena_ok(&made->arena))
        return store_add_run(call, run);
    store_memory_drop_run(made);
    return err_set(err, ERR_NO_MEMORY, "no memory for a run");
}

enum err_code store_memory_begin(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    return begin_run(memory, call, call->ask.begin, err);
}

static struct store_checkpoint *mark_of(struct list *link)
{
    return &list_item(link, struct store_memory_kept, link)->is.checkpoint;
}

static enum err_code put_mark(struct store_memory *memory, struct store_memory_run *run,
                              const struct store_checkpoint *checkpoint, struct err *err)
{
    LIST_EACH(link, &run->marks)
        if (mark_of(link)->version == checkpoint->version)
            return ERR_OK;
    struct store_memory_kept *kept = arena_alloc(&run->arena, sizeof *kept);
    struct str bytes = arena_str(&run->arena, checkpoint->bytes);
    if (kept == NULL || str_is_absent(bytes))
        return err_set(err, ERR_NO_MEMORY, "no memory for a checkpoint");
    kept->is.checkpoint = *checkpoint;
    kept->is.checkpoint.bytes = bytes;
    kept->is.checkpoint.run_id = run->run.run_id;
    kept->is.checkpoint.time_ms = store_memory_now(memory);
    list_push(&run->marks, &kept->link);
    return ERR_OK;
}

static void set_status(struct store_memory *memory, struct store_memory_run *run,
                       enum store_status status)
{
    uint64_t now_ms = store_memory_now(memory);
    run->run.status = status;
    if (status > STORE_PAUSED) {
        memory->end_ms = now_ms > memory->end_ms ? now_ms : memory->end_ms + 1;
        list_push(&memory->ended, &run->ended);
    }
    run->run.changed_ms = status > STORE_PAUSED ? memory->end_ms : now_ms;
}

enum err_code store_memory_resume(struct store_memory *memory, struct store_call *call,
                                  struct err *err)
{
    const struct store_resume *ask = call->ask.resume;
    const struct identity *key = &ask->begin.run.key;
    const struct identity caller = identity_user(key);
    const struct store_checkpoint first = {.version = 1,
                                           .step = ask->checkpoint.step,
                                           .is_full = true,
                                           .bytes = ask->checkpoint.bytes};
    struct store_memory_run *paused = find(memory, ask->paused_id, &caller);
    if (paused == NULL)
        return find_none(err);
    if (paused->run.status != STORE_PAUSED) {
        err_set(err, ERR_CONFLICT, "the run does not wait for anybody (any more)");
        return store_add_run(call, &paused->run) == ERR_OK ? ERR_CONFLICT : ERR_NO_MEMORY;
    }
    paused->run.status = STORE_COMPLETE; /* so that it is no rival */
    enum err_code code = begin_run(memory, call, &ask->begin, err);
    paused->run.status = STORE_PAUSED;
    if (code != ERR_OK)
        return code;
    struct store_memory_run *made = run_of(memory->runs.prev);
    code = put_mark(memory, made, &first, err);
    if (code != ERR_OK) {
        store_memory_drop_run(made);
        return code;
    }
    set_status(memory, paused, STORE_COMPLETE);
    list_init(&paused->marks); /* they are of its arena */
    return ERR_OK;
}

static bool is_over(const struct store_memory *memory, const struct store_run *run)
{
    return run->status == STORE_RUNNING && run->lease_until_ms <= store_memory_now(memory);
}

static struct store_memory_run *find_orphan(struct store_memory *memory)
{
    struct store_memory_run *longest = NULL;
    LIST_EACH(link, &memory->runs) {
        struct store_memory_run *run = run_of(link);
        if (is_over(memory, &run->run) &&
            (longest == NULL || run->run.lease_until_ms < longest->run.lease_until_ms))
            longest = run;
    }
    return longest;
}

enum err_code store_memory_claim(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    const struct store_claim *ask = call->ask.claim;
    const struct identity any = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct store_memory_run *found =
        str_is_empty(ask->run_id) ? find_orphan(memory) : find(memory, ask->run_id, &any);
    if (found == NULL)
        return find_none(err);
    if (found->run.status != STORE_PAUSED && !is_over(memory, &found->run))
        return err_set(err, ERR_CONFLICT, "the run has ended or is another instance's");
    struct str instance = arena_str(&found->arena, ask->instance);
    if (str_is_absent(instance))
        return err_set(err, ERR_NO_MEMORY, "no memory for a name");
    found->run.instance = instance;
    found->run.epoch++;
    found->run.status = STORE_RUNNING;
    set_lease(memory, &found->run, ask->lease_ms);
    return store_add_run(call, &found->run);
}

enum err_code store_memory_renew(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    struct store_memory_run *run = find_fenced(memory, &call->ask.renew->fence, err);
    if (run == NULL)
        return err->code;
    set_lease(memory, &run->run, call->ask.renew->lease_ms);
    return store_add_run(call, &run->run);
}

/* Drop checkpoints once run has ended: those of its conversation's ended runs but the one that
 * began last; of a run without a conversation its own. */
static void drop_marks(struct store_memory *memory, struct store_memory_run *run)
{
    struct store_memory_run *newest = NULL;
    if (str_is_empty(run->run.key.conversation_id)) {
        list_init(&run->marks);
        return;
    }
    for (struct list *link = memory->runs.prev; link != &memory->runs; link = link->prev) {
        struct store_memory_run *other = run_of(link);
        if (other->run.status <= STORE_PAUSED || !identity_equal(&other->run.key, &run->run.key))
            continue;
        if (newest != NULL)
            list_init(&other->marks);
        else
            newest = other;
    }
}

enum err_code store_memory_finish(struct store_memory *memory, struct store_call *call,
                                  struct err *err)
{
    struct store_memory_run *run = find_fenced(memory, &call->ask.finish->fence, err);
    if (run == NULL)
        return err->code;
    set_status(memory, run, call->ask.finish->status);
    if (run->run.status > STORE_PAUSED)
        drop_marks(memory, run);
    return ERR_OK;
}

/* ---- finding ---- */

enum err_code store_memory_find(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    const struct store_find *ask = call->ask.find;
    struct store_memory_run *run = str_is_empty(ask->run_id)
                                       ? find_key(memory, ask->idempotency_key, &ask->key)
                                       : find(memory, ask->run_id, &ask->key);
    return run == NULL ? find_none(err) : store_add_run(call, &run->run);
}

enum err_code store_memory_runs(struct store_memory *memory, struct store_call *call,
                                struct err *err UNUSED)
{
    const struct store_runs *ask = call->ask.runs;
    uint64_t left = store_rows(ask->limit);
    enum err_code code = ERR_OK;
    struct list *link = memory->runs.prev; /* the newest */
    for (; code == ERR_OK && left > 0 && link != &memory->runs; link = link->prev) {
        const struct store_run *run = &run_of(link)->run;
        if (!identity_fits(&run->key, &ask->key) || (ask->only_open && !is_open(run)))
            continue;
        code = store_add_run(call, run);
        left--;
    }
    return code;
}

enum err_code store_memory_ended(struct store_memory *memory, struct store_call *call,
                                 struct err *err UNUSED)
{
    const struct store_ended *ask = call->ask.ended;
    uint64_t left = store_rows(ask->limit);
    enum err_code code = ERR_OK;
    for (struct list *link = memory->ended.next;
         link != &memory->ended && code == ERR_OK && left > 0; link = link->next) {
        const struct store_run *run = &list_item(link, struct store_memory_run, ended)->run;
        if (!identity_is_same_user(&run->key, &ask->key) || run->changed_ms < ask->after_ms ||
            (run->changed_ms == ask->after_ms && str_compare(run->run_id, ask->after_id) <= 0))
            continue;
        code = store_add_run(call, run);
        left--;
    }
    return code;
}

enum err_code store_memory_stop(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    struct store_memory_run *run = find(memory, call->ask.stop->run_id, &call->ask.stop->key);
    if (run == NULL)
        return find_none(err);
    run->run.cancel_asked |= is_open(&run->run);
    run->run.forget_asked |= is_open(&run->run) && call->ask.stop->forget;
    return store_add_run(call, &run->run);
}

/* ---- events ---- */

static enum err_code append_one(struct store_memory *memory, const struct store_append *ask,
                                uint64_t *last_id, struct err *err)
{
    const struct store_batch *batch = &ask->batch;
    struct store_memory_run *run = find_fenced(memory, &ask->fence, err);
    if (run == NULL)
        return err->code;
    *last_id = run->run.last_event_id;
    if (batch->first_id + batch->count - 1 <= *last_id)
        return ERR_OK; /* sent again */
    if (!event_comes_next(batch->first_id, *last_id, ask->fence.epoch))
        return err_set(err, ERR_CONFLICT, "the events before these are not there");
    struct store_memory_kept *kept = arena_alloc(&run->arena, sizeof *kept);
    struct str bytes = arena_str(&run->arena, batch->bytes);
    if (kept == NULL || str_is_absent(bytes))
        return err_set(err, ERR_NO_MEMORY, "no memory for events");
    kept->is.batch = (struct store_batch){batch->first_id, batch->count, bytes};
    list_push(&run->batches, &kept->link);
    *last_id = run->run.last_event_id = batch->first_id + batch->count - 1;
    return ERR_OK;
}

enum err_code store_memory_append(struct store_memory *memory, struct store_call *call,
                                  struct err *err)
{
    return append_one(memory, call->ask.append, &call->last_id, err);
}

enum err_code store_memory_write(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    const struct store_write *ask = call->ask.write;
    const struct identity any = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < ask->count && code == ERR_OK; i++) {
        struct store_verdict verdict = {0};
        code = append_one(memory, &ask->appends[i], &verdict.last_id, err);
        struct store_memory_run *run = find(memory, ask->appends[i].fence.run_id, &any);
        verdict.is_kept = code == ERR_OK;
        verdict.cancel_asked = run != NULL && run->run.cancel_asked;
        verdict.forget_asked = run != NULL && run->run.forget_asked;
        if (code == ERR_CONFLICT) /* is its verdict, not the call's */
            *err = (struct err){.code = ERR_OK};
        if (code == ERR_OK || code == ERR_CONFLICT)
            code = store_add_verdict(call, &verdict);
    }
    return code;
}

enum err_code store_memory_read(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    const struct store_read *ask = call->ask.read;
    struct store_memory_run *run = find(memory, ask->run_id, &ask->key);
    uint64_t bytes = 0;
    if (run == NULL)
        return find_none(err);
    call->last_id = run->run.last_event_id;
    enum err_code code = store_add_run(call, &run->run);
    LIST_EACH(link, &run->batches) {
        const struct store_batch *batch =
            &list_item(link, struct store_memory_kept, link)->is.batch;
        if (batch->first_id + batch->count - 1 <= ask->after_id)
            continue;
        bytes += batch->bytes.len;
        if (code != ERR_OK || (call->batch_count > 0 && bytes > ask->limit_bytes))
            break;
        code = store_add_batch(call, batch);
    }
    return code;
}

/* ---- checkpoints ---- */

enum err_code store_memory_mark(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    const struct store_mark *ask = call->ask.mark;
    struct store_memory_run *run = find_fenced(memory, &ask->fence, err);
    if (run == NULL)
        return err->code;
    return put_mark(memory, run, &ask->checkpoint, err);
}

enum err_code store_memory_marks(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    const struct store_marks *ask = call->ask.marks;
    struct store_memory_run *run = find(memory, ask->run_id, &ask->key);
    if (run == NULL)
        return find_none(err);
    uint64_t before = ask->before_version == 0 ? UINT64_MAX : ask->before_version, count = 0;
    uint64_t limit = store_rows(ask->limit);
    enum err_code code = store_add_run(call, &run->run);
    LIST_EACH(link, &run->marks)
        count += mark_of(link)->version < before;
    LIST_EACH(link, &run->marks) {
        struct store_checkpoint checkpoint = *mark_of(link);
        if (checkpoint.version >= before || code != ERR_OK || count-- > limit)
            continue;
        if (ask->only_list)
            checkpoint.bytes = (struct str){NULL, 0};
        code = store_add_checkpoint(call, &checkpoint);
    }
    return code;
}
