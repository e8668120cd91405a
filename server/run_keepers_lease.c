/* SPDX-License-Identifier: MIT */
/* server/run_keepers_lease.c - a renewal three times in a lease, and what its answer says.
 *
 * Happy path: the lease is renewed for as long as the record is not over; it says whether somebody
 * asked the run to stop.
 * Failure paths: lost: the keeper finds out to whom; the store cannot be used: the next renewal;
 * the process slept: the run is held until the answer is there. */
#include "server/run_keepers_internal.h"

enum { RENEWALS = 3 }; /* of a lease while it lasts */

void run_keepers_lease_stop(struct run_keeper *keeper, bool forget)
{
    if (keeper->run_owner != NULL)
        keeper->keepers->options.on_stop(keeper->run_owner, forget);
}

static void doubt_run(struct run_keeper *keeper, bool doubts)
{
    if (keeper->run_owner != NULL && keeper->keepers->options.on_doubt != NULL)
        keeper->keepers->options.on_doubt(keeper->run_owner, doubts);
}

static timer_fn on_renew_due;

void run_keepers_lease_await(struct run_keeper *keeper)
{
    const struct run_keepers_options *o = &keeper->keepers->options;
    keeper->renew_at_ms = loop_now_ms(o->loop) + o->lease_ms / RENEWALS;
    timer_start(&keeper->renew_timer, o->loop, o->lease_ms / RENEWALS, on_renew_due);
}

static void on_renewed(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    bool cancel = op->err.code == ERR_OK && keeper->renew_call.runs[0].cancel_asked;
    bool forget = cancel && keeper->renew_call.runs[0].forget_asked;
    bool lost = op->err.code == ERR_CONFLICT;
    op_release(op);
    if (keeper->state == RUN_KEEPER_OVER) {
        run_keepers_one_consider_free(keeper);
        return;
    }
    if (!lost)
        doubt_run(keeper, false);
    if (lost && keeper->state == RUN_KEEPER_KEEPS && keeper->status == STORE_RUNNING &&
        !keeper->is_written) {
        run_keepers_one_lose(keeper);
        return;
    }
    run_keepers_lease_await(keeper);
    if (cancel && keeper->status == STORE_RUNNING)
        run_keepers_lease_stop(keeper, forget);
}

/* The process slept if it is that late: the lease may be over, and the run another's. */
static void on_renew_due(struct timer *timer)
{
    struct run_keeper *keeper = container_of(timer, struct run_keeper, renew_timer);
    const struct run_keepers_options *o = &keeper->keepers->options;
    if (loop_now_ms(o->loop) > keeper->renew_at_ms + o->lease_ms / RENEWALS)
        doubt_run(keeper, true);
    keeper->renew = (struct store_renew){keeper->fence, o->lease_ms};
    store_renew_start(&keeper->renew_call, o->store, &keeper->renew,
                      (struct op_waiter){.done = on_renewed, .owner = keeper});
}
