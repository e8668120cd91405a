/* SPDX-License-Identifier: MIT */
/* agents/memory/extracts.h - a summary made without a model: of each turn the question and the
 * first sentence of its answer, word by word, so that it says nothing that was not said. Pure. */
#ifndef AGENTS_MEMORY_EXTRACTS_H
#define AGENTS_MEMORY_EXTRACTS_H

#include "core/base/buf.h"

/* Append one turn of a conversation as two lines for the prompt of a summary: "user: ..." and
 * "assistant: ...", each cut at EXTRACTS_LINE_BYTES, with blanks for line ends. */
enum { EXTRACTS_LINE_BYTES = 2000 };
void extracts_push_turn(struct buf *out, struct str question, struct str answer);
/* Append the summary of lines made by extracts_push_turn, at most max_bytes. Other lines are
 * summaries already and are copied. When the summary is too long the oldest lines are left out, and
 * it says so. */
void extracts_sum_up(struct str conversation, size_t max_bytes, struct buf *out);

#endif
