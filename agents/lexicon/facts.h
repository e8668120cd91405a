/* SPDX-License-Identifier: MIT */
/* agents/lexicon/facts.h - what a table's columns are good for, guessed from names and types. */
#ifndef AGENTS_LEXICON_FACTS_H
#define AGENTS_LEXICON_FACTS_H

#include "agents/lexicon/index.h"

/* Fill lexicon->facts and lexicon->hops, in its arena. False: no memory. */
MUST_USE bool lexicon_facts_fill(struct lexicon *lexicon);
/* Whether a reference column only says who touched the row (createdBy, updated_by). */
bool lexicon_facts_is_audit(struct str column);
/* Whether a number of the table can be added up or ranked by: no key, year or place. */
bool lexicon_facts_is_measure(const struct catalog *catalog, int table, int column);

/* Whether each row of from has one row of to, over a few references. */
bool lexicon_facts_reaches(const struct catalog *catalog, int from, int to);
/* The date of rows of table: its own, or that of the order it is a line of; column CATALOG_NONE:
 * none. */
int lexicon_facts_dated(const struct lexicon *lexicon, int table, int *column);

#endif
