/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/compared.h - the comparisons of a statement with literals.
 *
 * For agents/sql/doubts only. */
#ifndef AGENTS_SQL_DOUBTS_COMPARED_H
#define AGENTS_SQL_DOUBTS_COMPARED_H

#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/parse/parse.h"

enum sql_compared_op {
    SQL_COMPARED_EQUAL,
    SQL_COMPARED_UNEQUAL,
    SQL_COMPARED_LESS,
    SQL_COMPARED_UPTO,
    SQL_COMPARED_MORE,
    SQL_COMPARED_FROM,
    SQL_COMPARED_LIKE,
};

struct sql_compared { /* left op literal, whichever side the literal stands on */
    const struct sql_expr *expr, *left;
    enum sql_compared_op op;
    struct str literal, text; /* as written; what is in its quotes, or absent */
    bool has_number, has_day, has_time;
    double number;
    int64_t day; /* that the text begins with (core/base/calendar.h) */
};

struct sql_edge { /* rows from a day on, or before it */
    bool is_lower;
    int64_t day;
};

/* The edge that the comparison is. False: it is none. */
bool sql_compared_edge(const struct sql_compared *compared, struct sql_edge *edge);
bool sql_compared_is_ordered(enum sql_compared_op op);

enum { SQL_COMPARED_MOST = 2 }; /* of one expression: BETWEEN */

/* Write the comparisons that the expression is; how many. */
size_t sql_compared_read(const struct sql_parse *parse, const struct sql_expr *expr,
                         struct sql_compared out[SQL_COMPARED_MOST]);

#endif
