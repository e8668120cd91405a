/* SPDX-License-Identifier: MIT */
/* server/runs/admission.h - places for connections, runs and the queue of one worker.
 *
 * A request is refused before anything is made for it, and is told when to come again. Waiting runs
 * are ordered by core/loop/fair: companies take turns, then their users. Limits are the worker's
 * share of what is configured. Each run has a ticket, which waits for its turn in its conversation,
 * then waits in line for a place, then is inside, which means that it holds a place. One loop. */
#ifndef SERVER_RUNS_ADMISSION_H
#define SERVER_RUNS_ADMISSION_H

#include "core/loop/fair.h"
#include "core/loop/loop.h"
#include "server/config/config.h"

struct admission {
    size_t max_connections, max_runs, max_queued;
    size_t company_runs, company_queued; /* limits of each company */
    uint64_t memory_bytes;               /* limit of the process; 0: none */
    bool draining;                       /* no new runs are admitted */
    /* private */
    struct loop *loop;
    struct fair line, turns; /* tickets in line; turns: tickets whose conversation is busy */
    uint64_t run_ms;         /* how long a run holds its place, a moving mean; 0: not known */
    uint64_t weighed_ms;
    bool is_heavy;
};

struct admission_ticket { /* embedded in what wants a place; zeroed */
    /* private */
    struct admission *admission;
    struct fair_place turn, line;
    struct identity caller; /* its names are borrowed */
    uint64_t entered_ms;
    bool is_inside;
};

enum admission_verdict {
    ADMISSION_YES,    /* there is a place, at once or after waiting */
    ADMISSION_FULL,   /* 429: the queue is full */
    ADMISSION_SHARE,  /* 429: this caller's share of the queue is full */
    ADMISSION_HEAVY,  /* 503: no memory for more runs */
    ADMISSION_CLOSED, /* 503: draining */
};

/* Set the limits to this worker's share of those in config. */
void admission_init(struct admission *admission, struct loop *loop, const struct config *config);
/* No ticket may be left. */
void admission_fini(struct admission *admission);
/* Whether one more connection than these would be too many. */
bool admission_is_full(const struct admission *admission, size_t connections);

/* Whether caller may have one more run here; must_wait: its conversation is busy. Changes
 * nothing. */
enum admission_verdict admission_ask(struct admission *admission, const struct identity *caller,
                                     bool must_wait);
/* Seconds after which a caller that got this verdict may find a place: as long as the runs before
 * it hold theirs, judged by how long runs took lately; 1 to 600. */
unsigned admission_retry_s(const struct admission *admission, const struct identity *caller,
                           enum admission_verdict verdict);

/* Let ticket wait for its turn in its conversation; the names in caller are borrowed until it
 * leaves. False: no memory. */
MUST_USE bool admission_join(struct admission_ticket *ticket, struct admission *admission,
                             const struct identity *caller);
/* The turn of ticket has come: put it in line. Idempotent. False: no memory, it waits as before. */
bool admission_line_up(struct admission_ticket *ticket);
/* The ticket that gets the next free place; NULL: no ticket is in line, or no place is free. */
struct admission_ticket *admission_next(struct admission *admission);
/* Give ticket a place, beyond all limits and out of order if need be. */
void admission_enter(struct admission_ticket *ticket);
/* Take ticket away, wherever it is. Idempotent. */
void admission_leave(struct admission_ticket *ticket);

size_t admission_runs(const struct admission *admission);
size_t admission_queued(const struct admission *admission);
/* Fill tickets, which has room for so many, with those in line, in the order in which they get
 * places. Returns their number. */
size_t admission_order(struct admission *admission, struct admission_ticket **tickets, size_t room);

/* Whether memory should be weighed again; admission_weigh does it. counted: bytes that this
 * worker's runs hold; taken times the number of workers, and compared with what the process itself
 * holds. */
bool admission_wants_weight(const struct admission *admission);
void admission_weigh(struct admission *admission, uint64_t counted);

#endif
