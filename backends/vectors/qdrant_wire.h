/* SPDX-License-Identifier: MIT */
/* backends/vectors/qdrant_wire.h - the bodies of Qdrant's HTTP interface, written and read.
 *
 * A passage is a point: its payload holds "id", "text" and "fields", an object. Qdrant's own ids
 * are numbers or UUIDs, so a point's is a UUID made from the passage's id by SHA-256. A
 * collection's metadata holds the model. Any thread. */
#ifndef BACKENDS_VECTORS_QDRANT_WIRE_H
#define BACKENDS_VECTORS_QDRANT_WIRE_H

#include "backends/vec.h"
#include "core/base/arena.h"
#include "core/base/buf.h"

/* Fields that Qdrant is told to index, since searches and removals filter by them. */
enum { QDRANT_WIRE_INDEXES = 4, QDRANT_WIRE_UUID_BYTES = 37 };

/* The UUID of the point of passage id. */
void qdrant_wire_uuid(struct str id, char uuid[QDRANT_WIRE_UUID_BYTES]);

/* Bodies of requests; failures are buf's. */
void qdrant_wire_write_collection(struct buf *out, struct str model, size_t dimensions);
/* index: below QDRANT_WIRE_INDEXES. */
void qdrant_wire_write_index(struct buf *out, size_t index);
/* top_k: how many to ask for; each filter has a value. */
void qdrant_wire_write_query(struct buf *out, const struct vec_query *query, size_t top_k);

struct qdrant_wire_change { /* what is to be done in this order; 0: nothing of it */
    const struct str *ids;
    size_t id_count;
    const struct passage_filter *filters; /* each has a value */
    size_t filter_count;
    const struct vec_point *const *points;
    size_t point_count, dimensions;
};

/* How many of the points there was room for in one body: at least one. */
size_t qdrant_wire_write_change(struct buf *out, const struct qdrant_wire_change *change);

struct qdrant_wire_collection {
    struct str model; /* in the arena; empty in a collection that is not ours */
    size_t dimensions;
    unsigned missing; /* a bit for each index that is not there */
};

/* Answers; trees and results live in arena. ERR_PROTOCOL: not what it should be; ERR_NO_MEMORY. */
MUST_USE enum err_code qdrant_wire_read_collection(struct arena *arena, struct str answer,
                                                   struct qdrant_wire_collection *collection,
                                                   struct err *err);
MUST_USE enum err_code qdrant_wire_read_count(struct arena *arena, struct str answer,
                                              uint64_t *count, struct err *err);
/* Hits as they came; score: cosine. Strings may be views of answer: kept with it. */
MUST_USE enum err_code qdrant_wire_read_hits(struct arena *arena, struct str answer,
                                             struct passage_hit **hits, size_t *count,
                                             struct err *err);
/* What an answer says is wrong, as words; the answer itself when it says it in another form. */
struct str qdrant_wire_read_error(struct arena *arena, struct str answer);

#endif
