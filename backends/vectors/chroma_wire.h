/* SPDX-License-Identifier: MIT */
/* backends/vectors/chroma_wire.h - the bodies of Chroma's HTTP interface (/api/v2), written and
 * read.
 *
 * A passage is a record: its text is the document, field NAME is the metadata "f_NAME". Chroma
 * cannot ask for what lacks a key, only for what does not have a value there, so a field that is
 * not empty also sets "h_NAME" to true: what lacks the field, or has it empty, is then all that is
 * not true there. Any thread. */
#ifndef BACKENDS_VECTORS_CHROMA_WIRE_H
#define BACKENDS_VECTORS_CHROMA_WIRE_H

#include "backends/vec.h"
#include "core/base/arena.h"
#include "core/base/buf.h"

/* Bodies of requests; failures are buf's. */
void chroma_wire_write_collection(struct buf *out, struct str name, struct str model,
                                  size_t dimensions);
void chroma_wire_write_upsert(struct buf *out, const struct vec_point *const *points, size_t count,
                              size_t dimensions);
/* top_k: how many to ask for. */
void chroma_wire_write_query(struct buf *out, const struct vec_query *query, size_t top_k);
void chroma_wire_write_removal(struct buf *out, const struct str *ids, size_t count);
/* The removal of all records that pass; each filter has a value. */
void chroma_wire_write_filtered_removal(struct buf *out, const struct passage_filter *filters,
                                        size_t count);

struct chroma_wire_collection { /* views in the arena */
    struct str id, model;       /* model: empty in one that is not ours */
    size_t dimensions;
};

/* Answers; trees and results live in arena. ERR_PROTOCOL: not what it should be; ERR_NO_MEMORY. */
MUST_USE enum err_code chroma_wire_read_collection(struct arena *arena, struct str answer,
                                                   struct chroma_wire_collection *collection,
                                                   struct err *err);
MUST_USE enum err_code chroma_wire_read_count(struct str answer, uint64_t *count, struct err *err);
/* Hits as they came; score: 1 - cosine distance. Strings may be views of answer: kept with it. */
MUST_USE enum err_code chroma_wire_read_hits(struct arena *arena, struct str answer,
                                             struct passage_hit **hits, size_t *count,
                                             struct err *err);
/* What an answer says is wrong, as words; the answer itself when it says it in another form. */
struct str chroma_wire_read_error(struct arena *arena, struct str answer);

#endif
