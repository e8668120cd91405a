/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/clarify.h - asking back: the readings that a question may have, each in
 * words, and which of them a message chooses. */
#ifndef AGENTS_OFFLINE_ANSWERS_CLARIFY_H
#define AGENTS_OFFLINE_ANSWERS_CLARIFY_H

#include "agents/offline/compose/jointree.h"
#include "agents/offline/answers/understood.h"
#include "agents/offline/reading/reading.h"

/* Write to with lexicons that each settle, in one way, what reading leaves open; their facts lie in
 * arena, everything else is shared with lexicon. Returns how many, at most max; 0: nothing is open,
 * or no memory. */
size_t offline_clarify_settle(const struct lexicon *lexicon, const struct offline_reading *reading,
                              struct arena *arena, struct lexicon *with, size_t max);
/* Write to tables the tables whose rows belong to one row of table; returns how many, at most max.
 */
size_t offline_clarify_children(const struct lexicon *lexicon, int table, int *tables, size_t max);
/* The question, and by how many rows of a table. Absent: no memory. */
struct str offline_clarify_by_count(const struct lexicon *lexicon, struct str question, int table,
                                    struct arena *arena);
/* A number by which rows of a table may be ranked. */
struct offline_ranking {
    int table, column; /* the total of its column, a column of the table itself, or, when column is
                        * CATALOG_NONE, how many rows of table belong to it */
};
/* Write the rankings for rows of table: by its own measure first, then by measures of tables that
 * belong to it, then by how many rows of those belong to it. Returns how many, at most max. */
size_t offline_clarify_rankings(const struct lexicon *lexicon, int table,
                                struct offline_ranking *rankings, size_t max);
/* The question with "top 10" (or the text of way) in the place of vague, a word of the question,
 * and with the ranking added. Absent: no memory. */
struct str offline_clarify_ranked(const struct lexicon *lexicon, struct str question,
                                  struct str vague, const char *way, int table,
                                  const struct offline_ranking *ranking, struct arena *arena);
/* An option in words: "Count all orders with shipped date from ...". Absent: no memory. */
struct str offline_clarify_text(const struct lexicon *lexicon, const struct offline_reading *option,
                                struct arena *arena);
/* An option in words, as offline_clarify_text, followed by the references that join its tables. */
struct str offline_clarify_way(const struct lexicon *lexicon, const struct join_graph *graph,
                               const struct offline_reading *option,
                               const struct jointree_ways *ways, struct arena *arena);
/* Whether message chooses one of the options: by number, by place, by its text (in any language
 * that words, which may be NULL, knows), or by words that no other option has. *picked is its
 * index. */
bool offline_clarify_pick(struct str message, const struct str *options, size_t count,
                          const struct offline_words *words, struct arena *arena, size_t *picked);

#endif
