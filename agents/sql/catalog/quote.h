/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/quote.h - names and texts in quotes, so that they are read as they are.
 *
 * Which names need no quotes is the callers' affair: each knows other words as reserved. Appends to
 * a buf; nothing is kept. Any thread. */
#ifndef AGENTS_SQL_CATALOG_QUOTE_H
#define AGENTS_SQL_CATALOG_QUOTE_H

#include "agents/sql/catalog/catalog.h"
#include "backends/sql.h"

/* `name` in MySQL, "name" elsewhere; a quote inside is doubled. */
void sql_quote_name(enum sql_dialect dialect, struct str name, struct buf *out);
/* Schema, where the table has one, and name. */
void sql_quote_table(enum sql_dialect dialect, const struct catalog_table *table, struct buf *out);
/* 'text', a quote inside doubled, and in MySQL, which reads them, a backslash, too. */
void sql_quote_text(enum sql_dialect dialect, struct str text, struct buf *out);
/* The same in arena; absent: no memory. */
struct str sql_quote_text_in(enum sql_dialect dialect, struct str text, struct arena *arena);
/* Whether name reads as one word without quotes, keywords aside: letters, digits and '_', no digit
 * first, and in PostgreSQL, which folds them, no capitals. */
bool sql_quote_is_word(enum sql_dialect dialect, struct str name);

#endif
