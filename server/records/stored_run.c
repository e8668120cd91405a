/* SPDX-License-Identifier: MIT */
/* server/records/stored_run.c - the checkpoints in one call, then the events, page by page, then
 * the last turns of the conversation.
 *
 * Failure: an error of the store, or more than PAST_BYTES; the first one ends it. */
#include "server/records/stored_run.h"

#include <string.h>

#include "core/store/event_bytes.h"

enum { LAST_TURNS = 8 };
enum { PAST_BYTES = 64 * 1024 * 1024, PAGE_BYTES = 4 * 1024 * 1024, FIRST_BATCHES = 16 };

static void cancel(struct op *op)
{
    struct stored_run *past = container_of(op, struct stored_run, op);
    if (op_is_pending(&past->marks_call.op))
        op_cancel(&past->marks_call.op);
    if (op_is_pending(&past->read_call.op))
        op_cancel(&past->read_call.op);
    if (op_is_pending(&past->load_call.op))
        op_cancel(&past->load_call.op);
}

static void release(struct op *op)
{
    struct stored_run *past = container_of(op, struct stored_run, op);
    op_release(&past->marks_call.op);
    op_release(&past->read_call.op);
    op_release(&past->load_call.op);
    arena_fini(&past->arena);
    past->batches = NULL;
    past->batch_count = past->batch_room = 0;
}

static void finish_too_large(struct stored_run *past)
{
    op_finish(&past->op, ERR_TOO_LARGE, "what the run said is larger than %d MiB",
              PAST_BYTES >> 20);
}

/* ---- events ---- */

/* False: past is too large. */
static bool add_batch(struct stored_run *past, const struct store_batch *batch)
{
    if (past->batch_count == past->batch_room) {
        size_t room = size_max(past->batch_room * 2, FIRST_BATCHES);
        struct store_batch *larger = arena_array(&past->arena, room, sizeof *larger);
        if (larger == NULL)
            return false;
        if (past->batch_count > 0)
            memcpy(larger, past->batches, past->batch_count * sizeof *larger);
        past->batches = larger;
        past->batch_room = room;
    }
    struct str bytes = arena_str(&past->arena, batch->bytes);
    past->batches[past->batch_count++] = (struct store_batch){batch->first_id, batch->count, bytes};
    past->read_id = batch->first_id + batch->count - 1;
    return arena_ok(&past->arena);
}

static void on_loaded(struct op *op)
{
    struct stored_run *past = op_owner(op);
    struct err err = op->err;
    for (size_t i = 0; err.code == ERR_OK && i < past->load_call.turn_count; i++)
        past->is_kept |= str_equal(past->load_call.turns[i].run_id, past->run->run_id);
    op_finish_err(&past->op, &err);
}

static void load_turns(struct stored_run *past)
{
    past->load = (struct store_load){.key = past->run->key, .turn_limit = LAST_TURNS};
    store_load_start(&past->load_call, past->turns, &past->load,
                     (struct op_waiter){.done = on_loaded, .owner = past});
}

static void read_page(struct stored_run *past);

static void on_read(struct op *op)
{
    struct stored_run *past = op_owner(op);
    const struct store_call *call = &past->read_call;
    struct err err = op->err;
    for (size_t i = 0; err.code == ERR_OK && i < call->batch_count; i++)
        if (!add_batch(past, &call->batches[i])) {
            finish_too_large(past);
            return;
        }
    if (err.code == ERR_OK && call->batch_count > 0 && past->read_id < past->run->last_event_id)
        read_page(past);
    else if (err.code == ERR_OK && past->turns != NULL && past->run->key.conversation_id.len > 0)
        load_turns(past);
    else
        op_finish_err(&past->op, &err);
}

static void read_page(struct stored_run *past)
{
    op_release(&past->read_call.op);
    past->read = (struct store_read){.key = past->marks.key,
                                     .run_id = past->marks.run_id,
                                     .after_id = past->read_id,
                                     .limit_bytes = PAGE_BYTES};
    store_read_start(&past->read_call, past->store, &past->read,
                     (struct op_waiter){.done = on_read, .owner = past});
}

