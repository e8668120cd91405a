/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect_internal.h - what is asked of a database about itself, and the
 * shape of the answers, the same for every dialect; for introspect*.c only.
 *
 * A table is named by the schema it lies in and its name. Answers hold only what the role may
 * select (but columns that it may not, of tables of which it may some), no system schemas, rows of
 * one table together, columns of one key or reference together and in order. */
#ifndef AGENTS_SQL_CATALOG_INTROSPECT_INTERNAL_H
#define AGENTS_SQL_CATALOG_INTROSPECT_INTERNAL_H

#include "agents/sql/catalog/introspect.h"

enum introspect_answer {
    INTROSPECT_TABLES,
    INTROSPECT_COLUMNS,
    INTROSPECT_KEYS,
    INTROSPECT_REFERENCES,
    INTROSPECT_CHECKS,    /* a database that has none to ask for says nothing */
    INTROSPECT_FUNCTIONS, /* stored ones; home and name only; not asked of every dialect */
    INTROSPECT_ANSWERS,
};

/* Columns of the answers; home and name come first in each. */
enum { HOME, NAME };
enum {
    TABLE_IS_BARE = 2, /* the bare name reaches it */
    TABLE_IS_VIEW,
    TABLE_ROWS,           /* an estimate; NULL: unknown, and count; below 0: do not count */
    TABLE_COMMENT,        /* or NULL */
    TABLE_CASE_SENSITIVE, /* whether table names are; equal in all rows */
    TABLE_ANCESTORS,      /* PostgreSQL only: names of the tables it inherits from, one a line */
};
enum {
    COLUMN_NAME = 2,
    COLUMN_DECLARED, /* for people: with lengths, with an enumeration's values */
    COLUMN_BASE,     /* for catalog_type_of */
    COLUMN_NOT_NULL,
    COLUMN_COMMENT,  /* or NULL */
    COLUMN_READABLE, /* whether the role may select it; absent: yes */
};
enum { KEY_ID = 2, KEY_IS_PRIMARY, KEY_COLUMN /* NULL: an expression */ };
enum {
    REFERENCE_ID = 2,
    REFERENCE_HOME,
    REFERENCE_TABLE,
    REFERENCE_FROM,
    REFERENCE_TO, /* NULL: the primary key */
};

enum {
    CHECK_TEXT = 2, /* a condition; with checks_are_tables the CREATE TABLE that has them */
};

struct introspect_dialect {
    const char *ask[INTROSPECT_ANSWERS]; /* NULL: not asked, no rows */
    /* Asked when INTROSPECT_COLUMNS fails because a view is broken: the columns of all but views.
     * Or NULL. */
    const char *columns_without_views;
    bool checks_are_tables;
    bool home_in_counts; /* count "home"."name", not "name" */
    bool case_sensitive_columns;
};

extern const struct introspect_dialect introspect_sqlite, introspect_pg, introspect_mysql;

struct introspect_found { /* one table, and its rows in the other answers */
    struct str home, name;
    struct {
        size_t first, count;
    } rows[INTROSPECT_ANSWERS];
    int64_t row_count; /* -1: unknown */
    bool is_bare, is_view, may_count;
};

struct introspect_world { /* zeroed by the caller, gathered, then finished */
    const struct sql_result *answers[INTROSPECT_ANSWERS];
    const struct introspect_dialect *dialect;
    struct introspect_found *tables; /* in order */
    size_t table_count;
    bool case_sensitive, show_private;
    struct map by_name;
    struct arena arena; /* keys of by_name */
};

/* introspect_build.c: find the tables in the answers, which are borrowed. ERR_NO_MEMORY. */
MUST_USE enum err_code introspect_world_gather(struct introspect_world *world, struct err *err);
void introspect_world_fini(struct introspect_world *world);
/* A catalog of all that was gathered. */
MUST_USE enum err_code introspect_world_build(struct introspect_world *world,
                                              const struct introspect_options *options,
                                              struct catalog **out, struct err *err);

#endif
