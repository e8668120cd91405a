/* SPDX-License-Identifier: MIT */
/* server/runs/runs.h - this worker's runs by id, conversation and idempotency key.
 *
 *   waiting -a place, the conversation free-> active -on_end-> ended -linger-> gone
 * A run that has answered while nodes go on in the background stays active, but frees its
 * conversation and needs no readers. Decided here: what a second request on a conversation means,
 * and how long runs outlive their readers. Bounded by admission and by bytes. One loop. */
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
    size_t linger_bytes; /* memory of ended runs, kept for late readers; beyond it the oldest go */
    const struct services *services;
    struct event_writers *event_writers;           /* NULL: events are kept in memory only */
    struct checkpoint_writers *checkpoint_writers; /* NULL: checkpoints are not kept */
    struct conversations *conversations;           /* NULL: turns are kept in memory only */
    struct admission *admission;
    struct tracing *tracing; /* NULL: nothing is traced */
    const struct meters *meters;
    struct metrics *metrics;
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* a run ended: maybe none is left; later, never inside a call */
    void (*on_unpinned)(void *owner, struct knowledge_pin *pin); /* an old pin has no runs left */
};

/* A run that goes on: under its own id when is_taken_over (its server is gone, and it was claimed
 * at epoch), else under a new one. is_fork: past is of another conversation, and stays as it is. */
struct runs_revival {
    const struct stored_run *past;
    bool is_taken_over, is_fork;
    uint64_t epoch;
    struct str node, answer; /* the node that paused, a person's answer: one JSON value */
};

struct runs_request { /* views are copied */
    const struct graph *graph;
    const struct registry_entry *entry;
    struct knowledge_pin *pin;
    enum event_level detail;
    enum runs_multitask multitask;
    bool wants_data, cancel_on_disconnect, outlives_readers; /* rows first; none are needed */
    bool needs_record; /* it begins only once the store knows it, and never twice with its key */
    bool loads; /* its conversation is not in memory yet: it is loaded beside the run's claim */
    struct identity caller;                 /* names absent in one-shot calls */
    struct str message, idempotency_key;    /* the key is absent: none */
    struct str client_tools, client_choice; /* agents/tools/client.h; absent: none, as it likes */
    struct str metadata;                    /* kept with the run: an object of JSON; absent: none */
    struct str call, traceparent; /* for runs_cancel_call; the caller's header; absent: none */
    struct str request_id;        /* for the log; absent: none */
    const struct history_message *said; /* messages before it; 0: those of the conversation */
    size_t said_count;
    bool said_adds; /* said follows what the conversation holds, not replaces it */
    const struct runs_revival *revival; /* NULL: a run that begins anew */
};

/* The run may begin (ERR_OK), or another was in its way: it is gone then, and the watch detached.
 * rival: that other run, begun elsewhere with this request's key; or NULL; for the call only. */
typedef void runs_claim_fn(struct runs_watch *watch, const struct err *err,
                           const struct store_run *rival);

/* A reader of a run, or one that waits for its end; embedded, zeroed before attach. */
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
void runs_destroy(struct runs *runs); /* when no run is open, and no watch attached */

/* Whether a run would find a place, to run or wait. False: err, as runs_submit would say it. */
bool runs_has_place(struct runs *runs, const struct runs_request *request, struct err *err);
/* Whether a run of this request, submitted now, may load its conversation itself (loads). */
bool runs_may_load(const struct runs *runs, const struct runs_request *request);
/* Begin or queue a run. ERR_BUSY: no place; ERR_UNAVAILABLE: draining; ERR_CONFLICT: conversation
 * busy; ERR_INVALID: input refused by the graph, or a name too long; ERR_NO_MEMORY. */
MUST_USE enum err_code runs_submit(struct runs *runs, const struct runs_request *request,
                                   struct runs_entry **entry, struct err *err);
/* Seconds after which a request that was just turned away may find a place. */
unsigned runs_retry_s(const struct runs *runs);
struct runs_entry *runs_find(struct runs *runs, struct str run_id); /* NULL: not here (any more) */
/* The run with the idempotency key of request, among those of its caller; NULL: none. */
struct runs_entry *runs_find_key(struct runs *runs, const struct runs_request *request);
/* The run that is active in the caller's conversation, or waits there first; NULL: none. */
struct runs_entry *runs_find_conversation(const struct runs *runs, const struct identity *caller);
/* Whose the run is, and of which conversation; views into it. */
const struct identity *runs_caller(const struct runs_entry *entry);
struct run *runs_run(struct runs_entry *entry);
/* Its place in a trace, for the traceparent header of the response. */
const struct tracing_run *runs_trace(const struct runs_entry *entry);
struct str runs_message(const struct runs_entry *entry);
struct str runs_metadata(const struct runs_entry *entry); /* of its request; empty: none */
const struct registry_entry *runs_registry(const struct runs_entry *entry);
/* Whether the store is still being asked if the run may begin. */
bool runs_is_claiming(const struct runs_entry *entry);
bool runs_has_ended(const struct runs_entry *entry);
#define RUNS_LOST_TEXT "another server goes on with this run: rejoin it"
/* Another server goes on with the run: its end here is shown to no reader. */
bool runs_is_lost(const struct runs_entry *entry);
bool runs_has_answered(const struct runs_entry *entry); /* the log has its terminal event */
/* Attach a reader: the entry stays as long as one is attached. */
void runs_attach(struct runs_entry *entry, struct runs_watch *watch);
/* Idempotent. When the last watch is detached the grace period starts. */
void runs_detach(struct runs_watch *watch);
/* Say whether the reader is full; the run is held while all its watches are full. */
void runs_set_full(struct runs_watch *watch, bool full);
void runs_cancel(struct runs_entry *entry, const char *code, const char *message);
/* Cancel the run, and do not keep its turn, unless it has answered. */
void runs_roll_back(struct runs_entry *entry);
/* Cancel the runs, active or waiting, whose request had this call name. */
void runs_cancel_call(struct runs *runs, struct str call, const char *message);
size_t runs_open_count(const struct runs *runs); /* those that are active or wait */
/* No reader can come back any more: runs without one end with server_shutdown. */
void runs_drain(struct runs *runs);
void runs_unpin(struct runs *runs, struct knowledge_pin *pin); /* one user of pin less, or NULL */
void runs_cancel_all(struct runs *runs, const char *code, const char *message);
/* Forget ended runs without a watch: those of caller (identity_is_of), or, when it is NULL, all. */
void runs_forget_ended(struct runs *runs, const struct identity *caller);

/* Hooks of event_writers: cancel this owner's run, with forget without its turn; end it here only,
 * its readers are sent to the server that goes on with it; hold it while doubted. */
void runs_stop_run(void *run_owner, bool forget);
void runs_lose_run(void *run_owner);
void runs_doubt_run(void *run_owner, bool doubts);

#endif
