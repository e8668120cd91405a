/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/scope.c - resolve a statement's tree and hand the lists over: calls in FROM,
 * expressions, WHERE, whole queries; FROM is in scope_from.c, names of columns in scope_name.c.
 *
 * Happy path: walk the outermost query; each CTE is resolved once, where it is defined, and is in
 * sight from then on; each branch in the order the database evaluates names; each conjunct of WHERE
 * that compares two sides joins what they name. What was found is copied into the parse.
 * Failure: a CTE that reads itself where it may not, column lists that do not fit, what a name
 * refuses, no memory: kept once, all later calls do nothing. */
#include "agents/sql/parse/scope.h"

#include <string.h>

#include "agents/sql/parse/scope_internal.h"

/* ---- calls in FROM ----
 *
 * A function of the dialect's table, or in PostgreSQL any other, which then has one column, called
 * like its alias or itself. */

static const struct table_function {
    struct str name;
    struct str columns[10];
    size_t count;
} sqlite_functions[] = {
    {{"json_each", 9},
     {{"key", 3},
      {"value", 5},
      {"type", 4},
      {"atom", 4},
      {"id", 2},
      {"parent", 6},
      {"fullkey", 7},
      {"path", 4}},
     8},
    {{"json_tree", 9},
     {{"key", 3},
      {"value", 5},
      {"type", 4},
      {"atom", 4},
      {"id", 2},
      {"parent", 6},
      {"fullkey", 7},
      {"path", 4}},
     8},
    {{"generate_series", 15}, {{"value", 5}}, 1},
};

static const struct table_function pg_functions[] = {
    {{"json_each", 9}, {{"key", 3}, {"value", 5}}, 2},
    {{"json_each_text", 14}, {{"key", 3}, {"value", 5}}, 2},
    {{"jsonb_each", 10}, {{"key", 3}, {"value", 5}}, 2},
    {{"jsonb_each_text", 15}, {{"key", 3}, {"value", 5}}, 2},
    {{"json_array_elements", 19}, {{"value", 5}}, 1},
    {{"json_array_elements_text", 24}, {{"value", 5}}, 1},
    {{"jsonb_array_elements", 20}, {{"value", 5}}, 1},
    {{"jsonb_array_elements_text", 25}, {{"value", 5}}, 1},
};

static const struct table_function *find_function(const struct table_function *functions,
                                                  size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(functions[i].name, name))
            return &functions[i];
    return NULL;
}

static void add_columns(struct sql_scope *s, const struct table_function *function,
                        struct sql_scope_columns *columns)
{
    for (size_t i = 0; i < function->count; i++)
        sql_scope_state_add_output(s, columns, function->columns[i]);
}

/* Columns that FROM itself names with their types. */
static void add_defined(struct sql_scope *s, const struct sql_from *item,
                        struct sql_scope_columns *columns)
{
    for (const struct sql_names *name = item->defines_columns ? item->columns : NULL;
         columns != NULL && name != NULL; name = name->next)
        sql_scope_state_add_output(s, columns, name->name);
}

/* unnest(a, b) has a column for each; other functions that are not listed have one. */
static const struct sql_scope_columns *pg_columns(struct sql_scope *s, const struct sql_from *item)
{
    struct sql_scope_columns *columns = sql_scope_state_alloc(s, 1, sizeof *columns);
    for (const struct sql_expr *call = item->defines_columns ? NULL : item->call;
         columns != NULL && call != NULL; call = call->next) {
        struct str name = call->call->name;
        const struct table_function *function =
            find_function(pg_functions, countof(pg_functions), name);
        bool unnest = str_equal(name, STR("unnest"));
        size_t count = unnest ? call->call->argument_count : 1;
        bool alone = call == item->call && call->next == NULL && count == 1;
        if (function != NULL)
            add_columns(s, function, columns);
        for (size_t i = 0; function == NULL && i < count; i++)
            sql_scope_state_add_output(s, columns,
                                       alone && !str_is_absent(item->alias) ? item->alias : name);
    }
    add_defined(s, item, columns);
    if (columns != NULL && item->ordinality)
        sql_scope_state_add_output(s, columns, STR("ordinality"));
    return item->defines_columns ? columns : sql_scope_call_rename(s, columns, item->columns);
}

const struct sql_scope_columns *sql_scope_call_columns(struct sql_scope *s,
                                                       const struct sql_from *item)
{
    if (s->parse->dialect == SQL_POSTGRES)
        return pg_columns(s, item);
    const struct table_function *function =
        find_function(sqlite_functions, countof(sqlite_functions), item->name);
    struct sql_scope_columns *columns = function == NULL && !item->defines_columns
                                            ? NULL
                                            : sql_scope_state_alloc(s, 1, sizeof *columns);
    if (columns != NULL && function != NULL)
        add_columns(s, function, columns);
    add_defined(s, item, columns);
    return columns;
}

