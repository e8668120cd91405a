/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_day.h - the day that a deployment says is today, in the place of the
 * database's own. Pure. */
#ifndef AGENTS_SQL_REPAIR_REPAIR_DAY_H
#define AGENTS_SQL_REPAIR_REPAIR_DAY_H

#include "backends/sql.h"
#include "core/base/arena.h"

/* sql with day ("2025-06-30") wherever it asks the database for the date or the time: CURRENT_DATE,
 * NOW(), date('now'). In arena; absent: there is no such place, or no memory. */
struct str sql_repair_day(enum sql_dialect dialect, struct str sql, struct str day,
                          struct arena *arena);

#endif
