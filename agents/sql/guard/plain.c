/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/plain.c - a walk over a statement's conditions that stops at the first part that
 * is not known to be harmless.
 *
 * Happy path: each part has one of the few forms that are listed here.
 * Failure: a form that is not, which is the answer "not plain".
 * What was measured: PostgreSQL casts a decimal to a double for a comparison, which fails when it
 * is too large, and settles the collation of two texts only on the first row, which fails when
 * they differ; so there only columns of one type are compared, and no two texts. HAVING without an
 * aggregate becomes part of WHERE. MariaDB warns, with the value, when a text is compared with a
 * number; so there the sorts must match. SQLite compares anything with anything. */
#include "agents/sql/guard/plain.h"

#include <stdlib.h>

struct plain {
    const struct sql_parse *parse;
    const struct catalog *catalog;
    const struct sql_column_ref **names; /* by place in the text */
    size_t name_count;
    bool after; /* in HAVING, where an aggregate is a value like another */
};

enum side_kind { SIDE_OTHER, SIDE_CONSTANT, SIDE_NUMBER, SIDE_COLUMN, SIDE_AGGREGATE };

struct side { /* of a comparison; NUMBER is a constant, too */
    enum side_kind kind;
    const struct sql_column_ref *ref; /* of a column */
};

static bool is_query(struct plain *p, const struct sql_select *select, bool outermost);
static bool is_condition(struct plain *p, const struct sql_expr *expr);
static struct side side_of(const struct plain *p, const struct sql_expr *expr);

/* ---- names ---- */

static int compare_places(const void *a, const void *b)
{
    size_t left = (*(const struct sql_column_ref *const *)a)->span.start;
    size_t right = (*(const struct sql_column_ref *const *)b)->span.start;
    return left < right ? -1 : left > right ? 1 : 0;
}

static bool gather_names(struct plain *p, struct arena *arena)
{
    p->names = arena_array(arena, p->parse->column_count, sizeof(const struct sql_column_ref *));
    if (p->names == NULL)
        return p->parse->column_count == 0;
    for (size_t i = 0; i < p->parse->column_count; i++)
        if (p->parse->columns[i].use == SQL_COLUMN_NAMED)
            p->names[p->name_count++] = &p->parse->columns[i];
    qsort(p->names, p->name_count, sizeof(const struct sql_column_ref *), compare_places);
    return true;
}

/* What stands at the place, when that is a column's name and nothing else. */
static const struct sql_column_ref *find_name(const struct plain *p, size_t start)
{
    size_t low = 0, high = p->name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->names[middle]->span.start < start)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < p->name_count && p->names[low]->span.start == start;
    bool twice = low + 1 < p->name_count && p->names[low + 1]->span.start == start;
    return found && !twice ? p->names[low] : NULL;
}

static bool is_truth_word(const struct sql_name *name)
{
    return !name->quoted && (str_equal_nocase(name->name, STR("true")) ||
                             str_equal_nocase(name->name, STR("false")));
}

static struct side side_of_name(const struct plain *p, const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = find_name(p, expr->span.start);
    if (ref == NULL)
        return (struct side){is_truth_word(expr->name) ? SIDE_CONSTANT : SIDE_OTHER, NULL};
    if (ref->text)
        return (struct side){SIDE_CONSTANT, NULL};
    bool settled = !ref->unknown && !ref->ambiguous && !ref->output_alias;
    return (struct side){settled ? SIDE_COLUMN : SIDE_OTHER, ref};
}

/* The column as the catalog has it; NULL: of a derived table, or a row's number. */
static const struct catalog_column *column_of(const struct plain *p,
                                              const struct sql_column_ref *ref)
{
    int table = ref->table_ref < 0 ? CATALOG_NONE : p->parse->tables[ref->table_ref].table;
    return table == CATALOG_NONE || ref->column == CATALOG_NONE
               ? NULL
               : &p->catalog->tables[table].columns[ref->column];
}

/* ---- values ---- */

static bool begins_with_digit(const struct plain *p, struct sql_span span)
{
    struct str text = str_slice(p->parse->text, span.start, span.end);
    return text.len > 0 && (str_is_digit(text.at[0]) || text.at[0] == '.');
}

