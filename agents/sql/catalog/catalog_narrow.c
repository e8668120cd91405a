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

static bool hides(struct sql_visible sees, int table, struct str column)
{
    int secures = sees.catalog->tables[table].secures;
    for (size_t i = 0; i < sees.policy->hidden_column_count; i++) {
        const struct sql_column_name *name = &sees.policy->hidden_columns[i];
        int meant = catalog_find_dotted(sees.catalog, name->table);
        if (meant != CATALOG_NONE && (meant == table || meant == secures) &&
            str_equal_nocase(name->column, column))
            return true;
    }
    return false;
}

static bool hide_columns(struct sql_visible sees, int index, struct catalog_table *table,
                         struct arena *arena)
{
    struct catalog_column *columns = arena_array(arena, table->column_count, sizeof *columns);
    if (columns == NULL)
        return false;
    for (size_t i = 0; i < table->column_count; i++) {
        columns[i] = table->columns[i];
        columns[i].hidden = columns[i].hidden || hides(sees, index, columns[i].name);
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
        fine = hide_columns(sees, (int)i, &tables[i], &narrow->arena);
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
