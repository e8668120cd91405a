/* SPDX-License-Identifier: MIT */
/* agents/lexicon/wording.h - joins items that say one thing together, before their meanings are
 * chosen. */
#ifndef AGENTS_LEXICON_WORDING_H
#define AGENTS_LEXICON_WORDING_H

#include "agents/lexicon/item.h"

/* Join and narrow items in place: "50 years old", "how old", "born in Ohio", "new" of a period.
 * Returns how many items are left; never more than before. */
size_t lexicon_wording_settle(const struct lexicon *lexicon, struct lexicon_item *items,
                              size_t count);

#endif