/* -1: a sign right before a number. */
static bool is_signed_number(const struct plain *p, const struct sql_expr *expr)
{
    const struct sql_expr *number = expr->children;
    if (number == NULL || number->next != NULL || number->kind != SQL_EXPR_LITERAL ||
        !begins_with_digit(p, number->span))
        return false;
    struct str sign = str_trim(str_slice(p->parse->text, expr->span.start, number->span.start));
    return str_equal(sign, STR("-")) || str_equal(sign, STR("+"));
}

/* date '2024-01-31', '2024-01-31'::date: PostgreSQL reads it before any row. */
static bool is_typed_text(const struct plain *p, const struct sql_expr *expr)
{
    const struct sql_expr *text = expr->children;
    return p->parse->dialect == SQL_POSTGRES && text != NULL && text->next == NULL &&
           text->kind == SQL_EXPR_LITERAL && text->span.end > text->span.start &&
           p->parse->text.at[text->span.start] == '\'';
}

/* Whether the call is an aggregate of columns as they are, or of rows. */
static bool is_aggregate(const struct plain *p, const struct sql_expr *expr)
{
    const struct sql_call *call = expr->call;
    bool aggregate = false;
    for (size_t i = 0; i < p->parse->function_count && !aggregate; i++)
        aggregate = p->parse->functions[i].aggregate &&
                    p->parse->functions[i].span.start == call->name_span.start;
    if (!aggregate || call->windowed || call->order != NULL || call->filter != NULL)
        return false;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next) {
        struct side side = side_of(p, child);
        if (side.kind == SIDE_OTHER || side.kind == SIDE_AGGREGATE)
            return false;
    }
    return true;
}

/* (1, 2, 3) after IN, or (x). */
static struct side side_of_parens(const struct plain *p, const struct sql_expr *expr)
{
    if (expr->children != NULL && expr->children->next == NULL)
        return side_of(p, expr->children);
    struct side all = {SIDE_CONSTANT, NULL};
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next) {
        struct side side = side_of(p, child);
        if (side.kind != SIDE_CONSTANT && side.kind != SIDE_NUMBER)
            return (struct side){SIDE_OTHER, NULL};
        if (side.kind == SIDE_NUMBER)
            all.kind = SIDE_NUMBER;
    }
    return all;
}

static struct side side_of(const struct plain *p, const struct sql_expr *expr)
{
    switch (expr->kind) {
    case SQL_EXPR_LITERAL:
        return (struct side){begins_with_digit(p, expr->span) ? SIDE_NUMBER : SIDE_CONSTANT, NULL};
    case SQL_EXPR_NAME:
        return side_of_name(p, expr);
    case SQL_EXPR_PARENS:
        return side_of_parens(p, expr);
    case SQL_EXPR_OPERATOR:
        return (struct side){is_signed_number(p, expr) ? SIDE_NUMBER : SIDE_OTHER, NULL};
    case SQL_EXPR_CAST:
        return (struct side){is_typed_text(p, expr) ? SIDE_CONSTANT : SIDE_OTHER, NULL};
    case SQL_EXPR_CALL:
        return (struct side){is_aggregate(p, expr) ? SIDE_AGGREGATE : SIDE_OTHER, NULL};
    default:
        return (struct side){SIDE_OTHER, NULL};
    }
}

/* ---- comparisons ---- */

static bool is_number(enum catalog_type type)
{
    return type == CATALOG_INTEGER || type == CATALOG_NUMBER || type == CATALOG_BOOLEAN;
}

/* "numeric(12,2)": numeric. */
static struct str bare_type(struct str declared)
{
    ptrdiff_t end = str_find_char(declared, '(');
    return str_trim(end == STR_NONE ? declared : str_slice(declared, 0, (size_t)end));
}

static bool same_in_postgres(const struct catalog_column *a, const struct catalog_column *b)
{
    struct str type = bare_type(a->declared_type);
    if (a->type == CATALOG_INTEGER && b->type == CATALOG_INTEGER)
        return true;
    if (a->type == CATALOG_UNKNOWN || !str_equal_nocase(type, bare_type(b->declared_type)))
        return false;
    return a->type != CATALOG_TEXT || str_equal_nocase(type, STR("uuid"));
}

