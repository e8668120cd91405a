/* SPDX-License-Identifier: MIT */
/* server/runs/admission.h - places for connections, runs and the queue of one worker.
 *
 * Says no before anything exists, and when it is worth coming again. Who waits goes in the order of
 * core/fair: companies take turns, then their users. Limits are the worker's share of what is
 * configured. A ticket waits for its turn in its conversation, then in line, then is inside. One
 * loop. */
#ifndef SERVER_RUNS_ADMISSION_H
#define SERVER_RUNS_ADMISSION_H

#include "core/loop/fair.h"
#include "core/loop/loop.h"
#include "server/config/config.h"

struct admission {
    size_t max_connections, max_runs, max_queued;
    size_t company_runs, company_queued, user_runs, user_queued; /* of each */
    uint64_t memory_bytes;                                       /* of the process; 0: any */
    bool draining;                                               /* no new runs */
    /* private */
    struct loop *loop;
    struct fair line, turns; /* turns: those whose conversation is busy */
    uint64_t run_ms;         /* how long a run holds its place, a moving mean; 0: not known */
    uint64_t weighed_ms;
    bool is_heavy;
};

struct admission_ticket { /* embedded in who wants a place; zeroed */
    /* private */
    struct admission *admission;
    struct fair_place turn, line;
    struct identity caller; /* names are the owner's */
    uint64_t entered_ms;
    bool is_inside;
};

enum admission_verdict {
    ADMISSION_YES,    /* at once, or after waiting */
    ADMISSION_FULL,   /* 429: the queue */
    ADMISSION_SHARE,  /* 429: this caller's part of it */
    ADMISSION_HEAVY,  /* 503: no memory for more */
    ADMISSION_CLOSED, /* 503: draining */
};

/* A worker's share of the limits of config. */
void admission_init(struct admission *admission, struct loop *loop, const struct config *config);
/* Nobody may have a ticket. */
void admission_fini(struct admission *admission);
/* Whether one more connection is too many. */
bool admission_is_full(const struct admission *admission, size_t connections);

/* Whether caller may have one more run here; must_wait: its conversation is busy. */
enum admission_verdict admission_ask(struct admission *admission, const struct identity *caller,
                                     bool must_wait);
/* Seconds after which who was turned away may find a place: as long as those before it hold theirs,
 * going by how long runs did lately; 1 to 600. */
unsigned admission_retry_s(const struct admission *admission, const struct identity *caller,
                           enum admission_verdict verdict);

/* Begin to wait for a turn; caller's names are borrowed until it leaves. False: no memory. */
MUST_USE bool admission_join(struct admission_ticket *ticket, struct admission *admission,
                             const struct identity *caller);
/* Its turn has come: it stands in line. Idempotent. False: no memory, it waits as before. */
bool admission_line_up(struct admission_ticket *ticket);
/* Who gets a place that is free; NULL: nobody waits, or no place is. */
struct admission_ticket *admission_next(struct admission *admission);
/* Inside, past all limits and out of order if need be. */
void admission_enter(struct admission_ticket *ticket);
/* Away, from wherever it is. Idempotent. */
void admission_leave(struct admission_ticket *ticket);

size_t admission_runs(const struct admission *admission);
size_t admission_queued(const struct admission *admission);
/* Fill tickets with those in line, in the order in which they go; how many. */
size_t admission_order(struct admission *admission, struct admission_ticket **tickets, size_t room);

/* Whether memory should be weighed again; then weigh it: counted is what this worker's runs hold,
 * times the workers, and the process itself is asked what it holds. */
bool admission_wants_weight(const struct admission *admission);
void admission_weigh(struct admission *admission, uint64_t counted);

#endif
