/* SPDX-License-Identifier: MIT */
/* server/results/tables_json.c - the catalog through the eyes of the served policy.
 *
 * Failure: no catalog, or no such table among those that may be read. */
#include "server/results/tables_json.h"

#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/facts.h"
#include "agents/sql/catalog/visible.h"
#include "agents/sql/guard/tenancy.h"
#include "core/store/wire_code.h"
#include "proto/json_write.h"

enum { NAME_BYTES = 1024 };

/* Write a table's name as a statement has to spell it. */
static void write_name(struct sql_visible sees, int table, struct str key, struct json_write *json)
{
    struct str schema = sees.catalog->tables[table].schema;
    struct buf name;
    buf_init(&name, NAME_BYTES);
    buf_push(&name, schema);
    buf_push(&name, schema.len > 0 ? STR(".") : STR(""));
    buf_push(&name, sql_visible_name(sees, table));
    json_write_member_str(json, key, buf_str(&name));
    buf_fini(&name);
}

/* What people call a table, or a column of it; nothing where no words are known. */
static void write_label(const struct lexicon *lexicon, int table, int column,
                        struct json_write *json)
{
    struct buf words;
    if (lexicon == NULL || table >= (int)lexicon->catalog->table_count)
        return;
    buf_init(&words, NAME_BYTES);
    if (column == CATALOG_NONE)
        lexicon_describe_table(lexicon, table, true, &words);
    else if (column < (int)lexicon->catalog->tables[table].column_count)
        lexicon_describe_column(lexicon, table, column, &words);
    if (buf_len(&words) > 0)
        json_write_member_str(json, STR("label"), buf_str(&words));
    buf_fini(&words);
}

/* The columns that a row of it is called by. */
static void write_row_names(const struct lexicon *lexicon, struct sql_visible sees, int table,
                            struct json_write *json)
{
    if (lexicon == NULL || table >= (int)lexicon->catalog->table_count ||
        lexicon->facts[table].label_count == 0)
        return;
    const struct catalog_table *of = &lexicon->catalog->tables[table];
    json_write_key(json, STR("names"));
    json_write_array(json);
    for (size_t i = 0; i < lexicon->facts[table].label_count; i++) {
        struct str name = of->columns[lexicon->facts[table].labels[i]].name;
        if (sql_visible_column(sees, table, name))
            json_write_str(json, name);
    }
    json_write_array_end(json);
}

