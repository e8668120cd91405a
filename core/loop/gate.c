/* SPDX-License-Identifier: MIT */
/* core/loop/gate.c - tickets in fair order.
 *
 * Happy path: a ticket stands in line; while there are places the next goes in (done on the next
 * turn), then and with each gate_leave.
 * Failure: queue full -> ERR_BUSY; its timer -> ERR_TIMEOUT; cancelled -> ERR_CANCELLED; no memory
 * for a company that comes -> ERR_NO_MEMORY. */
#include "core/loop/gate.h"

/* The one way a ticket ends: out of line and timer first. */
static void finish_ticket(struct gate_ticket *ticket, enum err_code code)
{
    struct gate *gate = ticket->gate;
    struct fair_count count = fair_count(&gate->fair);
    timer_stop(&ticket->timer);
    if (code == ERR_OK)
        fair_enter(&gate->fair, &ticket->place);
    else
        fair_leave(&gate->fair, &ticket->place);
    if (code == ERR_OK)
        op_finish(&ticket->op, ERR_OK, "%s", "");
    else if (code == ERR_BUSY)
        op_finish(&ticket->op, code, "%s: %zu in use and %zu waiting already", gate->name,
                  count.inside, count.waiting);
    else if (code == ERR_TIMEOUT)
        op_finish(&ticket->op, code, "%s: none of %zu places came free in time", gate->name,
                  gate->places);
    else if (code == ERR_NO_MEMORY)
        op_finish(&ticket->op, code, "%s: no memory to wait", gate->name);
    else
        op_finish(&ticket->op, code, "%s: the wait was cancelled", gate->name);
}

static void let_in(struct gate *gate)
{
    struct fair_place *next;
    while (fair_count(&gate->fair).inside < gate->places && (next = fair_next(&gate->fair)) != NULL)
        finish_ticket(container_of(next, struct gate_ticket, place), ERR_OK);
}

static void cancel_ticket(struct op *op)
{
    finish_ticket(container_of(op, struct gate_ticket, op), ERR_CANCELLED);
}

static void release_ticket(struct op *op)
{
    gate_leave(container_of(op, struct gate_ticket, op));
}

static const struct op_kind ticket_kind = {
    .name = "gate.enter",
    .cancel = cancel_ticket,
    .release = release_ticket,
};

static void on_waited(struct timer *timer)
{
    finish_ticket(container_of(timer, struct gate_ticket, timer), ERR_TIMEOUT);
}

void gate_init(struct gate *gate, struct loop *loop, const char *name, size_t places,
               size_t queue_limit)
{
    *gate = (struct gate){.loop = loop, .name = name, .places = places, .queue_limit = queue_limit};
    fair_init(&gate->fair, 0, 0);
}

void gate_limit_company(struct gate *gate, size_t most)
{
    fair_init(&gate->fair, most, 0);
}

void gate_fini(struct gate *gate)
{
    fair_fini(&gate->fair);
}

void gate_enter_start(struct gate_ticket *ticket, struct gate *gate, uint64_t wait_ms,
                      struct op_waiter waiter)
{
    struct fair_count count = fair_count(&gate->fair);
    op_begin(&ticket->op, &ticket_kind, gate->loop, waiter);
    ticket->gate = gate;
    if (count.waiting >= gate->queue_limit && (count.waiting > 0 || count.inside >= gate->places)) {
        finish_ticket(ticket, ERR_BUSY);
    } else if (!fair_wait(&gate->fair, &ticket->place, &ticket->caller, ticket->weight)) {
        finish_ticket(ticket, ERR_NO_MEMORY);
    } else {
        timer_start(&ticket->timer, gate->loop, wait_ms, on_waited);
        let_in(gate);
    }
}

void gate_leave(struct gate_ticket *ticket)
{
    if (fair_state(&ticket->place) != FAIR_INSIDE)
        return;
    fair_leave(&ticket->gate->fair, &ticket->place);
    let_in(ticket->gate);
}
