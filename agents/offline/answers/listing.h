/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/listing.h - rows of a table in a sentence, called by what tells them
 * apart.
 */
#ifndef AGENTS_OFFLINE_ANSWERS_LISTING_H
#define AGENTS_OFFLINE_ANSWERS_LISTING_H

#include "agents/offline/answers/answer_table.h"

/* "27 accounts with more than 5 users: Lunar Logistics, ..., and 17 more." reading NULL, or of no
 * rows of a table: the first cells of rows. */
void offline_listing_write(const struct lexicon *lexicon, const struct offline_reading *reading,
                           const struct answer_table *table, struct buf *out);

#endif
