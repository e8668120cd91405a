/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/tenancy.h - how the rows of a table are tied to a company: by a column of its
 * own, or through the tables its foreign keys lead to.
 *
 * The ways are found when a catalog is made (catalog.c); here they are put in terms of what a
 * policy lets be read: secure views stand for their tables, by columns of the same names. Pure.
 * Time is that of the way, but where views are near. */
#ifndef AGENTS_SQL_GUARD_TENANCY_H
#define AGENTS_SQL_GUARD_TENANCY_H

#include "agents/sql/catalog/visible.h"

enum { SQL_TENANCY_MAX_STEPS = 8 };

struct sql_tenancy_step { /* the rows reached so far refer to rows of another table */
    const struct catalog_reference *reference; /* as the database has it */
    int owner;                                 /* the table that has the reference */
    int from, to;                              /* what is read of both ends */
};

struct sql_tenancy {
    bool filters; /* else its rows are everybody's: it is in shared_tables, or no companies are
                     known */
    int column;   /* holds the company: of the last step's to, or of what is read of the table */
    size_t step_count;
    struct sql_tenancy_step steps[SQL_TENANCY_MAX_STEPS];
};

/* Whether the table, or the view, need be filtered, and how. False: nothing ties it to a company,
 * or what does cannot be read; nobody may read it while rows are filtered. */
bool sql_tenancy_find(struct sql_visible sees, int table, struct sql_tenancy *tenancy);
/* Columns of from and of to that are compared for pair i of the step. */
int sql_tenancy_from_column(struct sql_visible sees, const struct sql_tenancy_step *step, size_t i);
int sql_tenancy_to_column(struct sql_visible sees, const struct sql_tenancy_step *step, size_t i);
/* Whether a filter of the table by *tenancy names its column. */
bool sql_tenancy_names(struct sql_visible sees, const struct sql_tenancy *tenancy, int column);

#endif
