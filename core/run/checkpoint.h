/* SPDX-License-Identifier: MIT */
/* core/run/checkpoint.h - where a run is, all its walks <-> bytes; and a run that goes on from
 * there.
 *
 * A run may be written at any time from its first superstep on: nodes put nothing before a
 * superstep has ended, so those in flight count as not entered yet, and are entered again when the
 * run goes on, sub-graphs inside. A full checkpoint holds every walk; a delta those that began a
 * superstep since the one before, with the slots that changed. Bytes: "ASKC", the format's version,
 * the run's affairs, per walk its path and a core/snapshot, a CRC-32C; whatever comes in, reading
 * them ends well or with ERR_INVALID. One loop, one thread. */
#ifndef CORE_RUN_CHECKPOINT_H
#define CORE_RUN_CHECKPOINT_H

#include "core/run/run.h"
#include "core/run/snapshot.h"

enum { CHECKPOINT_FORMAT = 1, CHECKPOINT_FULL_EVERY = 20 };

struct checkpoint_kept { /* oldest first, as a store has them */
    struct str bytes;
    bool is_full;
};

/* Whether the run has begun a superstep since it was last written, and may go on after it. */
bool checkpoint_is_due(const struct run *run);
/* Append it. Supersteps begun, and whether it is full, in *step and *is_full. When the bytes are
 * not kept, checkpoint_forget. False: no memory, or more than out takes. */
MUST_USE bool checkpoint_write(struct run *run, struct buf *out, uint64_t *step, bool *is_full);
/* The last one is lost: another one is due, and full. */
void checkpoint_forget(struct run *run);

/* Instead of the run's input, before run_start: be where the last of the checkpoints was that can
 * be read and needs no event after said_id; *used of them were. ERR_NOT_FOUND: none can (err: what
 * is wrong with the last full one); the run is as it was. ERR_NO_MEMORY: it cannot be used. */
MUST_USE enum err_code checkpoint_restore(struct run *run, const struct checkpoint_kept *kept,
                                          size_t count, uint64_t said_id, size_t *used,
                                          struct err *err);
/* Before that, in order: what the run had said already, in another process; not its end. False: no
 * memory, or it is larger than the run may say. */
MUST_USE bool checkpoint_replay(struct run *run, const struct event *event);
/* After both: the server before, the one before this epoch, may have said more than was stored. Ids
 * go on with the epoch's first; what nodes say is of a later attempt, and the final channel
 * begins again with what stands there of those that had ended. False: no memory. */
MUST_USE bool checkpoint_take_over(struct run *run, uint64_t epoch);
/* After checkpoint_restore, instead: it is a new run, which brings the answer of a person, one JSON
 * value, to the node (its path) that paused; node is absent: nobody answered. False: no memory. */
MUST_USE bool checkpoint_resume(struct run *run, struct str node, struct str value);
/* A full one of a run that was restored and has not started. False: as checkpoint_write. */
MUST_USE bool checkpoint_write_restored(struct run *run, struct buf *out, uint64_t *step);

/* After checkpoint_restore, for who only looks: a walk of the run, borrowed until it starts or is
 * destroyed. */
struct checkpoint_place {
    struct str path; /* empty: the run's own graph */
    const struct graph *graph;
    const struct state *state;
    const struct snapshot *snapshot;
};
/* The first is the run's own, the others sub-graphs that nodes were inside. False: no more. */
bool checkpoint_place_at(const struct run *run, size_t i, struct checkpoint_place *place);

#endif
