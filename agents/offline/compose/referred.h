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
/* The reference of table by which a column of the rows with this name was added; NULL: none. */
const struct catalog_reference *offline_referred_by(const struct lexicon *lexicon, int table,
                                                    struct str name);
/* Append what it leads to: "customer", or "payer" where two references lead to customers. */
void offline_referred_describe(const struct lexicon *lexicon, int table,
                               const struct catalog_reference *by, struct buf *out);

#endif
