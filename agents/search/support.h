/* SPDX-License-Identifier: MIT */
/* agents/search/support.h - whether a sentence is supported by the passages it was made from.
 *
 * A passage supports a sentence when it holds every number of the sentence and at least
 * SUPPORT_SHARE of its content words, by stem. This compares words, not meaning: it finds sentences
 * that were made up, not those that were turned round. Pure; any thread. */
#ifndef AGENTS_SEARCH_SUPPORT_H
#define AGENTS_SEARCH_SUPPORT_H

#include "core/base/arena.h"

enum { SUPPORT_NONE = -1, SUPPORT_MAX_PASSAGES = 64 };
#define SUPPORT_SHARE 0.6

/* Passages with their words, in arena. */
struct support;
/* Texts beyond SUPPORT_MAX_PASSAGES are not looked at. NULL: no memory. */
struct support *support_create(struct arena *arena, const struct str *passages, size_t count);
/* The index of the passage that supports sentence best, or SUPPORT_NONE. Source marks such as "[1]"
 * are not numbers of the sentence. Any passage supports a sentence without content ("Yes.");
 * *says_nothing is then true. */
int support_find(const struct support *support, struct arena *arena, struct str sentence,
                 bool *says_nothing);

#endif
