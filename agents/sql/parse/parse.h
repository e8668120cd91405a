/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/parse.h - text -> what a SELECT reads and how it is written, whatever the
 * dialect.
 *
 * A parse resolves every table and column reference through scopes (CTEs, aliases, subqueries,
 * laterals, USING, stars) against a catalog. Offsets are byte spans of the text given. The tree
 * comes from grammar (SQLite, MySQL) or parse_pg, the names from scope; read by policy, columns,
 * bounds, rewrite. The text is bounded (16 KiB, nesting 64) and time is linear in it. No I/O. */
#ifndef AGENTS_SQL_PARSE_PARSE_H
#define AGENTS_SQL_PARSE_PARSE_H

#include "agents/sql/grammar/parsed.h"

struct sql_expr;

/* Parse one statement of dialect. ERR_REJECTED: not one statement this dialect's grammar knows;
 * err says what, where (line and column), and what now; *rule is a stable word: "length",
 * "encoding", "syntax", "select_only", "multiple_statements", "nesting", "hint", "into", "locking",
 * "cte_self_reference", "column_list", "relations", "columns", "expansion", "cte_case"; from
 * PostgreSQL also "type", "function", "catalog", "whole_row", where its tree shows them.
 * ERR_NO_MEMORY: *rule is "memory". *out lives in arena, and borrows text. Only SELECTs come out:
 * what else a statement may be is refused here ("select_only"). */
MUST_USE enum err_code sql_parse_statement(enum sql_dialect dialect, struct str text,
                                           const struct catalog *catalog, struct arena *arena,
                                           const struct sql_parse **out, const char **rule,
                                           struct err *err);

/* sql_parse_statement where default_schema means no schema; sql_parse_statement itself takes "main"
 * for SQLite and "public" for PostgreSQL. */
MUST_USE enum err_code sql_parse_statement_in(enum sql_dialect dialect, struct str default_schema,
                                              struct str text, const struct catalog *catalog,
                                              struct arena *arena, const struct sql_parse **out,
                                              const char **rule, struct err *err);

/* What the expression refers to when it is a column of a table, else NULL. */
const struct sql_column_ref *sql_parse_column_at(const struct sql_parse *parse,
                                                 const struct sql_expr *expr);

#endif
