/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog_write.c - a catalog as a join-graph file (docs/joins.md), as
 * introspection found it.
 *
 * Happy path: counts, then tables (not views), then references one by one as the database has them,
 * or as rows imply them; join_graph normalises when it reads them. A composite key has from_columns
 * and to_columns, too. Failure paths: none but buf's. */
#include "agents/sql/catalog/catalog.h"

#include "proto/json_write.h"

static struct str name_of(const struct catalog_table *table, struct arena *arena)
{
    if (table->schema.len == 0)
        return table->name;
    return arena_printf(arena, "%.*s.%.*s", STR_ARG(table->schema), STR_ARG(table->name));
}

static bool is_any(const struct catalog_column *column)
{
    (void)column;
    return true;
}

static bool is_primary(const struct catalog_column *column)
{
    return column->primary_key;
}

static bool is_unique(const struct catalog_column *column)
{
    return column->unique;
}

static void write_names(struct json_write *writer, const char *key,
                        const struct catalog_table *table,
                        bool wanted(const struct catalog_column *column))
{
    json_write_key(writer, str_of(key));
    json_write_array(writer);
    for (size_t i = 0; i < table->column_count; i++) {
        if (!table->columns[i].hidden && wanted(&table->columns[i]))
            json_write_str(writer, table->columns[i].name);
    }
    json_write_array_end(writer);
}

static void write_unique_keys(struct json_write *writer, const struct catalog_table *table)
{
    bool begun = false;
    for (size_t k = 0; k < table->key_count; k++) {
        const struct catalog_key *key = &table->keys[k];
        if (key->primary || key->column_count < 2)
            continue;
        if (!begun) {
            json_write_key(writer, STR("unique_keys"));
            json_write_array(writer);
        }
        begun = true;
        json_write_array(writer);
        for (size_t i = 0; i < key->column_count; i++)
            json_write_str(writer, table->columns[key->columns[i]].name);
        json_write_array_end(writer);
    }
    if (begun)
        json_write_array_end(writer);
}

static void write_table(struct json_write *writer, const struct catalog_table *table)
{
    json_write_object(writer);
    write_names(writer, "columns", table, is_any);
    write_names(writer, "primary_key", table, is_primary);
    write_names(writer, "unique_columns", table, is_unique);
    write_unique_keys(writer, table);
    json_write_key(writer, STR("types"));
    json_write_object(writer);
    for (size_t i = 0; i < table->column_count; i++) {
        if (!table->columns[i].hidden)
            json_write_member_str(writer, table->columns[i].name, table->columns[i].declared_type);
    }
    json_write_object_end(writer);
    if (table->comment.len > 0)
        json_write_member_str(writer, STR("comment"), table->comment);
    if (table->row_count >= 0)
        json_write_member_i64(writer, STR("row_count"), table->row_count);
    json_write_object_end(writer);
}

static void write_columns(struct json_write *writer, const char *key,
                          const struct catalog_table *table, const int *columns, size_t count)
{
    json_write_key(writer, str_of(key));
    json_write_array(writer);
    for (size_t i = 0; i < count; i++)
        json_write_str(writer, table->columns[columns[i]].name);
    json_write_array_end(writer);
}

static void write_reference(struct json_write *writer, const struct catalog *catalog, size_t from,
                            const struct catalog_reference *reference, struct arena *arena)
{
    const struct catalog_table *child = &catalog->tables[from];
    const struct catalog_table *parent = &catalog->tables[reference->to_table];
    size_t count = reference->column_count;
    json_write_object(writer);
    json_write_member_str(writer, STR("from_table"), name_of(child, arena));
    json_write_member_str(writer, STR("from_column"), child->columns[reference->columns[0]].name);
    json_write_member_str(writer, STR("to_table"), name_of(parent, arena));
    json_write_member_str(writer, STR("to_column"), parent->columns[reference->to_columns[0]].name);
    if (count > 1) {
        write_columns(writer, "from_columns", child, reference->columns, count);
        write_columns(writer, "to_columns", parent, reference->to_columns, count);
    }
    json_write_member_str(writer, STR("type"),
                          reference->implied > 0 ? STR("inferred") : STR("foreign_key"));
    json_write_member_double(writer, STR("confidence"),
                             reference->implied > 0 ? reference->implied / 100.0 : 1.0);
    bool one = catalog_is_key(child, reference->columns, count);
    json_write_member_str(writer, STR("cardinality"), one ? STR("1:1") : STR("N:1"));
    json_write_object_end(writer);
}

static bool is_written(const struct catalog_table *table)
{
    return !table->is_view && !table->hidden;
}

struct catalog_counts catalog_count(const struct catalog *catalog)
{
    struct catalog_counts counts = {0};
    for (size_t t = 0; t < catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        counts.views += table->is_view;
        if (!is_written(table))
            continue;
        counts.tables++;
        counts.columns += table->column_count;
        for (size_t r = 0; r < table->reference_count; r++) {
            if (!is_written(&catalog->tables[table->references[r].to_table]))
                continue;
            counts.references += table->references[r].implied == 0;
            counts.implied += table->references[r].implied > 0;
            counts.composite += table->references[r].column_count > 1;
        }
    }
    return counts;
}

void catalog_write(const struct catalog *catalog, struct arena *arena, struct buf *out)
{
    struct json_write writer;
    struct catalog_counts counts = catalog_count(catalog);
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_i64(&writer, STR("version"), 1);
    json_write_key(&writer, STR("counts"));
    json_write_object(&writer);
    json_write_member_u64(&writer, STR("tables"), counts.tables);
    json_write_member_u64(&writer, STR("columns"), counts.columns);
    json_write_member_u64(&writer, STR("relationships"), counts.references);
    json_write_member_u64(&writer, STR("composite"), counts.composite);
    json_write_member_u64(&writer, STR("inferred"), counts.implied);
    json_write_object_end(&writer);
    json_write_key(&writer, STR("tables"));
    json_write_object(&writer);
    for (size_t t = 0; t < catalog->table_count; t++) {
        if (!is_written(&catalog->tables[t]))
            continue;
        json_write_key(&writer, name_of(&catalog->tables[t], arena));
        write_table(&writer, &catalog->tables[t]);
    }
    json_write_object_end(&writer);
    json_write_key(&writer, STR("relationships"));
    json_write_array(&writer);
    for (size_t t = 0; t < catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        for (size_t r = 0; is_written(table) && r < table->reference_count; r++) {
            if (is_written(&catalog->tables[table->references[r].to_table]))
                write_reference(&writer, catalog, t, &table->references[r], arena);
        }
    }
    json_write_array_end(&writer);
    json_write_object_end(&writer);
}
