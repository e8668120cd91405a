/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/scope_internal.h - what scope.c, scope_from.c and scope_name.c ask of each
 * other.
 *
 * All work on scope_state.h's state, and do nothing once that has failed. */
#ifndef AGENTS_SQL_PARSE_SCOPE_INTERNAL_H
#define AGENTS_SQL_PARSE_SCOPE_INTERNAL_H

#include "agents/sql/parse/scope_state.h"

/* scope_name.c: names of columns, stars. */
/* Whether the relation has a column of the name; *column is its catalog index or CATALOG_NONE. */
bool sql_scope_name_in(struct sql_scope *s, const struct sql_scope_relation *relation,
                       struct str name, int *column);
/* Whether naming the schema is the same as naming none. */
bool sql_scope_name_is_default(const struct sql_scope *s, struct str schema);
bool sql_scope_name_is_merged(const struct sql_scope *s, const struct sql_scope_relation *relation,
                              struct str name);
/* Whether frame itself (no outer one, no alias) has the unqualified or qualified name. */
bool sql_scope_name_is_local(struct sql_scope *s, const struct sql_scope_frame *frame,
                             const struct sql_name *name);
/* Record the reference; where the name resolved to is touched. */
void sql_scope_name_resolve(struct sql_scope *s, struct sql_scope_frame *frame,
                            const struct sql_expr *expr);
/* Record a reference to the alias when an item of frame has it. */
bool sql_scope_name_alias(struct sql_scope *s, const struct sql_scope_frame *frame,
                          const struct sql_expr *expr, bool past_table);
/* Record a reference to a column of frame's result when one is called so, as one of a star is. */
bool sql_scope_name_output(struct sql_scope *s, const struct sql_scope_frame *frame,
                           const struct sql_expr *expr);
void sql_scope_name_star(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_item *item, struct sql_scope_columns *outputs);

/* scope_from.c: relations, USING, what is connected. */
void sql_scope_from_collect(struct sql_scope *s, struct sql_scope_frame *frame,
                            struct sql_from *list);
void sql_scope_from_conditions(struct sql_scope *s, struct sql_scope_frame *frame,
                               const struct sql_from *list);
/* All relations of the mask are joined with each other. */
void sql_scope_from_connect(struct sql_scope_frame *frame, uint64_t mask);
/* A relation that stands for all that relation i is joined with. */
size_t sql_scope_from_component(struct sql_scope_frame *frame, size_t i);
void sql_scope_from_finish(struct sql_scope *s, struct sql_scope_frame *frame,
                           struct sql_from *list);
/* The CTE in sight of the name, or NULL. */
struct sql_scope_cte *sql_scope_from_cte(struct sql_scope *s, struct sql_scope_cte *ctes,
                                         struct str name);
/* Record a base table. */
int sql_scope_from_table(struct sql_scope *s, const struct sql_scope_frame *frame,
                         struct sql_from *item, enum sql_table_use use);

/* scope.c */
/* The columns of a call in FROM, or NULL when they are not known. */
const struct sql_scope_columns *sql_scope_call_columns(struct sql_scope *s,
                                                       const struct sql_from *item);
/* columns under the names of a list, which may be shorter where the dialect lets it. */
const struct sql_scope_columns *sql_scope_call_rename(struct sql_scope *s,
                                                      const struct sql_scope_columns *columns,
                                                      const struct sql_names *names);
void sql_scope_expr_walk(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_expr *expr);
void sql_scope_expr_call(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_expr *expr, bool in_from);
/* A query's columns, or NULL having given up. */
const struct sql_scope_columns *sql_scope_select_walk(struct sql_scope *s,
                                                      struct sql_scope_frame *parent,
                                                      struct sql_scope_cte *ctes,
                                                      struct sql_select *select);

#endif
