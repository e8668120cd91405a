/* SPDX-License-Identifier: MIT */
/* server/documents/document_hold.c - claim, renew by a timer, give back.
 *
 * Happy path: claim -> on_claimed -> renew -> on_renewed, again and again -> document_hold_end ->
 * give_back -> on_yielded.
 * Failure: somebody else's claim: tried again by the timer, until it is given up; a renewal that
 * finds the claim gone says so once and is the last; one that fails otherwise is repeated. */
#include "server/documents/document_hold.h"

enum {
    LEASE_MS = 10000,
    RENEW_MS = LEASE_MS / 4,
    AGAIN_MS = 150,
    PATIENCE_MS = LEASE_MS + LEASE_MS / 2, /* a dead process's claim is over by then */
    ENTRY_BYTES = 256 << 10
};

static void cancel(struct op *op)
{
    struct document_hold *hold = container_of(op, struct document_hold, op);
    op_cancel(&hold->call.op);
    if (timer_is_running(&hold->timer)) {
        timer_stop(&hold->timer);
        op_finish(op, ERR_CANCELLED, "cancelled");
    }
}

static const struct op_kind kind = {.name = "docs.hold", .cancel = cancel};

static void claim(struct document_hold *hold, struct arena *arena, op_fn *done)
{
    op_release(&hold->call.op);
    arena_fini(arena);
    arena_init(arena, ENTRY_BYTES);
    ledger_claim_start(&hold->call, hold->ledger, &hold->key, document_hold_holder(hold), LEASE_MS,
                       arena, (struct op_waiter){.done = done, .owner = hold});
}

/* ---- while it is held ---- */

static void give_back(struct document_hold *hold);
static void renew(struct timer *timer);

static void on_renewed(struct op *op)
{
    struct document_hold *hold = op_owner(op);
    if (hold->on_ended != NULL) {
        give_back(hold);
    } else if (op->err.code == ERR_CONFLICT) {
        hold->is_lost = true;
        if (hold->on_lost != NULL)
            hold->on_lost(hold->owner);
    } else {
        timer_start(&hold->timer, hold->op.loop, RENEW_MS, renew);
    }
}

static void renew(struct timer *timer)
{
    struct document_hold *hold = container_of(timer, struct document_hold, timer);
    claim(hold, &hold->spare, on_renewed);
}

/* ---- until it is held ---- */

static void claim_first(struct timer *timer);

static void on_claimed(struct op *op)
{
    struct document_hold *hold = op_owner(op);
    struct err err = op->err;
    const uint64_t waited_ms = loop_now_ms(hold->op.loop) - hold->since_ms;
    if (err.code == ERR_CONFLICT && hold->op.cancel_asked)
        err_set(&err, ERR_CANCELLED, "cancelled");
    if (err.code == ERR_CONFLICT && waited_ms < PATIENCE_MS) {
        timer_start(&hold->timer, hold->op.loop, AGAIN_MS, claim_first);
        return;
    }
    if (err.code == ERR_OK) {
        hold->entry = hold->call.count > 0 ? &hold->call.entries[0] : NULL;
        timer_start(&hold->timer, hold->op.loop, RENEW_MS, renew);
    }
    op_finish_err(&hold->op, &err);
}

static void claim_first(struct timer *timer)
{
    struct document_hold *hold = container_of(timer, struct document_hold, timer);
    claim(hold, &hold->arena, on_claimed);
}

void document_hold_start(struct document_hold *hold, struct loop *loop, struct ledger *ledger,
                         const struct ledger_entry *key, void (*on_lost)(void *owner), void *owner,
                         struct op_waiter waiter)
{
    op_begin(&hold->op, &kind, loop, waiter);
    arena_init(&hold->arena, ENTRY_BYTES);
    arena_init(&hold->spare, ENTRY_BYTES);
    hold->entry = NULL;
    hold->is_lost = false;
    hold->ledger = ledger;
    hold->key = *key;
    hold->holder = id_random();
    hold->since_ms = loop_now_ms(loop);
    hold->on_lost = on_lost;
    hold->on_ended = NULL;
    hold->owner = owner;
    claim(hold, &hold->arena, on_claimed);
}

struct str document_hold_holder(const struct document_hold *hold)
{
    return str_of(hold->holder.text);
}

/* ---- its end ---- */

static void end(struct document_hold *hold)
{
    void (*on_ended)(void *owner) = hold->on_ended;
    op_release(&hold->call.op);
    op_release(&hold->op);
    arena_fini(&hold->arena);
    arena_fini(&hold->spare);
    on_ended(hold->owner);
}

static void on_yielded(struct op *op)
{
    end(op_owner(op)); /* what was not given back is over by itself */
}

static void give_back(struct document_hold *hold)
{
    op_release(&hold->call.op);
    ledger_yield_start(&hold->call, hold->ledger, &hold->key, document_hold_holder(hold),
                       (struct op_waiter){.done = on_yielded, .owner = hold});
}

void document_hold_end(struct document_hold *hold, void (*on_ended)(void *owner), void *owner)
{
    timer_stop(&hold->timer);
    hold->on_ended = on_ended;
    hold->owner = owner;
    if (op_is_pending(&hold->call.op))
        return; /* a renewal is under way: it goes on from there */
    if (hold->op.err.code == ERR_CONFLICT || hold->is_lost)
        end(hold); /* it is another's */
    else
        give_back(hold);
}
