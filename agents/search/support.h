/* SPDX-License-Identifier: MIT */
/* agents/search/support.h - whether what is said stands in the passages it was made from.
 *
 * A sentence is supported by a passage that holds every number of the sentence and at least
 * SUPPORT_SHARE of its content words, by stem. A test of words, not of meaning: it finds what was
 * made up, not what was turned round. Pure; any thread. */
#ifndef AGENTS_SEARCH_SUPPORT_H
#define AGENTS_SEARCH_SUPPORT_H

#include "core/base/arena.h"

enum { SUPPORT_NONE = -1, SUPPORT_MAX_PASSAGES = 64 };
#define SUPPORT_SHARE 0.6

/* Passages with their words, in arena. */
struct support;
/* Texts beyond SUPPORT_MAX_PASSAGES are not looked at. NULL: no memory. */
struct support *support_create(struct arena *arena, const struct str *passages, size_t count);
/* The index of the passage that supports sentence best, or SUPPORT_NONE. Marks such as "[1]" are no
 * numbers. A sentence that says nothing of its own ("Yes.") is supported by any: *says_nothing. */
int support_find(const struct support *support, struct arena *arena, struct str sentence,
                 bool *says_nothing);

#endif
