/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_weight.c - weights from the leaves up: literals and columns, then what
 * is made of them.
 *
 * Happy path: a query's columns get their weights from its FROM, in the order in which names are
 * known: WITH queries first, each once; a name weighs what it names; nothing passes a limit.
 * Failure: the first that does is the finding. More work or memory than is allowed for weighing
 * counts as a statement too large.
 * What is not known is taken for ordinary: SQL_BOUNDS_VALUES_COLUMN_BYTES of a text,
 * SQL_BOUNDS_VALUES_TABLE_ROWS of a table. */
#include "agents/sql/bounds/bounds_weight.h"

#include <stdio.h>

#include "agents/sql/bounds/bounds_recursion.h"

enum { ARENA_BYTES = 16 << 20, SERIES_ROWS = 100 };

/* ---- FROM ---- */

static const struct sql_bounds_shape *shape_of_table(struct sql_bounds_search *search,
                                                     const struct sql_from *item)
{
    struct sql_bounds_shape *shape = sql_bounds_values_make_shape(search);
    if (shape == NULL)
        return NULL;
    shape->table = true;
    shape->nodes = 1;
    shape->rows = SQL_BOUNDS_VALUES_TABLE_ROWS;
    if (item->table_ref >= 0)
        shape->in_catalog = search->parse->tables[item->table_ref].table;
    if (search->catalog != NULL && shape->in_catalog != CATALOG_NONE) {
        int64_t rows = search->catalog->tables[shape->in_catalog].row_count;
        shape->rows =
            rows > SQL_BOUNDS_VALUES_TABLE_ROWS ? (double)rows : SQL_BOUNDS_VALUES_TABLE_ROWS;
    }
    return shape;
}

/* generate_series(1, 1000): the larger number; others: as bounds_rows.h has it. */
static double rows_of_call(const struct sql_bounds_search *search, const struct sql_expr *call)
{
    double most = SERIES_ROWS, number;
    if (call->kind == SQL_EXPR_CALL && str_equal_nocase(call->call->name, STR("generate_series")))
        for (const struct sql_expr *at = call->children; at != NULL; at = at->next)
            if (sql_bounds_values_literal_number(search, at, &number))
                most = larger(most, number);
    return most;
}

static const struct sql_bounds_shape *shape_of_select(struct sql_bounds_search *search,
                                                      struct sql_bounds_scope *outer,
                                                      struct sql_bounds_with *with,
                                                      const struct sql_select *select);

static const struct sql_bounds_shape *shape_of_call(struct sql_bounds_search *search,
                                                    struct sql_bounds_scope *scope,
                                                    const struct sql_from *item)
{
    struct sql_bounds_shape *shape = sql_bounds_values_make_shape(search);
    struct sql_bounds_parts parts = sql_bounds_values_weigh_parts(search, scope, item->call);
    struct str name = item->alias.len > 0 ? item->alias : item->name;
    if (shape == NULL)
        return NULL;
    for (const struct sql_expr *at = item->call; at != NULL; at = at->next)
        shape->rows = larger(shape->rows, rows_of_call(search, at));
    shape->nodes = parts.nodes;
    struct sql_bounds_weight weight = {
        .bytes = larger(parts.sum, SQL_BOUNDS_CALLS_SMALL), .nodes = 1, .depth = 1, .rows = 1};
    static const char *const given[] = {"value", "key", "atom", "path", "fullkey", "json", "elem"};
    sql_bounds_values_add_column(search, shape, name, weight);
    for (size_t i = 0; i < countof(given); i++)
        sql_bounds_values_add_column(search, shape, str_of(given[i]), weight);
    return shape;
}

/* NULL: the name is a table's. A query that is being weighed reads itself only as a recursion. */
static const struct sql_bounds_shape *find_with(struct sql_bounds_search *search,
                                                const struct sql_bounds_with *with, struct str name)
{
    for (; with != NULL; with = with->outer) {
        sql_bounds_values_count_work(search, 1);
        if (with->shape != NULL && str_equal_nocase(with->cte->name, name))
            return with->shape;
    }
    return NULL;
}