/* ---- checkpoints ---- */

static void on_marks(struct op *op)
{
    struct stored_run *past = op_owner(op);
    const struct store_call *call = &past->marks_call;
    if (op->err.code != ERR_OK) {
        op_finish_err(&past->op, &op->err);
        return;
    }
    struct checkpoint_kept *kept =
        arena_array(&past->arena, size_max(call->checkpoint_count, 1), sizeof *kept);
    if (kept == NULL) {
        finish_too_large(past);
        return;
    }
    for (size_t i = 0; i < call->checkpoint_count; i++) {
        kept[i] =
            (struct checkpoint_kept){call->checkpoints[i].bytes, call->checkpoints[i].is_full};
        past->last_version = call->checkpoints[i].version;
    }
    past->run = call->runs;
    past->kept = kept;
    past->checkpoints = call->checkpoints;
    past->kept_count = call->checkpoint_count;
    read_page(past);
}

void stored_run_start(struct stored_run *past, struct store *store, struct store *turns,
                      const struct identity *key, struct str run_id, struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "run.past", .cancel = cancel, .release = release};
    *past = (struct stored_run){
        .store = store, .turns = turns, .marks = {.key = *key, .run_id = run_id}};
    op_begin(&past->op, &kind, store->loop, waiter);
    arena_init(&past->arena, PAST_BYTES);
    store_marks_start(&past->marks_call, store, &past->marks,
                      (struct op_waiter){.done = on_marks, .owner = past});
}

bool stored_run_cut(struct stored_run *past, uint64_t version)
{
    while (past->kept_count > 0 && past->checkpoints[past->kept_count - 1].version > version)
        past->kept_count--;
    past->last_version = version;
    return past->kept_count > 0 && past->checkpoints[past->kept_count - 1].version == version;
}

/* ---- the events, read back ---- */

enum err_code stored_run_each(const struct stored_run *past,
                              bool (*take)(void *owner, const struct event *event), void *owner,
                              struct err *err)
{
    for (size_t i = 0; i < past->batch_count; i++) {
        const struct store_batch *batch = &past->batches[i];
        struct event event;
        struct str rest;
        enum err_code code = event_bytes_open(batch->bytes, &rest, err);
        if (code != ERR_OK)
            return code;
        for (uint64_t n = 0; n < batch->count; n++) {
            if (!event_bytes_take(&rest, batch->first_id + n, &event))
                return err_set(err, ERR_INVALID, "the stored events are damaged");
            if (!take(owner, &event))
                return ERR_OK;
        }
    }
    return ERR_OK;
}

static bool take_last(void *owner, const struct event *event)
{
    struct event *last = owner;
    *last = *event;
    return true;
}

enum err_code stored_run_find_end(const struct stored_run *past, bool *has_ended,
                                  struct event *last, struct err *err)
{
    *last = (struct event){.kind = EVENT_TOKEN};
    enum err_code code = stored_run_each(past, take_last, last, err);
    *has_ended = code == ERR_OK && event_is_terminal(last->kind);
    return code;
}

static bool take_interrupt(void *owner, const struct event *event)
{
    struct str *node = owner;
    if (event->kind != EVENT_INTERRUPT)
        return true;
    *node = event->name;
    return false;
}

struct str stored_run_find_interrupt(const struct stored_run *past)
{
    struct str node = {NULL, 0};
    struct err ignored;
    (void)stored_run_each(past, take_interrupt, &node, &ignored);
    return node;
}

struct replaying {
    struct run *run;
    bool failed;
};

static bool replay_one(void *owner, const struct event *event)
{
    struct replaying *replaying = owner;
    if (event_is_terminal(event->kind))
        return false;
    replaying->failed = !checkpoint_replay(replaying->run, event);
    return !replaying->failed;
}

enum err_code stored_run_replay(const struct stored_run *past, struct run *run, struct err *err)
{
    struct replaying replaying = {.run = run};
    enum err_code code = stored_run_each(past, replay_one, &replaying, err);
    if (code == ERR_OK && replaying.failed)
        return err_set(err, ERR_NO_MEMORY, "no memory for what the run had said");
    return code;
}
