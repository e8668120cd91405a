/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/implied.h - references that nobody declared: what names, types and keys say of
 * columns that refer to other tables, and adding those that proved true.
 *
 * Only joins follow such references. What decides whose a row is (tenancy) is settled when a
 * catalog is frozen, before any of these is added. */
#ifndef AGENTS_SQL_CATALOG_IMPLIED_H
#define AGENTS_SQL_CATALOG_IMPLIED_H

#include "agents/sql/catalog/catalog.h"

enum {
    IMPLIED_CLEAR = 70,     /* percent from which on a reference is used */
    IMPLIED_CONTAINED = 10, /* what it gains when all values of a sample are keys there */
    IMPLIED_UNSEEN = -15,   /* what it loses when there are no values to look at */
};

struct implied_reference {
    int table, column, to_table, to_column;
    int percent;     /* by names alone */
    bool needs_rows; /* too little by names: only with values that are keys there */
};

/* Write to found what the names of the catalog suggest, tables in order; at most max. Columns that
 * have a reference, tenant columns, hidden ones and views are left out. Returns how many. 0 also
 * when there is no memory. */
size_t implied_find(const struct catalog *catalog, struct implied_reference *found, size_t max);
/* Add the references that are clear to a catalog that nobody shares yet. ERR_NO_MEMORY. */
MUST_USE enum err_code implied_add(struct catalog *catalog, const struct implied_reference *found,
                                   size_t count, struct err *err);

#endif
