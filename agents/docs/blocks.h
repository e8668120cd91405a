/* SPDX-License-Identifier: MIT */
/* agents/docs/blocks.h - collects a document's blocks: what the format readers write to.
 *
 * White space collapses as in a browser unless text is pushed as it is. One thread. */
#ifndef AGENTS_DOCS_BLOCKS_H
#define AGENTS_DOCS_BLOCKS_H

#include "agents/docs/block.h"
#include "core/base/arena.h"
#include "core/base/buf.h"

struct docs_blocks {
    struct arena *arena;
    struct docs_block *items; /* in arena, doubled as it grows */
    size_t count, cap;
    struct buf text; /* of the block being collected */
    bool blank;      /* white space came that is not written yet */
    size_t repeated;
};

void docs_blocks_init(struct docs_blocks *blocks, struct arena *arena);
/* Frees what is not in the arena. */
void docs_blocks_fini(struct docs_blocks *blocks);

/* Add words: every run of white space becomes one blank. */
void docs_blocks_push(struct docs_blocks *blocks, struct str text);
/* Add text as it stands. */
void docs_blocks_push_raw(struct docs_blocks *blocks, struct str text);
/* Begin a new line, if the block has any text and is not at one. */
void docs_blocks_line(struct docs_blocks *blocks);
/* Every piece of the block is to repeat the text that the block holds so far. */
void docs_blocks_repeat(struct docs_blocks *blocks);
/* The block ends here; without text nothing happens. level is a heading's, else 0. */
void docs_blocks_end(struct docs_blocks *blocks, enum docs_block_kind kind, unsigned level);
/* End the last block. blocks->items and count are then the document's, in its arena. False: no
 * memory. */
MUST_USE bool docs_blocks_finish(struct docs_blocks *blocks);

#endif
