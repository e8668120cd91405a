/* SPDX-License-Identifier: MIT */
/* agents/common/content.h - the words of a text that carry its content, as stems.
 *
 * Used to compare a question with names, comments and other questions. Any thread. */
#ifndef AGENTS_COMMON_CONTENT_H
#define AGENTS_COMMON_CONTENT_H

#include "core/base/arena.h"

enum { CONTENT_MAX_WORDS = 64 };

/* The distinct stems of text's words in order, without the words every question has ("show", "the",
 * "many"; "wie", "cuántos"); names are split (workOrder, work_order: two words). At most max, in
 * arena. */
size_t content_words(struct arena *arena, struct str text, struct str *stems, size_t max);
/* Index of stem among words, or -1. */
int content_find(const struct str *words, size_t count, struct str stem);

#endif
