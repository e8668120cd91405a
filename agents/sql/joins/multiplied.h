/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/multiplied.h - which rows of a statement its joins repeat.
 *
 * Only joins by equal columns, of tables of one SELECT, are seen; keys are as the catalog knows
 * them. Pure. */
#ifndef AGENTS_SQL_JOINS_MULTIPLIED_H
#define AGENTS_SQL_JOINS_MULTIPLIED_H

#include "agents/sql/parse/parse.h"

enum { SQL_MULTIPLIED_TABLES = 32, SQL_MULTIPLIED_JOINS = 64 };

struct sql_multiplied {
    const struct sql_parse *parse;
    const struct catalog *catalog;
    struct { /* one = two */
        const struct sql_column_ref *one, *two;
    } joins[SQL_MULTIPLIED_JOINS];
    size_t join_count;
    bool is_grouped[SQL_MULTIPLIED_TABLES]; /* by its key: a group has one row of it */
    bool is_absent[SQL_MULTIPLIED_TABLES];  /* an outer join of which WHERE keeps no row */
};

/* Find the joins of parse; with more tables than fit there are none. Borrows both. */
void sql_multiplied_init(struct sql_multiplied *multiplied, const struct sql_parse *parse,
                         const struct catalog *catalog);
/* The first table reference that a row of table_ref meets several rows of, going along the joins;
 * -1: none. */
int sql_multiplied_by(const struct sql_multiplied *multiplied, int table_ref);

struct sql_multiplied_sum {
    struct str text;                     /* the call as written */
    const struct sql_column_ref *column; /* its argument */
    int of, by;   /* references of tables: whose rows are added up, and what repeats them */
    bool is_pair; /* neither row refers to the other, as both refer to a third: payments and charges
                     of one stay */
};
/* Called once for each sum, which is borrowed for the call. */
typedef void sql_multiplied_fn(void *owner, const struct sql_multiplied_sum *sum);
/* Call say for each SUM and AVG of a column, and COUNT of a key, whose rows the joins of its SELECT
 * repeat. */
void sql_multiplied_sums(const struct sql_parse *parse, const struct catalog *catalog,
                         sql_multiplied_fn *say, void *owner);

#endif
