/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/referred.h - whom the keys of a listed row speak of: "the customer's name"
 * beside customer_id. */
#ifndef AGENTS_OFFLINE_COMPOSE_REFERRED_H
#define AGENTS_OFFLINE_COMPOSE_REFERRED_H

#include "agents/offline/compose/statement.h"

/* Whether what the reading lists is shown with such names. */
bool offline_referred_are_shown(const struct lexicon *lexicon,
                                const struct offline_reading *reading);
/* Append to a SELECT the names of the rows that those of table refer to, each a query of one value
 * with a name of its own. The table has an alias when there are any. */
void offline_referred_render(struct statement *s, int table);

#endif
