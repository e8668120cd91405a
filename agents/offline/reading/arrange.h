/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/arrange.h - turns of phrase put in the words of the walk. */
#ifndef AGENTS_OFFLINE_READING_ARRANGE_H
#define AGENTS_OFFLINE_READING_ARRANGE_H

#include "agents/lexicon/link.h"
#include "agents/offline/reading/reading.h"

/* Put resolved items in the order they are read in: "spent the most" is the highest of what was
 * spent, "how much did she spend" begins with it, "on average" begins the question. Returns how
 * many are left: a last sentence that only asks for the names goes. */
size_t offline_arrange_items(const struct lexicon *lexicon, struct lexicon_item *items,
                             size_t count);

#endif
