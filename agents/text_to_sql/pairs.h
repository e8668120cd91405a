/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/pairs.h - questions with the SQL that answered them, and a search for those
 * that resemble a new question.
 *
 * Read from a file of one {"question":"...","sql":"..."} per line; blank lines are ignored.
 * Immutable once loaded; any thread. */
#ifndef AGENTS_TEXT_TO_SQL_PAIRS_H
#define AGENTS_TEXT_TO_SQL_PAIRS_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct text_to_sql_pairs;

struct text_to_sql_pair {
    struct str question, sql;
};

/* Read path. ERR_INVALID: the first line that is no pair, by number; ERR_NOT_FOUND, ERR_TOO_LARGE.
 * Blocking: start-up and reload only. */
MUST_USE enum err_code text_to_sql_pairs_load(const char *path, struct text_to_sql_pairs **out,
                                              struct err *err);
void text_to_sql_pairs_destroy(struct text_to_sql_pairs *pairs);
size_t text_to_sql_pairs_count(const struct text_to_sql_pairs *pairs);
/* Pair i, borrowed. */
const struct text_to_sql_pair *text_to_sql_pairs_get(const struct text_to_sql_pairs *pairs,
                                                     size_t i);
/* Up to max pairs whose questions share words with question, the most alike first (shared words by
 * rarity, over the words of both). Borrowed from pairs. Scratch memory is arena's. */
size_t text_to_sql_pairs_find(const struct text_to_sql_pairs *pairs, struct str question,
                              struct arena *arena, const struct text_to_sql_pair **found,
                              size_t max);

#endif
