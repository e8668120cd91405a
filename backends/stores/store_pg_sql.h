/* SPDX-License-Identifier: MIT */
/* backends/stores/store_pg_sql.h - the DO block that makes the tables and functions of
 * backends/stores/store_pg, embedded as tables.sql, conversations.sql and runs.sql in that folder
 * make it. */
#ifndef BACKENDS_STORES_STORE_PG_SQL_H
#define BACKENDS_STORES_STORE_PG_SQL_H

#include "core/base/str.h"

extern const struct str store_pg_sql;

#endif