static const struct sql_scope_columns *append_names(struct sql_scope *s,
                                                    const struct sql_scope_columns *columns,
                                                    const struct sql_names *names)
{
    struct sql_scope_columns *longer =
        names == NULL || columns == NULL ? NULL : sql_scope_state_alloc(s, 1, sizeof *longer);
    if (longer == NULL)
        return columns;
    for (size_t i = 0; i < columns->count; i++)
        sql_scope_state_add_output(s, longer, columns->names[i]);
    for (const struct sql_names *name = names; name != NULL; name = name->next)
        sql_scope_state_add_output(s, longer, name->name);
    return longer;
}

const struct sql_scope_columns *sql_scope_call_rename(struct sql_scope *s,
                                                      const struct sql_scope_columns *columns,
                                                      const struct sql_names *names)
{
    if (names == NULL || columns == NULL)
        return columns;
    struct sql_scope_columns *renamed = sql_scope_state_alloc(s, 1, sizeof *renamed);
    if (renamed == NULL)
        return NULL;
    for (const struct sql_names *name = names; name != NULL; name = name->next)
        sql_scope_state_add_output(s, renamed, name->name);
    for (size_t i = renamed->count; s->parse->dialect == SQL_POSTGRES && i < columns->count; i++)
        sql_scope_state_add_output(s, renamed, columns->names[i]);
    if (renamed->count != columns->count)
        sql_scope_state_refuse(s, "column_list",
                               "a column list names %zu columns and its query gives %zu; make "
                               "them fit",
                               renamed->count, columns->count);
    return renamed;
}

/* ---- expressions ----
 *
 * Every name, call and sub-select; the tree is no deeper than the grammar let it be. */

static void walk_list(struct sql_scope *s, struct sql_scope_frame *frame,
                      const struct sql_expr *list);

static const struct {
    struct str name;
    bool one_argument; /* an aggregate only with one: min, max */
} aggregates[] = {
    {{"avg", 3}, false},
    {{"bit_and", 7}, false},
    {{"bit_or", 6}, false},
    {{"bit_xor", 7}, false},
    {{"count", 5}, false},
    {{"group_concat", 12}, false},
    {{"json_arrayagg", 13}, false},
    {{"json_group_array", 16}, false},
    {{"json_group_object", 17}, false},
    {{"json_objectagg", 14}, false},
    {{"max", 3}, true},
    {{"min", 3}, true},
    {{"std", 3}, false},
    {{"stddev", 6}, false},
    {{"stddev_pop", 10}, false},
    {{"stddev_samp", 11}, false},
    {{"string_agg", 10}, false},
    {{"sum", 3}, false},
    {{"total", 5}, false},
    {{"var_pop", 7}, false},
    {{"var_samp", 8}, false},
    {{"variance", 8}, false},
};

static bool is_aggregate(const struct sql_call *call)
{
    for (size_t i = 0; i < countof(aggregates); i++)
        if (str_equal(aggregates[i].name, call->name))
            return !aggregates[i].one_argument || call->argument_count == 1;
    return false;
}

static void walk_windows(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_window *windows)
{
    for (const struct sql_window *window = windows; window != NULL; window = window->next) {
        walk_list(s, frame, window->partition);
        walk_list(s, frame, window->order);
        walk_list(s, frame, window->frame);
    }
}

void sql_scope_expr_call(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_expr *expr, bool in_from)
{
    const struct sql_call *call = expr->call;
    struct sql_function_ref ref = {.span = call->name_span,
                                   .name = call->name,
                                   .in_from = in_from,
                                   .windowed = call->windowed,
                                   .aggregate = !in_from && !call->windowed && is_aggregate(call),
                                   .argument_count = call->argument_count};
    sql_scope_state_add_function(s, &ref);
    s->parse->has_aggregate = s->parse->has_aggregate || ref.aggregate;
    walk_list(s, frame, expr->children);
    walk_list(s, frame, call->order);
    sql_scope_expr_walk(s, frame, call->filter);
    walk_windows(s, frame, call->window);
}

