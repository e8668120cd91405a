/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/describe.h - a reading in English words, for intents and answers. */
#ifndef AGENTS_OFFLINE_ANSWERS_DESCRIBE_H
#define AGENTS_OFFLINE_ANSWERS_DESCRIBE_H

#include "agents/lexicon/describe_names.h"
#include "agents/offline/reading/reading.h"

/* "Count all rows in customers table where type = 'debit'": a sentence without full stop. */
void offline_describe_intent(const struct lexicon *lexicon, const struct offline_reading *reading,
                             struct buf *out);
/* "The 10 clients with the highest total of orders": the same for somebody who is to choose. */
void offline_describe_option(const struct lexicon *lexicon, const struct offline_reading *reading,
                             struct buf *out);
/* "transactions created from 2025-05-01 to 2025-05-31 with type debit": what the rows are. */
void offline_describe_rows(const struct lexicon *lexicon, const struct offline_reading *reading,
                           int table, bool plural, struct buf *out);
/* "have status shipped": the conditions of a ratio's upper part. */
void offline_describe_share(const struct lexicon *lexicon, const struct offline_reading *reading,
                            struct buf *out);
/* " by customer and month": what a reading is grouped by; nothing where it is not. */
void offline_describe_groups(const struct lexicon *lexicon, const struct offline_reading *reading,
                             struct buf *out);
/* "total amount", "number of accounts". */
void offline_describe_measure(const struct lexicon *lexicon, const struct reading_out *measure,
                              struct buf *out);

#endif
