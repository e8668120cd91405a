/* SPDX-License-Identifier: MIT */
/* server/api/conversations/run_pause.c - the conversation's open runs are listed, and what the
 * paused run said is read.
 *
 * Happy path: the last run that the store has as paused is read.
 * Failure paths:
 * - a run has paused here and the store does not know it yet: the store is asked again, for a
 *   second;
 * - the paused run is answered, or gone, meanwhile: none waits. */
#include "server/api/conversations/run_pause.h"

#include "server/runs/shard.h"

enum { LISTED = 8, TRIES = 20, TRY_MS = 50 };

static void cancel(struct op *op)
{
    struct run_pause *pause = container_of(op, struct run_pause, op);
    if (op_is_pending(&pause->call.op))
        op_cancel(&pause->call.op);
    if (op_is_pending(&pause->found.op))
        op_cancel(&pause->found.op);
    if (timer_is_running(&pause->timer)) {
        timer_stop(&pause->timer);
        op_finish(op, ERR_CANCELLED, "cancelled");
    }
}

static void release(struct op *op)
{
    struct run_pause *pause = container_of(op, struct run_pause, op);
    op_release(&pause->call.op);
    op_release(&pause->found.op);
    pause->past = NULL;
}

static void on_read(struct op *op)
{
    struct run_pause *pause = op_owner(op);
    const struct err fine = {.code = ERR_OK};
    if (op->err.code == ERR_OK && pause->found.run->status == STORE_PAUSED)
        pause->past = &pause->found;
    op_finish_err(&pause->op, op->err.code == ERR_NOT_FOUND ? &fine : &op->err);
}

/* Whether its record is on the way to the store. */
static bool has_paused_here(const struct run_pause *pause, const struct store_run *run)
{
    struct runs_entry *entry = runs_find(pause->shard->runs, run->run_id);
    return run->status == STORE_RUNNING && entry != NULL && runs_has_answered(entry) &&
           run_is_paused(runs_run(entry));
}

static void look(struct run_pause *pause);

static void look_again(struct timer *timer)
{
    look(container_of(timer, struct run_pause, timer));
}

static void on_listed(struct op *op)
{
    struct run_pause *pause = op_owner(op);
    const struct store_call *call = &pause->call;
    const struct store_run *paused = NULL;
    bool may_come = false;
    for (size_t i = 0; op->err.code == ERR_OK && paused == NULL && i < call->run_count; i++) {
        may_come |= has_paused_here(pause, &call->runs[i]);
        if (call->runs[i].status == STORE_PAUSED)
            paused = &call->runs[i];
    }
    if (paused != NULL) {
        stored_run_start(&pause->found, call->store, NULL, &pause->runs.key, paused->run_id,
                         (struct op_waiter){.done = on_read, .owner = pause});
    } else if (may_come && pause->tries++ < TRIES && !pause->op.cancel_asked) {
        op_release(op);
        timer_start(&pause->timer, pause->shard->loop, TRY_MS, look_again);
    } else {
        op_finish_err(&pause->op, &op->err);
    }
}

static void look(struct run_pause *pause)
{
    store_runs_start(&pause->call, pause->shard->wiring->events, &pause->runs,
                     (struct op_waiter){.done = on_listed, .owner = pause});
}

void run_pause_start(struct run_pause *pause, struct shard *shard, const struct identity *key,
                     struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "run.pause", .cancel = cancel, .release = release};
    *pause = (struct run_pause){.shard = shard,
                                .runs = {.key = *key, .limit = LISTED, .only_open = true}};
    op_begin(&pause->op, &kind, shard->loop, waiter);
    if (shard->wiring->events == NULL)
        op_finish(&pause->op, ERR_OK, "%s", "");
    else
        look(pause);
}