/* x IN t, where t may be a CTE. */
static void walk_table(struct sql_scope *s, const struct sql_scope_frame *frame,
                       struct sql_from *table)
{
    const struct sql_scope_cte *cte =
        str_is_absent(table->schema) ? sql_scope_from_cte(s, frame->ctes, table->name) : NULL;
    sql_scope_state_expand(s, cte == NULL ? 1 : 1 + cte->expanded);
    if (cte == NULL)
        (void)sql_scope_from_table(s, frame, table, SQL_USE_IN);
    else
        s->parse->has_recursive = s->parse->has_recursive || cte->defining;
}

void sql_scope_expr_walk(struct sql_scope *s, struct sql_scope_frame *frame,
                         const struct sql_expr *expr)
{
    if (expr == NULL || s->failed)
        return;
    switch (expr->kind) {
    case SQL_EXPR_LITERAL:
    case SQL_EXPR_PARAMETER:
    case SQL_EXPR_VARIABLE:
        return;
    case SQL_EXPR_NAME:
        sql_scope_name_resolve(s, frame, expr);
        return;
    case SQL_EXPR_CALL:
        sql_scope_expr_call(s, frame, expr, false);
        return;
    case SQL_EXPR_SELECT:
    case SQL_EXPR_EXISTS:
        (void)sql_scope_select_walk(s, frame, frame->ctes, expr->select);
        return;
    case SQL_EXPR_TABLE:
        walk_table(s, frame, expr->table);
        return;
    case SQL_EXPR_AND:
    case SQL_EXPR_EQUAL:
    case SQL_EXPR_COLLATE:
    case SQL_EXPR_CAST:
    case SQL_EXPR_OPERATOR:
    case SQL_EXPR_PARENS:
        walk_list(s, frame, expr->children);
        return;
    }
}

static void walk_list(struct sql_scope *s, struct sql_scope_frame *frame,
                      const struct sql_expr *list)
{
    for (const struct sql_expr *expr = list; expr != NULL; expr = expr->next)
        sql_scope_expr_walk(s, frame, expr);
}

/* ---- WHERE ----
 *
 * t.a = u.b or t.a < u.b joins both; alternatives join what each of them joins: (t.a = u.b AND ...)
 * OR (t.a = u.b AND ...). */

static void walk_where(struct sql_scope *s, struct sql_scope_frame *frame,
                       const struct sql_expr *where);

struct joined { /* of each relation those that it is joined with, itself among them */
    uint64_t with[SQL_GRAMMAR_MAX_RELATIONS];
};

static void part_all(struct sql_scope_frame *frame)
{
    for (size_t i = 0; i < frame->relation_count; i++)
        frame->relations[i].component = i;
}

/* Drop from joined what frame does not join. */
static void keep_joined(struct sql_scope_frame *frame, struct joined *joined)
{
    struct joined now = {{0}};
    for (size_t i = 0; i < frame->relation_count; i++)
        now.with[sql_scope_from_component(frame, i)] |= (uint64_t)1 << i;
    for (size_t i = 0; i < frame->relation_count; i++)
        joined->with[i] &= now.with[sql_scope_from_component(frame, i)];
}

/* Each alternative begins with nothing joined; what all of them join is added to what was. */
static void walk_alternatives(struct sql_scope *s, struct sql_scope_frame *frame,
                              const struct sql_expr *first)
{
    struct joined before, all;
    memset(&before, 0xff, sizeof before);
    memset(&all, 0xff, sizeof all);
    keep_joined(frame, &before);
    for (const struct sql_expr *one = first; one != NULL && !s->failed; one = one->next) {
        part_all(frame);
        walk_where(s, frame, one);
        keep_joined(frame, &all);
    }
    part_all(frame);
    for (size_t i = 0; i < frame->relation_count; i++) {
        sql_scope_from_connect(frame, before.with[i]);
        sql_scope_from_connect(frame, all.with[i]);
    }
}

/* a < b and the like; an equality has a kind of its own. */
static bool compares(const struct sql_scope *s, const struct sql_expr *expr)
{
    static const char *const signs[] = {"<", "<=", ">", ">="};
    if (expr->kind != SQL_EXPR_OPERATOR || expr->children == NULL || expr->children->next == NULL ||
        expr->children->next->next != NULL)
        return false;
    struct str between =
        str_slice(s->parse->text, expr->children->span.end, expr->children->next->span.start);
    return str_is_listed(str_trim(between), signs, countof(signs));
}

