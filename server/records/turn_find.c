/* SPDX-License-Identifier: MIT */
/* server/records/turn_find.c - looks at the last turn of the conversation, then at all turns.
 *
 * Happy path: the last turn is that of the run, which costs one short answer of the store.
 * Failure paths: the turn is not there (yet): the store is asked again after a while, at most TRIES
 * times. */
#include "server/records/turn_find.h"

enum { TRIES = 20, TRY_MS = 50 };

static void look(struct turn_find *finding, uint64_t turn_limit);

static void look_again(struct timer *timer)
{
    look(container_of(timer, struct turn_find, timer), 1);
}

/* Whether the run's turn is among those that came. */
static bool find(struct turn_find *finding)
{
    const struct store_call *call = &finding->call;
    for (size_t i = call->turn_count; i > 0; i--)
        if (str_equal(call->turns[i - 1].run_id, finding->run_id)) {
            finding->is_there = true;
            finding->is_last = i == call->turn_count;
            finding->version = call->turns[i - 1].version;
            return true;
        }
    return false;
}

static void on_loaded(struct op *op)
{
    struct turn_find *finding = op_owner(op);
    if (op->err.code != ERR_OK || find(finding)) {
        op_finish_err(&finding->op, &op->err);
        return;
    }
    bool was_all = finding->load.turn_limit == 0 || finding->call.total <= 1;
    op_release(op);
    if (!was_all)
        look(finding, 0);
    else if (finding->tries++ < TRIES && !finding->op.cancel_asked)
        timer_start(&finding->timer, finding->store->loop, TRY_MS, look_again);
    else
        op_finish(&finding->op, ERR_OK, "%s", "");
}

static void look(struct turn_find *finding, uint64_t turn_limit)
{
    finding->load.turn_limit = turn_limit;
    store_load_start(&finding->call, finding->store, &finding->load,
                     (struct op_waiter){.done = on_loaded, .owner = finding});
}

static void cancel(struct op *op)
{
    struct turn_find *finding = container_of(op, struct turn_find, op);
    if (op_is_pending(&finding->call.op))
        op_cancel(&finding->call.op);
    if (timer_is_running(&finding->timer)) {
        timer_stop(&finding->timer);
        op_finish(op, ERR_CANCELLED, "cancelled");
    }
}

static void release(struct op *op)
{
    op_release(&container_of(op, struct turn_find, op)->call.op);
}

void turn_find_start(struct turn_find *finding, struct store *store, const struct identity *key,
                     struct str run_id, struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "turn.find", .cancel = cancel, .release = release};
    *finding = (struct turn_find){.store = store, .run_id = run_id, .load = {.key = *key}};
    op_begin(&finding->op, &kind, store->loop, waiter);
    look(finding, 1);
}
