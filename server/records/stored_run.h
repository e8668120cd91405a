/* SPDX-License-Identifier: MIT */
/* server/records/stored_run.h - reads all that a store has of a run: its record, its events, its
 * checkpoints, and whether its conversation has its turn.
 *
 * For a server that goes on with the run: one that took it over, or one that brings a person's
 * answer to a paused run. One loop. */
#ifndef SERVER_RECORDS_STORED_RUN_H
#define SERVER_RECORDS_STORED_RUN_H

#include "core/run/checkpoint.h"
#include "core/store/store.h"

struct stored_run {
    struct op op; /* "run.past" */
    /* answers, valid in done until release */
    const struct store_run *run;
    const struct checkpoint_kept *kept;
    const struct store_checkpoint *checkpoints; /* kept_count of them */
    size_t kept_count;
    uint64_t last_version; /* of the checkpoints; 0: there is none */
    bool is_kept;          /* the conversation of the run has its turn */
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

/* Read the run. store: where the run is; turns: where its conversation is, NULL: nowhere. key:
 * whose run it is, as far as it says (core/store/store_asks.h); key and run_id are kept until done.
 * ERR_NOT_FOUND: no such run; ERR_TOO_LARGE; other errors are those of the store. */
void stored_run_start(struct stored_run *past, struct store *store, struct store *turns,
                      const struct identity *key, struct str run_id, struct op_waiter waiter);

/* Drop the checkpoints newer than version, so that the run is where it was then. False: there is no
 * checkpoint of that version. */
MUST_USE bool stored_run_cut(struct stored_run *past, uint64_t version);

/* Call take with each event in order until it says false. ERR_INVALID: the stored events are
 * damaged. */
enum err_code stored_run_each(const struct stored_run *past,
                              bool (*take)(void *owner, const struct event *event), void *owner,
                              struct err *err);
/* Set *has_ended to whether the events hold the terminal one, and then *last to it; its texts are
 * views into past. ERR_INVALID: the stored events are damaged. */
MUST_USE enum err_code stored_run_find_end(const struct stored_run *past, bool *has_ended,
                                           struct event *last, struct err *err);
/* The path of the first node that paused, as the events say. Absent: none paused. */
struct str stored_run_find_interrupt(const struct stored_run *past);
/* Put all stored events into the log of run, which is new. ERR_INVALID: the stored events are
 * damaged; ERR_NO_MEMORY. */
MUST_USE enum err_code stored_run_replay(const struct stored_run *past, struct run *run,
                                         struct err *err);

#endif
