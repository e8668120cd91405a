/* SPDX-License-Identifier: MIT */
/* agents/lexicon/link.h - tokens -> items: cues, numbers, dates, literals, and mentions of the
 * schema with every meaning they may have (item.h).
 *
 * Every token ends in exactly one item, so that words nobody understood can be named. */
#ifndef AGENTS_LEXICON_LINK_H
#define AGENTS_LEXICON_LINK_H

#include "agents/lexicon/item.h"

/* Make the items of a question in arena: at most as many as there are tokens, in an array with room
 * for twice as many. */
MUST_USE enum err_code lexicon_link_items(struct arena *arena, const struct lexicon *lexicon,
                                          const struct offline_token *tokens, size_t count,
                                          int32_t today, struct lexicon_item **items,
                                          size_t *item_count);

#endif
