/* SPDX-License-Identifier: MIT */
/* agents/lexicon/link.h - tokens -> items: cues, numbers, dates, literals, and mentions of the
 * schema with everything they may mean (item.h).
 *
 * Every token ends in exactly one item, so that what nobody understood can be named. */
#ifndef AGENTS_LEXICON_LINK_H
#define AGENTS_LEXICON_LINK_H

#include "agents/lexicon/item.h"

/* Items of a question, in arena, at most as many as tokens, with room for twice as many. */
MUST_USE enum err_code lexicon_link_items(struct arena *arena, const struct lexicon *lexicon,
                                          const struct offline_token *tokens, size_t count,
                                          int32_t today, struct lexicon_item **items,
                                          size_t *item_count);

#endif
