/* SPDX-License-Identifier: MIT */
/* agents/lexicon/facts.h - what the columns of a table may be used for (label, key, measure, date),
 * guessed from names and types. */
#ifndef AGENTS_LEXICON_FACTS_H
#define AGENTS_LEXICON_FACTS_H

#include "agents/english/units.h"
#include "agents/lexicon/index.h"
#include "agents/lexicon/spelling.h"

/* Fill lexicon->facts and lexicon->hops, both in the arena of lexicon. False: no memory. */
MUST_USE bool lexicon_facts_fill(struct lexicon *lexicon);
/* Whether a reference column only says who touched the row (createdBy, updated_by). */
bool lexicon_facts_is_audit(struct str column);
/* Whether a number of the table can be added up or ranked by: no key, year or place. */
bool lexicon_facts_is_measure(const struct lexicon *lexicon, int table, int column);
/* The unit that a column's numbers are counted in, by the semantic file or by its name. */
struct english_unit lexicon_facts_unit(const struct lexicon *lexicon, int table, int column);
/* Whether a number is so much for each of something: "hourly_wage", "cost_per_kilo". */
bool lexicon_facts_is_rate(const struct lexicon *lexicon, int table, int column);
/* Whether they are hundredths of what people say. */
bool lexicon_facts_in_cents(const struct lexicon *lexicon, int table, int column);
/* What a column is called where its numbers are said in another unit: "fee" of fee_cents. A view of
 * its name; all of it, where another column is called so. */
struct str lexicon_facts_units_name(const struct lexicon *lexicon, int table, int column);
/* How many words a name has without a unit of money: "hourly rate" of hourly_rate_cents. */
size_t lexicon_facts_without_money(const struct lexicon_words *w);
/* Whether such a number says a level (rating, percentage): of many rows it is averaged. */
bool lexicon_facts_is_level(const struct lexicon *lexicon, int table, int column);

/* Whether a few references lead from each row of table from to one row of table to. */
bool lexicon_facts_reaches(const struct catalog *catalog, int from, int to);
/* The table whose column dates the rows of table: table itself or, for lines of orders, the table
 * of orders. *column is the date, CATALOG_NONE: there is none. */
int lexicon_facts_dated(const struct lexicon *lexicon, int table, int *column);

#endif