static const struct sql_bounds_shape *shape_of_item(struct sql_bounds_search *search,
                                                    struct sql_bounds_scope *scope,
                                                    const struct sql_from *item)
{
    const struct sql_bounds_shape *shape = NULL;
    switch (item->kind) {
    case SQL_FROM_TABLE:
        if (item->schema.len == 0)
            shape = find_with(search, scope->with, item->name);
        return shape != NULL ? shape : shape_of_table(search, item);
    case SQL_FROM_SELECT:
        return shape_of_select(search, scope, scope->with, item->select);
    case SQL_FROM_CALL:
        return shape_of_call(search, scope, item);
    case SQL_FROM_PARENS:
        break;
    }
    return NULL;
}

struct from { /* what is joined */
    double tables, written, nodes, joined;
};

/* Rows that are written multiply; tables are joined by what relates them, and give the most rows of
 * one of them (bounds_joins.h refuses others). */
static void read_from(struct sql_bounds_search *search, struct sql_bounds_scope *scope,
                      const struct sql_from *first, struct from *from)
{
    for (const struct sql_from *item = first; item != NULL && !sql_bounds_values_is_over(search);
         item = item->next) {
        read_from(search, scope, item->inside, from);
        const struct sql_bounds_shape *shape =
            sql_bounds_values_renamed(search, shape_of_item(search, scope, item), item->columns);
        struct sql_bounds_source *source = arena_alloc(search->arena, sizeof *source);
        if (shape != NULL && source != NULL) {
            *source = (struct sql_bounds_source){item->alias.len > 0 ? item->alias : item->name,
                                                 shape, scope->sources};
            scope->sources = source;
            from->nodes += shape->nodes;
            from->joined += shape->joined;
            if (shape->rows >= SQL_BOUNDS_VALUES_TABLE_ROWS)
                from->tables = larger(from->tables, shape->rows);
            else
                from->written = larger(from->written * larger(shape->rows, 1), 1);
        }
        if (item->on != NULL)
            from->nodes += sql_bounds_values_weigh(search, scope, item->on).nodes;
    }
}

/* ---- SELECT ---- */

static bool is_aggregate(const struct sql_bounds_search *search, const struct sql_call *call)
{
    for (size_t i = 0; i < search->parse->function_count; i++)
        if (search->parse->functions[i].span.start == call->name_span.start)
            return search->parse->functions[i].aggregate && !call->windowed;
    return false;
}

static bool gathers(struct sql_bounds_search *search, const struct sql_expr *expr)
{
    if (expr->kind == SQL_EXPR_CALL && search->parse->has_aggregate) {
        sql_bounds_values_count_work(search, search->parse->function_count);
        if (is_aggregate(search, expr->call))
            return true;
    }
    for (const struct sql_expr *at = expr->children; at != NULL; at = at->next)
        if (gathers(search, at))
            return true;
    return false;
}

static void add_stars(struct sql_bounds_search *search, const struct sql_bounds_scope *scope,
                      struct sql_bounds_shape *shape, const struct sql_item *item)
{
    for (const struct sql_bounds_source *source = scope->sources; source != NULL;
         source = source->next) {
        if (!sql_bounds_values_is_named(source, item->qualifier))
            continue;
        for (const struct sql_bounds_column *at = source->shape->columns;
             at != NULL && !sql_bounds_values_is_over(search); at = at->next)
            sql_bounds_values_add_column(search, shape, at->name, at->weight);
        if (source->shape->table && shape->in_catalog == CATALOG_NONE) {
            shape->table = true;
            shape->in_catalog = source->shape->in_catalog;
        }
    }
}

static struct str name_of_item(const struct sql_item *item)
{
    if (item->alias.len > 0 || item->expr == NULL)
        return item->alias;
    return item->expr->kind == SQL_EXPR_NAME   ? item->expr->name->name
           : item->expr->kind == SQL_EXPR_CALL ? item->expr->call->name
                                               : (struct str){NULL, 0};
}

/* The columns of a branch. Where rows are gathered the engines make them before they go on, so that
 * expressions are not copied through. */
static bool read_items(struct sql_bounds_search *search, struct sql_bounds_scope *scope,
                       const struct sql_branch *branch, struct sql_bounds_shape *shape)
{
    bool once = branch->distinct || branch->groups != NULL || branch->having != NULL;
    double out = 0;
    for (const struct sql_item *item = branch->items; item != NULL && !once; item = item->next)
        once = item->expr != NULL && gathers(search, item->expr);
    for (const struct sql_item *item = branch->items;
         item != NULL && !sql_bounds_values_is_over(search); item = item->next) {
        if (item->expr == NULL) {
            add_stars(search, scope, shape, item);
            continue;
        }
        struct sql_bounds_weight weight = sql_bounds_values_weigh(search, scope, item->expr);
        shape->nodes += weight.nodes;
        out += weight.bytes;
        if (once)
            weight.nodes = weight.depth = 1;
        sql_bounds_values_add_column(search, shape, name_of_item(item), weight);
    }
    if (sql_bounds_values_judges(search) && out > SQL_BOUNDS_VALUES_BYTES_MOST)
        sql_bounds_values_count_made(search, branch->items_span, out);
    return once;
}

