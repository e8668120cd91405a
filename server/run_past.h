/* SPDX-License-Identifier: MIT */
/* server/run_past.h - what a store has of a run: its record, what it said, where it was, and
 * whether its conversation has it.
 *
 * For who goes on with it: its new owner, or whoever brings a person's answer. One loop. */
#ifndef SERVER_RUN_PAST_H
#define SERVER_RUN_PAST_H

#include "core/checkpoint.h"
#include "core/store.h"

struct run_past {
    struct op op; /* "run.past" */
    /* answers, valid in done until release */
    const struct store_run *run;
    const struct checkpoint_kept *kept;
    const struct store_checkpoint *checkpoints; /* as many */
    size_t kept_count;
    uint64_t last_version; /* of the checkpoints; 0: there is none */
    bool is_kept;          /* its turn is in its conversation */
    /* private */
    struct store *store, *turns;
    struct store_marks marks;
    struct store_read read;
    struct store_load load;
    struct store_call marks_call, read_call, load_call;
    struct store_batch *batches;
    size_t batch_count, batch_room;
    uint64_t read_id;
    struct arena arena;
};

/* store has the run, turns its conversation; NULL: nobody does. key: whose, as far as it says
 * (core/store_asks.h); kept until done, as run_id is. ERR_NOT_FOUND; ERR_TOO_LARGE; as the store
 * fails. */
void run_past_start(struct run_past *past, struct store *store, struct store *turns,
                    const struct identity *key, struct str run_id, struct op_waiter waiter);

/* As it was at that checkpoint: it has none that are newer. False: that one is not there. */
MUST_USE bool run_past_cut(struct run_past *past, uint64_t version);

/* Call take with each event in order until it says false. ERR_INVALID: what it said is damaged. */
enum err_code run_past_each(const struct run_past *past,
                            bool (*take)(void *owner, const struct event *event), void *owner,
                            struct err *err);
/* Whether the run has said its end; then *last is that event, in words of past. ERR_INVALID: what
 * it said is damaged. */
MUST_USE enum err_code run_past_find_end(const struct run_past *past, bool *has_ended,
                                         struct event *last, struct err *err);
/* The nodes that paused, as the run said: the path of the first one. Absent: none did. */
struct str run_past_find_interrupt(const struct run_past *past);
/* Let run, which is new, have said all of it. ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code run_past_replay(const struct run_past *past, struct run *run,
                                       struct err *err);

#endif
