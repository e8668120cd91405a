/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/scope.h - tree -> resolved tables, columns, functions.
 *
 * Follows SQL's rules of visibility: a CTE is seen unqualified and after its definition, an alias
 * hides its table's name, inner names hide outer ones, USING merges, stars expand. It judges
 * nothing: what does not resolve is recorded as unknown, what resolves twice as ambiguous, and
 * where the database could see more than the catalog, that too (past_table). */
#ifndef AGENTS_SQL_PARSE_SCOPE_H
#define AGENTS_SQL_PARSE_SCOPE_H

#include "agents/sql/grammar/parsed.h"

/* Fill parse's tables, columns, functions, outputs and what follows from them; parse->text and
 * parse->dialect are set. Notes scopes and table refs in the tree. ERR_REJECTED: *rule is
 * "cte_self_reference", "column_list" (names and columns do not fit), "relations", "columns" (too
 * many) or "expansion" (CTEs that read CTEs that ... more often than a database stands);
 * ERR_NO_MEMORY. */
MUST_USE enum err_code sql_scope_resolve(const struct sql_tree *tree, const struct catalog *catalog,
                                         struct arena *arena, struct sql_parse *parse,
                                         const char **rule, struct err *err);

#endif
