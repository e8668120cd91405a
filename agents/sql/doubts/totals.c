/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/totals.c - groups whose rows are limited where their total is meant, and groups
 * without rows that a join drops.
 *
 * Happy path: a number bounds what the question says it bounds. Failure: none. */
#include "agents/sql/doubts/look.h"

enum { NEAR = 5 }; /* words between "none" and "too" */

static bool is_summed(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    for (size_t i = 0; i < look->summed_count; i++)
        if (ref != NULL && look->summed[i]->table_ref == ref->table_ref &&
            look->summed[i]->column == ref->column)
            return true;
    return false;
}

/* The column that comparison i bounds by a number from below or above; NULL: it does not. */
static const struct sql_column_ref *bounded(const struct sql_doubts_look *look, size_t i)
{
    const struct sql_compared *c = &look->compared[i];
    return c->has_number && c->number != 0 && c->op >= SQL_COMPARED_LESS &&
                   c->op <= SQL_COMPARED_FROM
               ? sql_parse_column_at(look->parse, c->left)
               : NULL;
}

/* SUM(x) ... WHERE x > 2000 GROUP BY: each row is held against the bound, and not the total. */
static void look_at_bounds(struct sql_doubts_look *look)
{
    for (size_t i = 0; look->has_groups && i < look->compared_count; i++) {
        const struct sql_column_ref *ref = bounded(look, i);
        if (ref == NULL || !is_summed(look, ref))
            continue;
        sql_doubts_say(look, "row_for_total",
                       arena_printf(look->source->arena,
                                    "%.*s in WHERE is of each row; where the total is bounded, "
                                    "write HAVING SUM(%.*s)",
                                    STR_ARG(sql_doubts_text(look, look->compared[i].expr->span)),
                                    STR_ARG(ref->name)),
                       arena_printf(look->source->arena, "only rows with such a %.*s were added up",
                                    STR_ARG(ref->name)));
        return;
    }
}

/* "more than 1500 altogether", and x > 1500 of a single row. */
static void look_at_altogether(struct sql_doubts_look *look)
{
    bool is_bounded = false;
    for (size_t i = 0; i < look->said.bound_count; i++)
        is_bounded = is_bounded || !look->said.bounds[i].is_day;
    if (!is_bounded || look->parse->has_aggregate || look->parse->has_group_by ||
        sql_said_times(&look->said, SQL_DOUBTS_ALTOGETHER) == 0)
        return;
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_column_ref *ref = bounded(look, i);
        if (ref == NULL)
            continue;
        sql_doubts_say(look, "row_for_total",
                       arena_printf(look->source->arena,
                                    "the question bounds what rows are together, and %.*s is of "
                                    "each row; GROUP BY, and write HAVING SUM(%.*s)",
                                    STR_ARG(sql_doubts_text(look, look->compared[i].expr->span)),
                                    STR_ARG(ref->name)),
                       arena_printf(look->source->arena,
                                    "the bound is of each single %.*s, not of all together",
                                    STR_ARG(ref->name)));
        return;
    }
}

static bool is_money(const struct sql_doubts_look *look, struct str name)
{
    return sql_doubts_holds(look, name, SQL_DOUBTS_AMOUNTS) ||
           sql_doubts_holds(look, name, SQL_DOUBTS_MONEY) ||
           sql_doubts_holds(look, name, SQL_DOUBTS_RATE);
}

/* A column of numbers in money, of a table that the statement reads; NULL: none. */
static const struct catalog_column *find_money(const struct sql_doubts_look *look,
                                               struct str *table)
{
    for (size_t i = 0; i < look->parse->table_count; i++) {
        const int at = look->parse->tables[i].table;
        const struct catalog_table *of =
            at == CATALOG_NONE ? NULL : &look->source->catalog->tables[at];
        for (size_t c = 0; of != NULL && c < of->column_count; c++) {
            const struct catalog_column *column = &of->columns[c];
            *table = of->name;
            if ((column->type == CATALOG_INTEGER || column->type == CATALOG_NUMBER) &&
                !column->hidden && is_money(look, column->name))
                return column;
        }
    }
    return NULL;
}

/* "the most revenue", and only numbers of pieces or rows. */
static void look_at_money(struct sql_doubts_look *look)
{
    struct str table = STR("");
    struct arena *arena = look->source->arena;
    if (sql_said_times(&look->said, SQL_DOUBTS_INCOME) == 0 || !look->parse->has_aggregate)
        return;
    for (size_t i = 0; i < look->parse->column_count; i++) {
        const struct sql_column_ref *ref = &look->parse->columns[i];
        if (!ref->output_alias && (ref->table_ref < 0 || is_money(look, ref->name)))
            return;
    }
    const struct catalog_column *money = find_money(look, &table);
    if (money != NULL)
        sql_doubts_say(look, "no_money",
                       arena_printf(arena,
                                    "the question asks for money, and the statement adds up none; "
                                    "%.*s has %.*s",
                                    STR_ARG(table), STR_ARG(money->name)),
                       STR("the question asks for money, the answer adds up none"));
}

/* "rooms with none as well" */
static bool asks_for_empty(const struct sql_said *said)
{
    for (size_t at = 0; at < said->word_count; at++)
        for (size_t k = at > NEAR ? at - NEAR : 0; k < said->word_count && k <= at + NEAR; k++)
            if (sql_said_phrase(said, at, SQL_DOUBTS_DENIAL, NULL) > 0 &&
                sql_said_phrase(said, k, SQL_DOUBTS_TOO, NULL) > 0)
                return true;
    return false;
}

static void look_at_empty(struct sql_doubts_look *look)
{
    if (!look->has_groups || !look->has_inner || look->has_outer || look->parse->has_subquery ||
        !asks_for_empty(&look->said))
        return;
    sql_doubts_say(look, "inner_join",
                   STR("the question asks for those without rows, too, which an inner join drops; "
                       "write LEFT JOIN"),
                   STR("those without any may be missing"));
}

void sql_doubts_of_totals(struct sql_doubts_look *look)
{
    look_at_bounds(look);
    look_at_altogether(look);
    look_at_money(look);
    look_at_empty(look);
}
