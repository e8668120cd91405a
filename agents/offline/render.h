/* SPDX-License-Identifier: MIT */
/* agents/offline/render.h - pieces of SQL in a dialect: names, literals, conditions, periods. */
#ifndef AGENTS_OFFLINE_RENDER_H
#define AGENTS_OFFLINE_RENDER_H

#include "agents/offline/index.h"
#include "agents/offline/reading.h"

struct semantic_expression;

struct render {
    const struct catalog *catalog;
    enum sql_dialect dialect;
    struct buf *out;
    int32_t today; /* a day number, for named conditions */
};

void offline_render_name(const struct render *r, struct str name);
void offline_render_table(const struct render *r, int table);
/* alias 0: the bare column name, else t<alias>.<column>. */
void offline_render_column(const struct render *r, unsigned alias, int table, int column);
void offline_render_text(const struct render *r, struct str value);
void offline_render_number(const struct render *r, double value);
void offline_render_filter(const struct render *r, unsigned alias,
                           const struct reading_filter *filter);
/* "2 * " before what is multiplied; nothing for 0. */
void offline_render_factor(const struct render *r, double factor);
const char *offline_render_op(enum offline_op op);
/* An expression of the semantic file over rows of table. */
void offline_render_expression(const struct render *r, unsigned alias, int table,
                               const struct semantic_expression *expression);
/* The period a date lies in, as text that sorts. */
void offline_render_grain(const struct render *r, enum offline_grain grain, unsigned alias,
                          int table, int column);
/* Behind what is ordered by: NULL is less than all else, as SQLite and MySQL have it. */
void offline_render_order(const struct render *r, bool descending, bool may_be_null);
/* "> 5", "BETWEEN 1 AND 2". */
void offline_render_bound(const struct render *r, enum offline_op op, double number, double high);

#endif
