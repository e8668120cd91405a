/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect_rows.h - what rows show that no declaration says: which columns
 * refer to other tables, and which texts are dates. For introspect.c only. */
#ifndef AGENTS_SQL_CATALOG_INTROSPECT_ROWS_H
#define AGENTS_SQL_CATALOG_INTROSPECT_ROWS_H

#include "agents/sql/catalog/catalog.h"
#include "backends/sql.h"

struct introspect_rows { /* zeroed before start */
    struct op op;
    /* private */
    void *impl;
};

/* Look at samples of rows of a catalog that nobody shares yet, and add to it what they show. A
 * statement that is refused or late shows nothing. ERR_CANCELLED, ERR_NO_MEMORY: the catalog is as
 * it was, or has a part of it. */
void introspect_rows_start(struct introspect_rows *rows, struct sql *sql, struct catalog *catalog,
                           struct op_waiter waiter);

#endif
