/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog_file.c - a catalog from a join-graph file (docs/joins.md).
 *
 * {"version":1,"tables":{"name":{"columns":[...],"unique_columns":[...]}},"relationships":[...],
 *  "secure_view_map":{...},"tenant_column":"..."}; the last two are ours. A column is a name, or
 * an object {"name","type","hidden","pii","comment"}. A table may say "schema", "is_view",
 * "row_count", "comment".
 * Happy path: parse, add tables with their foreign keys, freeze.
 * Failure paths: not JSON, a member of the wrong type: ERR_INVALID with its JSON pointer. A
 * relationship between names that are not there is skipped: join_graph reports those. */
#include "agents/sql/catalog/catalog.h"

#include "agents/sql/catalog/catalog_change.h"

#include "proto/json_value.h"

enum { FILE_ARENA_BYTES = 256 << 20, MAX_PAIRS = 16 };

static struct str member_str(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_value_member(object, str_of(key));
    return value != NULL && value->type == JSON_STRING ? value->text : (struct str){NULL, 0};
}

static bool member_true(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_value_member(object, str_of(key));
    return value != NULL && value->type == JSON_BOOL && value->boolean;
}

static bool list_has(const struct json_value *list, struct str name)
{
    if (list == NULL || list->type != JSON_ARRAY)
        return false;
    JSON_EACH(item, list) {
        if (item->type == JSON_STRING && str_equal_nocase(item->text, name))
            return true;
    }
    return false;
}

