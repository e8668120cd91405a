/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog_change.h - what somebody who knows the data says of tables and columns
 * that were added to a builder already. Before freeze. */
#ifndef AGENTS_SQL_CATALOG_CATALOG_CHANGE_H
#define AGENTS_SQL_CATALOG_CATALOG_CHANGE_H

#include "agents/sql/catalog/column_access.h"
#include "core/base/err.h"
#include "core/base/str.h"

struct catalog;
struct catalog_builder;

struct catalog_change {
    struct str table;   /* "name" or "schema.name"; a secure view of it is changed, too */
    struct str column;  /* empty: the table itself */
    struct str comment; /* put before the database's own; empty: leave it */
    int pii;            /* 0 or 1; negative: leave it */
    /* Of a column: how it may be read. CLEAR: leave it. What is private is hidden. A view's column
     * of the same name is changed, too, unless it has an access of its own. */
    enum column_access access;
    struct str tenant; /* of a table: the column that says whose a row is; empty: leave it */
};

/* A table or column that is not there is passed over. A lack of memory shows at freeze. */
void catalog_change(struct catalog_builder *builder, const struct catalog_change *change);
/* Say that values of the column, in whatever case it is written, and of views' columns of its name
 * are never sampled and in no value index. */
void catalog_change_to_pii(struct catalog_builder *builder, struct str table, struct str column);

/* Append a reference of any table, named "name" or "schema.name", that somebody who knows the data
 * declares. Passed over when a table or column is not there, or the table has the reference. */
MUST_USE enum err_code catalog_declare_reference(struct catalog_builder *builder,
                                                 struct str from_table, const struct str *columns,
                                                 struct str to_table, const struct str *to_columns,
                                                 size_t column_count, struct err *err);
/* Declare the relationships of a join-graph file (docs/joins.md) that are of type foreign_key or
 * manual. ERR_INVALID: not JSON. */
MUST_USE enum err_code catalog_declare_join_graph(struct catalog_builder *builder, struct str json,
                                                  struct err *err);
/* Say what stored functions the database has. */
MUST_USE enum err_code catalog_set_functions(struct catalog_builder *builder,
                                             const struct str *names, size_t count,
                                             struct err *err);
/* Whether a call of name (ASCII) may reach a stored function: case and accents do not count. */
bool catalog_has_function(const struct catalog *catalog, struct str name);

#endif