static void read_values(struct sql_bounds_search *search, struct sql_bounds_scope *scope,
                        const struct sql_branch *branch, struct sql_bounds_shape *shape)
{
    for (const struct sql_expr *row = branch->rows;
         row != NULL && !sql_bounds_values_is_over(search); row = row->next) {
        struct sql_bounds_column *column = shape->columns;
        char name[32];
        size_t i = 0;
        for (const struct sql_expr *at = row->children; at != NULL; at = at->next, i++) {
            struct sql_bounds_weight weight = sql_bounds_values_weigh(search, scope, at);
            shape->nodes += weight.nodes;
            if (row == branch->rows) {
                snprintf(name, sizeof name, "column%zu", i + 1);
                sql_bounds_values_add_column(search, shape, arena_str(search->arena, str_of(name)),
                                             weight);
            } else if (column != NULL) {
                sql_bounds_values_take_larger(&column->weight, &weight);
                column = column->next;
            }
        }
        shape->rows += row != branch->rows;
    }
}

/* What may also read the branch's own columns by their aliases. */
static void read_conditions(struct sql_bounds_search *search, struct sql_bounds_scope *scope,
                            const struct sql_branch *branch, const struct sql_expr *order,
                            struct sql_bounds_shape *shape)
{
    struct sql_bounds_source *source = arena_alloc(search->arena, sizeof *source);
    if (source == NULL)
        return;
    *source = (struct sql_bounds_source){.shape = shape, .next = scope->sources};
    scope->sources = source;
    if (branch->where != NULL)
        shape->nodes += sql_bounds_values_weigh(search, scope, branch->where).nodes;
    if (branch->having != NULL)
        shape->nodes += sql_bounds_values_weigh(search, scope, branch->having).nodes;
    shape->nodes += sql_bounds_values_weigh_parts(search, scope, branch->groups).nodes;
    shape->nodes += sql_bounds_values_weigh_parts(search, scope, branch->distinct_on).nodes;
    shape->nodes += sql_bounds_values_weigh_parts(search, scope, order).nodes;
    for (const struct sql_window *window = branch->windows; window != NULL; window = window->next)
        shape->nodes += sql_bounds_values_weigh_parts(search, scope, window->partition).nodes +
                        sql_bounds_values_weigh_parts(search, scope, window->order).nodes;
    scope->sources = source->next;
}

static struct sql_bounds_shape *shape_of_branch(struct sql_bounds_search *search,
                                                struct sql_bounds_scope *outer,
                                                struct sql_bounds_with *with,
                                                const struct sql_branch *branch,
                                                const struct sql_expr *order)
{
    struct sql_bounds_shape *shape = sql_bounds_values_make_shape(search);
    struct sql_bounds_scope scope = {.with = with, .rows = 1, .outer = outer};
    struct from from = {.written = 1};
    if (shape == NULL)
        return NULL;
    read_from(search, &scope, branch->from, &from);
    scope.rows = larger(from.tables, 1) * larger(from.written, 1);
    shape->nodes = from.nodes;
    shape->rows = scope.rows;
    bool once = read_items(search, &scope, branch, shape);
    read_conditions(search, &scope, branch, order, shape);
    if (branch->values)
        read_values(search, &scope, branch, shape);
    if (once && branch->groups == NULL && !branch->distinct)
        shape->rows = 1;
    shape->joined = once ? 1 : larger(from.joined, 1);
    if (sql_bounds_values_judges(search) && from.joined > SQL_BOUNDS_VALUES_JOINED_MOST)
        sql_bounds_values_refuse_over(
            search, branch->from_span, "joined",
            "A FROM joins too many tables, with those of the queries that it reads; join "
            "fewer",
            SQL_BOUNDS_VALUES_JOINED_MOST);
    if (sql_bounds_values_judges(search) && shape->nodes > SQL_BOUNDS_VALUES_NODES_MOST)
        sql_bounds_values_refuse_over(
            search, branch->span, "expansion",
            "With each name replaced by the expression that it stands for, the statement "
            "has too many expressions; let fewer queries compute one column from several",
            SQL_BOUNDS_VALUES_NODES_MOST);
    return shape;
}