static bool may_compare_columns(const struct plain *p, const struct sql_column_ref *a,
                                const struct sql_column_ref *b)
{
    const struct catalog_column *left = column_of(p, a), *right = column_of(p, b);
    if (p->parse->dialect == SQL_SQLITE)
        return true;
    if (left == NULL || right == NULL)
        return false;
    if (p->parse->dialect == SQL_POSTGRES)
        return same_in_postgres(left, right);
    return left->type != CATALOG_UNKNOWN &&
           (left->type == right->type || (is_number(left->type) && is_number(right->type)));
}

static bool may_compare_constant(const struct plain *p, const struct sql_column_ref *ref,
                                 bool number)
{
    const struct catalog_column *column = column_of(p, ref);
    if (p->parse->dialect == SQL_SQLITE || column == NULL)
        return true;
    if (p->parse->dialect == SQL_POSTGRES)
        return column->type != CATALOG_UNKNOWN;
    return !number || is_number(column->type);
}

/* Whether the children may be compared with each other. */
static bool is_comparison(const struct plain *p, const struct sql_expr *expr)
{
    const struct sql_column_ref *column = NULL;
    bool number = false, columns_match = true, aggregates = false;
    for (const struct sql_expr *child = expr->children; child != NULL; child = child->next) {
        struct side side = side_of(p, child);
        if (side.kind == SIDE_OTHER || (side.kind == SIDE_AGGREGATE && !p->after))
            return false;
        aggregates = aggregates || side.kind == SIDE_AGGREGATE;
        number = number || side.kind == SIDE_NUMBER;
        if (side.kind != SIDE_COLUMN)
            continue;
        columns_match =
            columns_match && (column == NULL || may_compare_columns(p, column, side.ref));
        column = side.ref;
    }
    return aggregates || column == NULL ||
           (columns_match && may_compare_constant(p, column, number));
}

static bool are_conditions(struct plain *p, const struct sql_expr *first)
{
    for (const struct sql_expr *expr = first; expr != NULL; expr = expr->next)
        if (!is_condition(p, expr))
            return false;
    return true;
}

static bool is_condition(struct plain *p, const struct sql_expr *expr)
{
    const struct sql_expr *child = expr->children;
    bool alone = child != NULL && child->next == NULL;
    if (expr->kind == SQL_EXPR_AND || expr->alternatives)
        return are_conditions(p, child);
    if (alone && (expr->kind == SQL_EXPR_PARENS || expr->compares))
        return is_condition(p, child); /* (x), NOT x, x IS NULL */
    if (expr->compares || expr->kind == SQL_EXPR_EQUAL)
        return expr->compares && is_comparison(p, expr);
    struct side side = side_of(p, expr);
    return side.kind != SIDE_OTHER && (side.kind != SIDE_AGGREGATE || p->after);
}

/* USING and NATURAL compare columns by name: both sides are there, one after the other. */
static bool are_shared_plain(const struct plain *p)
{
    const struct sql_column_ref *refs = p->parse->columns;
    for (size_t i = 0; i < p->parse->column_count; i++) {
        if (refs[i].use != SQL_COLUMN_USING)
            continue;
        bool paired = i + 1 < p->parse->column_count && refs[i + 1].use == SQL_COLUMN_USING &&
                      refs[i].span.start == refs[i + 1].span.start &&
                      str_equal_nocase(refs[i].name, refs[i + 1].name);
        if (!paired || !may_compare_columns(p, &refs[i], &refs[i + 1]))
            return false;
        i++;
    }
    return true;
}

/* ---- queries ---- */

/* What an inner query gives or sorts by: columns, constants, aggregates of columns. */
static bool are_values(const struct plain *p, const struct sql_expr *first)
{
    for (const struct sql_expr *expr = first; expr != NULL; expr = expr->next)
        if (side_of(p, expr).kind == SIDE_OTHER)
            return false;
    return true;
}

