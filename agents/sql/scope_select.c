/* SPDX-License-Identifier: MIT */
/* agents/sql/scope_select.c - one query: its CTEs, branches, ORDER BY and LIMIT.
 *
 * Happy path: each CTE is resolved once, where it is defined, and is in sight from then on; each
 * branch in the order the database evaluates names. Failure: a CTE that reads itself where it may
 * not, column lists that do not fit. */
#include "agents/sql/scope_parts.h"

#include "agents/sql/scope.h"

static const struct sql_scope_columns *
walk_query(struct sql_scope *s, struct sql_scope_frame *parent, struct sql_scope_cte *ctes,
           struct sql_select *select, struct sql_scope_cte *self, const struct sql_names *names);

static struct sql_scope_cte *add_cte(struct sql_scope *s, struct sql_scope_cte *before,
                                     struct sql_scope_frame *parent,
                                     const struct sql_select *select,
                                     const struct sql_cte *definition)
{
    struct sql_scope_cte *cte = sql_scope_state_alloc(s, 1, sizeof *cte);
    if (cte == NULL)
        return before;
    cte->name = definition->name;
    sql_scope_state_add_output(s, &s->ctes, cte->name);
    cte->before = before;
    cte->defining = true;
    for (size_t i = 0; i < s->catalog->table_count; i++)
        if (sql_scope_state_same(s, s->catalog->tables[i].name, definition->name))
            s->parse->cte_shadows_table = true;
    size_t outside = s->expanded; /* what it holds counts where it is read */
    s->expanded = 0;
    /* SQLite lets every CTE name itself; MySQL only after RECURSIVE, else the table is meant. */
    bool sees_itself = s->parse->dialect == SQL_SQLITE || select->recursive;
    const struct sql_scope_pending *around = s->pending;
    const struct sql_scope_pending pending = {definition->next, around};
    if (s->parse->dialect == SQL_POSTGRES && select->recursive)
        s->pending = &pending;
    const struct sql_scope_columns *columns =
        walk_query(s, parent, sees_itself ? cte : before, definition->select,
                   sees_itself ? cte : NULL, definition->columns);
    s->pending = around;
    columns = sql_scope_call_append(s, columns, definition->added);
    cte->expanded = s->expanded;
    s->expanded = outside;
    cte->columns = columns;
    cte->defining = false;
    return cte;
}

/* MySQL calls (id) id, and 'text' text; without escapes, which nobody names a column by. */
static struct str mysql_output_name(const struct sql_scope *s, const struct sql_expr *expr)
{
    while (expr->kind == SQL_EXPR_PARENS && expr->children != NULL && expr->children->next == NULL)
        expr = expr->children;
    if (expr->kind == SQL_EXPR_NAME)
        return expr->name->name;
    struct str text = str_slice(s->parse->text, expr->span.start, expr->span.end);
    bool string = expr->kind == SQL_EXPR_LITERAL && text.len >= 2 &&
                  (text.at[0] == '\'' || text.at[0] == '"') && text.at[text.len - 1] == text.at[0];
    if (!string)
        return text;
    struct str inside = str_slice(text, 1, text.len - 1);
    bool plain =
        str_find_char(inside, text.at[0]) == STR_NONE && str_find_char(inside, '\\') == STR_NONE;
    return plain ? inside : text;
}

static struct str output_name(const struct sql_scope *s, const struct sql_item *item)
{
    if (!str_is_absent(item->alias))
        return item->alias;
    if (item->expr->kind == SQL_EXPR_NAME)
        return item->expr->name->name;
    if (s->parse->dialect == SQL_MYSQL)
        return mysql_output_name(s, item->expr);
    return str_slice(s->parse->text, item->expr->span.start, item->expr->span.end);
}

static void walk_items(struct sql_scope *s, struct sql_scope_frame *frame,
                       const struct sql_branch *branch, struct sql_scope_columns *outputs)
{
    for (const struct sql_item *item = branch->items; item != NULL && !s->failed;
         item = item->next) {
        if (item->expr == NULL) {
            sql_scope_name_star(s, frame, item, outputs);
            continue;
        }
        sql_scope_expr_walk(s, frame, item->expr);
        sql_scope_state_add_output(s, outputs, output_name(s, item));
    }
}

