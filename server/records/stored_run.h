/* SPDX-License-Identifier: MIT */
/* server/records/stored_run.h - what a store has of a run: its record, what it said, where it was,
 * and whether its conversation has it.
 *
 * For who goes on with it: its new owner, or whoever brings a person's answer. One loop. */
#ifndef SERVER_RECORDS_STORED_RUN_H
#define SERVER_RECORDS_STORED_RUN_H

#include "core/run/checkpoint.h"
#include "core/store/store.h"

struct stored_run {
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
 * (core/store/store_asks.h); kept until done, as run_id is. ERR_NOT_FOUND; ERR_TOO_LARGE; as the
 * store fails. */
void stored_run_start(struct stored_run *past, struct store *store, struct store *turns,
                      const struct identity *key, struct str run_id, struct op_waiter waiter);

/* As it was at that checkpoint: it has none that are newer. False: that one is not there. */
MUST_USE bool stored_run_cut(struct stored_run *past, uint64_t version);

/* Call take with each event in order until it says false. ERR_INVALID: what it said is damaged. */
enum err_code stored_run_each(const struct stored_run *past,
                              bool (*take)(void *owner, const struct event *event), void *owner,
                              struct err *err);
/* Whether the run has said its end; then *last is that event, in words of past. ERR_INVALID: what
 * it said is damaged. */
MUST_USE enum err_code stored_run_find_end(const struct stored_run *past, bool *has_ended,
                                           struct event *last, struct err *err);
/* The nodes that paused, as the run said: the path of the first one. Absent: none did. */
struct str stored_run_find_interrupt(const struct stored_run *past);
/* Let run, which is new, have said all of it. ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code stored_run_replay(const struct stored_run *past, struct run *run,
                                         struct err *err);

#endif
