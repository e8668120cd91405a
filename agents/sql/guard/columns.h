/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/columns.h - whether every column a statement names is there and may be read.
 *
 * The check before a statement is sent (R146-R148 in docs/requirements.md): columns exist in their
 * tables, table.column references and join columns are valid; what is wrong is said with what would
 * be right. Pure; linear. */
#ifndef AGENTS_SQL_GUARD_COLUMNS_H
#define AGENTS_SQL_GUARD_COLUMNS_H

#include "agents/sql/parse/finding.h"
#include "agents/sql/catalog/visible.h"

/* Check parse's column references from *from on; *from is then after the one found. ERR_OK: none;
 * ERR_REJECTED: the first finding. */
MUST_USE enum err_code sql_columns_check(struct sql_visible sees, const struct sql_parse *parse,
                                         size_t *from, struct sql_finding *finding);

#endif