static void walk_values(struct sql_scope *s, struct sql_scope_frame *frame,
                        const struct sql_branch *branch, struct sql_scope_columns *outputs)
{
    sql_scope_expr_list(s, frame, branch->rows);
    const char *prefix = s->parse->dialect == SQL_MYSQL ? "column_" : "column";
    size_t first = s->parse->dialect == SQL_MYSQL ? 0 : 1;
    for (size_t i = 0; i < branch->item_count && !s->failed; i++) {
        struct str name = arena_printf(s->arena, "%s%zu", prefix, i + first);
        sql_scope_state_add_output(s, outputs, name);
    }
}

static size_t count_relations(const struct sql_from *list)
{
    size_t count = 0;
    for (const struct sql_from *item = list; item != NULL; item = item->next)
        count += (item->kind == SQL_FROM_PARENS ? count_relations(item->inside) : 0) + 1 +
                 (item->using_alias.len > 0 ? 1 : 0);
    return size_min(count, SQL_GRAMMAR_MAX_RELATIONS);
}

/* GROUP BY in PostgreSQL: a column of what is read, else one of the result; only where the name
 * stands alone. */
static void walk_group_term(struct sql_scope *s, struct sql_scope_frame *frame,
                            const struct sql_expr *term)
{
    const struct sql_expr *expr = term;
    while (expr->kind == SQL_EXPR_PARENS && expr->children != NULL && expr->children->next == NULL)
        expr = expr->children;
    bool plain = expr->kind == SQL_EXPR_NAME && str_is_absent(expr->name->qualifier);
    if (plain && !sql_scope_name_is_local(s, frame, expr->name) &&
        sql_scope_name_alias(s, frame, expr, frame->may_hide))
        return;
    sql_scope_expr_walk(s, frame, term);
}

/* ORDER BY and DISTINCT ON in PostgreSQL: a column of the result by name, where that stands alone;
 * the result of a set operation has no other columns. */
static void walk_result_term(struct sql_scope *s, struct sql_scope_frame *frame, bool only_results,
                             const struct sql_expr *term)
{
    struct sql_scope_frame nothing = {.scope = frame->scope};
    const struct sql_expr *expr = term;
    while (expr->kind == SQL_EXPR_PARENS && expr->children != NULL && expr->children->next == NULL)
        expr = expr->children;
    bool plain = expr->kind == SQL_EXPR_NAME && str_is_absent(expr->name->qualifier);
    if (plain &&
        (sql_scope_name_alias(s, frame, expr, false) || sql_scope_name_output(s, frame, expr)))
        return;
    if (only_results && !plain && expr->kind != SQL_EXPR_LITERAL)
        sql_scope_state_refuse(s, "syntax",
                               "ORDER BY after UNION, INTERSECT or EXCEPT takes names or numbers "
                               "of its columns only");
    sql_scope_expr_walk(s, only_results ? &nothing : frame, term);
}

static const struct sql_scope_columns *
walk_branch(struct sql_scope *s, struct sql_scope_frame *frame, struct sql_branch *branch)
{
    struct sql_scope_columns *outputs = sql_scope_state_alloc(s, 1, sizeof *outputs);
    frame->relations =
        sql_scope_state_alloc(s, count_relations(branch->from) + 1, sizeof *frame->relations);
    if (outputs == NULL || frame->relations == NULL)
        return NULL;
    bool sqlite = s->parse->dialect == SQL_SQLITE;
    frame->scope = branch->scope = s->scope_count++;
    frame->items = branch->items;
    frame->item_count = branch->item_count;
    sql_scope_from_collect(s, frame, branch->from);
    if (branch->values)
        walk_values(s, frame, branch, outputs);
    walk_items(s, frame, branch, outputs);
    sql_scope_expr_windows(s, frame, branch->windows);
    frame->outputs = outputs;
    frame->aliases_seen = sqlite; /* SQLite sees aliases in ON and WHERE too */
    sql_scope_from_conditions(s, frame, branch->from);
    sql_scope_where_walk(s, frame, branch->where);
    bool postgres = s->parse->dialect == SQL_POSTGRES;
    frame->aliases_seen = !postgres;
    for (const struct sql_expr *term = branch->groups; term != NULL && !s->failed;
         term = term->next) {
        if (postgres)
            walk_group_term(s, frame, term);
        else
            sql_scope_expr_walk(s, frame, term);
    }
    for (const struct sql_expr *term = branch->distinct_on; term != NULL && !s->failed;
         term = term->next)
        walk_result_term(s, frame, false, term);
    frame->in_having = s->parse->dialect == SQL_MYSQL;
    sql_scope_expr_walk(s, frame, branch->having);
    frame->in_having = false;
    sql_scope_from_finish(s, frame, branch->from);
    return outputs;
}

