/* SPDX-License-Identifier: MIT */
/* agents/search/rank.h - ranks the tables of a schema by how well their words match a question.
 *
 * Tables are ranked before a model chooses, because a schema of hundreds of tables must fit a
 * prompt. Words of the question are compared with the names and comments of tables and columns and,
 * where there is an index of values, with the values. Deterministic; linear in the schema's names.
 */
#ifndef AGENTS_SEARCH_RANK_H
#define AGENTS_SEARCH_RANK_H

#include "agents/services/services.h"

/* Whether a model may name the table: not when it is hidden, unless a view stands for it; not when
 * it is that view (C27). */
bool search_rank_is_visible(const struct catalog_table *table);

/* Write to tables the visible tables of session's catalog, best first, equally good ones in the
 * catalog's order; at most max. Values that only companies other than the caller's have are no
 * words. *named (may be NULL): how many of the first tables the words of the question reach about
 * as well as the best one (a third of its score); 0: none at all. Tables that only join a named
 * table come after all named ones. Scratch memory is arena's. */
size_t search_rank_tables(const struct session *session, struct str question, struct arena *arena,
                          int *tables, size_t max, size_t *named);
/* Rank tables as search_rank_tables and fuse the ranking with near, tables found by meaning (best
 * first), by reciprocal ranks. */
size_t search_rank_fused(const struct session *session, struct str question, const int *near,
                         size_t near_count, struct arena *arena, int *tables, size_t max);

#endif
