/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_hints.h - how a dialect writes what a statement writes in another. Pure.
 */
#ifndef AGENTS_SQL_REPAIR_REPAIR_HINTS_H
#define AGENTS_SQL_REPAIR_REPAIR_HINTS_H

#include "backends/sql.h"
#include "core/base/arena.h"

/* A sentence for each word of sql that the dialect does not have and that has an equal there, at
 * most a few; with a blank before each. Empty: there is none. In arena. */
struct str sql_repair_hints(enum sql_dialect dialect, struct str sql, struct arena *arena);

#endif
