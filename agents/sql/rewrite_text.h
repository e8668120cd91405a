/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_text.h - names, tables and the company filter as each dialect spells them.
 *
 * Names come from the catalog or were read by the parser, and are quoted so that they mean the same
 * again: SQLite quotes what is no plain word, PostgreSQL and MySQL everything (a word may be a
 * keyword of some version, and PostgreSQL folds what is not quoted). Appends to a buf; nothing is
 * kept. Any thread. Private to rewrite.c. */
#ifndef AGENTS_SQL_REWRITE_TEXT_H
#define AGENTS_SQL_REWRITE_TEXT_H

#include "agents/sql/catalog.h"
#include "backends/sql.h"

void sql_rewrite_text_name(enum sql_dialect dialect, struct str name, struct buf *out);
/* Schema and name. */
void sql_rewrite_text_table(enum sql_dialect dialect, const struct catalog_table *table,
                            struct buf *out);
/* "name, city": the columns that may be read; "NULL" when there is none. */
void sql_rewrite_text_columns(enum sql_dialect dialect, const struct catalog_table *table,
                              struct buf *out);
/* The condition under which a row belongs to the session's company, one operand of an AND:
 * relation.column equals the session variable company_id, by bytes, whatever the column's type and
 * collation. Without a company, or with one that is no value of the type, it holds for no row, and
 * it never errs for that. An index on the column serves it. */
void sql_rewrite_text_filter(enum sql_dialect dialect, struct str relation,
                             const struct catalog_column *column, struct buf *out);

#endif
