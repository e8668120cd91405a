/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_words.h - which columns the words of a question name, and which edges that
 * makes cheaper.
 *
 * "Who inspected" means inspectorId, "created by" means createdBy, audit column or not, and "owns"
 * means ISOWNEDBY, though its words run together: names are split into words, and words are
 * compared by their stems. */
#ifndef AGENTS_SQL_JOINS_JOIN_WORDS_H
#define AGENTS_SQL_JOINS_JOIN_WORDS_H

#include "core/base/str.h"

struct join_finder;

/* Whether one of the words names the column. Any thread. */
bool join_words_name(struct str column, const struct str *words, size_t count);

/* For join_path.c only: index the stems of all edges' columns, when a finder is made. False: no
 * memory. */
MUST_USE bool join_words_index(struct join_finder *finder);
/* For join_path.c only: make the edges cheaper that the words name. */
void join_words_apply(struct join_finder *finder, const struct str *words, size_t count);

#endif
