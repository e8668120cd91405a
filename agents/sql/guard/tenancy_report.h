/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/tenancy_report.h - which tables of a database are filtered by company and how,
 * which are everybody's, which are refused; and whether a database that nobody set up for companies
 * looks as if it held several. For people who run askd. Pure. */
#ifndef AGENTS_SQL_GUARD_TENANCY_REPORT_H
#define AGENTS_SQL_GUARD_TENANCY_REPORT_H

#include "agents/sql/guard/tenancy.h"

enum sql_tenancy_kind {
    SQL_TENANCY_BY_COLUMN,    /* its own tenant column, or it is the companies' own table */
    SQL_TENANCY_BY_REFERENCE, /* foreign keys lead to a table that has one */
    SQL_TENANCY_SHARED,       /* everybody's: named in shared_tables */
    SQL_TENANCY_REFUSED,      /* nothing ties it */
    SQL_TENANCY_KINDS
};

/* How the rows of a table that statements may name are kept apart while rows are filtered. */
enum sql_tenancy_kind sql_tenancy_report_kind(struct sql_visible sees, int table);
/* Write one line: for each kind the count of visible tables and the first names of them. */
void sql_tenancy_report_write(struct sql_visible sees, struct buf *out);
/* How many visible tables are refused. */
size_t sql_tenancy_report_refused(struct sql_visible sees);
/* Whether a visible table has a column that looks like a company's key; *table and *column say the
 * first. */
bool sql_tenancy_report_suspects(struct sql_visible sees, int *table, int *column);

#endif
