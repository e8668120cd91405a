/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_joins.c - each FROM with its conditions: what is joined with what.
 *
 * Happy path: all items of a FROM are joined, or those that are not are few, kinds or one row.
 * Failure paths: the first FROM, or condition, that multiplies; no memory for counting.
 * A condition joins the items it names: in ON as the scope found, in WHERE also by a comparison of
 * qualified names, a.day >= b.first. */
#include "agents/sql/bounds/bounds_joins.h"

#include "agents/sql/bounds/bounds_rows.h"
#include "agents/sql/grammar/tree_walk.h"

enum { NAME_BYTES = 60, NONE = SQL_GRAMMAR_MAX_RELATIONS };

struct search {
    const struct sql_parse *parse;
    struct arena *arena;
    struct sql_finding *finding;
    struct sql_bounds_rows *rows; /* made when it is first asked */
    bool found;                   /* by note_reference */
};

struct items { /* of one FROM, those in parentheses one by one */
    const struct sql_from *at[SQL_GRAMMAR_MAX_RELATIONS];
    size_t part[SQL_GRAMMAR_MAX_RELATIONS]; /* an item joined with it, or itself */
    size_t count;
    size_t named; /* the last one a condition named; NONE */
};

static struct str text_of(const struct search *search, struct sql_span span)
{
    return str_slice(search->parse->text, span.start, span.end);
}

/* ---- alternatives ---- */

static void note_reference(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct search *search = walk->owner;
    search->found = search->found || expr->kind == SQL_EXPR_NAME || expr->kind == SQL_EXPR_SELECT ||
                    expr->kind == SQL_EXPR_EXISTS;
}

static bool is_constant(const struct sql_expr *expr)
{
    struct search search = {.found = false};
    struct sql_tree_walk walk = {.on_expr = note_reference, .owner = &search};
    sql_tree_walk_expr(&walk, expr);
    return !search.found;
}

static struct str operator_between(const struct search *search, const struct sql_expr *left)
{
    return str_trim(str_slice(search->parse->text, left->span.end, left->next->span.start));
}

/* The alternative that is always the same, in a condition or one of its conjuncts; or NULL. */
static const struct sql_expr *constant_alternative(const struct search *search,
                                                   const struct sql_expr *expr)
{
    const struct sql_expr *found = NULL;
    if (expr == NULL)
        return NULL;
    bool two =
        expr->kind == SQL_EXPR_OPERATOR && expr->children != NULL && expr->children->next != NULL;
    struct str word = two ? operator_between(search, expr->children) : STR("");
    bool either = str_equal_nocase(word, STR("or")) ||
                  (search->parse->dialect == SQL_MYSQL &&
                   (str_equal(word, STR("||")) || str_equal_nocase(word, STR("xor"))));
    if (!either && expr->kind != SQL_EXPR_AND && expr->kind != SQL_EXPR_PARENS)
        return NULL;
    for (const struct sql_expr *part = expr->children; part != NULL && found == NULL;
         part = part->next)
        found = either && is_constant(part) ? part : constant_alternative(search, part);
    return found;
}

static const struct sql_expr *alternative_among(const struct search *search,
                                                const struct sql_from *first)
{
    const struct sql_expr *found = NULL;
    for (const struct sql_from *from = first; from != NULL && found == NULL; from = from->next) {
        found = constant_alternative(search, from->on);
        if (found == NULL)
            found = alternative_among(search, from->inside);
    }
    return found;
}

static void refuse_alternative(struct search *search, const struct sql_expr *found)
{
    search->finding->rule = "unconnected";
    search->finding->span = found->span;
    err_set(&search->finding->err, ERR_REJECTED,
            "'OR %.*s' is about no column, so the join relates nothing; leave it out.",
            STR_ARG(str_utf8_prefix(text_of(search, found->span), NAME_BYTES)));
}

/* ---- parts ---- */

static size_t part_of(const struct items *items, size_t i)
{
    while (items->part[i] != i)
        i = items->part[i];
    return i;
}

static void gather(struct items *items, const struct sql_from *first)
{
    for (const struct sql_from *item = first; item != NULL; item = item->next) {
        if (item->kind == SQL_FROM_PARENS) {
            gather(items, item->inside);
            continue;
        }
        if (items->count == countof(items->at))
            return;
        size_t i = items->count++;
        items->at[i] = item;
        items->part[i] = i;
        for (size_t j = 0; j < i; j++)
            if (items->at[j]->part == item->part)
                items->part[i] = part_of(items, j);
    }
}