/* ---- queries ---- */

static void weigh_cte(struct sql_bounds_search *search, struct sql_bounds_with *with)
{
    const struct sql_cte *cte = with->cte;
    bool recursive = false;
    for (const struct sql_branch *at = cte->select->branches; at != NULL; at = at->next)
        recursive = recursive || sql_bounds_recursion_reads_itself(at->from, cte->name);
    with->shape =
        recursive && cte->select->branch_count > 1
            ? sql_bounds_recursion_shape_of_recursion(search, with)
            : sql_bounds_values_renamed(
                  search, shape_of_select(search, with->scope, with, cte->select), cte->columns);
}

/* The queries of a WITH before those around it: each reads itself and those before it, as scope has
 * it for every dialect. */
static struct sql_bounds_with *add_ctes(struct sql_bounds_search *search,
                                        struct sql_bounds_scope *outer,
                                        struct sql_bounds_with *with,
                                        const struct sql_select *select)
{
    for (const struct sql_cte *cte = select->ctes;
         cte != NULL && !sql_bounds_values_is_over(search); cte = cte->next) {
        struct sql_bounds_with *entry = arena_alloc(search->arena, sizeof *entry);
        if (entry == NULL)
            return with;
        *entry = (struct sql_bounds_with){.cte = cte, .scope = outer, .outer = with};
        weigh_cte(search, entry);
        with = entry;
    }
    return with;
}

static const struct sql_bounds_shape *shape_of_select(struct sql_bounds_search *search,
                                                      struct sql_bounds_scope *outer,
                                                      struct sql_bounds_with *with,
                                                      const struct sql_select *select)
{
    const struct sql_limit *limit = &select->limit;
    struct sql_bounds_shape *shape = sql_bounds_values_make_shape(search);
    if (shape == NULL || sql_bounds_values_is_over(search))
        return NULL;
    with = add_ctes(search, outer, with, select);
    shape->rows = 0;
    bool alone = select->branch_count < 2, once = false;
    for (const struct sql_branch *at = select->branches; at != NULL; at = at->next) {
        const struct sql_bounds_shape *branch =
            shape_of_branch(search, outer, with, at, alone ? select->order : NULL);
        if (branch == NULL || sql_bounds_values_is_over(search))
            return NULL;
        sql_bounds_values_merge(search, shape, branch);
        once = once || (at->set != SQL_SET_FIRST && at->set != SQL_SET_UNION_ALL);
    }
    for (struct sql_bounds_column *at = shape->columns; once && at != NULL; at = at->next)
        at->weight.nodes = at->weight.depth = 1;
    struct sql_bounds_source own = {.shape = shape};
    struct sql_bounds_scope scope = {
        .sources = &own, .with = with, .rows = shape->rows, .outer = outer};
    if (!alone)
        shape->nodes += sql_bounds_values_weigh_parts(search, &scope, select->order).nodes;
    if (select->limit_count != NULL)
        (void)sql_bounds_values_weigh(search, &scope, select->limit_count);
    if (select->limit_skip != NULL)
        (void)sql_bounds_values_weigh(search, &scope, select->limit_skip);
    if (limit->present && limit->is_number && !limit->with_ties && limit->number >= 0)
        shape->rows = smaller(shape->rows, (double)limit->number);
    return shape;
}

enum err_code sql_bounds_weight_check(const struct sql_parse *parse, const struct catalog *catalog,
                                      struct sql_finding *finding)
{
    struct arena arena;
    if (parse->tree == NULL)
        return ERR_OK;
    arena_init(&arena, ARENA_BYTES);
    struct sql_bounds_search search = {.parse = parse,
                                       .catalog = catalog,
                                       .arena = &arena,
                                       .finding = finding,
                                       .shape_of_select = shape_of_select,
                                       .shape_of_branch = shape_of_branch};
    (void)shape_of_select(&search, NULL, NULL, parse->tree);
    bool spent = !arena_ok(&arena), short_of = arena.used < ARENA_BYTES / 2;
    arena_fini(&arena);
    if (finding->rule != NULL)
        return finding->err.code;
    if (spent && short_of)
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to weigh the statement");
    if (spent)
        sql_bounds_values_refuse_work(&search);
    return finding->rule == NULL ? ERR_OK : finding->err.code;
}
