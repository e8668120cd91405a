/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog_narrow.c - tables and the columns of changed ones are copied, all else
 * is borrowed.
 *
 * Failure: no memory: nothing is made. */
#include "agents/sql/catalog/catalog_narrow.h"

#include <string.h>

#include "core/base/mem.h"

enum { NARROW_BYTES = 64 << 20 };

/* A view that is read for a listed table stays: it is not named, but it is read. */
static bool is_read(struct sql_visible sees, int table)
{
    for (size_t i = 0; i < sees.catalog->table_count; i++) {
        if (sql_visible_table(sees, (int)i) && sql_visible_read(sees, (int)i) == table)
            return true;
    }
    return false;
}

/* What the policy says of a column: of the table itself, else of the table that it stands for,
 * else, of a view, of any column of this name that the view may show. NULL: nothing. */
static const struct sql_column_rule *find_rule(struct sql_visible sees, int table,
                                               struct str column)
{
    const struct catalog_table *at = &sees.catalog->tables[table];
    const struct sql_column_rule *of_view = NULL;
    for (size_t i = 0; i < sees.policy->column_count; i++) {
        const struct sql_column_rule *rule = &sees.policy->columns[i];
        int meant = str_equal_nocase(rule->column, column)
                        ? catalog_find_dotted(sees.catalog, rule->table)
                        : CATALOG_NONE;
        if (meant == CATALOG_NONE)
            continue;
        if (meant == table)
            return rule;
        bool stands = meant == at->secures || sql_visible_view(sees, meant) == table;
        bool may_show = at->is_view && rule->access != COLUMN_ACCESS_CLEAR;
        if (stands || (may_show && of_view == NULL))
            of_view = rule;
    }
    return of_view;
}

static void apply_rule(const struct sql_column_rule *rule, struct catalog_column *column)
{
    bool may_be_given = column->access == COLUMN_ACCESS_PRIVATE && !column->unreadable;
    if (rule == NULL || (column->hidden && !may_be_given))
        return;
    column->access = rule->access;
    column->hidden = rule->access == COLUMN_ACCESS_HIDDEN;
    column->pii = column->pii || rule->access != COLUMN_ACCESS_CLEAR;
}

/* What somebody who writes a statement must know of the column. */
static bool say_access(struct catalog_column *column, struct arena *arena)
{
    if (column->hidden || !column_access_is_mask(column->access))
        return true;
    column->comment =
        arena_printf(arena, "values are masked (%s)%s%.*s", column_access_name(column->access),
                     column->comment.len > 0 ? "; " : "", STR_ARG(column->comment));
    return !str_is_absent(column->comment);
}

static bool rule_columns(struct sql_visible sees, int index, struct catalog_table *table,
                         struct arena *arena)
{
    struct catalog_column *columns = arena_array(arena, table->column_count, sizeof *columns);
    if (columns == NULL)
        return false;
    for (size_t i = 0; i < table->column_count; i++) {
        columns[i] = table->columns[i];
        apply_rule(find_rule(sees, index, columns[i].name), &columns[i]);
        if (!say_access(&columns[i], arena))
            return false;
    }
    table->columns = columns;
    return true;
}

struct catalog *catalog_narrow_create(struct sql_visible sees)
{
    struct catalog *narrow = mem_zalloc(1, sizeof *narrow);
    if (narrow == NULL)
        return NULL;
    *narrow = *sees.catalog;
    arena_init(&narrow->arena, NARROW_BYTES);
    struct catalog_table *tables = arena_array(&narrow->arena, narrow->table_count, sizeof *tables);
    bool fine = tables != NULL;
    for (size_t i = 0; fine && i < narrow->table_count; i++) {
        tables[i] = sees.catalog->tables[i];
        tables[i].hidden =
            tables[i].hidden || (!sql_visible_table(sees, (int)i) && !is_read(sees, (int)i));
        fine = rule_columns(sees, (int)i, &tables[i], &narrow->arena);
    }
    narrow->tables = tables;
    if (fine)
        return narrow;
    catalog_narrow_destroy(narrow);
    return NULL;
}

void catalog_narrow_destroy(struct catalog *narrow)
{
    if (narrow == NULL)
        return;
    arena_fini(&narrow->arena);
    mem_free(narrow);
}
