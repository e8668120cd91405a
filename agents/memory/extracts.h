/* SPDX-License-Identifier: MIT */
/* agents/memory/extracts.h - a summary without a model: of each turn the question and the first
 * sentence of its answer, word by word. Says nothing that was not said. Pure. */
#ifndef AGENTS_MEMORY_EXTRACTS_H
#define AGENTS_MEMORY_EXTRACTS_H

#include "core/base/buf.h"

/* One turn of a conversation as lines for a summary's prompt: "user: ..." and "assistant: ...",
 * each cut at EXTRACTS_LINE_BYTES, its line ends blanks. */
enum { EXTRACTS_LINE_BYTES = 2000 };
void extracts_push_turn(struct buf *out, struct str question, struct str answer);
/* Append the summary of such lines, at most max_bytes: lines that are neither are taken as they
 * are, being summaries themselves. When it is too long the oldest lines go, and it says so. */
void extracts_sum_up(struct str conversation, size_t max_bytes, struct buf *out);

#endif
