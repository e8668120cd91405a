/* SPDX-License-Identifier: MIT */
/* core/loop/op.h - one operation in flight.
 *
 * Storage is the waiter's and stays put from start until released. An operation ends exactly once,
 * on a later turn of its own loop, never inside the call that started or cancelled it.
 *   idle -op_begin-> pending -op_finish-> finishing -next turn, done()-> idle
 * One loop, one thread. */
#ifndef CORE_LOOP_OP_H
#define CORE_LOOP_OP_H

#include "core/base/err.h"
#include "core/loop/loop.h"
#include "core/observe/trace.h"

struct op;
typedef void op_fn(struct op *op);

struct op_waiter {                   /* whom to tell of the end; copied by start */
    op_fn *done;                     /* called exactly once, from the loop */
    void *owner;                     /* borrowed; op_owner() gives it back */
    struct list *group;              /* where the op sits until released; may be NULL */
    const struct trace_place *trace; /* its parent in a trace; NULL: not traced; kept until done */
};

struct op_kind {      /* one const table per kind of operation */
    const char *name; /* "llm.chat": logs, metrics */
    op_fn *cancel;    /* begin giving up; must lead to op_finish() */
    op_fn *hold, *go; /* flow control for streaming kinds; else NULL */
    op_fn *release;   /* drop the result; NULL when there is none */
};

enum op_phase { OP_IDLE, OP_PENDING, OP_FINISHING };

struct op {
    struct err err; /* valid in done and after, until the next begin */
    /* private */
    struct list group_link; /* in waiter.group from begin until release */
    struct loop_task finish_task;
    const struct op_kind *kind; /* NULL: never begun, or released */
    struct loop *loop;
    struct op_waiter waiter;
    enum op_phase phase;
    bool cancel_asked, held;
};

/* ---- for users ---- */

/* Ask op to give up: in any state, any number of times; never calls back from inside. done still
 * comes once: ERR_CANCELLED, or the result that was already decided. */
void op_cancel(struct op *op);
/* Stop and restart the flow of data (never completion). No-ops for kinds without flow. */
void op_hold(struct op *op);
void op_go(struct op *op);
/* Drop the result and leave the group. Idempotent; not while pending (CHECK). */
void op_release(struct op *op);

static inline bool op_is_pending(const struct op *op)
{
    return op->phase != OP_IDLE;
}

/* Whether the flow is stopped: a kind that begins its transfer later asks this. */
static inline bool op_is_held(const struct op *op)
{
    return op->held;
}

static inline void *op_owner(const struct op *op)
{
    return op->waiter.owner;
}

/* op_cancel, op_hold, op_go, op_release for each op of a group (a list of their links); the last
 * one needs none of them to be pending. */
void op_group_cancel(struct list *group);
void op_group_hold(struct list *group);
void op_group_go(struct list *group);
void op_group_release(struct list *group);
/* How many of the group are pending. */
size_t op_group_pending(const struct list *group);

/* ---- for implementers: first and last line of every operation ---- */

/* Begin on idle storage (zeroed, or used before and released or done). */
void op_begin(struct op *op, const struct op_kind *kind, struct loop *loop,
              struct op_waiter waiter);
/* Only queues: done runs on the next turn, with op->err set and the op idle again. ERR_OK takes
 * an empty text. A second call before done is a CHECK. */
void op_finish(struct op *op, enum err_code code, const char *fmt, ...) PRINTF(3, 4);
/* op_finish with a copy of err. */
void op_finish_err(struct op *op, const struct err *err);
/* Whether op_finish was called already (a late callback of a library asks before it finishes). */
static inline bool op_is_finishing(const struct op *op)
{
    return op->phase == OP_FINISHING;
}

#endif