static const struct sql_expr *bare(const struct sql_expr *expr)
{
    while (
        expr->kind == SQL_EXPR_COLLATE ||
        (expr->kind == SQL_EXPR_PARENS && expr->children != NULL && expr->children->next == NULL))
        expr = expr->children;
    return expr;
}

/* The first frame that has the name itself, or the first of all. */
static struct sql_scope_frame *frame_with(struct sql_scope *s, struct sql_scope_frame *frames,
                                          size_t count, const struct sql_expr *expr)
{
    if (expr->kind != SQL_EXPR_NAME)
        return frames;
    for (size_t i = 0; i < count; i++)
        if (sql_scope_name_is_local(s, &frames[i], expr->name))
            return &frames[i];
    return frames;
}

/* A term of ORDER BY: an alias first, then a column of the branch that has it. */
static void walk_order_term(struct sql_scope *s, struct sql_scope_frame *frames, size_t count,
                            const struct sql_expr *term)
{
    const struct sql_expr *expr = bare(term);
    bool plain = expr->kind == SQL_EXPR_NAME && str_is_absent(expr->name->qualifier);
    if (s->parse->dialect == SQL_POSTGRES) {
        walk_result_term(s, &frames[0], count > 1, term);
        return;
    }
    for (size_t i = 0; plain && i < count; i++)
        if (sql_scope_name_alias(s, &frames[i], expr, false))
            return;
    sql_scope_expr_walk(s, frame_with(s, frames, count, expr), term);
}

/* MySQL orders a UNION by what its first SELECT gives, and sees nothing else. */
static void walk_union_order(struct sql_scope *s, const struct sql_scope_frame *first,
                             const struct sql_scope_columns *columns, const struct sql_expr *terms)
{
    struct sql_scope_relation result = {
        .table_ref = CATALOG_NONE, .table = CATALOG_NONE, .columns = columns};
    struct sql_scope_frame frame = {.parent = first->parent,
                                    .ctes = first->ctes,
                                    .relations = &result,
                                    .relation_count = 1,
                                    .scope = first->scope};
    sql_scope_expr_list(s, &frame, terms);
}

static void walk_limit(struct sql_scope *s, const struct sql_scope_frame *first,
                       const struct sql_select *select)
{
    bool outer = s->parse->dialect == SQL_POSTGRES; /* it sees what stands around the query */
    struct sql_scope_frame alone = {
        .parent = outer ? first->parent : NULL, .ctes = first->ctes, .scope = first->scope};
    sql_scope_expr_walk(s, &alone, select->limit_count);
    sql_scope_expr_walk(s, &alone, select->limit_skip);
}

static const struct sql_scope_columns *
walk_query(struct sql_scope *s, struct sql_scope_frame *parent, struct sql_scope_cte *ctes,
           struct sql_select *select, struct sql_scope_cte *self, const struct sql_names *names)
{
    for (const struct sql_cte *cte = select->ctes; cte != NULL && !s->failed; cte = cte->next)
        ctes = add_cte(s, ctes, parent, select, cte);
    struct sql_scope_frame *frames = sql_scope_state_alloc(s, select->branch_count, sizeof *frames);
    const struct sql_scope_columns *columns = NULL, *own = NULL;
    size_t i = 0;
    for (struct sql_branch *branch = select->branches; branch != NULL && !s->failed;
         branch = branch->next, i++) {
        frames[i].parent = parent;
        frames[i].ctes = ctes;
        const struct sql_scope_columns *found = walk_branch(s, &frames[i], branch);
        if (i > 0)
            continue;
        own = found;
        columns = sql_scope_call_rename(s, found, names);
        if (self != NULL && branch->next != NULL)
            self->columns = columns; /* the branches that follow may read it */
    }
    bool of_union = select->branch_count > 1 && s->parse->dialect == SQL_MYSQL;
    if (of_union && !s->failed)
        walk_union_order(s, &frames[0], own, select->order);
    for (const struct sql_expr *term = of_union ? NULL : select->order; term != NULL && !s->failed;
         term = term->next)
        walk_order_term(s, frames, select->branch_count, term);
    if (!s->failed)
        walk_limit(s, &frames[0], select);
    return s->failed ? NULL : columns;
}

const struct sql_scope_columns *sql_scope_select_walk(struct sql_scope *s,
                                                      struct sql_scope_frame *parent,
                                                      struct sql_scope_cte *ctes,
                                                      struct sql_select *select)
{
    return s->failed ? NULL : walk_query(s, parent, ctes, select, NULL, NULL);
}
