/* SPDX-License-Identifier: MIT */
/* server/runs/takeover.c - claims one run whose server is gone, reads what is stored of it, goes on
 * with it; and again until there is none.
 *
 * Happy path: the stored run is read, its conversation opened, and the worker goes on with it.
 * Failure paths:
 * - the run had stored its terminal event, or had paused: its turn is saved, unless it is there,
 *   then its record is finished accordingly; when the turn cannot be stored now, the record stays;
 * - somebody asked the run to cancel, it was claimed too often, it cannot go on, or what is stored
 *   of it is damaged: it gets one error event, then its record the end;
 * - no place here, or the store fails: the run is looked at again later, by the server that claims
 *   it then. */
#include "server/runs/takeover.h"

#include "core/loop/turns.h"
#include "core/store/event_bytes.h"
#include "server/conversations/takeover_turn.h"
#include "server/records/event_writers.h"

enum {
    LOOK_MS = 250,   /* between a process' looks: a server that died is found within a second */
    LATER_MS = 3000, /* after what failed */
    MOST_CLAIMS = 3, /* of a run that may be what makes its servers fail */
    BATCH_BYTES = 4096
};

static timer_fn on_due;

static void await(struct takeover *takeover, uint64_t ms)
{
    op_release(&takeover->past.op);
    op_release(&takeover->opening.op);
    op_release(&takeover->claimed.op);
    op_release(&takeover->settling.op);
    if (takeover->stopped)
        buf_fini(&takeover->batch);
    else
        timer_start(&takeover->timer, takeover->options.store->loop, ms, on_due);
}

/* Until it is this worker's turn to look. */
static uint64_t turn_ms(const struct takeover *takeover)
{
    const struct takeover_options *o = &takeover->options;
    return turns_until_ms(loop_now_ms(o->store->loop), LOOK_MS, o->worker, o->worker_count);
}

static void note(struct takeover *takeover, const char *what, const struct err *err)
{
    LOG(takeover->options.log, WARN, "run.takeover",
        "run=%.*s epoch=%llu what=%s code=%s text=\"%s\"", STR_ARG(takeover->fence.run_id),
        (unsigned long long)takeover->fence.epoch, what, err_name(err->code), err->text);
}

/* ---- the end of a run ---- */

static void on_finished(struct op *op)
{
    struct takeover *takeover = op_owner(op);
    bool fine = op->err.code == ERR_OK;
    op_release(op);
    await(takeover, fine ? 0 : LATER_MS);
}

static void finish_record(struct takeover *takeover)
{
    store_finish_start(&takeover->call, takeover->options.store, &takeover->finish,
                       (struct op_waiter){.done = on_finished, .owner = takeover});
}

/* The turn of the run is stored, or late: then the record is left to the next server that claims
 * it. */
static void on_settled(struct op *op)
{
    struct takeover *takeover = op_owner(op);
    if (op->err.code != ERR_OK || takeover->stopped ||
        conversations_is_saving(takeover->options.conversations, &takeover->past.run->key))
        await(takeover, LATER_MS);
    else
        finish_record(takeover);
}

static void keep_turn(struct takeover *takeover, enum store_status status)
{
    struct conversations *conversations = takeover->options.conversations;
    takeover->finish = (struct store_finish){takeover->fence, status};
    if (takeover_turn_keep(&takeover->past, conversations))
        conversations_settle_start(&takeover->settling, conversations, &takeover->past.run->key,
                                   (struct op_waiter){.done = on_settled, .owner = takeover});
    else
        finish_record(takeover);
}

static void on_appended(struct op *op)
{
    struct takeover *takeover = op_owner(op);
    bool fine = op->err.code == ERR_OK;
    op_release(op);
    if (!fine || takeover->stopped)
        await(takeover, LATER_MS);
    else
        keep_turn(takeover, takeover->ends_cancelled ? STORE_CANCELLED : STORE_FAILED);
}

/* Write the error event that the run lacks. */
static void say_end(struct takeover *takeover, const char *code, const char *text, bool retryable)
{
    struct buf more;
    buf_init(&more, BATCH_BYTES);
    buf_printf(&more, "\"run_id\":\"%.*s\"", STR_ARG(takeover->fence.run_id));
    const struct event event = {
        .kind = EVENT_ERROR,
        .name = str_of(code),
        .text = str_of(text),
        .number = retryable,
        .more = buf_str(&more),
    };
    buf_clear(&takeover->batch);
    event_bytes_begin(&takeover->batch);
    event_bytes_push(&takeover->batch, &event);
    event_bytes_end(&takeover->batch);
    buf_fini(&more);
    if (!buf_ok(&takeover->batch)) {
        await(takeover, LATER_MS);
        return;
    }
    takeover->append = (struct store_append){
        takeover->fence,
        {event_first_id(takeover->fence.epoch), 1, buf_str(&takeover->batch)},
    };
    store_append_start(&takeover->call, takeover->options.store, &takeover->append,
                       (struct op_waiter){.done = on_appended, .owner = takeover});
}

