/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/statement.h - the parts that all statements of compose.c share: the join
 * tree, conditions, names of outputs, order and limit. */
#ifndef AGENTS_OFFLINE_COMPOSE_STATEMENT_H
#define AGENTS_OFFLINE_COMPOSE_STATEMENT_H

#include "agents/offline/compose/keyed.h"

enum { STATEMENT_COLUMNS = 14 }; /* of a row that is shown */

struct statement {
    struct keyed k;
    const struct offline_reading *reading;
    struct jointree tree;
    int anchor;          /* node that NOT and HAVING scopes speak of */
    bool shows_referred; /* a list says whom its rows' keys speak of */
    bool has_where;      /* offline_statement_where appended a condition */
};

struct buf *offline_statement_out(struct statement *s);
/* A column by the alias of its table in the tree. */
void offline_statement_column(struct statement *s, struct reading_column on);
/* Append what brings an output, or a number of it, to the unit that it is said in: " / 100.0". */
void offline_statement_units(struct statement *s, const struct reading_out *out);
/* A column of a list, in the unit that it is said in, with a name where that is another. */
void offline_statement_shown(struct statement *s, struct reading_column on);
/* The output that a column of a list is, in that unit. */
struct reading_out offline_statement_list_out(const struct lexicon *lexicon,
                                              const struct offline_reading *reading,
                                              struct reading_column on);
/* Plan the join tree over root and all tables that the reading mentions, and set which nodes are
 * shown. */
MUST_USE enum err_code offline_statement_plan(struct statement *s, int root);
/* Append the WHERE clause, when there are conditions. */
MUST_USE enum err_code offline_statement_where(struct statement *s);
/* Append the name of an output: "total_amount", "account_count"; with a number behind it when
 * another output has the name. */
void offline_statement_alias(struct statement *s, size_t out);
/* Whether the reading asks for rows, not for numbers. */
bool offline_statement_is_list(const struct offline_reading *r);
/* What periods of that length are called in a result: months, quarters and years can be told from
 * each other, weeks cannot be told from months. */
const char *offline_statement_period(enum offline_grain grain);
/* Append the columns of the groups; groups that are rows of a table have its key as well, so that
 * equal names stay apart. */
MUST_USE enum err_code offline_statement_groups(struct statement *s, bool selecting);
/* Append ORDER BY and LIMIT, where the reading asks for them. */
void offline_statement_tail(struct statement *s);
/* Write to columns the columns that show a row of a table: its labels first, then, unless
 * labels_only, all other readable ones. Returns how many, at most max. */
size_t offline_statement_columns(const struct lexicon *lexicon, int table, bool labels_only,
                                 int *columns, size_t max);

#endif
