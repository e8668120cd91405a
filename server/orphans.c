/* SPDX-License-Identifier: MIT */
/* server/orphans.c - claim one, read its past, go on with it; and again until there is none.
 *
 * Happy path: the claimed run's past is read, its conversation opened, the worker goes on with it.
 * Failure paths:
 * - it had said its end, or had paused: its turn is kept, unless it is, then its record is finished
 *   so; a turn that the store cannot take now leaves the record as it is;
 * - somebody asked it to cancel, it was claimed too often, it cannot go on, what is stored of it is
 *   damaged: one error event, then its record's end;
 * - no place here, or the store fails: looked at again later, by whoever claims it then. */
#include "server/orphans.h"

#include "core/event_bytes.h"
#include "server/past_turn.h"
#include "server/run_keepers.h"

enum {
    EVERY_MS = 3000,
    MOST_CLAIMS = 3, /* of a run that takes its servers with it */
    BATCH_BYTES = 4096
};

static timer_fn on_due;

static void await(struct orphans *orphans, uint64_t ms)
{
    op_release(&orphans->past.op);
    op_release(&orphans->opening.op);
    op_release(&orphans->claimed.op);
    op_release(&orphans->settling.op);
    if (orphans->stopped)
        buf_fini(&orphans->batch);
    else
        timer_start(&orphans->timer, orphans->options.store->loop, ms, on_due);
}

static void note(struct orphans *orphans, const char *what, const struct err *err)
{
    LOG(orphans->options.log, WARN, "run.orphan", "run=%.*s epoch=%llu what=%s code=%s text=\"%s\"",
        STR_ARG(orphans->fence.run_id), (unsigned long long)orphans->fence.epoch, what,
        err_name(err->code), err->text);
}

/* ---- the end of a run ---- */

static void on_finished(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    bool fine = op->err.code == ERR_OK;
    op_release(op);
    await(orphans, fine ? 0 : EVERY_MS);
}

static void finish_record(struct orphans *orphans)
{
    store_finish_start(&orphans->call, orphans->options.store, &orphans->finish,
                       (struct op_waiter){.done = on_finished, .owner = orphans});
}

/* Its turn is stored, or late: then whoever claims it next sees to it. */
static void on_settled(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    if (op->err.code != ERR_OK || orphans->stopped ||
        conversations_is_saving(orphans->options.conversations,
                                orphans->past.run->key.conversation_id))
        await(orphans, EVERY_MS);
    else
        finish_record(orphans);
}

static void keep_turn(struct orphans *orphans, enum store_status status)
{
    struct conversations *conversations = orphans->options.conversations;
    orphans->finish = (struct store_finish){orphans->fence, status};
    if (past_turn_keep(&orphans->past, conversations))
        conversations_settle_start(&orphans->settling, conversations,
                                   orphans->past.run->key.conversation_id,
                                   (struct op_waiter){.done = on_settled, .owner = orphans});
    else
        finish_record(orphans);
}

static void on_appended(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    bool fine = op->err.code == ERR_OK;
    op_release(op);
    if (!fine || orphans->stopped)
        await(orphans, EVERY_MS);
    else
        keep_turn(orphans, orphans->ends_cancelled ? STORE_CANCELLED : STORE_FAILED);
}

/* The one event that is missing. */
static void say_end(struct orphans *orphans, const char *code, const char *text, bool retryable)
{
    struct buf more;
    buf_init(&more, BATCH_BYTES);
    buf_printf(&more, "\"run_id\":\"%.*s\"", STR_ARG(orphans->fence.run_id));
    const struct event event = {
        .kind = EVENT_ERROR,
        .name = str_of(code),
        .text = str_of(text),
        .number = retryable,
        .more = buf_str(&more),
    };
    buf_clear(&orphans->batch);
    event_bytes_begin(&orphans->batch);
    event_bytes_push(&orphans->batch, &event);
    event_bytes_end(&orphans->batch);
    buf_fini(&more);
    if (!buf_ok(&orphans->batch)) {
        await(orphans, EVERY_MS);
        return;
    }
    orphans->append = (struct store_append){
        orphans->fence,
        {event_first_id(orphans->fence.epoch), 1, buf_str(&orphans->batch)},
    };
    store_append_start(&orphans->call, orphans->options.store, &orphans->append,
                       (struct op_waiter){.done = on_appended, .owner = orphans});
}

static void end_orphan(struct orphans *orphans, const struct err *why)
{
    note(orphans, "ended", why);
    say_end(orphans, "server_shutdown", "the server that answered is gone; ask again", true);
}

