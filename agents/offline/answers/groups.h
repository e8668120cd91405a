/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/groups.h - groups with their numbers in a sentence: a ranking, a trend, or
 * each group's own row. */
#ifndef AGENTS_OFFLINE_ANSWERS_GROUPS_H
#define AGENTS_OFFLINE_ANSWERS_GROUPS_H

#include "agents/offline/answers/answer_table.h"

/* "total amount (overdue)": an output of a reading; of a number of some of the rows, which. */
void offline_groups_measure(const struct lexicon *lexicon, const struct offline_reading *reading,
                            size_t i, struct buf *out);
/* "Number of accounts by customer: Alice 3, Bob 2." The largest stand first, time in its order; of
 * many periods the extremes, the first and the last; of many groups how much they are in all. */
void offline_groups_write(const struct lexicon *lexicon, const struct offline_reading *reading,
                          const struct answer_table *table, struct buf *out);
/* "The most expensive product of each category": each group with its own row and value. */
void offline_groups_extremes(const struct lexicon *lexicon, const struct offline_reading *reading,
                             const struct answer_table *table, struct buf *out);

#endif
