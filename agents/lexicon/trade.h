/* SPDX-License-Identifier: MIT */
/* agents/lexicon/trade.h - what a database says of sales: the lines of its orders, what they add
 * up to, and the verbs for them. General English over whatever schema there is. */
#ifndef AGENTS_LEXICON_TRADE_H
#define AGENTS_LEXICON_TRADE_H

#include "agents/lexicon/index.h"

/* Fill facts of lines and sales, and enter "revenue", "spent", "sold", "units". Facts of all
 * tables are there. False: no memory. */
MUST_USE bool lexicon_trade_enter(struct lexicon *lexicon);

#endif