static void walk_where(struct sql_scope *s, struct sql_scope_frame *frame,
                       const struct sql_expr *where)
{
    if (where == NULL)
        return;
    if (where->kind == SQL_EXPR_AND || (where->kind == SQL_EXPR_PARENS && where->children != NULL &&
                                        where->children->next == NULL)) {
        for (const struct sql_expr *child = where->children; child != NULL; child = child->next)
            walk_where(s, frame, child);
        return;
    }
    if (where->alternatives && frame->relation_count > 1) {
        walk_alternatives(s, frame, where->children);
        return;
    }
    if (where->kind != SQL_EXPR_EQUAL && !compares(s, where)) {
        sql_scope_expr_walk(s, frame, where);
        return;
    }
    frame->touched = 0;
    sql_scope_expr_walk(s, frame, where->children);
    uint64_t left = frame->touched;
    frame->touched = 0;
    sql_scope_expr_walk(s, frame, where->children->next);
    if (left != 0 && frame->touched != 0)
        sql_scope_from_connect(frame, left | frame->touched);
}

/* ---- a query ---- */

static const struct sql_scope_columns *
walk_query(struct sql_scope *s, struct sql_scope_frame *parent, struct sql_scope_cte *ctes,
           struct sql_select *select, struct sql_scope_cte *self, const struct sql_names *names);

/* A query may be called like a table, as long as the table has another name, too: its schema's. And
 * MariaDB takes names for one that no ASCII comparison does. */
static void check_cte_name(struct sql_scope *s, struct str name)
{
    for (size_t i = 0; s->parse->dialect == SQL_MYSQL && i < name.len; i++)
        if ((unsigned char)name.at[i] >= 0x80)
            sql_scope_state_refuse(s, "cte_case",
                                   "the name of a WITH query may only have letters from a to z "
                                   "here; give %.*s another name",
                                   STR_ARG(str_utf8_prefix(name, 60)));
    for (size_t i = 0; i < s->catalog->table_count; i++) {
        const struct catalog_table *table = &s->catalog->tables[i];
        bool named = table->home.len > 0 || s->parse->default_schema.len > 0;
        if (!named && str_equal_nocase(table->name, name))
            s->parse->cte_shadows_table = true;
    }
}

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
    check_cte_name(s, definition->name);
    size_t outside = s->expanded; /* what it holds counts where it is read */
    s->expanded = 0;
    /* SQLite lets every CTE name itself; MySQL only after RECURSIVE, else the table is meant. */
    bool sees_itself = s->parse->dialect == SQL_SQLITE || select->recursive;
    const struct sql_scope_pending *around = s->pending;
    const struct sql_scope_pending pending = {definition->next, around};
    if (s->parse->dialect == SQL_SQLITE || select->recursive)
        s->pending = &pending;
    const struct sql_scope_columns *columns =
        walk_query(s, parent, sees_itself ? cte : before, definition->select,
                   sees_itself ? cte : NULL, definition->columns);
    s->pending = around;
    columns = append_names(s, columns, definition->added);
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
    walk_list(s, frame, branch->rows);
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

/* Whether a table of the frame has a hidden column of the name: what a star would show of it is
 * left out of the result. */
static bool is_hidden_in(const struct sql_scope *s, const struct sql_scope_frame *frame,
                         struct str name)
{
    for (size_t i = 0; i < frame->relation_count; i++) {
        int table = frame->relations[i].table;
        int column =
            table == CATALOG_NONE ? CATALOG_NONE : catalog_find_column(s->catalog, table, name);
        if (column != CATALOG_NONE && s->catalog->tables[table].columns[column].hidden)
            return true;
    }
    return false;
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
        (sql_scope_name_alias(s, frame, expr, false) ||
         (!is_hidden_in(s, frame, expr->name->name) && sql_scope_name_output(s, frame, expr))))
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
    walk_windows(s, frame, branch->windows);
    frame->outputs = outputs;
    frame->aliases_seen = sqlite; /* SQLite sees aliases in ON and WHERE too */
    sql_scope_from_conditions(s, frame, branch->from);
    walk_where(s, frame, branch->where);
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
    walk_list(s, &frame, terms);
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

/* ---- */

enum err_code sql_scope_resolve(const struct sql_tree *tree, const struct catalog *catalog,
                                struct arena *arena, struct sql_parse *parse, const char **rule,
                                struct err *err)
{
    struct sql_scope s = {
        .catalog = catalog, .arena = arena, .parse = parse, .rule = rule, .err = err};
    const struct sql_scope_columns *outputs = sql_scope_select_walk(&s, NULL, NULL, tree->select);
    if (s.failed)
        return s.code;
    if (!arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory left to resolve the statement's names");
    parse->tables = s.tables;
    parse->columns = s.columns;
    parse->functions = s.functions;
    parse->ctes = s.ctes.names;
    parse->cte_count = s.ctes.count;
    parse->outputs = outputs->names;
    parse->outputs_starred = outputs->starred;
    parse->output_count = outputs->count;
    return ERR_OK;
}
