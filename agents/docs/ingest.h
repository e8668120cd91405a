/* SPDX-License-Identifier: MIT */
/* agents/docs/ingest.h - writes one document's passages into both stores, batch by batch.
 *
 * Each batch is embedded, then written to the vector store and to the keyword store; passages that
 * only the earlier version of the document had are removed last, so that a reader never misses a
 * passage that did not change. An ingest that ended early is repeated whole; no passage is stored
 * twice. One loop, one thread. */
#ifndef AGENTS_DOCS_INGEST_H
#define AGENTS_DOCS_INGEST_H

#include "agents/docs/items.h"
#include "agents/services/services.h"

enum { DOCS_INGEST_BATCH = 128 };

struct docs_ingest_request {
    struct str collection;
    const struct docs_item *items;
    size_t count;
    const struct str *stale_ids; /* of passages that only the earlier version had */
    size_t stale_count;
    uint64_t timeout_ms; /* of each step of a batch; 0: the backends' defaults */
};

struct docs_ingest {
    struct op op;    /* "docs.ingest"; fails with the first error of a step */
    size_t stored;   /* passages written so far; may be read at any time */
    uint64_t tokens; /* billed for embedding */
    /* private */
    const struct services *has;
    const struct docs_ingest_request *request;
    struct embed_texts embedding;
    struct vec_write near;
    struct text_write words;
    struct embed_request to_embed;
    struct vec_change near_change;
    struct text_change words_change;
    struct str texts[DOCS_INGEST_BATCH];
    struct vec_point points[DOCS_INGEST_BATCH];
    struct passage passages[DOCS_INGEST_BATCH];
    size_t batch, removed;
    size_t dimensions;
};

/* Start; request and what it points at must live until done. has needs embed with vec, or text, or
 * all three; else ERR_UNAVAILABLE. */
void docs_ingest_start(struct docs_ingest *ingest, const struct services *has,
                       const struct docs_ingest_request *request, struct op_waiter waiter);

#endif
