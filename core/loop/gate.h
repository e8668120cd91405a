/* SPDX-License-Identifier: MIT */
/* core/loop/gate.h - waiting for one of N places as an operation: fair, bounded, with a deadline.
 *
 * Waiting tickets go in the order of core/loop/fair: first among companies, then among users, then
 * in order of coming. A gate belongs to one loop. A ticket that got in holds its place until
 * gate_leave. */
#ifndef CORE_LOOP_GATE_H
#define CORE_LOOP_GATE_H

#include "core/loop/delay.h"
#include "core/loop/fair.h"
#include "core/loop/op.h"
#include "core/loop/timer.h"

struct gate {
    /* private */
    struct loop *loop;
    const char *name;
    size_t places, queue_limit;
    struct fair fair;
};

struct gate_ticket {
    struct op op;
    struct identity caller; /* who wants the place: set before start, borrowed by start only */
    unsigned weight;        /* of its company, set before start; 0: 1 */
    /* private */
    struct gate *gate;
    struct fair_place place;
    struct timer timer;
};

/* places that may be taken at once, and how many may wait. name is borrowed (messages). */
void gate_init(struct gate *gate, struct loop *loop, const char *name, size_t places,
               size_t queue_limit);
/* Most places that one company may have inside; 0: all. Before the first ticket. */
void gate_limit_company(struct gate *gate, size_t most);
/* CHECKs that nobody is inside or waiting. */
void gate_fini(struct gate *gate);
/* Wait for a place at most wait_ms. ERR_BUSY: the queue is full; ERR_TIMEOUT: none came free;
 * ERR_NO_MEMORY. */
void gate_enter_start(struct gate_ticket *ticket, struct gate *gate, uint64_t wait_ms,
                      struct op_waiter waiter);
/* Give the place back. Idempotent; fine on a ticket that never got in. */
void gate_leave(struct gate_ticket *ticket);

#endif
