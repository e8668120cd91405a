/* SPDX-License-Identifier: MIT */
/* server/worker.h - one thread: loop, backends, runs, listener; started and stopped in order.
 *
 *   created -start-> serving -drain-> draining -nothing left-> stopping -loop dry-> done
 * The fields are for the api_* functions and belong to the worker's thread once it runs; other
 * threads send letters. Peers are fixed before the first start. */
#ifndef SERVER_WORKER_H
#define SERVER_WORKER_H

#include "agents/registry.h"
#include "core/timer.h"
#include "server/admission.h"
#include "server/auth.h"
#include "server/census.h"
#include "server/config.h"
#include "server/conversations.h"
#include "server/conn.h"
#include "server/inbox.h"
#include "server/knowing.h"
#include "server/listener.h"
#include "server/meters.h"
#include "server/orphans.h"
#include "server/retention.h"
#include "server/run_keepers.h"
#include "server/run_marks.h"
#include "server/runs.h"
#include "server/schema_keeping.h"
#include "server/tracing.h"
#include "server/wiring.h"

struct worker;

/* What all workers share; immutable while they run. */
struct worker_crew {
    const struct config *config;
    const struct registry *registry;
    const struct meters *meters;
    struct worker *const *workers;
    const struct metrics *const *metrics; /* of each */
    size_t count;
    const struct lexicon_progress *reading;               /* of the database */
    struct vec_shared *vectors;                           /* the image of documents; NULL: none */
    struct inbox *office;                                 /* of the main loop */
    void (*on_done)(struct letter *letter, void *office); /* opened there: letter_done below */
};

struct worker {
    unsigned index;
    const struct worker_crew *crew;
    struct loop *loop;
    struct inbox *inbox;
    struct log log;
    struct auth *auth;
    struct conn_site site;
    struct listener *listener;
    struct admission admission;
    struct runs *runs;
    struct conversations *conversations;
    struct id instance; /* as stores know it */
    struct run_keepers *keepers;
    struct run_marks *marks;           /* NULL: none are written */
    struct retention retention;        /* the first worker's */
    struct retention events_retention; /* of their own store; so too */
    struct orphans orphans;
    struct census census;
    struct wiring wiring;
    struct tracing *tracing;      /* NULL: nothing is traced */
    struct schema_keeping schema; /* the first worker's */
    struct services services;
    struct limits limits;
    struct metrics *metrics;
    struct knowledge_pin *pin; /* what new runs know; NULL: not yet */
    bool draining, stopping;   /* stopping: the last letters are only freed */
    struct letter letter_done; /* sent to the office as the last thing */
    /* private */
    struct timer drain_timer, lag_timer;
    uint64_t lag_due_ms, sampled_ns, sampled_idle_ns;
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
enum worker_order { WORKER_KNOW, WORKER_RELOAD, WORKER_DRAIN, WORKER_ARRIVAL, WORKER_CANCEL };
struct worker_letter {
    struct letter letter;
    enum worker_order order;
    struct knowledge_pin *pin; /* WORKER_KNOW */
    char *api_keys;            /* WORKER_RELOAD: adopted */
    enum log_level log_level;
    struct conn *conn; /* WORKER_ARRIVAL */
    char *call;        /* WORKER_CANCEL: adopted */
    const char *why;   /* so too: static */
};
/* A copy of what letter says is sent. ERR_NO_MEMORY. */
MUST_USE enum err_code worker_send(struct worker *worker, const struct worker_letter *letter);

/* Cancel the run that goes by call, on whichever worker it is; why is static. */
void worker_cancel_call(struct worker *worker, struct str call, const char *why);

/* Which worker a run id names (none: >= crew->count), or a conversation belongs to. */
size_t worker_of_run(const struct worker *worker, struct str run_id);
size_t worker_of_conversation(const struct worker *worker, struct str conversation_id);
/* Count or set a meter of this worker. */
void worker_count(struct worker *worker, enum meter meter, int64_t amount);

#endif
