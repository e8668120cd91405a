/* SPDX-License-Identifier: MIT */
/* core/gate.c - tickets in order.
 *
 * Happy path: a free place admits at once (done on the next turn); else the ticket queues and the
 * next gate_leave admits the first in the queue.
 * Failure: queue full -> ERR_BUSY; its timer -> ERR_TIMEOUT; cancelled -> ERR_CANCELLED. */
#include "core/gate.h"

/* The one way a ticket ends: out of queue and timer first. */
static void finish_ticket(struct gate_ticket *ticket, enum err_code code)
{
    struct gate *gate = ticket->gate;
    timer_stop(&ticket->timer);
    if (list_is_linked(&ticket->link)) {
        list_remove(&ticket->link);
        gate->queued--;
    }
    if (code == ERR_OK) {
        ticket->inside = true;
        gate->taken++;
        op_finish(&ticket->op, ERR_OK, "%s", "");
    } else if (code == ERR_BUSY) {
        op_finish(&ticket->op, code, "%s: %zu in use and %zu waiting already", gate->name,
                  gate->taken, gate->queued);
    } else if (code == ERR_TIMEOUT) {
        op_finish(&ticket->op, code, "%s: none of %zu places came free in time", gate->name,
                  gate->places);
    } else {
        op_finish(&ticket->op, code, "%s: the wait was cancelled", gate->name);
    }
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
    list_init(&gate->queue);
}

void gate_fini(struct gate *gate)
{
    CHECK(gate->taken == 0 && gate->queued == 0);
}

void gate_enter_start(struct gate_ticket *ticket, struct gate *gate, uint64_t wait_ms,
                      struct op_waiter waiter)
{
    op_begin(&ticket->op, &ticket_kind, gate->loop, waiter);
    CHECK(!ticket->inside);
    ticket->gate = gate;
    if (gate->taken < gate->places && gate->queued == 0) {
        finish_ticket(ticket, ERR_OK);
    } else if (gate->queued >= gate->queue_limit) {
        finish_ticket(ticket, ERR_BUSY);
    } else {
        list_push(&gate->queue, &ticket->link);
        gate->queued++;
        timer_start(&ticket->timer, gate->loop, wait_ms, on_waited);
    }
}

void gate_leave(struct gate_ticket *ticket)
{
    struct gate *gate = ticket->gate;
    if (!ticket->inside)
        return;
    ticket->inside = false;
    gate->taken--;
    if (gate->taken < gate->places && !list_is_empty(&gate->queue))
        finish_ticket(list_item(gate->queue.next, struct gate_ticket, link), ERR_OK);
}
