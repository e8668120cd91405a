/* SPDX-License-Identifier: MIT */
/* server/worker.h - one thread: loop, backends, runs, listener; started and stopped in order.
 *
 *   created -start-> serving -drain-> draining -nothing left-> stopping -loop dry-> done
 * The fields belong to the worker's thread once it runs; other threads send letters. */
#ifndef SERVER_WORKER_H
#define SERVER_WORKER_H

#include "core/timer.h"
#include "server/admission.h"
#include "server/exchange.h"
#include "server/listener.h"
#include "server/observers.h"
#include "server/orphans.h"
#include "server/retention.h"
#include "server/run_keepers.h"
#include "server/run_marks.h"
#include "server/schema_keeping.h"
#include "server/shard.h"

struct worker;

/* What all workers share; immutable while they run. */
struct worker_crew {
    const struct shard_group *group;
    struct exchange_site *const *sites; /* of each */
    const struct route_table *routes;
    struct vec_shared *vectors;                           /* the image of documents; NULL: none */
    struct inbox *office;                                 /* of the main loop */
    void (*on_done)(struct letter *letter, void *office); /* opened there: letter_done below */
};

struct worker {
    const struct worker_crew *crew;
    struct shard shard;        /* what requests are answered from */
    struct exchange_site site; /* where they come from */
    struct listener *listener;
    struct metrics *metrics;
    /* private */
    struct loop *loop;
    struct inbox *inbox;
    struct log log;
    struct auth *auth;
    struct admission admission;
    struct run_keepers *keepers;
    struct run_marks *marks;           /* NULL: none are written */
    struct retention retention;        /* the first worker's */
    struct retention events_retention; /* of their own store; the first worker's, too */
    struct orphans orphans;
    struct wiring wiring;
    struct observers observers;
    struct schema_keeping schema; /* the first worker's */
    struct services services;
    struct limits limits;
    struct letter letter_done; /* sent to the office as the last thing */
    struct timer drain_timer, lag_timer;
    uint64_t lag_due_ms;
    struct loop_task settle_task;
    void *thread;
    bool wired;
};

/* Everything but the thread, on the calling thread. NULL: err says why. */
struct worker *worker_create(const struct worker_crew *crew, unsigned index, struct err *err);
/* Listen; port may be another's (0: a free one). Before start. */
MUST_USE enum err_code worker_listen(struct worker *worker, unsigned port, struct err *err);
MUST_USE enum err_code worker_start(struct worker *worker, struct err *err);
/* After letter_done: wait for the thread. */
void worker_join(struct worker *worker);
/* After join, or never started. NULL is fine. */
void worker_destroy(struct worker *worker);

/* Letters to a worker, from any thread. Each is the worker's until it frees it. */
enum worker_order { WORKER_KNOW, WORKER_RELOAD, WORKER_DRAIN };
struct worker_letter {
    struct letter letter;
    enum worker_order order;
    struct knowledge_pin *pin; /* WORKER_KNOW */
    char *api_keys;            /* WORKER_RELOAD: adopted */
    enum log_level log_level;
};
/* A copy of what letter says is sent. ERR_NO_MEMORY. */
MUST_USE enum err_code worker_send(struct worker *worker, const struct worker_letter *letter);

#endif
