/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_values.c - weights from the leaves up: literals, names, operators,
 * calls.
 *
 * Happy path: a name weighs what it names, an operation what its operands weigh and itself, a call
 * what bounds_calls.h says of its arguments.
 * Failure: the first that passes a limit is the finding.
 * A name that is not known, or that may be one of several, weighs the most that it may be. */
#include "agents/sql/bounds/bounds_values.h"

#include <stdio.h>

enum { ROW_BYTES = 1000 };

static struct str text_of(const struct sql_bounds_search *search, size_t start, size_t end)
{
    return str_slice(search->parse->text, start, end);
}

double sql_bounds_values_longest_value(const struct sql_bounds_search *search)
{
    return search->parse->dialect == SQL_POSTGRES ? 1e9 : 16 << 20;
}

/* ---- refusals ---- */

bool sql_bounds_values_is_over(const struct sql_bounds_search *search)
{
    return search->finding->rule != NULL || !arena_ok(search->arena);
}

bool sql_bounds_values_judges(const struct sql_bounds_search *search)
{
    return !search->probing && !sql_bounds_values_is_over(search);
}

void sql_bounds_values_refuse(struct sql_bounds_search *search, struct sql_span span,
                              const char *rule, const char *text)
{
    search->finding->rule = rule;
    search->finding->span = span;
    err_set(&search->finding->err, ERR_REJECTED, "%s", text);
}

void sql_bounds_values_refuse_over(struct sql_bounds_search *search, struct sql_span span,
                                   const char *rule, const char *what, double most)
{
    char text[ERR_TEXT_BYTES];
    snprintf(text, sizeof text, "%s; at most %.0f is accepted.", what, most);
    sql_bounds_values_refuse(search, span, rule, text);
}

void sql_bounds_values_refuse_work(struct sql_bounds_search *search)
{
    sql_bounds_values_refuse(
        search, search->parse->statement, "expansion",
        "The statement's queries read each other's columns too often to be weighed; write it "
        "with fewer queries or fewer columns.");
}

void sql_bounds_values_count_work(struct sql_bounds_search *search, size_t parts)
{
    search->work += parts;
    if (search->work > SQL_BOUNDS_VALUES_WORK_MOST && search->finding->rule == NULL)
        sql_bounds_values_refuse_work(search);
}

/* A text that is made, beside all that were made before. */
void sql_bounds_values_count_made(struct sql_bounds_search *search, struct sql_span span,
                                  double bytes)
{
    if (!sql_bounds_values_judges(search))
        return;
    search->made += bytes;
    if (search->made > SQL_BOUNDS_VALUES_BYTES_MOST)
        sql_bounds_values_refuse_over(
            search, span, "bytes",
            "The texts that the statement joins, repeats or gathers could grow to more "
            "bytes than a database should hold; gather fewer rows, or fewer and shorter "
            "texts",
            SQL_BOUNDS_VALUES_BYTES_MOST);
}

static void check_sought(struct sql_bounds_search *search, struct sql_span span, double text,
                         double sought)
{
    if (sql_bounds_values_judges(search) && text * sought > SQL_BOUNDS_VALUES_SEARCH_MOST)
        sql_bounds_values_refuse_over(
            search, span, "search",
            "A long text is sought in a long one, which no database interrupts: the "
            "product of their bytes is too large; seek a short text, or in single rows",
            SQL_BOUNDS_VALUES_SEARCH_MOST);
}

/* ---- shapes ---- */

struct sql_bounds_shape *sql_bounds_values_make_shape(struct sql_bounds_search *search)
{
    struct sql_bounds_shape *shape = arena_alloc(search->arena, sizeof *shape);
    if (shape != NULL)
        *shape = (struct sql_bounds_shape){.rows = 1, .joined = 1, .in_catalog = CATALOG_NONE};
    return shape;
}

