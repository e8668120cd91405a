/* SPDX-License-Identifier: MIT */
/* agents/offline/wording.h - items that say one thing together, before meanings are chosen. */
#ifndef AGENTS_OFFLINE_WORDING_H
#define AGENTS_OFFLINE_WORDING_H

#include "agents/offline/item.h"

/* Join and narrow items in place: "50 years old", "how old", "born in Ohio", "new" of a period.
 * Returns how many there are then; never more than before. */
size_t offline_wording_settle(const struct lexicon *lexicon, struct offline_item *items,
                              size_t count);

#endif
