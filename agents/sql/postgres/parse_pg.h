/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg.h - PostgreSQL's own parser (libpg_query) -> the tree the other
 * dialects make.
 *
 * libpg_query says whether the text is a statement and what it means; this module turns its tree
 * into a sql_select with byte spans (its nodes say where they start; PostgreSQL's tokens say where
 * they end), so scope, policy, bounds and rewrite serve all dialects. A node it does not know is
 * refused, never skipped. The only file that includes pg_query.h. Any thread. */
#ifndef AGENTS_SQL_POSTGRES_PARSE_PG_H
#define AGENTS_SQL_POSTGRES_PARSE_PG_H

#include "agents/sql/grammar/parsed.h"

/* Fill tree and parse's tokens and flags of comments from parse->text; a cast may name the types of
 * the catalog's columns.
 * ERR_REJECTED with the rules of sql_parse_statement; ERR_NO_MEMORY. Everything in arena. */
MUST_USE enum err_code sql_parse_pg(struct sql_parse *parse, const struct catalog *catalog,
                                    struct arena *arena, struct sql_tree *tree, const char **rule,
                                    struct err *err);

#endif
