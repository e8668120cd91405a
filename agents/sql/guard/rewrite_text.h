/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/rewrite_text.h - names, tables and the company filter as each dialect spells
 * them.
 *
 * Names come from the catalog or were read by the parser, and are quoted so that they mean the same
 * again: SQLite quotes what is no plain word, PostgreSQL and MySQL everything (a word may be a
 * keyword of some version, and PostgreSQL folds what is not quoted). Appends to a buf; nothing is
 * kept. Any thread. Private to rewrite.c. */
#ifndef AGENTS_SQL_GUARD_REWRITE_TEXT_H
#define AGENTS_SQL_GUARD_REWRITE_TEXT_H

#include "agents/sql/grammar/parsed.h"
#include "agents/sql/guard/tenancy.h"

void sql_rewrite_text_name(enum sql_dialect dialect, struct str name, struct buf *out);
/* Schema and name. The schema is also named where a query of the statement's WITH could take the
 * table's place. */
void sql_rewrite_text_table(const struct sql_parse *parse, const struct catalog_table *table,
                            struct buf *out);
struct sql_rewrite_spans { /* room of the caller's */
    struct sql_span *at;
    size_t count;
};

/* "name, city": the columns that may be read, or what their masks leave of them; "NULL" when there
 * is none. Where the masks stand in out is added to masks, which has room for every column. */
void sql_rewrite_text_columns(enum sql_dialect dialect, const struct catalog_table *table,
                              struct sql_rewrite_spans *masks, struct buf *out);
/* The condition under which a row of table, called relation, belongs to the session's company, one
 * operand of an AND: its column, or that of the row its foreign keys lead to, equals the session
 * variable company_id, by bytes, whatever the column's type and collation. Without a company, or
 * with one that is no value of the type, it holds for no row, and it never errs for that. Indexes
 * on the column, and on the keys referred to, serve it. */
void sql_rewrite_text_filter(struct sql_visible sees, const struct sql_parse *parse,
                             struct str relation, int table, const struct sql_tenancy *tenancy,
                             struct buf *out);

#endif
