/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/find.c - one walk over the statement; each part is looked at by its kinds.
 *
 * Happy path: nothing is said. Failure: words beyond the limit are not looked at; a doubt whose
 * text has no memory is absent. */
#include "agents/sql/doubts/look.h"
#include "core/words/stem.h"

static void note_joins(struct sql_doubts_look *look, const struct sql_from *from)
{
    for (; from != NULL; from = from->next) {
        look->has_outer = look->has_outer || from->join >= SQL_JOIN_LEFT;
        look->has_inner = look->has_inner || from->join == SQL_JOIN_INNER;
        note_joins(look, from->inside);
    }
}

static void on_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    struct sql_doubts_look *look = container_of(walk, struct sql_doubts_look, walk);
    look->has_groups = look->has_groups || branch->groups != NULL;
    note_joins(look, branch->from);
    sql_doubts_of_branch(look, branch);
    sql_doubts_of_groups(look, branch);
    sql_doubts_of_pairs(look, branch);
    sql_doubts_of_references(look, branch);
    sql_doubts_of_grain(look, branch);
}

/* What needs all comparisons of the statement. */
static void on_branch_compared(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    sql_doubts_of_selves(container_of(walk, struct sql_doubts_look, walk), branch);
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct sql_doubts_look *look = container_of(walk, struct sql_doubts_look, walk);
    struct sql_compared read[SQL_COMPARED_MOST];
    const size_t count = sql_compared_read(look->parse, expr, read);
    for (size_t i = 0; i < count && look->compared_count < LOOK_COMPARED; i++)
        look->compared[look->compared_count++] = read[i];
    if (expr->kind == SQL_EXPR_CALL)
        sql_doubts_of_call(look, expr);
    else if (expr->kind == SQL_EXPR_OPERATOR) {
        sql_doubts_of_division(look, expr);
        sql_doubts_of_difference(look, expr);
    }
    if (expr->alternatives)
        sql_doubts_of_alternatives(look, expr);
}

void sql_doubts_find(const struct sql_doubts_source *source, sql_doubts_fn *say, void *owner)
{
    struct sql_doubts_look look = {.walk = {.on_branch = on_branch, .on_expr = on_expr},
                                   .source = source,
                                   .parse = source->parse,
                                   .say = say,
                                   .owner = owner};
    look.word_count = stem_split(source->arena, source->question, look.words, LOOK_WORDS);
    sql_said_read(source->arena, source->question, &look.said);
    if (source->parse->tree == NULL)
        return;
    sql_tree_walk_select(&look.walk, source->parse->tree);
    look.walk = (struct sql_tree_walk){.on_branch = on_branch_compared};
    sql_tree_walk_select(&look.walk, source->parse->tree);
    for (size_t i = 0; i < look.compared_count; i++)
        sql_doubts_of_comparison(&look, &look.compared[i]);
    sql_doubts_of_columns(&look);
    sql_doubts_of_unordered(&look);
    if (source->is_read)
        return;
    sql_doubts_of_bounds(&look);
    sql_doubts_of_periods(&look);
    sql_doubts_of_ends(&look);
    sql_doubts_of_pieces(&look);
    sql_doubts_of_times(&look);
    sql_doubts_of_denials(&look);
    sql_doubts_of_totals(&look);
    sql_doubts_of_values(&look);
    sql_doubts_of_states(&look);
}
