/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/render.h - pieces of SQL in a dialect: conditions, expressions, periods.
 */
#ifndef AGENTS_OFFLINE_COMPOSE_RENDER_H
#define AGENTS_OFFLINE_COMPOSE_RENDER_H

#include "agents/lexicon/index.h"
#include "agents/offline/reading/reading.h"
#include "agents/lexicon/render_names.h"

struct semantic_expression;

/* A column, or the days that lie between two dates of a row. */
void offline_render_amount(const struct render *r, unsigned alias, struct reading_column on);
void offline_render_number(const struct render *r, double value);
void offline_render_filter(const struct render *r, unsigned alias,
                           const struct reading_filter *filter);
/* Append "2 * ", which stands before the expression it multiplies; nothing for 0. */
void offline_render_factor(const struct render *r, double factor);
const char *offline_render_op(enum offline_op op);
/* An expression of the semantic file over rows of table. */
void offline_render_expression(const struct render *r, unsigned alias, int table,
                               const struct semantic_expression *expression);
/* Append the condition on rows of table that count, with that on the whole that such a row is a
 * part of where has_whole does not say that the whole is asked itself; led by lead, " WHERE " or
 * " AND ". False, and nothing is appended, where all rows count. */
bool offline_render_living(const struct render *r, unsigned alias, int table, bool has_whole,
                           struct str lead);
/* Append the period that a date lies in, as text that sorts. */
void offline_render_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                          int table, int column);
/* Append what follows an expression in ORDER BY, so that NULL is less than everything else, as in
 * SQLite and MySQL. */
void offline_render_order(const struct render *r, bool descending, bool may_be_null);
/* "> 5", "BETWEEN 1 AND 2". */
void offline_render_bound(const struct render *r, enum offline_op op, double number, double high);

#endif
