/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/calls.c - COUNT of a column that is no key, and sums over several units.
 *
 * Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"

static bool refers(const struct catalog_table *table, int column)
{
    for (size_t i = 0; i < table->reference_count; i++)
        if (table->references[i].column_count == 1 && table->references[i].columns[0] == column)
            return true;
    return false;
}

/* COUNT(x) counts rows that have x: not all rows, and no row once. */
static void look_at_count(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = sql_parse_column_at(look->parse, expr->children);
    const struct catalog_column *column = sql_doubts_column(look, ref);
    if (column == NULL || column->primary_key || column->unique)
        return;
    const struct sql_table_ref *from = &look->parse->tables[ref->table_ref];
    const bool is_reference = refers(&look->source->catalog->tables[from->table], ref->column);
    const bool lacks = !column->not_null && !is_reference;
    /* of the side that an outer join may leave empty it is how matches are counted */
    if ((!from->inner && !lacks) ||
        (!is_reference && (!lacks || sql_doubts_speaks_of(look, ref->name))))
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

static bool is_unit(struct str word)
{
    static const char *const words[] = {"currency", "devise", "masseinheit", "moneda",
                                        "monnaie",  "unidad", "unit",        "units",
                                        "uom",      "valuta", "waehrung",    "währung"};
    return str_is_listed_nocase(word, words, countof(words));
}

static bool names(const struct sql_parse *parse, int table_ref, int column)
{
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].table_ref == table_ref && parse->columns[i].column == column)
            return true;
    return false;
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
            !(is_unit(words[count - 1]) || is_unit(at->columns[c].name)) ||
            names(look->parse, ref->table_ref, (int)c) ||
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

void sql_doubts_of_call(struct sql_doubts_look *look, const struct sql_expr *expr)
{
    if (expr->call->windowed || expr->call->distinct || expr->children == NULL)
        return;
    if (str_equal(expr->call->name, STR("count")))
        look_at_count(look, expr);
    else if (str_equal(expr->call->name, STR("sum")) || str_equal(expr->call->name, STR("avg")))
        look_at_sum(look, expr);
}
