/* SPDX-License-Identifier: MIT */
/* agents/docs/markdown.h - Markdown -> blocks, by md4c (CommonMark with GitHub's tables). */
#ifndef AGENTS_DOCS_MARKDOWN_H
#define AGENTS_DOCS_MARKDOWN_H

#include "agents/docs/blocks.h"

/* Add the blocks of text. Links keep their words, images their alternative text, raw HTML its text.
 * False: no memory. */
MUST_USE bool docs_markdown_read(struct docs_blocks *blocks, struct str text);

#endif
