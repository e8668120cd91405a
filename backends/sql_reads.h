/* SPDX-License-Identifier: MIT */
/* backends/sql_reads.h - what a checked statement reads, listed by the checker from its own parse
 * of the text that is sent. An engine that tells what it compiles lets the statement read nothing
 * else.
 *
 * Only data, borrowed by the statement until done. Names ignore ASCII case. Any thread. */
#ifndef BACKENDS_SQL_READS_H
#define BACKENDS_SQL_READS_H

#include "core/base/str.h"

struct sql_reads_table {
    struct str name;
    const struct str *columns;
    size_t column_count;
    bool any; /* any column of it: the checker did not know the table */
};

struct sql_reads {
    const struct sql_reads_table *tables; /* views as such, without what they read */
    size_t table_count;
    const struct str *functions; /* called by name; operators are not listed */
    size_t function_count;
    const struct str *own; /* relations the statement makes and names: by WITH, in FROM */
    size_t own_count;
    size_t width; /* columns of its result; 0: the checker did not know */
};

static inline bool sql_reads_holds(const struct str *names, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_nocase(names[i], name))
            return true;
    return false;
}

/* Whether the statement itself gives a relation this name. */
static inline bool sql_reads_owns(const struct sql_reads *reads, struct str name)
{
    return sql_reads_holds(reads->own, reads->own_count, name);
}

/* Whether table.column is listed; an empty column: whether anything of the table is. */
static inline bool sql_reads_lists(const struct sql_reads *reads, struct str table,
                                   struct str column)
{
    for (size_t i = 0; i < reads->table_count; i++) {
        const struct sql_reads_table *at = &reads->tables[i];
        if (str_equal_nocase(at->name, table) &&
            (at->any || str_is_empty(column) ||
             sql_reads_holds(at->columns, at->column_count, column)))
            return true;
    }
    return sql_reads_owns(reads, table);
}

static inline bool sql_reads_calls(const struct sql_reads *reads, struct str function)
{
    return sql_reads_holds(reads->functions, reads->function_count, function);
}

#endif
