/* SPDX-License-Identifier: MIT */
/* agents/offline/deeds.h - verbs of trade in the walk: "sold", "bought", "spent the most". */
#ifndef AGENTS_OFFLINE_DEEDS_H
#define AGENTS_OFFLINE_DEEDS_H

#include "agents/offline/parse.h"

/* Take the verb at p->at where nothing is denied: what was sold is counted, the date behind it is
 * that of the sale, or it only ties. False: p->reading->cannot says why. */
MUST_USE bool offline_deeds_take(struct parse *p);
/* Put resolved items in the order they are read in: "spent the most" is the highest of what was
 * spent, "how much did she spend" begins with it. Returns how many are left: a last
 * sentence that only asks for the names goes. */
size_t offline_deeds_arrange(const struct lexicon *lexicon, struct offline_item *items,
                             size_t count);

#endif