/* ---- going on ---- */

static void go_on(struct orphans *orphans)
{
    const struct orphans_options *o = &orphans->options;
    struct err err = {0};
    enum err_code code = o->revive(o->owner, &orphans->past, orphans->fence.epoch, &err);
    if (code == ERR_OK) {
        note(orphans, "goes_on", &err);
        await(orphans, 0);
    } else if (code == ERR_BUSY || code == ERR_UNAVAILABLE) {
        note(orphans, "waits", &err);
        await(orphans, EVERY_MS);
    } else {
        end_orphan(orphans, &err);
    }
}

static void on_opened(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_OK)
        go_on(orphans);
    else
        end_orphan(orphans, &err);
}

static void open_conversation(struct orphans *orphans)
{
    const struct identity *key = &orphans->past.run->key;
    if (key->conversation_id.len == 0)
        go_on(orphans);
    else
        conversations_open_start(&orphans->opening, orphans->options.conversations, key,
                                 (struct op_waiter){.done = on_opened, .owner = orphans});
}

/* Its past is read. */
static void decide(struct orphans *orphans, struct err *err)
{
    const struct store_run *run = orphans->past.run;
    struct event last;
    bool has_ended;
    if (run_past_find_end(&orphans->past, &has_ended, &last, err) != ERR_OK)
        end_orphan(orphans, err);
    else if (has_ended)
        keep_turn(orphans, run_keepers_status(&last));
    else if (run->cancel_asked) {
        orphans->ends_cancelled = true;
        say_end(orphans, "cancelled", "somebody asked for it", false);
    } else if (orphans->options.revive == NULL) {
        end_orphan(orphans, err);
    } else if (run->epoch > MOST_CLAIMS + 1) {
        err_set(err, ERR_INTERNAL, "it was gone on with %d times", MOST_CLAIMS);
        note(orphans, "given_up", err);
        say_end(orphans, "internal", "servers stopped again and again while they answered", false);
    } else {
        open_conversation(orphans);
    }
}

static void on_read(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    struct err err = op->err;
    if (orphans->stopped)
        await(orphans, EVERY_MS);
    else if (err.code == ERR_OK)
        decide(orphans, &err);
    else if (err.code == ERR_TOO_LARGE || err.code == ERR_PROTOCOL)
        end_orphan(orphans, &err);
    else
        await(orphans, EVERY_MS);
}

static void on_claimed(struct op *op)
{
    static const struct identity anybody = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct orphans *orphans = op_owner(op);
    if (op->err.code != ERR_OK || orphans->claimed.run_count == 0) {
        if (op->err.code != ERR_NOT_FOUND && op->err.code != ERR_CANCELLED)
            LOG(orphans->options.log, WARN, "run.orphans", "code=%s text=\"%s\"",
                err_name(op->err.code), op->err.text);
        await(orphans, EVERY_MS);
        return;
    }
    const struct store_run *run = orphans->claimed.runs;
    orphans->fence = (struct store_fence){run->run_id, orphans->options.instance, run->epoch};
    orphans->ends_cancelled = false;
    run_past_start(&orphans->past, orphans->options.store, orphans->options.turns, &anybody,
                   run->run_id, (struct op_waiter){.done = on_read, .owner = orphans});
}

static void on_due(struct timer *timer)
{
    struct orphans *orphans = container_of(timer, struct orphans, timer);
    const struct orphans_options *o = &orphans->options;
    if (o->revive != NULL && !o->has_room(o->owner)) {
        await(orphans, EVERY_MS);
        return;
    }
    orphans->claim = (struct store_claim){.instance = o->instance, .lease_ms = o->lease_ms};
    store_claim_start(&orphans->claimed, o->store, &orphans->claim,
                      (struct op_waiter){.done = on_claimed, .owner = orphans});
}

void orphans_start(struct orphans *orphans, const struct orphans_options *options)
{
    *orphans = (struct orphans){.options = *options};
    buf_init(&orphans->batch, BATCH_BYTES);
    await(orphans, 0);
}

void orphans_stop(struct orphans *orphans)
{
    orphans->stopped = true;
    timer_stop(&orphans->timer);
    if (!op_is_pending(&orphans->call.op) && !op_is_pending(&orphans->claimed.op) &&
        !op_is_pending(&orphans->past.op) && !op_is_pending(&orphans->opening.op) &&
        !op_is_pending(&orphans->settling.op))
        buf_fini(&orphans->batch);
}
