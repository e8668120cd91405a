/* SPDX-License-Identifier: MIT */
/* core/store/store.h - what outlives a process: conversations, runs with what they
 * said, and jobs that are due at a time.
 *
 * One interface for all; a program may use one store for conversations and another for runs. A
 * conversation belongs to the caller that began it; two callers' conversations of one id are two.
 * The store does not look into bytes, only into the texts of turns when it searches. Times are the
 * store's own clock, so instances need not agree. Each call is an operation that ends within the
 * store's deadline, retries included. ERR_UNAVAILABLE: the store cannot be used now; ERR_TIMEOUT;
 * ERR_TOO_LARGE: an answer beyond STORE_ANSWER_BYTES; ERR_NO_MEMORY; ERR_CANCELLED (the change may
 * have happened all the same); ERR_PROTOCOL: what is stored is not what this version writes. One
 * loop, one thread per store. */
#ifndef CORE_STORE_STORE_H
#define CORE_STORE_STORE_H

#include "core/base/arena.h"
#include "core/loop/op.h"
#include "core/store/store_job_asks.h"
#include "core/store/store_run_asks.h"
#include "core/store/store_verbs.h"

enum {
    STORE_MAX_ROWS = 1000, /* of one answer; a limit of 0, or of more, means this */
    STORE_TITLE_BYTES = 120,
    STORE_WAIT_MS = 20,      /* how long a call waits for others at most, where it may */
    STORE_TIMEOUT_MS = 2000, /* a store's deadline unless it was made with another */
    STORE_ANSWER_BYTES = 64 * 1024 * 1024,
};

struct store;

struct store_call {
    struct op op; /* kinds are named "store.*" */
    /* answers, valid in done until release; which of them: see the asks */
    uint64_t version, total, last_id;
    bool knows_version; /* of begin */
    const struct store_checkpoint *checkpoints;
    const struct store_turn *turns;
    const struct store_note *notes;
    const struct store_summary *summaries;
    const struct store_run *runs;
    const struct store_batch *batches;
    const struct store_verdict *verdicts;
    const struct store_job *jobs;
    size_t checkpoint_count, turn_count, note_count, summary_count, run_count, batch_count,
        verdict_count, job_count;
    /* private to implementations */
    struct store *store;
    enum store_verb verb;
    union {
#define STORE_ASK(verb, name, effect) const struct store_##name *name;
        STORE_VERBS(STORE_ASK)
#undef STORE_ASK
    } ask;
    struct arena arena; /* of the answers */
    void *impl;
};

struct store_vtable {
    const char *name; /* "sqlite", "postgres", "redis", "memory" */
    /* Begin call->verb, whose ask is kept until done. */
    void (*start)(struct store *store, struct store_call *call, struct op_waiter waiter);
    /* For readiness: whether the store can be reached, as last known. No I/O. */
    enum err_code (*ready)(struct store *store, struct err *err);
    /* Finish all calls with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. */
    void (*close)(struct store *store, void (*on_closed)(void *owner), void *owner);
    /* As store_attend; NULL: the store cannot show it. */
    void (*attend)(struct store *store, struct str instance);
};

/* First member of every implementation. */
struct store {
    const struct store_vtable *vtable;
    struct loop *loop;
    uint64_t failed_ms;   /* when an attempt last could not use the store; 0: none yet */
    uint64_t answered_ms; /* when a call last ended otherwise, likewise */
};

/* store_load_start(call, store, ask, waiter) and so on: call is zeroed before its first start and
 * released when the answer is no longer needed; ask and what it points at are kept until done. */
#define STORE_START(verb_, name_, effect)                                                          \
    static inline void store_##name_##_start(struct store_call *call, struct store *store,         \
                                             const struct store_##name_ *asked,                    \
                                             struct op_waiter waiter)                              \
    {                                                                                              \
        call->verb = STORE_##verb_;                                                                \
        call->ask.name_ = asked;                                                                   \
        call->store = store;                                                                       \
        store->vtable->start(store, call, waiter);                                                 \
    }
STORE_VERBS(STORE_START)
#undef STORE_START

static inline MUST_USE enum err_code store_ready(struct store *store, struct err *err)
{
    return store->vtable->ready(store, err);
}

static inline void store_close(struct store *store, void (*on_closed)(void *owner), void *owner)
{
    store->vtable->close(store, on_closed, owner);
}

/* From now on the store shows, as far as it can, that this process lives: with a lock or a
 * connection that ends with the process, and that a pause or a slow loop leaves alone. A claim that
 * finds it gone ends the leases of instance's runs. Where a store cannot show it, or was not asked
 * to, leases are all there is. Before the first claim by instance; at most once a store. */
static inline void store_attend(struct store *store, struct str instance)
{
    if (store->vtable->attend != NULL)
        store->vtable->attend(store, instance);
}

/* Whether an attempt of a call could not use the store in the last ms. */
bool store_failed_lately(const struct store *store, uint64_t ms);

/* ---- for implementers ---- */

/* An attempt of a call could not use the store. */
void store_note_failure(struct store *store);
/* Finish the op of a call; what err says of the store is noted. */
void store_call_finish(struct store_call *call, const struct err *err);
/* Empty answers, with an arena; after op_begin. */
void store_call_begin(struct store_call *call);
/* The release function for the op_kind of store calls. */
void store_call_release(struct op *op);
/* Add a copy to the answers. ERR_TOO_LARGE: the arena is spent. */
MUST_USE enum err_code store_add_checkpoint(struct store_call *call,
                                            const struct store_checkpoint *checkpoint);
MUST_USE enum err_code store_add_turn(struct store_call *call, const struct store_turn *turn);
MUST_USE enum err_code store_add_note(struct store_call *call, const struct store_note *note);
MUST_USE enum err_code store_add_summary(struct store_call *call,
                                         const struct store_summary *summary);
MUST_USE enum err_code store_add_run(struct store_call *call, const struct store_run *run);
MUST_USE enum err_code store_add_batch(struct store_call *call, const struct store_batch *batch);
MUST_USE enum err_code store_add_verdict(struct store_call *call,
                                         const struct store_verdict *verdict);
MUST_USE enum err_code store_add_job(struct store_call *call, const struct store_job *job);
/* Turn answers that were added newest first the other way round. */
void store_reverse_turns(struct store_call *call);
/* limit, or STORE_MAX_ROWS when limit is 0 or more than that. */
uint64_t store_rows(uint64_t limit);

#endif
