/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/policy_functions_pg.h - the list of PostgreSQL's functions that read and
 * compute.
 *
 * Names as PostgreSQL folds them. Any thread. */
#ifndef AGENTS_SQL_CATALOG_POLICY_FUNCTIONS_PG_H
#define AGENTS_SQL_CATALOG_POLICY_FUNCTIONS_PG_H

#include "core/base/str.h"

/* Whether a statement may call the function, in FROM or elsewhere. */
bool sql_policy_functions_pg_has(struct str name);

#endif
