/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_primary.h - what operators work on. Private to the grammar_* files. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_PRIMARY_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_PRIMARY_H

#include "agents/sql/grammar/grammar_cursor.h"

/* A literal, name, call, CASE, CAST, (...). NULL having given up. */
struct sql_expr *sql_grammar_primary_parse(struct sql_grammar_cursor *c);

#endif
