/* SPDX-License-Identifier: MIT */
/* server/runs/admission.c - two fair queues and some counters.
 *
 * Happy path: a ticket stands among the turns, moves to the line, goes inside when it is next and a
 * place is free, and leaves; how long it held its place is remembered.
 * Failure: every limit is a verdict; a count below zero is a mistake of this program. Without /proc
 * the memory of the process is not known: then only what the runs count matters. */
#include "server/runs/admission.h"

#include "core/base/resident.h"

enum {
    WEIGH_MS = 100,     /* memory is weighed no more often */
    MEAN_OF = 8,        /* runs that the moving mean remembers, about */
    MOST_RETRY_S = 600, /* after that long the state of the server has changed anyway */
    ORDER_ROOM = 4096,
    COMPANY_QUEUE_PERCENT = 50, /* of the queue: other companies always find a place to wait */
};

static size_t share(uint64_t all, uint64_t count)
{
    return (size_t)((all + count - 1) / count);
}

/* A part of a whole: at least one, and never more than the whole. */
static size_t within(size_t limit, size_t whole)
{
    return size_min(size_max(limit, 1), whole);
}

void admission_init(struct admission *admission, struct loop *loop, const struct config *config)
{
    uint64_t count = config->workers;
    *admission = (struct admission){
        .loop = loop,
        .max_connections = share(config->max_connections, count),
        .max_runs = share(config->max_runs, count),
        .max_queued = share(config->max_queued_runs, count),
        .memory_bytes = config->memory_bytes,
    };
    struct admission *a = admission;
    a->company_runs = within(share(a->max_runs * config->company_share, 100), a->max_runs);
    a->company_queued = within(share(a->max_queued * COMPANY_QUEUE_PERCENT, 100), a->max_queued);
    fair_init(&a->line, a->company_runs, a->company_runs);
    fair_init(&a->turns, 0, 0);
}

void admission_fini(struct admission *admission)
{
    fair_fini(&admission->line);
    fair_fini(&admission->turns);
}

bool admission_is_full(const struct admission *admission, size_t connections)
{
    return connections >= admission->max_connections;
}

/* ---- what is there ---- */

size_t admission_runs(const struct admission *admission)
{
    return fair_count(&admission->line).inside;
}

size_t admission_queued(const struct admission *admission)
{
    return fair_count(&admission->line).waiting + fair_count(&admission->turns).waiting;
}

static struct fair_count of_company(const struct admission *admission,
                                    const struct identity *caller)
{
    struct fair_count count = fair_count_company(&admission->line, caller);
    count.waiting += fair_count_company(&admission->turns, caller).waiting;
    return count;
}

/* ---- verdicts ---- */

enum admission_verdict admission_ask(struct admission *admission, const struct identity *caller,
                                     bool must_wait)
{
    struct fair_count company = of_company(admission, caller);
    if (admission->draining)
        return ADMISSION_CLOSED;
    if (admission->is_heavy)
        return ADMISSION_HEAVY;
    if (!must_wait && admission_runs(admission) < admission->max_runs &&
        company.inside < admission->company_runs && fair_next(&admission->line) == NULL)
        return ADMISSION_YES;
    if (admission_queued(admission) >= admission->max_queued)
        return ADMISSION_FULL;
    return company.waiting >= admission->company_queued ? ADMISSION_SHARE : ADMISSION_YES;
}

unsigned admission_retry_s(const struct admission *admission, const struct identity *caller,
                           enum admission_verdict verdict)
{
    struct fair_count company = of_company(admission, caller);
    size_t before = admission_queued(admission), places = admission->max_runs;
    if (verdict == ADMISSION_SHARE) {
        before = company.waiting;
        places = admission->company_runs;
    } else if (verdict != ADMISSION_FULL) { /* perhaps when a run has ended */
        before = 0;
        places = size_max(admission_runs(admission), 1);
    }
    uint64_t wait_ms = (before + 1) * admission->run_ms / size_max(places, 1);
    uint64_t seconds = (wait_ms + 999) / 1000;
    return (unsigned)(seconds < 1 ? 1 : seconds > MOST_RETRY_S ? MOST_RETRY_S : seconds);
}

/* ---- tickets ---- */

bool admission_join(struct admission_ticket *ticket, struct admission *admission,
                    const struct identity *caller)
{
    ticket->admission = admission;
    ticket->caller = *caller;
    return fair_wait(&admission->turns, &ticket->turn, caller, 0);
}

bool admission_line_up(struct admission_ticket *ticket)
{
    struct admission *admission = ticket->admission;
    if (fair_state(&ticket->turn) == FAIR_WAITING &&
        fair_wait(&admission->line, &ticket->line, &ticket->caller, 0))
        fair_leave(&admission->turns, &ticket->turn);
    return fair_state(&ticket->turn) == FAIR_AWAY;
}

struct admission_ticket *admission_next(struct admission *admission)
{
    struct fair_place *next =
        admission_runs(admission) < admission->max_runs ? fair_next(&admission->line) : NULL;
    return next == NULL ? NULL : container_of(next, struct admission_ticket, line);
}

void admission_enter(struct admission_ticket *ticket)
{
    struct admission *admission = ticket->admission;
    (void)admission_line_up(ticket);
    if (fair_state(&ticket->line) == FAIR_WAITING)
        fair_enter(&admission->line, &ticket->line);
    fair_leave(&admission->turns, &ticket->turn); /* without memory for the line, the ticket is not
                                                     counted there */
    ticket->is_inside = true;
    ticket->entered_ms = loop_now_ms(admission->loop);
}

void admission_leave(struct admission_ticket *ticket)
{
    struct admission *admission = ticket->admission;
    if (admission == NULL)
        return;
    if (ticket->is_inside) {
        uint64_t held_ms = loop_now_ms(admission->loop) - ticket->entered_ms;
        admission->run_ms = admission->run_ms == 0
                                ? held_ms
                                : (admission->run_ms * (MEAN_OF - 1) + held_ms) / MEAN_OF;
    }
    ticket->is_inside = false;
    fair_leave(&admission->line, &ticket->line);
    fair_leave(&admission->turns, &ticket->turn);
}

size_t admission_order(struct admission *admission, struct admission_ticket **tickets, size_t room)
{
    struct fair_place *places[ORDER_ROOM];
    size_t count = fair_order(&admission->line, places, size_min(room, countof(places)));
    for (size_t i = 0; i < count; i++)
        tickets[i] = container_of(places[i], struct admission_ticket, line);
    return count;
}

/* ---- memory ---- */

bool admission_wants_weight(const struct admission *admission)
{
    return admission->memory_bytes > 0 &&
           loop_now_ms(admission->loop) >= admission->weighed_ms + WEIGH_MS;
}

void admission_weigh(struct admission *admission, uint64_t counted)
{
    admission->weighed_ms = loop_now_ms(admission->loop);
    admission->is_heavy =
        counted >= admission->memory_bytes || resident_bytes() >= admission->memory_bytes;
}