static enum err_code add_columns(struct catalog_builder *builder, const struct json_value *table,
                                 struct err *err)
{
    const struct json_value *columns = json_value_member(table, STR("columns"));
    const struct json_value *unique = json_value_member(table, STR("unique_columns"));
    const struct json_value *primary = json_value_member(table, STR("primary_key"));
    if (columns == NULL || columns->type != JSON_ARRAY)
        return err_set(err, ERR_INVALID, "/tables/%.*s/columns: expected an array, got %s",
                       STR_ARG(table->key), json_value_type_name(columns));
    JSON_EACH(item, columns) {
        struct str name = item->type == JSON_STRING ? item->text : member_str(item, "name");
        if (name.len == 0)
            return err_set(err, ERR_INVALID,
                           "/tables/%.*s/columns: expected names or objects with a name",
                           STR_ARG(table->key));
        struct catalog_column column = {.name = name, .unique = list_has(unique, name)};
        column.primary_key = primary != NULL ? list_has(primary, name)
                                             : column.unique && str_equal_nocase(name, STR("id"));
        if (item->type == JSON_OBJECT) {
            column.declared_type = member_str(item, "type");
            column.type = catalog_type_of(column.declared_type);
            column.comment = member_str(item, "comment");
            column.hidden = member_true(item, "hidden");
            column.pii = member_true(item, "pii");
        }
        enum err_code code = catalog_add_column(builder, &column, err);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

static bool table_has(const struct json_value *tables, struct str table, struct str column)
{
    const struct json_value *found = json_value_member(tables, table);
    const struct json_value *columns = json_value_member(found, STR("columns"));
    if (columns == NULL || columns->type != JSON_ARRAY)
        return false;
    JSON_EACH(item, columns) {
        struct str name = item->type == JSON_STRING ? item->text : member_str(item, "name");
        if (str_equal_nocase(name, column))
            return true;
    }
    return false;
}

/* "from_column":"a" or "from_columns":["a","b"] */
static size_t read_names(const struct json_value *edge, const char *one, const char *many,
                         struct str *names)
{
    const struct json_value *list = json_value_member(edge, str_of(many));
    size_t count = 0;
    names[0] = member_str(edge, one);
    if (list == NULL || list->type != JSON_ARRAY)
        return names[0].len > 0;
    JSON_EACH(item, list) {
        if (item->type != JSON_STRING || count == MAX_PAIRS)
            return 0;
        names[count++] = item->text;
    }
    return count;
}

static enum err_code add_reference(struct catalog_builder *builder, const struct json_value *tables,
                                   const struct json_value *edge, struct err *err)
{
    struct str from[MAX_PAIRS], to[MAX_PAIRS];
    size_t count = read_names(edge, "from_column", "from_columns", from);
    struct str from_table = member_str(edge, "from_table"), to_table = member_str(edge, "to_table");
    if (count == 0 || read_names(edge, "to_column", "to_columns", to) != count)
        return ERR_OK;
    for (size_t i = 0; i < count; i++) {
        if (!table_has(tables, from_table, from[i]) || !table_has(tables, to_table, to[i]))
            return ERR_OK;
    }
    return catalog_add_reference(builder, from, to_table, to, count, err);
}

static enum err_code add_table(struct catalog_builder *builder, const struct json_value *table,
                               struct err *err)
{
    ptrdiff_t dot = str_find_char(table->key, '.');
    const struct json_value *rows = json_value_member(table, STR("row_count"));
    struct catalog_table add = {
        .schema = dot > 0 ? str_slice(table->key, 0, (size_t)dot) : member_str(table, "schema"),
        .name = dot > 0 ? str_from(table->key, (size_t)dot + 1) : table->key,
        .comment = member_str(table, "comment"),
        .is_view = member_true(table, "is_view"),
        .hidden = member_true(table, "hidden"),
        .row_count = rows != NULL && rows->type == JSON_INT ? rows->integer : -1,
    };
    enum err_code code = catalog_add_table(builder, &add, err);
    return code == ERR_OK ? add_columns(builder, table, err) : code;
}

/* References belong to the table added last, so a table's edges are gathered when it is added. */
static enum err_code add_tables(struct catalog_builder *builder, const struct json_value *root,
                                struct err *err)
{
    const struct json_value *tables = json_value_member(root, STR("tables"));
    const struct json_value *edges = json_value_member(root, STR("relationships"));
    enum err_code code = ERR_OK;
    if (tables == NULL || tables->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "/tables: expected an object, got %s",
                       json_value_type_name(tables));
    JSON_EACH(table, tables) {
        if ((code = add_table(builder, table, err)) != ERR_OK)
            return code;
        if (edges == NULL || edges->type != JSON_ARRAY)
            continue;
        JSON_EACH(edge, edges) {
            if (!str_equal(member_str(edge, "from_table"), table->key) ||
                !str_equal(member_str(edge, "type"), STR("foreign_key")))
                continue;
            if ((code = add_reference(builder, tables, edge, err)) != ERR_OK)
                return code;
        }
    }
    return ERR_OK;
}

static enum err_code read_file(struct catalog_builder *builder, struct arena *arena,
                               struct str json, struct err *err)
{
    const struct json_value *root = json_value_parse(arena, json, NULL, err);
    if (root == NULL)
        return err->code;
    if (root->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "expected a JSON object, got %s",
                       json_value_type_name(root));
    enum err_code code = add_tables(builder, root, err);
    if (code != ERR_OK)
        return code;
    struct str tenant = member_str(root, "tenant_column");
    if (tenant.len > 0)
        catalog_set_tenant_column(builder, tenant);
    const struct json_value *secures = json_value_member(root, STR("secure_view_map"));
    if (secures == NULL || secures->type != JSON_OBJECT)
        return ERR_OK;
    JSON_EACH(pair, secures) {
        if (pair->type != JSON_STRING)
            return err_set(err, ERR_INVALID, "/secure_view_map/%.*s: expected a string, got %s",
                           STR_ARG(pair->key), json_value_type_name(pair));
        if ((code = catalog_secure(builder, pair->key, pair->text, err)) != ERR_OK)
            return code;
    }
    return ERR_OK;
}

enum err_code catalog_declare_join_graph(struct catalog_builder *builder, struct str json,
                                         struct err *err)
{
    struct err local = {0};
    struct arena arena;
    arena_init(&arena, FILE_ARENA_BYTES);
    const struct json_value *root = json_value_parse(&arena, json, NULL, &local);
    const struct json_value *edges = json_value_member(root, STR("relationships"));
    enum err_code code = root == NULL ? err_set(err, local.code, "%s", local.text) : ERR_OK;
    for (const struct json_value *edge = edges != NULL && edges->type == JSON_ARRAY ? edges->first
                                                                                    : NULL;
         edge != NULL && code == ERR_OK; edge = edge->next) {
        struct str from[MAX_PAIRS], to[MAX_PAIRS], type = member_str(edge, "type");
        size_t count = read_names(edge, "from_column", "from_columns", from);
        bool is_declared = str_equal(type, STR("foreign_key")) || str_equal(type, STR("manual"));
        if (!is_declared || count == 0 || read_names(edge, "to_column", "to_columns", to) != count)
            continue;
        code = catalog_declare_reference(builder, member_str(edge, "from_table"), from,
                                         member_str(edge, "to_table"), to, count, err);
    }
    arena_fini(&arena);
    return code;
}

enum err_code catalog_from_join_graph(struct str json, struct catalog **out, struct err *err)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct err local = {0};
    struct arena arena;
    *out = NULL;
    if (builder == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
    arena_init(&arena, FILE_ARENA_BYTES);
    enum err_code code = read_file(builder, &arena, json, &local);
    if (code == ERR_OK)
        code = catalog_freeze(builder, out, &local);
    if (code != ERR_OK)
        err_set(err, code, "%s", local.text);
    arena_fini(&arena);
    catalog_builder_destroy(builder);
    return code;
}