void sql_bounds_values_add_column(struct sql_bounds_search *search, struct sql_bounds_shape *shape,
                                  struct str name, struct sql_bounds_weight weight)
{
    struct sql_bounds_column *column = arena_alloc(search->arena, sizeof *column);
    sql_bounds_values_count_work(search, 1);
    if (column == NULL || sql_bounds_values_is_over(search))
        return;
    *column = (struct sql_bounds_column){.name = name, .weight = weight};
    *(shape->tail == NULL ? &shape->columns : shape->tail) = column;
    shape->tail = &column->next;
}

/* The same columns under the names of alias(a, b). */
const struct sql_bounds_shape *sql_bounds_values_renamed(struct sql_bounds_search *search,
                                                         const struct sql_bounds_shape *shape,
                                                         const struct sql_names *names)
{
    if (names == NULL || shape == NULL)
        return shape;
    struct sql_bounds_shape *named = sql_bounds_values_make_shape(search);
    const struct sql_bounds_column *column = shape->columns;
    if (named == NULL)
        return NULL;
    named->rows = shape->rows;
    named->nodes = shape->nodes;
    named->joined = shape->joined;
    for (; names != NULL || column != NULL; names = names == NULL ? NULL : names->next) {
        struct sql_bounds_weight weight = {
            .bytes = SQL_BOUNDS_VALUES_COLUMN_BYTES, .nodes = 1, .depth = 1, .rows = 1};
        sql_bounds_values_add_column(search, named, names == NULL ? column->name : names->name,
                                     column == NULL ? weight : column->weight);
        column = column == NULL ? NULL : column->next;
        if (sql_bounds_values_is_over(search))
            return NULL;
    }
    return named;
}

void sql_bounds_values_take_larger(struct sql_bounds_weight *weight,
                                   const struct sql_bounds_weight *other)
{
    weight->bytes = larger(weight->bytes, other->bytes);
    weight->nodes = larger(weight->nodes, other->nodes);
    weight->depth = larger(weight->depth, other->depth);
}

void sql_bounds_values_merge(struct sql_bounds_search *search, struct sql_bounds_shape *into,
                             const struct sql_bounds_shape *from)
{
    bool first = into->columns == NULL;
    struct sql_bounds_column *column = into->columns;
    for (const struct sql_bounds_column *at = from->columns;
         at != NULL && !sql_bounds_values_is_over(search); at = at->next) {
        sql_bounds_values_count_work(search, 1);
        if (first) {
            sql_bounds_values_add_column(search, into, at->name, at->weight);
        } else if (column != NULL) {
            sql_bounds_values_take_larger(&column->weight, &at->weight);
            column = column->next;
        }
    }
    if (from->table && !into->table) {
        into->table = true;
        into->in_catalog = from->in_catalog;
    }
    into->rows += from->rows;
    into->nodes += from->nodes;
    into->joined = larger(into->joined, from->joined);
}

/* ---- names ---- */

static struct sql_bounds_weight weight_of_column(const struct sql_bounds_search *search,
                                                 const struct sql_bounds_shape *table,
                                                 struct str name)
{
    struct sql_bounds_weight weight = {
        .bytes = SQL_BOUNDS_VALUES_COLUMN_BYTES, .nodes = 1, .depth = 1, .rows = 1};
    if (search->catalog == NULL || table->in_catalog == CATALOG_NONE)
        return weight;
    int i = catalog_find_column(search->catalog, table->in_catalog, name);
    if (i == CATALOG_NONE)
        return weight;
    switch (search->catalog->tables[table->in_catalog].columns[i].type) {
    case CATALOG_UNKNOWN:
    case CATALOG_TEXT:
    case CATALOG_BLOB:
        return weight;
    default:
        weight.bytes = SQL_BOUNDS_CALLS_SMALL;
        return weight;
    }
}

bool sql_bounds_values_is_named(const struct sql_bounds_source *source, struct str qualifier)
{
    return qualifier.len == 0 || str_equal_nocase(source->alias, qualifier);
}

