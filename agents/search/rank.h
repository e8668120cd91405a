/* SPDX-License-Identifier: MIT */
/* agents/search/rank.h - which tables a question is about, by its words.
 *
 * The prefilter before a model chooses: a schema of hundreds of tables must fit a prompt. Words of
 * the question are compared with the names and comments of tables and columns and, where there is
 * an index of values, with those. Deterministic; linear in the schema's names. */
#ifndef AGENTS_SEARCH_RANK_H
#define AGENTS_SEARCH_RANK_H

#include "agents/services/services.h"

/* A table a model may name: not hidden unless a view stands for it, and not that view (C27). */
bool search_rank_is_visible(const struct catalog_table *table);

/* Visible tables of knows->catalog, best first, at most max, equally good ones in the catalog's
 * order. *named (may be NULL): how many of the first the question's words reach about as well as
 * the best (a third of its score); 0: none at all. Tables that join one that is named come after
 * all such. Scratch memory is arena's. */
size_t search_rank_tables(const struct knowledge *knows, struct str question, struct arena *arena,
                          int *tables, size_t max, size_t *named);
/* The same, fused with tables found by meaning (near, best first) by reciprocal ranks. */
size_t search_rank_fused(const struct knowledge *knows, struct str question, const int *near,
                         size_t near_count, struct arena *arena, int *tables, size_t max);

#endif
