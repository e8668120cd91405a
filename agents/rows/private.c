/* SPDX-License-Identifier: MIT */
/* agents/rows/private.c - follows private columns from where a statement names them to the columns
 * of its result.
 *
 * Happy path: a private column within an item of the outermost list makes that item's column
 * private, a star those of its columns that are. In a condition, a group or an order of the
 * outermost SELECT it gives no value. Failure: where the way of a value cannot be followed, all
 * columns are private. */
#include "agents/rows/private.h"

#include "agents/sql/grammar/grammar_tree.h"

static const struct rows_private all_private = {.all = true};

static bool is_private(const struct catalog *catalog, int table, int column)
{
    if (table == CATALOG_NONE || column == CATALOG_NONE)
        return false;
    const struct catalog_table *of = &catalog->tables[table];
    if (of->columns[column].access == COLUMN_ACCESS_PRIVATE)
        return true;
    if (of->secure_view == CATALOG_NONE)
        return false;
    int shown = catalog_find_column(catalog, of->secure_view, of->columns[column].name);
    return shown != CATALOG_NONE &&
           catalog->tables[of->secure_view].columns[shown].access == COLUMN_ACCESS_PRIVATE;
}

static bool names_private(const struct catalog *catalog, const struct sql_parse *parse,
                          const struct sql_column_ref *ref)
{
    return ref->table_ref >= 0 &&
           is_private(catalog, parse->tables[ref->table_ref].table, ref->column);
}

static bool is_within(struct sql_span span, struct sql_span of)
{
    return span.start >= of.start && span.end <= of.end;
}

static bool is_in_list(struct sql_span span, const struct sql_branch *top)
{
    for (const struct sql_item *item = top->items; item != NULL; item = item->next)
        if (is_within(span, item->span))
            return true;
    return false;
}

/* Whether a private column is named where the result's columns do not show it: below the outermost
 * SELECT and outside of its list. */
static bool is_out_of_sight(const struct catalog *catalog, const struct sql_parse *parse,
                            const struct sql_branch *top)
{
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if (!names_private(catalog, parse, ref))
            continue;
        if (ref->use == SQL_COLUMN_WHOLE_ROW)
            return true;
        if (ref->scope != top->scope && !is_in_list(ref->span, top))
            return true;
    }
    return false;
}

/* Mark the columns of a star, which are its refs in order. How many there are. */
static size_t mark_star(const struct catalog *catalog, const struct sql_parse *parse,
                        struct sql_span star, bool *columns, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if (ref->use != SQL_COLUMN_STAR || !is_within(ref->span, star))
            continue;
        if (count < room)
            columns[count] = names_private(catalog, parse, ref);
        count++;
    }
    return count;
}

/* Whether the item's value is private: a number of rows is not. */
static bool item_is_private(const struct catalog *catalog, const struct sql_parse *parse,
                            const struct sql_item *item)
{
    if (item->expr->kind == SQL_EXPR_CALL && str_equal(item->expr->call->name, STR("count")))
        return false;
    for (size_t i = 0; i < parse->column_count; i++)
        if (is_within(parse->columns[i].span, item->span) &&
            names_private(catalog, parse, &parse->columns[i]))
            return true;
    return false;
}

static bool reads_private(const struct catalog *catalog, const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->column_count; i++)
        if (names_private(catalog, parse, &parse->columns[i]))
            return true;
    return false;
}

struct rows_private rows_private_of(const struct catalog *catalog, const struct sql_parse *parse,
                                    size_t column_count, struct arena *arena)
{
    if (!reads_private(catalog, parse))
        return (struct rows_private){0};
    const struct sql_select *tree = parse->tree;
    if (tree == NULL || tree->branch_count != 1 || tree->branches->values ||
        is_out_of_sight(catalog, parse, tree->branches))
        return all_private;
    bool *columns = arena_array(arena, column_count, sizeof *columns);
    size_t at = 0;
    for (const struct sql_item *item = tree->branches->items; columns != NULL && item != NULL;
         item = item->next) {
        if (item->expr == NULL)
            at += mark_star(catalog, parse, item->span, columns + at, column_count - at);
        else if (at < column_count)
            columns[at++] = item_is_private(catalog, parse, item);
        else
            return all_private;
        if (at > column_count)
            return all_private;
    }
    return columns != NULL && at == column_count
               ? (struct rows_private){.columns = columns, .column_count = column_count}
               : all_private;
}

bool rows_private_has(const struct rows_private *is, size_t column)
{
    return is->all || (is->columns != NULL && column < is->column_count && is->columns[column]);
}
