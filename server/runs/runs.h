/* SPDX-License-Identifier: MIT */
/* server/runs/runs.h - this worker's runs by id, conversation and idempotency key.
 *
 *   waiting -a place, the conversation free-> active -on_end-> ended -linger-> gone
 * A run whose answer is said while nodes go on in the background stays active, but nobody waits for
 * it: its conversation is free, and it does not mind who leaves. Decides what a second request on a
 * conversation means, how long a run outlives its readers, and how long an ended one is kept for
 * late ones. Bounded by admission and by bytes. One loop. */
#ifndef SERVER_RUNS_RUNS_H
#define SERVER_RUNS_RUNS_H

#include "agents/registry.h"
#include "core/run/run.h"
#include "core/store/store_records.h"
#include "server/runs/admission.h"
#include "server/config/config.h"
#include "server/wiring/knowledge.h"
#include "server/observe/meters.h"

struct runs;
struct runs_entry;
struct runs_watch;

enum runs_multitask { RUNS_REJECT, RUNS_ENQUEUE, RUNS_INTERRUPT, RUNS_ROLLBACK };

struct runs_options {
    struct loop *loop;
    const struct config *config;
    unsigned worker, worker_count;
    size_t linger_bytes; /* memory of ended runs, from which on the oldest go */
    const struct services *services;
    struct event_writers *event_writers;           /* NULL: what runs say is kept in memory only */
    struct checkpoint_writers *checkpoint_writers; /* NULL: where they are is not kept */
    struct conversations *conversations;           /* NULL: what is said is kept in memory only */
    struct admission *admission;
    struct tracing *tracing; /* NULL: nothing is traced */
    const struct meters *meters;
    struct metrics *metrics;
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* a run ended: maybe none is left; later, never inside a call */
    void (*on_unpinned)(void *owner, struct knowledge_pin *pin); /* an old pin has no runs left */
};

/* A run that goes on: under its own id when it is an orphan that was claimed, else as a new one. */
struct runs_revival {
    const struct stored_run *past;
    bool is_orphan, is_fork; /* is_fork: past is of another conversation, and stays as it is */
    uint64_t epoch;          /* of an orphan's claim */
    struct str node, answer; /* who paused, and what a person said: one JSON value */
};

struct runs_request { /* views are copied */
    const struct graph *graph;
    const struct registry_entry *entry;
    struct knowledge_pin *pin;
    enum event_level detail;
    enum runs_multitask multitask;
    bool cancel_on_disconnect, outlives_readers; /* outlives: it ends though nobody reads it */
    struct identity caller;                      /* names absent in one-shot calls */
    struct str message, idempotency_key;         /* the key is absent: none */
    struct str call;        /* what runs_cancel_call finds it by; absent: nothing does */
    struct str traceparent; /* the caller's header; absent: none */
    struct str request_id;  /* for the log; absent: none */
    const struct history_message *said; /* before the message; 0: what the conversation holds */
    size_t said_count;
    bool said_adds; /* it comes after what the conversation holds, not instead */
    const struct runs_revival *revival; /* NULL: it begins */
};

/* The run may begin, or another was in its way: it is gone then, and the watch detached. rival: not
 * NULL when this request has begun that one on another server; borrowed for the call. */
typedef void runs_claim_fn(struct runs_watch *watch, const struct err *err,
                           const struct store_run *rival);

/* Somebody who reads a run or waits for its end; embedded, zeroed before attach. */
struct runs_watch {
    /* The answer is said; once, on a later turn; detaches the watch. May be NULL. */
    void (*on_end)(struct runs_watch *watch);
    runs_claim_fn *on_claimed; /* once, later, while runs_is_claiming; may be NULL */
    void *owner;
    /* private */
    struct list link;
    struct runs_entry *entry;
    bool full;
};

/* NULL: no memory. */
struct runs *runs_create(const struct runs_options *options);
/* Only when no run is active or waiting and no watch attached. */
void runs_destroy(struct runs *runs);

/* Whether a run would find a place, to run or wait. False: err, as runs_submit would say it. */
bool runs_has_place(struct runs *runs, const struct runs_request *request, struct err *err);
/* Begin a run, or queue it. ERR_BUSY: no place; ERR_UNAVAILABLE: draining; ERR_CONFLICT: it is
 * busy; ERR_NOT_FOUND: somebody else's; ERR_INVALID: the graph refuses the input; ERR_NO_MEMORY. */
MUST_USE enum err_code runs_submit(struct runs *runs, const struct runs_request *request,
                                   struct runs_entry **entry, struct err *err);
/* Seconds after which a request that was just turned away may find a place. */
unsigned runs_retry_s(const struct runs *runs);
/* NULL: not here (any more). */
struct runs_entry *runs_find(struct runs *runs, struct str run_id);
/* By key, among the same caller's runs. */
struct runs_entry *runs_find_key(struct runs *runs, const struct runs_request *request);
/* The run that goes on in the caller's conversation, or waits there first; NULL: none. */
struct runs_entry *runs_find_conversation(struct runs *runs, const struct identity *caller);
/* Whose the run is, and of which conversation; views into it. */
const struct identity *runs_caller(const struct runs_entry *entry);
/* Whether a run of the conversation goes on or waits here. */
bool runs_is_busy(const struct runs *runs, struct str conversation_id);
struct run *runs_run(struct runs_entry *entry);
/* Its place in a trace, for the answer's traceparent. */
const struct tracing_run *runs_trace(const struct runs_entry *entry);
struct str runs_message(const struct runs_entry *entry);
const struct registry_entry *runs_registry(const struct runs_entry *entry);
/* Whether the store is still asked if it may begin. */
bool runs_is_claiming(const struct runs_entry *entry);
bool runs_has_ended(const struct runs_entry *entry);
#define RUNS_LOST "another server goes on with this run: rejoin it"
/* Another server goes on with it: how it ends here is nobody's business. */
bool runs_is_lost(const struct runs_entry *entry);
/* Its terminal event is there. */
bool runs_has_answered(const struct runs_entry *entry);
/* Read or wait: while a watch is attached the entry stays. */
void runs_attach(struct runs_entry *entry, struct runs_watch *watch);
/* Idempotent. The last one to leave starts the grace period. */
void runs_detach(struct runs_watch *watch);
/* When all who watch are full the run is held. */
void runs_set_full(struct runs_watch *watch, bool full);
void runs_cancel(struct runs_entry *entry, const char *code, const char *message);
/* Cancel it, and do not keep what it said, unless it is said whole. */
void runs_roll_back(struct runs_entry *entry);
/* Cancel what goes on or waits here under this name. */
void runs_cancel_call(struct runs *runs, struct str call, const char *message);
/* Active and waiting. */
size_t runs_open_count(const struct runs *runs);
/* Nobody can come back from now on: runs without a reader end with server_shutdown. */
void runs_drain(struct runs *runs);
/* Ask all to end. */
void runs_cancel_all(struct runs *runs, const char *code, const char *message);
/* Forget ended runs that nobody watches: of caller (identity_is_of), or, when that is NULL, all. */
void runs_forget_ended(struct runs *runs, const struct identity *caller);

/* The hooks of run_keepers: cancel the run of this owner, and forget what was said; end it here
 * only, since another goes on with it: who reads it is sent there; hold it while that may be. */
void runs_stop_run(void *run_owner, bool forget);
void runs_lose_run(void *run_owner);
void runs_doubt_run(void *run_owner, bool doubts);

#endif
