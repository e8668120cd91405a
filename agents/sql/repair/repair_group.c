/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_group.c - selected columns that GROUP BY lacks.
 *
 * Happy path: the database asked for it; one SELECT mixes aggregates with plain columns; those
 * columns are added to GROUP BY, or one is made of them.
 * Failure: a select item that is neither a column nor an aggregate, or a set operation: there is
 * more than one way to mean it, and nothing is changed. */
#include "agents/sql/grammar/tree_walk.h"
#include "agents/sql/repair/repair_case.h"

struct aggregate_walk {
    struct sql_tree_walk walk;
    const struct sql_parse *read;
    bool found;
};

static bool complains(struct str error)
{
    static const struct str words[] = {{"GROUP BY", 8}, {"only_full_group_by", 18}};
    for (size_t i = 0; i < countof(words); i++)
        if (str_find(error, words[i]) != STR_NONE)
            return true;
    return false;
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct aggregate_walk *search = container_of(walk, struct aggregate_walk, walk);
    for (size_t i = 0; expr->kind == SQL_EXPR_CALL && i < search->read->function_count; i++) {
        const struct sql_function_ref *ref = &search->read->functions[i];
        search->found = search->found || (ref->span.start == expr->call->name_span.start &&
                                          ref->aggregate && !ref->windowed);
    }
}

static bool has_aggregate(const struct sql_parse *read, const struct sql_expr *expr)
{
    struct aggregate_walk search = {.walk = {.on_expr = on_expr}, .read = read};
    sql_tree_walk_expr(&search.walk, expr);
    return search.found;
}

static struct str text_of(const struct sql_parse *read, struct sql_span span)
{
    return str_slice(read->text, span.start, span.end);
}

static bool is_grouped(const struct sql_parse *read, const struct sql_branch *branch,
                       struct str column)
{
    for (const struct sql_expr *group = branch->groups; group != NULL; group = group->next)
        if (str_equal_nocase(text_of(read, group->span), column))
            return true;
    return false;
}

/* The columns to add, separated by commas; empty: none, or it is not this simple. */
static bool gather(const struct sql_parse *read, const struct sql_branch *branch, struct buf *out)
{
    bool aggregates = branch->having != NULL;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next) {
        if (item->expr == NULL)
            return false;
        if (has_aggregate(read, item->expr)) {
            aggregates = true;
            continue;
        }
        if (item->expr->kind == SQL_EXPR_LITERAL)
            continue;
        if (item->expr->kind != SQL_EXPR_NAME)
            return false;
        struct str column = text_of(read, item->expr->span);
        if (is_grouped(read, branch, column))
            continue;
        buf_printf(out, "%s%.*s", buf_len(out) > 0 ? ", " : "", STR_ARG(column));
    }
    return (aggregates || branch->groups != NULL) && buf_ok(out) && buf_len(out) > 0;
}

void sql_repair_group_add(struct sql_repair_case *at)
{
    const struct sql_parse *read;
    const char *rule;
    struct err err;
    struct buf columns;
    if (at->knows->catalog == NULL || !complains(at->error) ||
        sql_parse_statement(at->knows->dialect, at->sql, at->knows->catalog, at->arena, &read,
                            &rule, &err) != ERR_OK ||
        read->tree->branch_count != 1)
        return;
    const struct sql_branch *branch = read->tree->branches;
    buf_init(&columns, 8 * 1024);
    if (gather(read, branch, &columns)) {
        bool grouped = branch->groups != NULL;
        size_t place = grouped                 ? branch->group_span.end
                       : branch->where != NULL ? branch->where_span.end
                                               : branch->from_span.end;
        struct str text = arena_printf(at->arena, "%s%.*s", grouped ? ", " : " GROUP BY ",
                                       STR_ARG(buf_str(&columns)));
        sql_repair_case_edit(at, place, place, text, true);
    }
    buf_fini(&columns);
}
