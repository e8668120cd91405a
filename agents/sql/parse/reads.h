/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/reads.h - the list of what a parsed statement reads, for whoever runs it.
 *
 * The list is of the text that is sent, so the parse must be of that text, too. Pure; linear in the
 * statement and in the columns of the tables it reads. */
#ifndef AGENTS_SQL_PARSE_READS_H
#define AGENTS_SQL_PARSE_READS_H

#include "agents/sql/parse/parse.h"
#include "backends/sql_reads.h"

/* The list lives in arena and borrows names from parse and catalog. NULL: no memory. */
const struct sql_reads *sql_reads_of(const struct sql_parse *parse, const struct catalog *catalog,
                                     struct arena *arena);

#endif