static void end_lost_run(struct takeover *takeover, const struct err *why)
{
    note(takeover, "ended", why);
    say_end(takeover, "server_shutdown", "the server that answered is gone; ask again", true);
}

/* ---- going on ---- */

static void go_on(struct takeover *takeover)
{
    const struct takeover_options *o = &takeover->options;
    struct err err = {0};
    enum err_code code = o->revive(o->owner, &takeover->past, takeover->fence.epoch, &err);
    if (code == ERR_OK) {
        note(takeover, "goes_on", &err);
        await(takeover, 0);
    } else if (code == ERR_BUSY || code == ERR_UNAVAILABLE) {
        note(takeover, "waits", &err);
        await(takeover, LATER_MS);
    } else {
        end_lost_run(takeover, &err);
    }
}

static void on_opened(struct op *op)
{
    struct takeover *takeover = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_OK)
        go_on(takeover);
    else
        end_lost_run(takeover, &err);
}

static void open_conversation(struct takeover *takeover)
{
    const struct identity *key = &takeover->past.run->key;
    if (key->conversation_id.len == 0)
        go_on(takeover);
    else
        conversations_open_start(&takeover->opening, takeover->options.conversations, key,
                                 (struct op_waiter){.done = on_opened, .owner = takeover});
}

/* The stored run is read. */
static void decide(struct takeover *takeover, struct err *err)
{
    const struct store_run *run = takeover->past.run;
    struct event last;
    bool has_ended;
    if (stored_run_find_end(&takeover->past, &has_ended, &last, err) != ERR_OK)
        end_lost_run(takeover, err);
    else if (has_ended)
        keep_turn(takeover, event_writers_status(&last));
    else if (run->cancel_asked) {
        takeover->ends_cancelled = true;
        say_end(takeover, "cancelled", "somebody asked for it", false);
    } else if (takeover->options.revive == NULL) {
        end_lost_run(takeover, err);
    } else if (run->epoch > MOST_CLAIMS + 1) {
        err_set(err, ERR_INTERNAL, "it was gone on with %d times", MOST_CLAIMS);
        note(takeover, "given_up", err);
        say_end(takeover, "internal", "servers stopped again and again while they answered", false);
    } else {
        open_conversation(takeover);
    }
}

static void on_read(struct op *op)
{
    struct takeover *takeover = op_owner(op);
    struct err err = op->err;
    if (takeover->stopped)
        await(takeover, LATER_MS);
    else if (err.code == ERR_OK)
        decide(takeover, &err);
    else if (err.code == ERR_TOO_LARGE || err.code == ERR_PROTOCOL)
        end_lost_run(takeover, &err);
    else
        await(takeover, LATER_MS);
}

static void on_claimed(struct op *op)
{
    static const struct identity anybody = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct takeover *takeover = op_owner(op);
    if (op->err.code != ERR_OK || takeover->claimed.run_count == 0) {
        bool is_none = op->err.code == ERR_OK || op->err.code == ERR_NOT_FOUND;
        if (!is_none && op->err.code != ERR_CANCELLED)
            LOG(takeover->options.log, WARN, "takeover.not_claimed", "code=%s text=\"%s\"",
                err_name(op->err.code), op->err.text);
        await(takeover, is_none ? turn_ms(takeover) : LATER_MS);
        return;
    }
    const struct store_run *run = takeover->claimed.runs;
    takeover->fence = (struct store_fence){run->run_id, takeover->options.instance, run->epoch};
    takeover->ends_cancelled = false;
    stored_run_start(&takeover->past, takeover->options.store, takeover->options.turns, &anybody,
                     run->run_id, (struct op_waiter){.done = on_read, .owner = takeover});
}

static void on_due(struct timer *timer)
{
    struct takeover *takeover = container_of(timer, struct takeover, timer);
    const struct takeover_options *o = &takeover->options;
    if (o->revive != NULL && !o->has_room(o->owner)) {
        await(takeover, turn_ms(takeover));
        return;
    }
    takeover->claim = (struct store_claim){.instance = o->instance, .lease_ms = o->lease_ms};
    store_claim_start(&takeover->claimed, o->store, &takeover->claim,
                      (struct op_waiter){.done = on_claimed, .owner = takeover});
}

void takeover_start(struct takeover *takeover, const struct takeover_options *options)
{
    *takeover = (struct takeover){.options = *options};
    buf_init(&takeover->batch, BATCH_BYTES);
    store_attend(options->store, options->instance);
    await(takeover, LOOK_MS); /* the look that makes the sign known, shown by then */
}

void takeover_stop(struct takeover *takeover)
{
    takeover->stopped = true;
    timer_stop(&takeover->timer);
    if (!op_is_pending(&takeover->call.op) && !op_is_pending(&takeover->claimed.op) &&
        !op_is_pending(&takeover->past.op) && !op_is_pending(&takeover->opening.op) &&
        !op_is_pending(&takeover->settling.op))
        buf_fini(&takeover->batch);
}
