/* SPDX-License-Identifier: MIT */
/* server/cli/shell/shell_tables.c - a catalog as rows of cmd_rows. */
#include "server/cli/shell/shell_tables.h"

#include "agents/sql/catalog/visible.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/cli/cmd_rows.h"

enum { JSON_BYTES = 16 << 20, ARENA_BYTES = 64 << 20, NEAR = 3, NOTE_BYTES = 4096 };

static struct sql_visible visible(const struct knowledge *knows)
{
    return (struct sql_visible){.policy = knows->policy, .catalog = knows->catalog};
}

/* Columns that are not named have no place in the table, so a cell too many is not shown. */
static void begin(struct buf *text, struct json_write *json, const char *const *columns,
                  size_t count)
{
    buf_init(text, JSON_BYTES);
    json_write_init(json, text);
    json_write_object(json);
    json_write_key(json, STR("columns"));
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_str(json, str_of(columns[i]));
    json_write_array_end(json);
    json_write_key(json, STR("rows"));
    json_write_array(json);
}

static void end(struct buf *text, struct json_write *json, bool bold, struct buf *out)
{
    struct arena arena;
    json_write_array_end(json);
    json_write_object_end(json);
    arena_init(&arena, ARENA_BYTES);
    const struct json_value *data =
        buf_ok(text) ? json_value_parse(&arena, buf_str(text), NULL, NULL) : NULL;
    if (data != NULL)
        cmd_rows_table(data, bold, out);
    arena_fini(&arena);
    buf_fini(text);
}

/* The rows that the statistics speak of, where they do. */
static void write_count(struct json_write *json, int64_t rows)
{
    if (rows < 0)
        json_write_null(json);
    else
        json_write_i64(json, rows);
}

void shell_tables_list(const struct knowledge *knows, bool bold, struct buf *out)
{
    static const char *const columns[] = {"table", "columns", "rows", "comment"};
    const struct sql_visible sees = visible(knows);
    struct json_write json;
    struct buf text, name;
    bool has_comment = false;
    for (size_t i = 0; i < knows->catalog->table_count; i++)
        has_comment = has_comment || knows->catalog->tables[i].comment.len > 0;
    begin(&text, &json, columns, countof(columns) - !has_comment);
    buf_init(&name, NOTE_BYTES);
    for (size_t i = 0; i < knows->catalog->table_count; i++) {
        const struct catalog_table *table = &knows->catalog->tables[i];
        if (!sql_visible_table(sees, (int)i) || sql_visible_is_secure_view(sees, (int)i))
            continue;
        buf_clear(&name);
        catalog_push_name(knows->catalog, (int)i, &name);
        json_write_array(&json);
        json_write_str(&json, buf_str(&name));
        size_t seen = 0;
        for (size_t c = 0; c < table->column_count; c++)
            seen += sql_visible_column(sees, (int)i, table->columns[c].name);
        json_write_u64(&json, seen);
        write_count(&json, table->row_count);
        json_write_str(&json, table->comment);
        json_write_array_end(&json);
    }
    buf_fini(&name);
    end(&text, &json, bold, out);
}

/* What a column refers to: "customers.id". */
static void push_reference(const struct catalog *catalog, const struct catalog_table *table,
                           int column, struct buf *out)
{
    for (size_t i = 0; i < table->reference_count; i++) {
        const struct catalog_reference *reference = &table->references[i];
        for (size_t c = 0; c < reference->column_count; c++) {
            if (reference->columns[c] != column)
                continue;
            if (buf_len(out) > 0)
                buf_push(out, STR(", "));
            catalog_push_name(catalog, reference->to_table, out);
            buf_printf(
                out, ".%.*s",
                STR_ARG(
                    catalog->tables[reference->to_table].columns[reference->to_columns[c]].name));
        }
    }
}

static void write_column(struct json_write *json, const struct catalog *catalog,
                         const struct catalog_table *table, int at)
{
    const struct catalog_column *column = &table->columns[at];
    struct buf refers;
    buf_init(&refers, NOTE_BYTES);
    push_reference(catalog, table, at, &refers);
    json_write_array(json);
    json_write_str(json, column->name);
    json_write_str(json, column->declared_type);
    json_write_str(json, column->primary_key ? STR("primary key")
                         : column->unique    ? STR("unique")
                         : column->not_null  ? STR("not null")
                                             : STR(""));
    json_write_str(json, buf_str(&refers));
    json_write_str(json, column->comment);
    json_write_array_end(json);
    buf_fini(&refers);
}

static enum err_code refuse(struct sql_visible sees, struct str name, struct err *err)
{
    struct str near[NEAR];
    size_t count = sql_visible_near_tables(sees, name, near, NEAR);
    if (count == 0)
        return err_set(err, ERR_NOT_FOUND, "there is no table '%.*s'; \\d lists them",
                       STR_ARG(name));
    return err_set(err, ERR_NOT_FOUND, "there is no table '%.*s'; did you mean %.*s?",
                   STR_ARG(name), STR_ARG(near[0]));
}

enum err_code shell_tables_describe(const struct knowledge *knows, struct str name, bool bold,
                                    struct buf *out, struct err *err)
{
    static const char *const columns[] = {"column", "type", "key", "refers to", "comment"};
    const struct sql_visible sees = visible(knows);
    int found = catalog_find_dotted(knows->catalog, name);
    struct json_write json;
    struct buf text;
    if (found == CATALOG_NONE || !sql_visible_table(sees, found))
        return refuse(sees, name, err);
    const struct catalog_table *read = &knows->catalog->tables[sql_visible_read(sees, found)];
    bool has_comment = false;
    for (size_t i = 0; i < read->column_count; i++)
        has_comment = has_comment || read->columns[i].comment.len > 0;
    begin(&text, &json, columns, countof(columns) - !has_comment);
    for (size_t i = 0; i < read->column_count; i++)
        if (sql_visible_column(sees, found, read->columns[i].name))
            write_column(&json, knows->catalog, read, (int)i);
    end(&text, &json, bold, out);
    return ERR_OK;
}