/* lexicon: for labels; NULL: none. */
static void write_columns(struct sql_visible sees, int table, const struct lexicon *lexicon,
                          struct json_write *json)
{
    const struct catalog_table *read = &sees.catalog->tables[sql_visible_read(sees, table)];
    json_write_key(json, STR("columns"));
    json_write_array(json);
    for (size_t i = 0; i < read->column_count; i++) {
        const struct catalog_column *column = &read->columns[i];
        if (!sql_visible_column(sees, table, column->name))
            continue;
        json_write_object(json);
        json_write_member_str(json, STR("name"), column->name);
        json_write_member_str(json, STR("type"), column->declared_type);
        int known = catalog_find_column(sees.catalog, table, column->name);
        if (known != CATALOG_NONE)
            write_label(lexicon, table, known, json);
        if (column->primary_key)
            json_write_member_bool(json, STR("primary_key"), true);
        if (column->comment.len > 0)
            json_write_member_str(json, STR("comment"), column->comment);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_names(const struct catalog_table *table, const int *columns, size_t count,
                        struct json_write *json)
{
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_str(json, table->columns[columns[i]].name);
    json_write_array_end(json);
}

static bool is_readable(struct sql_visible sees, int from,
                        const struct catalog_reference *reference)
{
    const struct catalog_table *columns = &sees.catalog->tables[from];
    for (size_t i = 0; i < reference->column_count; i++)
        if (!sql_visible_column(sees, from, columns->columns[reference->columns[i]].name))
            return false;
    return sql_visible_table(sees, reference->to_table);
}

static void write_references(struct sql_visible sees, int table, struct json_write *json)
{
    const struct catalog_table *from = &sees.catalog->tables[table];
    json_write_key(json, STR("references"));
    json_write_array(json);
    for (size_t i = 0; i < from->reference_count; i++) {
        const struct catalog_reference *reference = &from->references[i];
        if (!is_readable(sees, table, reference))
            continue;
        json_write_object(json);
        json_write_key(json, STR("columns"));
        write_names(from, reference->columns, reference->column_count, json);
        write_name(sees, reference->to_table, STR("to_table"), json);
        json_write_key(json, STR("to_columns"));
        write_names(&sees.catalog->tables[reference->to_table], reference->to_columns,
                    reference->column_count, json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_table(struct sql_visible sees, int table, bool is_whole, struct json_write *json)
{
    const struct catalog_table *row = &sees.catalog->tables[table];
    json_write_object(json);
    write_name(sees, table, STR("name"), json);
    if (row->comment.len > 0)
        json_write_member_str(json, STR("comment"), row->comment);
    if (is_whole) {
        write_columns(sees, table, NULL, json);
        write_references(sees, table, json);
    }
    json_write_object_end(json);
}

static void write_whole(const struct knowledge *knows, int table, struct json_write *json)
{
    const struct sql_visible sees = {knows->policy, knows->catalog};
    const struct catalog_table *row = &knows->catalog->tables[table];
    json_write_object(json);
    write_name(sees, table, STR("name"), json);
    write_label(knows->lexicon, table, CATALOG_NONE, json);
    if (row->comment.len > 0)
        json_write_member_str(json, STR("comment"), row->comment);
    write_row_names(knows->lexicon, sees, table, json);
    write_columns(sees, table, knows->lexicon, json);
    write_references(sees, table, json);
    json_write_object_end(json);
}

/* Whether the guard lets it be named: what it refuses for want of a company is not offered. */
static bool may_be_read(const struct knowledge *knows, int table)
{
    const struct sql_visible sees = {knows->policy, knows->catalog};
    struct sql_tenancy tenancy;
    return sql_visible_table(sees, table) &&
           (!knows->tenant.on || sql_tenancy_find(sees, table, &tenancy));
}

/* A secure view is shown once, under the name that statements use. */
static bool is_listed(const struct knowledge *knows, int table)
{
    const struct sql_visible sees = {knows->policy, knows->catalog};
    return may_be_read(knows, table) &&
           (sees.policy->secure_deny_base || !sql_visible_is_secure_view(sees, table));
}

static const char *const dialects[] = {"sqlite", "postgresql", "mysql"};

/* Why, in words that name nothing of ours. */
static enum err_code refuse_unread(const struct knowledge *knows, struct err *err)
{
    struct str told = wire_code_public("database_unavailable", knows->catalog_err.code,
                                       str_of(knows->catalog_err.text));
    return err_set(err, ERR_UNAVAILABLE, "%.*s", STR_ARG(told));
}

enum err_code tables_json_write(const struct knowledge *knows, struct str table, struct buf *out,
                                struct err *err)
{
    const struct catalog *catalog = knows->catalog;
    struct sql_visible sees = {knows->policy, catalog};
    struct json_write json;
    if (catalog == NULL)
        return refuse_unread(knows, err);
    int one = str_is_absent(table) ? CATALOG_NONE : catalog_find_dotted(catalog, table);
    if (!str_is_absent(table) && (one == CATALOG_NONE || !may_be_read(knows, one)))
        return err_set(err, ERR_NOT_FOUND, "there is no table '%.*s' that may be read",
                       STR_ARG(str_utf8_prefix(table, 64)));
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("dialect"), str_of(dialects[knows->dialect]));
    json_write_key(&json, STR("tables"));
    json_write_array(&json);
    for (int i = 0; i < (int)catalog->table_count; i++)
        if (one == CATALOG_NONE ? is_listed(knows, i) : i == one)
            write_table(sees, i, one != CATALOG_NONE, &json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    return ERR_OK;
}

enum err_code tables_json_write_all(const struct knowledge *knows, struct buf *out, struct err *err)
{
    struct json_write json;
    if (knows->catalog == NULL)
        return refuse_unread(knows, err);
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("dialect"), str_of(dialects[knows->dialect]));
    json_write_key(&json, STR("tables"));
    json_write_array(&json);
    for (int i = 0; i < (int)knows->catalog->table_count; i++)
        if (is_listed(knows, i))
            write_whole(knows, i, &json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    return ERR_OK;
}
