/* SPDX-License-Identifier: MIT */
/* agents/lexicon/trade.h - sales in a database: the lines of its orders, the sums of them, and the
 * verbs for selling and buying. General English over whatever schema there is. */
#ifndef AGENTS_LEXICON_TRADE_H
#define AGENTS_LEXICON_TRADE_H

#include "agents/lexicon/index.h"

/* Fill the facts of tables of order lines and of sales, and enter "revenue", "spent", "sold",
 * "units". lexicon_facts_fill must have run for all tables. False: no memory. */
MUST_USE bool lexicon_trade_enter(struct lexicon *lexicon);
/* Whether a metric was made of such a shape, and not laid down by somebody. */
bool lexicon_trade_is_made(const struct semantic_named *metric);

#endif
