/* SPDX-License-Identifier: MIT */
/* agents/offline/facts.h - what a table's columns are good for, guessed from names and types. */
#ifndef AGENTS_OFFLINE_FACTS_H
#define AGENTS_OFFLINE_FACTS_H

#include "agents/offline/index.h"

/* Fill lexicon->facts and lexicon->hops, in its arena. False: no memory. */
MUST_USE bool offline_facts_fill(struct lexicon *lexicon);
/* Whether a reference column only says who touched the row (createdBy, updated_by). */
bool offline_facts_is_audit(struct str column);
/* Whether a number of the table can be added up or ranked by: no key, year or place. */
bool offline_facts_is_measure(const struct catalog *catalog, int table, int column);

#endif
