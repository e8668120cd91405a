/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/calls.c - COUNT of a column that is no key, and sums over several units.
 *
 * Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"

static bool is_reference(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    return sql_doubts_referred(look, look->parse->tables[ref->table_ref].table, ref->column) !=
           CATALOG_NONE;
}

bool sql_doubts_counts_values(const struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, expr->children);
    const struct catalog_column *column = sql_doubts_column(look, ref);
    return column != NULL && !column->primary_key && !column->unique && !column->not_null &&
           !is_reference(look, ref) && !sql_doubts_speaks_of(look, ref->name);
}

/* COUNT(x) counts rows that have x: not all rows, and no row once. Of the side that an outer join
 * may leave empty it is how matches are counted. */
static void look_at_count(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, expr->children);
    const struct catalog_column *column = sql_doubts_column(look, ref);
    if (column == NULL || column->primary_key || column->unique)
        return;
    const struct sql_table_ref *from = &look->parse->tables[ref->table_ref];
    if (!sql_doubts_counts_values(look, expr) && (!is_reference(look, ref) || !from->inner))
        return;
    struct str text = sql_doubts_text(look, expr->span);
    sql_doubts_say(
        look, "count_of_column",
        arena_printf(look->source->arena,
                     "%.*s counts each row that has %.*s, also where it is the same, and none that "
                     "lacks it; write COUNT(DISTINCT %.*s) for how many different ones there are, "
                     "and COUNT(*), or COUNT of the key, for rows",
                     STR_ARG(text), STR_ARG(ref->name), STR_ARG(ref->name)),
        arena_printf(look->source->arena,
                     "rows of %.*s were counted, those that have a value of %.*s; the same value "
                     "may be counted several times",
                     STR_ARG(from->name), STR_ARG(ref->name)));
}

/* A sum of what is measured in litres in one row and in cubic metres in another. */
static void look_at_sum(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_doubts_source *source = look->source;
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, expr->children);
    if (sql_doubts_column(look, ref) == NULL)
        return;
    const int table = look->parse->tables[ref->table_ref].table;
    const struct catalog_table *at = &source->catalog->tables[table];
    for (size_t c = 0; c < at->column_count; c++) {
        struct str words[LOOK_NAME_WORDS];
        const size_t count = sql_doubts_split(look, at->columns[c].name, words);
        if (count == 0 || at->columns[c].type != CATALOG_TEXT || at->columns[c].hidden ||
            !(sql_said_is(words[count - 1], SQL_DOUBTS_UNIT) ||
              sql_said_is(at->columns[c].name, SQL_DOUBTS_UNIT)) ||
            sql_doubts_uses(look, table, (int)c) ||
            (source->has_several != NULL && !source->has_several(source->owner, table, (int)c)))
            continue;
        struct str text = sql_doubts_text(look, expr->span), unit = at->columns[c].name;
        sql_doubts_say(
            look, "units",
            arena_printf(source->arena,
                         "%.*s adds rows of %.*s whatever their %.*s; convert them, or group by it",
                         STR_ARG(text), STR_ARG(at->name), STR_ARG(unit)),
            arena_printf(source->arena, "figures of %.*s were added whatever their %.*s is",
                         STR_ARG(at->name), STR_ARG(unit)));
        return;
    }
}

/* AVG(COALESCE(x, 0)): what has no x lowers the mean. */
static void look_at_mean(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    static const char *const filling[] = {"coalesce", "ifnull", "nvl", "isnull"};
    const struct sql_expr *of = expr->children;
    const struct sql_column_ref *ref =
        of->kind == SQL_EXPR_CALL && str_is_listed(of->call->name, filling, countof(filling)) &&
                of->children != NULL && of->children->next != NULL &&
                str_equal(sql_doubts_text(look, of->children->next->span), STR("0"))
            ? sql_parse_column_at(look->parse, of->children)
            : NULL;
    const struct catalog_column *column = sql_doubts_column(look, ref);
    if (column == NULL || column->not_null || !look->parse->tables[ref->table_ref].inner ||
        sql_said_times(&look->said, SQL_DOUBTS_DENIAL) > 0)
        return;
    sql_doubts_say(look, "mean_of_missing",
                   arena_printf(look->source->arena,
                                "%.*s takes rows without %.*s for 0; AVG(%.*s) is of those that "
                                "have one",
                                STR_ARG(sql_doubts_text(look, expr->span)), STR_ARG(ref->name),
                                STR_ARG(ref->name)),
                   arena_printf(look->source->arena, "what has no %.*s is in the average as 0",
                                STR_ARG(ref->name)));
}

static void note_sum(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, expr->children);
    if (ref != NULL && look->summed_count < LOOK_SUMMED)
        look->summed[look->summed_count++] = ref;
}

void sql_doubts_of_call(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    if (expr->call->windowed || expr->call->distinct || expr->children == NULL)
        return;
    if (str_equal(expr->call->name, STR("sum")))
        note_sum(look, expr);
    if (str_equal(expr->call->name, STR("count")))
        look_at_count(look, expr);
    if (str_equal(expr->call->name, STR("avg")))
        look_at_mean(look, expr);
    if (str_equal(expr->call->name, STR("sum")) || str_equal(expr->call->name, STR("avg")))
        look_at_sum(look, expr);
}
