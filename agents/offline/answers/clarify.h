/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/clarify.h - asking back: what would settle a question, in words, and which
 * of it a message chooses. */
#ifndef AGENTS_OFFLINE_ANSWERS_CLARIFY_H
#define AGENTS_OFFLINE_ANSWERS_CLARIFY_H

#include "agents/offline/compose/jointree.h"
#include "agents/offline/reading/reading.h"

/* Lexicons that settle what the reading wants, each one way; their facts lie in arena, the rest is
 * shared. Returns how many of max; 0: nothing is wanted, or no memory. */
size_t offline_clarify_settle(const struct lexicon *lexicon, const struct offline_reading *reading,
                              struct arena *arena, struct lexicon *with, size_t max);
/* Tables whose rows belong to one row of table; how many of max were written. */
size_t offline_clarify_children(const struct lexicon *lexicon, int table, int *tables, size_t max);
/* The question, and by how many rows of a table. Absent: no memory. */
struct str offline_clarify_by_count(const struct lexicon *lexicon, struct str question, int table,
                                    struct arena *arena);
/* What rows of a table may be ranked by. */
struct offline_ranking {
    int table, column; /* the total of its column, a column of the table itself, or, when column is
                        * CATALOG_NONE, how many rows of table belong to it */
};
/* Its own measure first, then those of tables that belong to it, then how many they are; how many
 * of max were written. */
size_t offline_clarify_rankings(const struct lexicon *lexicon, int table,
                                struct offline_ranking *rankings, size_t max);
/* The question with "top 10" (or what way says) in the place of vague, a word of it, and by
 * ranking. Absent: no memory. */
struct str offline_clarify_ranked(const struct lexicon *lexicon, struct str question,
                                  struct str vague, const char *way, int table,
                                  const struct offline_ranking *ranking, struct arena *arena);
/* What an option would do: "Count all orders with shipped date from ...". Absent: no memory. */
struct str offline_clarify_text(const struct lexicon *lexicon, const struct offline_reading *option,
                                struct arena *arena);
/* The same, and the references that join its tables. */
struct str offline_clarify_way(const struct lexicon *lexicon, const struct join_graph *graph,
                               const struct offline_reading *option,
                               const struct jointree_ways *ways, struct arena *arena);
/* Whether message chooses one of the options: by number, by place, by its text or by words that no
 * other one has. */
bool offline_clarify_pick(struct str message, const struct str *options, size_t count,
                          struct arena *arena, size_t *picked);

#endif