/* All columns of a source as one value, or those of the name. False: none is called so. */
static bool weigh_source(struct sql_bounds_search *search, const struct sql_bounds_source *source,
                         struct str name, bool whole, struct sql_bounds_weight *weight)
{
    bool found = false;
    for (const struct sql_bounds_column *at = source->shape->columns; at != NULL; at = at->next) {
        sql_bounds_values_count_work(search, 1);
        if (whole) {
            weight->bytes += at->weight.bytes;
            weight->nodes += at->weight.nodes;
            found = true;
        } else if (str_equal_nocase(at->name, name)) {
            sql_bounds_values_take_larger(weight, &at->weight);
            found = true;
        }
    }
    if (!source->shape->table)
        return found;
    struct sql_bounds_weight own = weight_of_column(search, source->shape, name);
    if (whole)
        own.bytes = ROW_BYTES;
    sql_bounds_values_take_larger(weight, &own);
    return whole;
}

/* A name is that of the nearest query that has one such; where that is not certain, the largest. */
static struct sql_bounds_weight weigh_name(struct sql_bounds_search *search,
                                           const struct sql_bounds_scope *scope,
                                           const struct sql_name *name)
{
    struct sql_bounds_weight weight = {.bytes = 0, .nodes = 1, .depth = 1, .rows = 1};
    bool found = false;
    for (const struct sql_bounds_scope *at = scope; at != NULL && !found; at = at->outer)
        for (const struct sql_bounds_source *source = at->sources; source != NULL;
             source = source->next) {
            bool row = name->qualifier.len == 0 && str_equal_nocase(source->alias, name->name);
            bool whole = name->whole_row || row;
            if (source->shape != NULL &&
                (row || sql_bounds_values_is_named(source, name->qualifier)))
                found = weigh_source(search, source, name->name, whole, &weight) || found;
        }
    if (!found && weight.bytes <= 0)
        weight.bytes = SQL_BOUNDS_VALUES_COLUMN_BYTES;
    return weight;
}

/* ---- expressions ---- */

bool sql_bounds_values_literal_number(const struct sql_bounds_search *search,
                                      const struct sql_expr *expr, double *number)
{
    while (expr->kind == SQL_EXPR_PARENS && expr->children != NULL && expr->children->next == NULL)
        expr = expr->children;
    return expr->kind == SQL_EXPR_LITERAL &&
           str_to_double(text_of(search, expr->span.start, expr->span.end), number) && *number >= 0;
}

enum { JOINS_TEXTS = 1, SEEKS = 2, COMPUTES = 4 };

/* Words of what stands between operands: counted in *links, and what they are said in *does. */
static void read_operators(struct str gap, bool mysql, double *links, unsigned *does)
{
    static const char *const seek[] = {"glob", "ilike", "like", "regexp", "rlike", "similar"};
    static const char *const compute[] = {"and", "between", "div", "in",       "is",
                                          "mod", "not",     "or",  "overlaps", "xor"};
    for (size_t i = 0; i < gap.len;) {
        size_t end = i + 1;
        unsigned char c = (unsigned char)gap.at[i];
        while (str_is_alpha(gap.at[i]) && end < gap.len && str_is_alpha(gap.at[end]))
            end++;
        struct str word = str_slice(gap, i, end);
        if (str_is_listed_nocase(word, seek, countof(seek)) || c == '~')
            *does |= SEEKS | COMPUTES;
        else if (str_is_listed_nocase(word, compute, countof(compute)) ||
                 str_find_char(STR("+*/%&^<>=!"), gap.at[i]) != STR_NONE)
            *does |= COMPUTES;
        if (!mysql && c == '|' && end < gap.len && gap.at[end] == '|') {
            *does |= JOINS_TEXTS;
            end++;
        }
        *links += c > ' ' && c != ',' && c != '(' && c != ')';
        i = end;
    }
}

