/* SPDX-License-Identifier: MIT */
/* core/run/checkpoint.h - the position of a run and of all its walks <-> bytes; and a run that goes
 * on from such bytes.
 *
 * A run may be written at any time from its first superstep on: nodes put nothing before a
 * superstep has ended, so those in flight count as not entered yet, and are entered again when the
 * run goes on, sub-graphs inside. A full checkpoint holds every walk; a delta those that began a
 * superstep since the one before, with the slots that changed; both the memos of visits in flight.
 * Bytes: "ASKC", the format's version, the run's affairs, per walk its path and a core/snapshot, a
 * CRC-32C; whatever comes in, reading them ends well or with ERR_INVALID. One loop, one thread. */
#ifndef CORE_RUN_CHECKPOINT_H
#define CORE_RUN_CHECKPOINT_H

#include "core/run/run.h"
#include "core/run/snapshot.h"

enum { CHECKPOINT_FORMAT = 1, CHECKPOINT_FULL_EVERY = 20 };

struct checkpoint_kept { /* oldest first, as a store has them */
    struct str bytes;
    bool is_full;
};

/* Whether run has begun a superstep, or put a memo, since its last checkpoint, and can be gone on
 * with from there: it has not ended, or has paused. */
bool checkpoint_is_due(const struct run *run);
/* Append a checkpoint of run to out; *step: supersteps begun; *is_full: whether it is a full one.
 * When the bytes are then not kept, call checkpoint_forget. False: no memory, or more bytes than
 * out takes. */
MUST_USE bool checkpoint_write(struct run *run, struct buf *out, uint64_t *step, bool *is_full);
/* The last checkpoint written is lost: another one is due, and will be full. */
void checkpoint_forget(struct run *run);

/* Instead of the run's input, before run_start: put the run where the last of the checkpoints was
 * that can be read and needs no event after said_id; *used: how many of them that took.
 * ERR_NOT_FOUND: none can be read (err: what is wrong with the last full one); the run is as it
 * was. ERR_NO_MEMORY: the run cannot be used any more. */
MUST_USE enum err_code checkpoint_restore(struct run *run, const struct checkpoint_kept *kept,
                                          size_t count, uint64_t said_id, size_t *used,
                                          struct err *err);
/* Before checkpoint_restore, in order: an event that the run had said already, in another process;
 * not its terminal event. False: no memory, or the event is larger than the run may say. */
MUST_USE bool checkpoint_replay(struct run *run, const struct event *event);
/* After checkpoint_replay and checkpoint_restore: the run is taken over in this epoch, and the
 * server of the epoch before may have said more than was stored. Ids go on with the epoch's first;
 * what nodes say from now on is of a later attempt, and the final channel begins again with the
 * text that stands there of nodes that had ended. False: no memory. */
MUST_USE bool checkpoint_take_over(struct run *run, uint64_t epoch);
/* After checkpoint_restore, instead of checkpoint_take_over: run is a new one, which brings a
 * person's answer, value (one JSON value), to the node that paused, node (its path); node is
 * absent: nobody answered. False: no memory. */
MUST_USE bool checkpoint_resume(struct run *run, struct str node, struct str value);
/* Append a full checkpoint of a run that was restored and has not started. False: as
 * checkpoint_write. */
MUST_USE bool checkpoint_write_restored(struct run *run, struct buf *out, uint64_t *step);

/* A walk of a restored run, for callers that only look at it; borrowed until the run starts or is
 * destroyed. */
struct checkpoint_place {
    struct str path; /* empty: the run's own graph */
    const struct graph *graph;
    const struct state *state;
    const struct snapshot *snapshot;
};
/* The i-th walk: the first is the run's own, the others are of sub-graphs that nodes were inside.
 * False: there are no more. */
bool checkpoint_place_at(const struct run *run, size_t i, struct checkpoint_place *place);

#endif
