/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/visible.h - what a policy lets a statement see of a catalog, and the nearest
 * names.
 *
 * The one place that knows about secure views, allowed tables and hidden columns; the rules, the
 * messages and the rewriter all ask here, so that they cannot disagree. Pure; linear in the number
 * of names. */
#ifndef AGENTS_SQL_CATALOG_VISIBLE_H
#define AGENTS_SQL_CATALOG_VISIBLE_H

#include "agents/sql/catalog/catalog.h"
#include "agents/sql/catalog/policy_data.h"

struct sql_visible { /* borrowed */
    const struct sql_policy *policy;
    const struct catalog *catalog;
};

/* The view to read instead of table, or CATALOG_NONE. */
int sql_visible_view(struct sql_visible sees, int table);
/* Whether table is one end of a secure pair: the view. */
bool sql_visible_is_secure_view(struct sql_visible sees, int table);
/* Whether a statement may name the table (as such, or to be rewritten). */
bool sql_visible_table(struct sql_visible sees, int table);
/* What is read when table is named: its view, or itself. */
int sql_visible_read(struct sql_visible sees, int table);
/* The name to show: a view that stands for a table goes under the table's name, unless the policy
 * wants the views named (C27). */
struct str sql_visible_name(struct sql_visible sees, int table);
/* Whether naming table.column reads something that may be read. */
bool sql_visible_column(struct sql_visible sees, int table, struct str column);
/* Whether a column of table may be told of, by whatever policy: it is hidden neither in the table
 * nor in its secure view, which has it. */
bool sql_visible_told(const struct catalog *catalog, int table, int column);
/* Whether a message may offer a column of a table that is read: it may be read, and the question
 * of the policy does not leave it out. */
bool sql_visible_offers(struct sql_visible sees, int read, int column);
/* Whether values of a column of what is read for table are masked. */
bool sql_visible_masks(struct sql_visible sees, int table);
/* Whether the database may have columns of table that nobody may read, or not as they are. */
bool sql_visible_has_hidden(struct sql_visible sees, int table);

/* Up to max visible tables nearest to name by spelling, best first; how many were written. */
size_t sql_visible_near_tables(struct sql_visible sees, struct str name, struct str *near,
                               size_t max);
/* The offered column of table nearest to name, or the absent string. */
struct str sql_visible_near_column(struct sql_visible sees, int table, struct str name);
/* Edit distance without case; more than most, or a name over 64 bytes, gives most + 1. */
size_t sql_visible_distance(struct str a, struct str b, size_t most);

#endif
