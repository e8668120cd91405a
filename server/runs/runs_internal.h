/* SPDX-License-Identifier: MIT */
/* server/runs/runs_internal.h - the inside of runs: for runs.c, for runs_submit.c (from a request
 * to an entry), for runs_claim.c (alone in its conversation, on whichever server) and for
 * runs_list.c. */
#ifndef SERVER_RUNS_RUNS_INTERNAL_H
#define SERVER_RUNS_RUNS_INTERNAL_H

#include "core/base/map.h"
#include "core/store/store_records.h"
#include "core/loop/timer.h"
#include "server/runs/runs.h"
#include "server/observe/tracing.h"
#include "server/records/conversation_queue.h"

enum { RUNS_KEY_BYTES = 800, RUNS_ID_BYTES = 128 };

/* Of the conversation, in the store. */
enum runs_claim { RUNS_UNCLAIMED, RUNS_CLAIMING, RUNS_CLAIMED };

struct runs_claim_reload;

#define RUNS_BUSY                                                                                  \
    "a run of this conversation is going on; wait for it, or send options.multitask enqueue, "     \
    "interrupt or rollback"

#define RUNS_NOT_PAUSED "the run does not wait for anybody's answer (any more)"

enum runs_state { RUNS_WAITING, RUNS_ACTIVE, RUNS_ENDED, RUNS_STATE_COUNT };

struct runs {
    struct runs_options options;
    struct map by_id, by_key;
    struct conversation_queue turns;
    struct list lists[RUNS_STATE_COUNT]; /* one per state, oldest first */
    size_t counts[RUNS_STATE_COUNT];
    size_t kept_bytes;       /* of ended runs */
    struct timer line_timer; /* while some wait: tells them their places */
    uint64_t told_ms;
    unsigned retry_s; /* for who was turned away last */
    bool draining;
};

struct runs_entry {
    struct runs *runs;
    struct run *run;
    const struct registry_entry *registry;
    struct knowledge_pin *pin;
    struct event_writer *event_writer;           /* NULL: none */
    struct checkpoint_writer *checkpoint_writer; /* so too */
    struct session session;
    struct tracing_run trace;
    char request_id[RUNS_ID_BYTES + 1], conversation_id[RUNS_ID_BYTES + 1]; /* for the log */
    struct str key;  /* of by_key; absent: none */
    struct str call; /* of runs_cancel_call; so too */
    struct conversation_queue_member turn;
    struct admission_ticket ticket;
    struct list link; /* in the list of its state */
    struct list watches;
    enum runs_state state;
    struct timer timer;        /* grace while open, linger when ended */
    struct loop_task end_task; /* tells who waits, after the answer and after the end */
    enum runs_multitask multitask;
    enum runs_claim claim;
    uint64_t claim_ms;                  /* when it was first asked for */
    struct runs_claim_reload *reload;   /* NULL: none on its way */
    struct str idempotency_key;         /* the client's; absent: none */
    size_t bytes;                       /* counted into kept_bytes */
    size_t position;                    /* in line, as last told */
    size_t said_count;                  /* messages of the conversation when the run began */
    uint64_t said_version;              /* of the conversation in memory, then */
    uint64_t epoch;                     /* of its record; 0: it has none yet */
    uint64_t stored_id, stored_version; /* of an orphan: the last event and checkpoint there */
    struct str paused_id;          /* the run that it goes on with as a new one; absent: none */
    struct store_checkpoint first; /* then: where that paused */
    bool cancel_on_disconnect, outlives_readers;
    bool is_forgotten; /* what it says is not kept in its conversation */
    bool is_refused;   /* another run has its conversation: it has no record */
    bool is_lost;      /* another instance goes on with it */
    bool is_doubted;   /* it may be another instance's by now */
    bool has_left;     /* its conversation: what it said is kept, the next one may begin */
};

const char *runs_state_name(enum runs_state state);
/* The only writer of state; also moves a fresh entry into its first list. */
void runs_set_state(struct runs_entry *entry, enum runs_state next);
/* Give it its place and begin. */
void runs_start(struct runs_entry *entry);
/* Start those that wait and may. */
void runs_start_waiting(struct runs *runs);
/* Out of every list and map, and free. */
void runs_destroy_entry(struct runs_entry *entry);
/* The hooks of every run. */
void runs_on_end(struct run *run);
void runs_on_answered(struct run *run);
void runs_on_step(struct run *run);
/* request's key with its caller and conversation, in room of RUNS_KEY_BYTES; absent: too long. */
struct str runs_key_of(const struct runs_request *request, char *room);

/* ---- runs_claim.c: a conversation is one run's at a time, on whichever server, and so is an
 * idempotency key: a run that waits asks the store for them before it begins. Without a store, or
 * with one that cannot be used now, only what this worker knows counts. ---- */

/* Whether the store has to be asked. */
bool runs_claim_is_needed(const struct runs_entry *entry);
/* Whether entry, whose turn it is here, may begin; else it has asked, and runs_start_waiting is
 * called when it may. */
bool runs_claim_is_held(struct runs_entry *entry);
/* It begins, or is cancelled before that: whoever waits for the claim is told. */
void runs_claim_settle(struct runs_entry *entry);
/* Before entry is destroyed. */
void runs_claim_drop(struct runs_entry *entry);

#endif
