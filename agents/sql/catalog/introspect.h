/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect.h - a catalog from a live database, through backends/sql. */
#ifndef AGENTS_SQL_CATALOG_INTROSPECT_H
#define AGENTS_SQL_CATALOG_INTROSPECT_H

#include "agents/sql/catalog/catalog.h"
#include "agents/sql/catalog/catalog_change.h"
#include "agents/sql/catalog/policy_data.h"
#include "backends/sql.h"

struct introspect_options {   /* borrowed until done */
    struct str secure_views;  /* JSON object text {"employee":"secure_employee"}, or absent */
    struct str tenant_column; /* or absent */
    bool show_private; /* names that look like secrets are not hidden: for files, not models */
    bool count_rows;   /* small tables; large ones as the engine estimates. And samples of rows are
                          looked at: references that nobody declared, texts that are dates */
    const struct catalog_change *changes; /* what is known beyond the schema; or NULL */
    size_t change_count;
    const struct sql_column_rule *rules; /* of policies: what they restrict is pii; or NULL */
    size_t rule_count;
    struct str declared[2]; /* join-graph files: their foreign_key and manual relationships count as
                               references; or absent */
};

struct introspect {
    struct op op;
    struct catalog *catalog; /* the caller's once done says ERR_OK */
    /* private */
    void *impl;
};

/* Read what the role may select: tables, views, columns, keys, references, comments, row counts.
 * System schemas are left out. ERR_UNAVAILABLE: the database;
 * ERR_INVALID: a mapped secure view is missing (all are named). */
void introspect_start(struct introspect *introspect, struct sql *sql,
                      const struct introspect_options *options, struct op_waiter waiter);

#endif
