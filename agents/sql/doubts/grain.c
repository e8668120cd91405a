/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/grain.c - what a number is of: each row, or each group of rows.
 *
 * Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"

/* ---- the average per ---- */

/* Whether a word that stands behind "per", or another phrase of the topic, names the table. */
static bool is_per(const struct sql_doubts_look *look, int table, enum sql_doubts_topic topic)
{
    const struct sql_said *said = &look->said;
    const struct sql_doubts_name name = sql_doubts_name_of(look, table, CATALOG_NONE);
    for (size_t at = 0; at < said->word_count; at++) {
        size_t behind = at + sql_said_phrase(said, at, topic, NULL);
        if (behind == at)
            continue;
        behind += sql_said_phrase(said, behind, SQL_DOUBTS_FILLER, NULL);
        if (behind < said->word_count && sql_doubts_name_has(&name, said->words[behind].text))
            return true;
    }
    return false;
}

/* "the average amount per patient", and AVG over all bills. */
static void look_at_average(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, expr->children);
    if (sql_doubts_column(look, ref) == NULL)
        return;
    const int own = look->parse->tables[ref->table_ref].table;
    const struct catalog_table *table = &look->source->catalog->tables[own];
    const struct sql_doubts_name rows = sql_doubts_name_of(look, own, CATALOG_NONE);
    /* "for a" is said of prices of one, too, which are not added up, and of "a bill for a house" */
    const bool adds_up = !sql_doubts_ends_as(look, ref->name, SQL_DOUBTS_RATE) &&
                         str_is_absent(sql_doubts_said_of(look, &rows, NULL));
    if (is_per(look, own, SQL_DOUBTS_PER))
        return;
    for (size_t i = 0; i < table->reference_count; i++) {
        const int to = table->references[i].to_table;
        struct str name = look->source->catalog->tables[to].name;
        if (to == own || !(is_per(look, to, SQL_DOUBTS_PER) ||
                           (adds_up && is_per(look, to, SQL_DOUBTS_FOR_ONE))))
            continue;
        sql_doubts_say(
            look, "average_per",
            arena_printf(look->source->arena,
                         "%.*s is the average of a row of %.*s, and the question asks for one per "
                         "row of %.*s: sum up each of these, then take the average of the sums",
                         STR_ARG(sql_doubts_text(look, expr->span)), STR_ARG(table->name),
                         STR_ARG(name)),
            arena_printf(look->source->arena, "the average is of rows of %.*s, not of %.*s",
                         STR_ARG(table->name), STR_ARG(name)));
        return;
    }
}

/* ---- rows that are compared where groups are meant ---- */

static bool is_said(const struct sql_doubts_look *look, double number)
{
    for (size_t i = 0; i < look->said.bound_count; i++)
        if (!look->said.bounds[i].is_day && look->said.bounds[i].number == number)
            return true;
    return false;
}

struct aggregates {
    struct sql_tree_walk walk;
    const struct sql_doubts_look *look;
    const struct sql_column_ref *ref;
    bool has_any, has_it; /* an aggregate; AVG of the column */
};

static void on_call(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct aggregates *found = container_of(walk, struct aggregates, walk);
    if (!sql_doubts_is_aggregate(found->look, expr))
        return;
    const struct sql_column_ref *of =
        expr->children == NULL ? NULL : sql_parse_column_at(found->look->parse, expr->children);
    found->has_any = true;
    found->has_it = found->has_it ||
                    (of != NULL && str_equal(expr->call->name, STR("avg")) &&
                     of->table_ref == found->ref->table_ref && of->column == found->ref->column);
}

static void look_at_rows(struct sql_doubts_look *look, const struct sql_branch *branch,
                         const struct sql_compared *c)
{
    struct aggregates found = {.walk = {.on_expr = on_call}, .look = look};
    found.ref = sql_parse_column_at(look->parse, c->left);
    if (sql_doubts_column(look, found.ref) == NULL || !c->has_number || !is_said(look, c->number) ||
        c->expr->span.start < branch->where_span.start ||
        c->expr->span.end > branch->where_span.end)
        return;
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        if (item->expr != NULL)
            sql_tree_walk_expr(&found.walk, item->expr);
    for (const struct sql_expr *by = branch->groups; by != NULL; by = by->next) {
        const struct sql_column_ref *of = sql_parse_column_at(look->parse, by);
        if (of != NULL && of->table_ref == found.ref->table_ref)
            return;
    }
    if (found.has_any && !found.has_it)
        return;
    struct str text = sql_doubts_text(look, c->expr->span);
    sql_doubts_say(look, "rows_for_groups",
                   arena_printf(look->source->arena,
                                "%.*s is asked of each single row of %.*s before they are grouped; "
                                "for the sum or average of a group write HAVING",
                                STR_ARG(text), STR_ARG(sql_doubts_table(look, found.ref))),
                   arena_printf(look->source->arena,
                                "single rows of %.*s were compared, not what they make together",
                                STR_ARG(sql_doubts_table(look, found.ref))));
}

void sql_doubts_of_grain(struct sql_doubts_look *look, const struct sql_branch *branch)
{
    for (const struct sql_item *item = branch->items; item != NULL && branch->groups == NULL;
         item = item->next)
        if (item->expr != NULL && item->expr->kind == SQL_EXPR_CALL &&
            str_equal(item->expr->call->name, STR("avg")) && item->expr->children != NULL)
            look_at_average(look, item->expr);
    struct sql_compared read[SQL_COMPARED_MOST];
    if (branch->groups == NULL || branch->having != NULL)
        return;
    for (const struct sql_expr *one = sql_doubts_condition(branch->where); one != NULL;
         one = sql_doubts_next(branch->where, one))
        for (size_t i = sql_compared_read(look->parse, one, read); i > 0; i--)
            look_at_rows(look, branch, &read[i - 1]);
}
