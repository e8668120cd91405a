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
    int anchor; /* node that NOT and HAVING scopes speak of */
};

struct buf *offline_statement_out(struct statement *s);
/* A column by the alias of its table in the tree. */
void offline_statement_column(struct statement *s, struct reading_column on);
/* Plan over root and all the reading mentions, and mark what is shown. */
MUST_USE enum err_code offline_statement_plan(struct statement *s, int root);
/* WHERE, where there is something to say. */
MUST_USE enum err_code offline_statement_where(struct statement *s);
/* "total_amount", "account_count"; a number behind it where that is taken. */
void offline_statement_alias(struct statement *s, size_t out);
/* Whether rows are shown, not numbers. */
bool offline_statement_is_list(const struct offline_reading *r);
/* Columns of the groups; entities also by key so that equal names stay apart. */
MUST_USE enum err_code offline_statement_groups(struct statement *s, bool selecting);
/* ORDER BY and LIMIT, where they are asked for. */
void offline_statement_tail(struct statement *s);
/* The columns that show a row of a table: labels first; all other readable ones after, unless
 * labels_only. Returns how many of max. */
size_t offline_statement_columns(const struct lexicon *lexicon, int table, bool labels_only,
                                 int *columns, size_t max);

#endif
