/* SPDX-License-Identifier: MIT */
/* core/run/snapshot.h - a run between two supersteps <-> bytes: versioned, checksummed, data only.
 *
 * A full snapshot holds every slot, a delta those that changed since the one before; lists that
 * only grew are written from where the last one ended; a long text that another slot has, too, as
 * an answer often is, is written once. Nodes and slots go by name, so that a graph may gain and
 * lose some. Secret slots are never written. Bytes: "ASKS", the format's version, a
 * body, its CRC-32C; older formats are read as well; whatever comes in, reading them ends well or
 * with ERR_INVALID. One thread. */
#ifndef CORE_RUN_SNAPSHOT_H
#define CORE_RUN_SNAPSHOT_H

#include "core/run/graph.h"

enum { SNAPSHOT_FORMAT = 3, SNAPSHOT_OLDEST_FORMAT = 1, SNAPSHOT_TALLIES = 8 };

struct snapshot {           /* what a run is besides its slots */
    uint64_t step;          /* supersteps that have ended */
    uint64_t next;          /* the nodes to enter, as a mask */
    uint64_t last_event_id; /* what it had said by then */
    uint64_t attempt;       /* what its tokens carried */
    uint64_t visits[GRAPH_MAX_NODES];
    uint64_t attempts[GRAPH_MAX_NODES]; /* of each node's next tokens; 0: not known (format 1) */
    uint64_t tallies[SNAPSHOT_TALLIES]; /* the run's counters, in the run's order */
    struct str route, model;
};

/* How much of a list the last snapshot held. A writer of snapshots has one for each slot of the
 * graph that is a list, in their order (snapshot_mark_count), zeroed at first. */
enum { SNAPSHOT_MOST_SLOTS = 64 };
struct snapshot_mark {
    uint64_t count, era;
};
size_t snapshot_mark_count(const struct schema *schema);

/* Append a full snapshot (marks begin anew) or a delta with the slots of the mask changed. Ask
 * buf_ok for out; marks are only right when it is true. */
void snapshot_write_full(const struct snapshot *snapshot, const struct graph *graph,
                         const struct state *state, struct snapshot_mark *marks, struct buf *out);
void snapshot_write_delta(const struct snapshot *snapshot, const struct graph *graph,
                          const struct state *state, uint64_t changed, struct snapshot_mark *marks,
                          struct buf *out);

/* Append a full snapshot of a run that has ended, without passing slots. */
void snapshot_write_ended(const struct snapshot *snapshot, const struct graph *graph,
                          const struct state *state, struct buf *out);

/* Put what bytes hold over state and into *snapshot, whose texts are in arena, the state's: a full
 * one into a fresh state, then its deltas in order. ERR_INVALID: what is wrong with them, or they
 * are of another graph or a newer version; nothing was put. ERR_NO_MEMORY: state is unusable. */
MUST_USE enum err_code snapshot_read(struct str bytes, const struct graph *graph,
                                     struct arena *arena, struct state *state,
                                     struct snapshot *snapshot, struct err *err);
/* The name of the graph that bytes are of, a view into them; absent: they are damaged. */
struct str snapshot_find_graph(struct str bytes);

#endif
