/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/groups.h - groups with their numbers in a sentence: a ranking, a trend, or
 * each group's own row. */
#ifndef AGENTS_OFFLINE_ANSWERS_GROUPS_H
#define AGENTS_OFFLINE_ANSWERS_GROUPS_H

#include "agents/offline/answers/answer_table.h"

/* "total amount (overdue)": an output of a reading; of a number of some of the rows, which. */
void offline_groups_measure(const struct lexicon *lexicon, const struct offline_reading *reading,
                            size_t i, struct buf *out);
/* " (+12, +3.50%)", " (so far 120)", " (12.50%)": what stands in the cells from at on, behind the
 * number of a row; manner is how that number is written. */
void offline_groups_over(const struct offline_reading *reading, const struct json_value *row,
                         size_t at, const struct cell_manner *manner, struct buf *out);
/* "Number of accounts by customer: Alice 3, Bob 2." The largest stand first, time in its order; of
 * many periods the extremes, the first and the last; of many groups how much they are in all. */
void offline_groups_write(const struct lexicon *lexicon, const struct offline_reading *reading,
                          const struct answer_table *table, struct buf *out);
/* "The most expensive product of each category": each group with its own row and value. */
void offline_groups_extremes(const struct lexicon *lexicon, const struct offline_reading *reading,
                             const struct answer_table *table, struct buf *out);

#endif
