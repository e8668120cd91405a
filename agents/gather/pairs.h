/* SPDX-License-Identifier: MIT */
/* agents/gather/pairs.h - questions with the SQL that answered them, and a search for those
 * that resemble a new question.
 *
 * Read from a file of one {"question":"...","sql":"..."} per line; blank lines are ignored.
 * Immutable once loaded; any thread. */
#ifndef AGENTS_GATHER_PAIRS_H
#define AGENTS_GATHER_PAIRS_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct gather_pairs;

struct gather_pair {
    struct str question, sql;
};

/* Read path. ERR_INVALID: the first line that is no pair, by number; ERR_NOT_FOUND, ERR_TOO_LARGE.
 * Blocking: start-up and reload only. */
MUST_USE enum err_code gather_pairs_load(const char *path, struct gather_pairs **out,
                                         struct err *err);
void gather_pairs_destroy(struct gather_pairs *pairs);
size_t gather_pairs_count(const struct gather_pairs *pairs);
/* Pair i, borrowed. */
const struct gather_pair *gather_pairs_get(const struct gather_pairs *pairs, size_t i);
/* Up to max pairs whose questions share words with question, the most alike first (shared words by
 * rarity, over the words of both). Borrowed from pairs. Scratch memory is arena's. */
size_t gather_pairs_find(const struct gather_pairs *pairs, struct str question, struct arena *arena,
                         const struct gather_pair **found, size_t max);

#endif
