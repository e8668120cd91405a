/* SPDX-License-Identifier: MIT */
/* core/store/store_records.h - what a store keeps, as it goes in and comes out. Plain data; in
 * answers text is borrowed until the call is released. Names of an identity have 1 to 128 bytes;
 * conversation_id is empty where all of the user is meant. */
#ifndef CORE_STORE_STORE_RECORDS_H
#define CORE_STORE_STORE_RECORDS_H

#include "core/base/identity.h"

/* A step of a conversation's state; versions rise by one from 1 in a conversation. */
struct store_checkpoint {
    uint64_t version, time_ms; /* the store's */
    struct str run_id;
    uint64_t step;    /* the superstep after which it was taken */
    bool is_full;     /* else it holds only what changed since the one before */
    struct str bytes; /* absent in lists */
};

/* A question and its answer; numbers rise by one from 1 in a conversation. */
struct store_turn {
    uint64_t number, version, time_ms; /* the store's; version: of the checkpoint it came with */
    struct str conversation_id;        /* the store's */
    struct str run_id, question, answer;
    struct str details; /* the caller's bytes: SQL, row count, route */
    bool partial;       /* the answer was cut short */
};

/* A value kept beside the turns: a summary, what was mentioned. */
#define STORE_SHARED "@"
enum { STORE_SHARED_MOST = 8 };
struct store_note {
    struct str name, bytes;
};

struct store_summary {                 /* one line of a list of conversations */
    struct str conversation_id, title; /* title: the beginning of the first question */
    uint64_t version, turns, began_ms, changed_ms;
};

enum store_status { STORE_RUNNING, STORE_PAUSED, STORE_COMPLETE, STORE_FAILED, STORE_CANCELLED };

struct store_run {
    struct identity key;
    struct str run_id, graph, input; /* input: the caller's bytes */
    struct str idempotency_key;      /* empty: none */
    struct str instance;             /* the server that runs it */
    uint64_t epoch;                  /* the store's: 1, and one more with each claim */
    uint64_t began_ms, changed_ms, lease_until_ms, last_event_id; /* the store's */
    enum store_status status;
    bool cancel_asked, forget_asked; /* forget: its turn is not to be kept either */
};

/* Events of a run in the caller's bytes, ids first_id to first_id + count - 1. */
struct store_batch {
    uint64_t first_id, count;
    struct str bytes;
};

/* Something to be done at a time: a schedule, a message that is to be delivered. */
struct store_job {
    struct identity key;           /* whose; the conversation that it is about, or "" */
    struct str kind, job_id;       /* an id is of one job of its kind, whosever */
    uint64_t version;              /* the store's: one more with each change, from 1 on */
    uint64_t due_ms;               /* by the store's clock; 0: it is not taken */
    uint64_t began_ms, changed_ms; /* the store's */
    struct str bytes;              /* the caller's */
};

/* How one of several batches fared: kept, or ERR_CONFLICT. */
struct store_verdict {
    bool is_kept, cancel_asked, forget_asked;
    uint64_t last_id; /* of the run's events */
};

/* The right to write for a run: lost (ERR_CONFLICT) when another instance has claimed it. */
struct store_fence {
    struct str run_id, instance;
    uint64_t epoch;
};

#endif