/* Of an operation: how many operators stand in it, and what they do. */
static unsigned operators_of(const struct sql_bounds_search *search, const struct sql_expr *expr,
                             double *links)
{
    size_t from = expr->span.start;
    bool mysql = search->parse->dialect == SQL_MYSQL;
    unsigned does = 0;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next) {
        if (child->span.start > from)
            read_operators(text_of(search, from, child->span.start), mysql, links, &does);
        from =
            larger((double)child->span.end, (double)from) > (double)from ? child->span.end : from;
    }
    if (expr->span.end > from)
        read_operators(text_of(search, from, expr->span.end), mysql, links, &does);
    return does;
}

struct sql_bounds_parts sql_bounds_values_weigh_parts(struct sql_bounds_search *search,
                                                      struct sql_bounds_scope *scope,
                                                      const struct sql_expr *first)
{
    struct sql_bounds_parts parts = {.nodes = 0};
    for (const struct sql_expr *at = first; at != NULL && !sql_bounds_values_is_over(search);
         at = at->next) {
        struct sql_bounds_weight weight = sql_bounds_values_weigh(search, scope, at);
        double bytes = weight.bytes, number = 0;
        if (parts.count < countof(parts.first))
            parts.first[parts.count] = (struct sql_bounds_argument){
                .bytes = bytes,
                .is_number = sql_bounds_values_literal_number(search, at, &number),
                .is_text = at->kind == SQL_EXPR_LITERAL,
                .number = number};
        parts.count++;
        parts.sum += bytes;
        parts.second = larger(parts.second, smaller(parts.largest, bytes));
        parts.largest = larger(parts.largest, bytes);
        parts.nodes += weight.nodes;
        parts.depth = larger(parts.depth, weight.depth);
    }
    return parts;
}

static struct sql_bounds_weight weight_of_parts(const struct sql_bounds_parts *parts)
{
    return (struct sql_bounds_weight){
        .bytes = parts->largest, .nodes = 1 + parts->nodes, .depth = 1 + parts->depth, .rows = 1};
}

static struct sql_bounds_weight weigh_operation(struct sql_bounds_search *search,
                                                struct sql_bounds_scope *scope,
                                                const struct sql_expr *expr)
{
    double links = 0;
    unsigned does = operators_of(search, expr, &links);
    struct sql_bounds_parts parts = sql_bounds_values_weigh_parts(search, scope, expr->children);
    struct sql_bounds_weight weight = weight_of_parts(&parts);
    if (!expr->alternatives)
        weight.depth += links;
    if (does & SEEKS)
        check_sought(search, expr->span, parts.largest, parts.second);
    if (does & JOINS_TEXTS) {
        weight.bytes = smaller(parts.sum, sql_bounds_values_longest_value(search));
        sql_bounds_values_count_made(search, expr->span, weight.bytes);
    } else if (does & COMPUTES) {
        weight.bytes = smaller(parts.largest, SQL_BOUNDS_CALLS_SMALL);
    }
    if (sql_bounds_values_judges(search) && weight.depth > SQL_BOUNDS_VALUES_DEPTH_MOST)
        sql_bounds_values_refuse_over(
            search, expr->span, "depth",
            "Too many operators are applied to each other's results; write fewer",
            SQL_BOUNDS_VALUES_DEPTH_MOST);
    return weight;
}

