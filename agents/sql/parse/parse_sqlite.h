/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/parse_sqlite.h - SQLite's own compiler as a second opinion on a parse.
 *
 * An oracle is a database in memory with a catalog's tables, empty. A statement is compiled there,
 * never run, and everything the compiler says it reads must be in our parse. It is a second layer
 * only: alone it can be fooled (it does not see unused CTEs or USING columns, and knows no column
 * the catalog lacks). It serves those who judge without a database; a database that runs the
 * statement holds the list of what it may read against what it compiles
 * (backends/sqlite/sqlite_reads.h). No I/O; one thread at a time. */
#ifndef AGENTS_SQL_PARSE_PARSE_SQLITE_H
#define AGENTS_SQL_PARSE_PARSE_SQLITE_H

#include "agents/sql/parse/parse.h"

struct sql_oracle;

/* An oracle for statements over catalog, which must outlive it. NULL: err says why. */
struct sql_oracle *sql_oracle_create(const struct catalog *catalog, struct err *err);
void sql_oracle_destroy(struct sql_oracle *oracle);
/* Compile parse->statement and compare. ERR_REJECTED (rule "second_opinion"): SQLite does not
 * compile it, it would write, or it reads a table or column the parse does not list, or gives
 * another number of columns. */
MUST_USE enum err_code sql_oracle_check(struct sql_oracle *oracle, const struct sql_parse *parse,
                                        struct err *err);

#endif
