/* SPDX-License-Identifier: MIT */
/* agents/docs/block.h - a piece of a document: a heading, a paragraph, a list. A type; no
 * functions. */
#ifndef AGENTS_DOCS_BLOCK_H
#define AGENTS_DOCS_BLOCK_H

#include "core/base/str.h"

enum { DOCS_MAX_BYTES = 16 * 1024 * 1024 }; /* of a document */

enum docs_block_kind {
    DOCS_HEADING, /* level 1..6 */
    DOCS_TEXT,    /* prose: one line, may be cut between sentences */
    DOCS_LINES    /* list, table, code: may be cut between lines */
};

struct docs_block {
    enum docs_block_kind kind;
    unsigned level;  /* of a heading */
    size_t repeated; /* bytes at the begin of text (a table's header) that every piece repeats */
    struct str text; /* UTF-8, never empty */
};

#endif