static struct sql_bounds_weight weigh_call(struct sql_bounds_search *search,
                                           struct sql_bounds_scope *scope,
                                           const struct sql_expr *expr)
{
    struct sql_call *call = expr->call;
    struct sql_bounds_parts parts = sql_bounds_values_weigh_parts(search, scope, expr->children);
    struct sql_bounds_parts beside = sql_bounds_values_weigh_parts(search, scope, call->order);
    struct sql_bounds_weight weight = weight_of_parts(&parts);
    struct sql_bounds_call made = {.name = call->name,
                                   .arguments = parts.first,
                                   .count = parts.count,
                                   .sum = parts.sum,
                                   .largest = parts.largest,
                                   .rows = scope == NULL ? 1 : scope->rows};
    if (str_equal_nocase(call->name, STR("array")) && expr->children != NULL &&
        expr->children->kind == SQL_EXPR_SELECT)
        weight.bytes = parts.sum * sql_bounds_values_weigh(search, scope, expr->children).rows;
    else
        weight.bytes = sql_bounds_calls_bytes(&made);
    weight.bytes = smaller(weight.bytes, sql_bounds_values_longest_value(search));
    weight.nodes += beside.nodes;
    if (call->filter != NULL)
        weight.nodes += sql_bounds_values_weigh(search, scope, call->filter).nodes;
    if (call->window != NULL)
        weight.nodes +=
            sql_bounds_values_weigh_parts(search, scope, call->window->partition).nodes +
            sql_bounds_values_weigh_parts(search, scope, call->window->order).nodes;
    if (sql_bounds_calls_seeks(call->name))
        check_sought(search, expr->span, parts.largest, parts.second);
    if (weight.bytes > SQL_BOUNDS_CALLS_SMALL)
        sql_bounds_values_count_made(search, expr->span, weight.bytes);
    return weight;
}

static struct sql_bounds_weight weigh_query(struct sql_bounds_search *search,
                                            struct sql_bounds_scope *scope,
                                            const struct sql_select *select)
{
    const struct sql_bounds_shape *shape =
        search->shape_of_select(search, scope, scope == NULL ? NULL : scope->with, select);
    struct sql_bounds_weight weight = {.bytes = 0, .nodes = 1, .depth = 1, .rows = 1};
    if (shape == NULL)
        return weight;
    for (const struct sql_bounds_column *at = shape->columns; at != NULL; at = at->next)
        weight.bytes += at->weight.bytes;
    weight.nodes += shape->nodes;
    weight.rows = shape->rows;
    return weight;
}

struct sql_bounds_weight sql_bounds_values_weigh(struct sql_bounds_search *search,
                                                 struct sql_bounds_scope *scope,
                                                 const struct sql_expr *expr)
{
    struct sql_bounds_weight weight = {
        .bytes = SQL_BOUNDS_CALLS_SMALL, .nodes = 1, .depth = 1, .rows = 1};
    sql_bounds_values_count_work(search, 1);
    if (sql_bounds_values_is_over(search))
        return weight;
    switch (expr->kind) {
    case SQL_EXPR_LITERAL:
        weight.bytes = (double)(expr->span.end - expr->span.start);
        if (weight.bytes > 2 && search->parse->text.at[expr->span.start] == '\'')
            weight.bytes -= 2;
        return weight;
    case SQL_EXPR_PARAMETER:
    case SQL_EXPR_VARIABLE:
    case SQL_EXPR_TABLE:
        return weight;
    case SQL_EXPR_NAME:
        return weigh_name(search, scope, expr->name);
    case SQL_EXPR_SELECT:
        return weigh_query(search, scope, expr->select);
    case SQL_EXPR_EXISTS:
        weight.nodes = weigh_query(search, scope, expr->select).nodes;
        return weight;
    case SQL_EXPR_CALL:
        return weigh_call(search, scope, expr);
    case SQL_EXPR_OPERATOR:
        return weigh_operation(search, scope, expr);
    case SQL_EXPR_AND:
    case SQL_EXPR_EQUAL: {
        struct sql_bounds_parts parts =
            sql_bounds_values_weigh_parts(search, scope, expr->children);
        weight.nodes += parts.nodes;
        weight.depth += parts.depth;
        return weight;
    }
    case SQL_EXPR_COLLATE:
    case SQL_EXPR_CAST:
    case SQL_EXPR_PARENS:
        break;
    }
    struct sql_bounds_parts parts = sql_bounds_values_weigh_parts(search, scope, expr->children);
    weight = weight_of_parts(&parts);
    weight.bytes = parts.sum;
    return weight;
}