static void note_name(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct items *items = walk->owner;
    if (expr->kind != SQL_EXPR_NAME || expr->name->qualifier.len == 0)
        return;
    for (size_t i = 0; i < items->count; i++) {
        const struct sql_from *item = items->at[i];
        if (!str_equal_nocase(item->alias.len > 0 ? item->alias : item->name,
                              expr->name->qualifier))
            continue;
        if (items->named != NONE)
            items->part[part_of(items, i)] = part_of(items, items->named);
        items->named = i;
        return;
    }
}

static void join_by_where(struct items *items, const struct sql_expr *where)
{
    if (where == NULL)
        return;
    if (where->kind == SQL_EXPR_AND || where->kind == SQL_EXPR_PARENS) {
        for (const struct sql_expr *part = where->children; part != NULL; part = part->next)
            join_by_where(items, part);
        return;
    }
    struct sql_tree_walk walk = {.on_expr = note_name, .owner = items};
    items->named = NONE;
    sql_tree_walk_expr(&walk, where);
}

/* Rows of all items of the part whose root is i. */
static uint64_t count_part(struct search *search, const struct items *items, size_t root)
{
    uint64_t count = 1;
    for (size_t i = 0; i < items->count; i++)
        if (part_of(items, i) == root)
            count = sql_bounds_rows_times(count, sql_bounds_rows_of(search->rows, items->at[i]));
    return count;
}

static void refuse_item(struct search *search, const struct sql_from *item, const char *why)
{
    struct str name = item->alias.len > 0 ? item->alias : item->name;
    search->finding->rule = "unconnected";
    search->finding->span = item->span;
    err_set(&search->finding->err, ERR_REJECTED,
            "'%.*s' is joined without a condition, so every row meets every row%s; add ON with the "
            "columns that relate it.",
            STR_ARG(str_utf8_prefix(name.len > 0 ? name : STR("subquery"), NAME_BYTES)), why);
}

static void check_parts(struct search *search, const struct items *items)
{
    uint64_t few = 1;
    size_t kinds = 0;
    bool many = false;
    for (size_t i = 0; i < items->count && search->finding->rule == NULL; i++) {
        if (part_of(items, i) != i)
            continue;
        uint64_t count = count_part(search, items, i);
        if (count == SQL_BOUNDS_ROWS_MANY && many)
            refuse_item(search, items->at[i], "");
        many = many || count == SQL_BOUNDS_ROWS_MANY;
        kinds += count == SQL_BOUNDS_ROWS_GROUPS;
        if (sql_bounds_rows_known(count))
            few = sql_bounds_rows_times(few, count);
        if (few > SQL_BOUNDS_JOINS_MAX_ROWS ||
            ((many || kinds > 0) && few > SQL_BOUNDS_JOINS_MAX_FEW) ||
            kinds > SQL_BOUNDS_JOINS_MAX_KINDS)
            refuse_item(search, items->at[i], ", and there are too many of them");
    }
}

static void check_crossings(struct search *search, const struct sql_branch *branch)
{
    struct items items = {.count = 0};
    size_t parts = 0;
    gather(&items, branch->from);
    for (size_t i = 0; i < items.count; i++)
        parts += part_of(&items, i) == i;
    if (parts < 2)
        return;
    join_by_where(&items, branch->where);
    if (search->rows == NULL)
        search->rows = sql_bounds_rows_create(search->parse, search->arena);
    if (search->rows != NULL)
        check_parts(search, &items);
}

static void check_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    struct search *search = walk->owner;
    if (search->finding->rule != NULL || branch->from == NULL ||
        (branch->from->next == NULL && branch->from->inside == NULL))
        return;
    const struct sql_expr *found = alternative_among(search, branch->from);
    if (found == NULL)
        found = constant_alternative(search, branch->where);
    if (found != NULL)
        refuse_alternative(search, found);
    else
        check_crossings(search, branch);
}

enum err_code sql_bounds_joins_check(const struct sql_parse *parse, struct arena *arena,
                                     struct sql_finding *finding)
{
    struct search search = {.parse = parse, .arena = arena, .finding = finding};
    struct sql_tree_walk walk = {.on_branch = check_branch, .owner = &search};
    sql_tree_walk_select(&walk, parse->tree);
    if (!arena_ok(arena))
        return err_set(&finding->err, ERR_NO_MEMORY, "no memory to check the joins");
    return finding->rule == NULL ? ERR_OK : finding->err.code;
}
