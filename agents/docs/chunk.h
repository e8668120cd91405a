/* SPDX-License-Identifier: MIT */
/* agents/docs/chunk.h - cuts a document into chunks that can be found and quoted alone.
 *
 * A chunk stays under one heading, is cut between sentences or lines, and begins with the last
 * sentences of the chunk before it under the same heading, so that nothing said across a border is
 * lost. Every piece of a table begins with the table's header. Any thread. */
#ifndef AGENTS_DOCS_CHUNK_H
#define AGENTS_DOCS_CHUNK_H

#include "agents/docs/document.h"

struct docs_chunk {
    struct str heading; /* the path: "Work orders > Closing"; empty: before any heading */
    struct str text;
};

struct docs_chunk_options { /* bytes; zero: the default */
    size_t target;          /* 1200: a chunk this long ends at the next border */
    size_t most;            /* 2000: no chunk is longer, its heading not counted */
    size_t overlap;         /* 200: at most this much of the chunk before it */
};

/* The chunks in order, in arena. ERR_NO_MEMORY. */
MUST_USE enum err_code docs_chunk_document(struct arena *arena,
                                           const struct docs_document *document,
                                           const struct docs_chunk_options *options,
                                           const struct docs_chunk **chunks, size_t *count,
                                           struct err *err);

#endif