static bool is_free(struct plain *p, const struct sql_expr *expr, bool queries);

static bool are_free(struct plain *p, const struct sql_expr *first, bool queries)
{
    for (const struct sql_expr *expr = first; expr != NULL; expr = expr->next)
        if (!is_free(p, expr, queries))
            return false;
    return true;
}

/* What is worked out after the conditions; a query in it has conditions of its own. */
static bool is_free(struct plain *p, const struct sql_expr *expr, bool queries)
{
    switch (expr->kind) {
    case SQL_EXPR_SELECT:
    case SQL_EXPR_EXISTS:
        return queries && is_query(p, expr->select, false);
    case SQL_EXPR_TABLE:
        return false;
    case SQL_EXPR_CALL:
        for (const struct sql_window *window = expr->call->window; window != NULL;
             window = window->next)
            if (!are_free(p, window->partition, queries) || !are_free(p, window->order, queries) ||
                !are_free(p, window->frame, queries))
                return false;
        return are_free(p, expr->call->order, queries) &&
               are_free(p, expr->call->filter, queries) && are_free(p, expr->children, queries);
    default:
        return are_free(p, expr->children, queries);
    }
}

static bool is_from(struct plain *p, const struct sql_from *first)
{
    for (const struct sql_from *item = first; item != NULL; item = item->next) {
        if (item->kind == SQL_FROM_CALL || item->lateral)
            return false;
        if (item->kind == SQL_FROM_SELECT && !is_query(p, item->select, false))
            return false;
        if (item->kind == SQL_FROM_PARENS && !is_from(p, item->inside))
            return false;
        if (item->on != NULL && !is_condition(p, item->on))
            return false;
    }
    return true;
}

static bool are_items(struct plain *p, const struct sql_branch *branch, bool outermost)
{
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next) {
        if (item->expr == NULL)
            continue;
        if (outermost ? !is_free(p, item->expr, true) : side_of(p, item->expr).kind == SIDE_OTHER)
            return false;
    }
    return true;
}

static bool is_having(struct plain *p, const struct sql_expr *having)
{
    if (having == NULL)
        return true;
    p->after = true;
    bool plain = is_condition(p, having);
    p->after = false;
    return plain;
}

static bool is_branch(struct plain *p, const struct sql_branch *branch, bool outermost)
{
    if (!is_from(p, branch->from) || !are_items(p, branch, outermost) ||
        !are_values(p, branch->rows) ||
        (branch->where != NULL && !is_condition(p, branch->where)) || !is_having(p, branch->having))
        return false;
    if (!outermost)
        return branch->windows == NULL && are_values(p, branch->groups) &&
               are_values(p, branch->distinct_on);
    for (const struct sql_window *window = branch->windows; window != NULL; window = window->next)
        if (!are_free(p, window->partition, false) || !are_free(p, window->order, false) ||
            !are_free(p, window->frame, false))
            return false;
    return are_free(p, branch->groups, false) && are_free(p, branch->distinct_on, false);
}

static bool is_count(const struct plain *p, const struct sql_expr *expr)
{
    enum side_kind kind = expr == NULL ? SIDE_CONSTANT : side_of(p, expr).kind;
    return kind == SIDE_CONSTANT || kind == SIDE_NUMBER;
}

static bool is_query(struct plain *p, const struct sql_select *select, bool outermost)
{
    for (const struct sql_cte *cte = select->ctes; cte != NULL; cte = cte->next)
        if (!is_query(p, cte->select, false))
            return false;
    for (const struct sql_branch *branch = select->branches; branch != NULL; branch = branch->next)
        if (!is_branch(p, branch, outermost))
            return false;
    return is_count(p, select->limit_count) && is_count(p, select->limit_skip) &&
           (outermost ? are_free(p, select->order, false) : are_values(p, select->order));
}

bool sql_plain_is(const struct sql_parse *parse, const struct catalog *catalog, struct arena *arena)
{
    struct plain p = {.parse = parse, .catalog = catalog};
    return !parse->has_recursive && gather_names(&p, arena) && are_shared_plain(&p) &&
           is_query(&p, parse->tree, true);
}
