/* SPDX-License-Identifier: MIT */
/* server/wiring/knowledge_names.h - tables and columns that settings name and the database has not:
 * a line each, with the name that was perhaps meant.
 *
 * A name that is misspelt leaves open what was meant, so that rows of that are filtered, or not
 * hidden. Pure; while knowledge is made. */
#ifndef SERVER_WIRING_KNOWLEDGE_NAMES_H
#define SERVER_WIRING_KNOWLEDGE_NAMES_H

#include "agents/sql/catalog/visible.h"
#include "core/base/buf.h"

/* Append a line for each of the policy's shared tables (ASKD_SHARED_TABLES) that is not there. */
void knowledge_names_warn_of_shared(struct sql_visible sees, struct buf *warnings);
/* Append a line for each table and column that a served policy names in vain; what is near is
 * looked for in sees. */
void knowledge_names_warn_of_policy(struct sql_visible sees, const struct sql_policy *policy,
                                    struct buf *warnings);
/* The column that most tables have and that is spelled nearly like name; absent: none is. */
struct str knowledge_names_near_column(struct sql_visible sees, struct str name);

#endif
