/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_allow.h - which functions and pragmas a statement for SQLite may name.
 *
 * The list of sql_sqlite's authorizer: what is not on it is refused. Not a policy of a graph, only
 * the outer wall. Constant data; any thread. */
#ifndef BACKENDS_SQLITE_SQLITE_ALLOW_H
#define BACKENDS_SQLITE_SQLITE_ALLOW_H

#include "core/base/str.h"

/* Case is ignored; the absent name is not allowed. */
bool sqlite_allow_function(struct str name);
/* Only questions about the schema, asked as pragma_table_info('t'). */
bool sqlite_allow_pragma(struct str name);

#endif
