/* SPDX-License-Identifier: MIT */
/* server/runs/runs_internal.h - the private parts of runs, for runs.c, runs_submit.c (from a
 * request to an entry), runs_claim.c (one run at a time in a conversation, over all servers) and
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

/* Whether the run has claimed its conversation in the store. */
enum runs_claim {
    RUNS_UNCLAIMED,
    RUNS_CLAIMING,
    RUNS_CLAIMED,
    RUNS_REFUSED /* another run has the conversation: this one gets no record */
};

/* Whose the run is, as far as this server knows. */
enum runs_ownership {
    RUNS_OURS,
    RUNS_DOUBTED, /* another server may have the run by now: it is held */
    RUNS_LOST     /* another server goes on with the run; for good */
};

struct runs_claim_reload;

#define RUNS_BUSY                                                                                  \
    "a run of this conversation is going on; wait for it, or send options.multitask enqueue, "     \
    "interrupt or rollback"

#define RUNS_NOT_PAUSED "the run does not wait for anybody's answer (any more)"

enum runs_state { RUNS_WAITING, RUNS_ACTIVE, RUNS_ENDED, RUNS_STATE_COUNT };

struct runs {
    struct runs_options options;
    struct map by_id, by_key, by_call;
    struct conversation_queue turns;
    struct list ready;   /* waiting entries whose turn has come, to be looked at */
    struct list weighed; /* entries that are waiting or active, the one weighed longest ago first */
    size_t open_bytes;   /* of these, as last weighed */
    struct list lists[RUNS_STATE_COUNT]; /* one per state, oldest first */
    size_t counts[RUNS_STATE_COUNT];
    size_t kept_bytes;       /* of ended runs */
    struct timer line_timer; /* runs while some runs wait: tells them their places in line */
    uint64_t told_ms;
    unsigned retry_s; /* for the request that was refused last */
    bool draining;
};

struct runs_entry {
    struct runs *runs;
    struct run *run;
    const struct registry_entry *registry;
    struct knowledge_pin *pin;
    struct event_writer *event_writer;           /* NULL: none */
    struct checkpoint_writer *checkpoint_writer; /* NULL: none */
    struct session session;
    struct tracing_run trace;
    char request_id[RUNS_ID_BYTES + 1], conversation_id[RUNS_ID_BYTES + 1]; /* both for the log */
    struct str key;  /* of by_key; absent: none */
    struct str call; /* the name that runs_cancel_call finds it by; absent: none */
    struct conversation_queue_member turn;
    struct admission_ticket ticket;
    struct list link; /* in the list of its state */
    struct list ready_link, weighed_link;
    size_t open_bytes; /* counted into the runs' open_bytes */
    struct list watches;
    enum runs_state state;
    struct timer timer;        /* grace while open, linger when ended */
    struct loop_task end_task; /* tells the watches, after the answer and after the end */
    enum runs_multitask multitask;
    enum runs_claim claim; /* written by runs_claim.c only */
    enum runs_ownership ownership;
    uint64_t made_ms, claim_ms;         /* when the claim was first asked for */
    struct runs_claim_reload *reload;   /* from the store; NULL: none under way */
    struct str idempotency_key;         /* the client's; absent: none */
    size_t bytes;                       /* counted into kept_bytes */
    size_t position;                    /* its place in line, as last told */
    size_t said_count;                  /* messages of the conversation when the run began */
    uint64_t said_version;              /* version of the conversation then */
    uint64_t epoch;                     /* of the run's record; 0: it has none yet */
    uint64_t stored_id, stored_version; /* when taken over: last event and checkpoint stored */
    struct str paused_id;               /* the paused run it goes on with; absent: none */
    struct store_checkpoint first;      /* with a paused_id: where that run paused */
    bool cancel_on_disconnect, outlives_readers, needs_record;
    bool loads;       /* its conversation is loaded beside the claim */
    bool is_fresh;    /* memory has it as it was just before the claim, and nobody was waited for */
    bool is_recorded; /* the record is there, or there is none to wait for */
    bool is_forgotten; /* the run's turn is not kept in its conversation */
    bool has_left;     /* the run has left its conversation: its turn is kept, the next may begin */
};

const char *runs_state_name(enum runs_state state);
/* The only writer of state; also moves a fresh entry into its first list. */
void runs_set_state(struct runs_entry *entry, enum runs_state next);
/* Give entry its place and begin its run. */
void runs_start(struct runs_entry *entry);
/* Entry, which waits, has its turn in its conversation, or may go on there by now: the next
 * runs_start_waiting looks at it. */
void runs_make_ready(struct runs_entry *entry);
/* Start the waiting runs that may begin. */
void runs_start_waiting(struct runs *runs);
/* Bytes that the runs of this worker hold, ended ones included; with many runs some of them as they
 * were a few calls ago. */
uint64_t runs_weigh(struct runs *runs);
/* Take entry out of every list and map, and free it. */
void runs_destroy_entry(struct runs_entry *entry);
/* The hooks of every run. */
void runs_on_end(struct run *run);
void runs_on_answered(struct run *run);
void runs_on_step(struct run *run);
bool runs_on_save(struct run *run);
/* The key of request in by_key: its idempotency key with caller and conversation, in room of
 * RUNS_KEY_BYTES; absent: too long. */
struct str runs_key_of(const struct runs_request *request, char *room);

/* ---- runs_claim.c: over all servers one run at a time has a conversation, and one has an
 * idempotency key: a waiting run claims both in the store before it begins. Without a store, or
 * while the store cannot be used, only what this worker knows counts. ---- */

/* Whether the store has to be asked. */
bool runs_claim_is_needed(const struct runs_entry *entry);
/* Whether entry, which has its turn on this worker, holds its claim and may begin. False: the store
 * is being asked, and entry is made ready when it may begin. */
bool runs_claim_is_held(struct runs_entry *entry);
/* Entry begins, or is cancelled before that: its watches that wait for the claim are told. */
void runs_claim_settle(struct runs_entry *entry);
/* Let go of the claim; before entry is destroyed. */
void runs_claim_drop(struct runs_entry *entry);

#endif
