/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/introspect_build.c - from a database's answers to a catalog.
 *
 * Happy path: each table's rows in each answer are found once, by one look-up per run of rows of
 * one table; then table by table columns, keys and references are put into a catalog builder.
 * Failure paths: no memory; a mapped secure view that is missing. A key or reference over columns
 * or tables that are not visible (or gone: SQLite only notices when a row is written) is skipped,
 * and so is a table without any visible column. */
#include "agents/sql/catalog/declared.h"
#include "agents/sql/catalog/introspect_internal.h"

#include "agents/sql/catalog/sensitive.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum { MAX_KEY_COLUMNS = 32, MAP_BYTES = 8 << 20, NAMES_BYTES = 64 << 20 };

static struct str text_at(const struct sql_result *result, size_t row, size_t column)
{
    const struct sql_value *value = sql_result_at(result, row, column);
    return value->type == SQL_TEXT || value->type == SQL_BLOB ? value->text : (struct str){NULL, 0};
}

static int64_t int_at(const struct sql_result *result, size_t row, size_t column)
{
    const struct sql_value *value = sql_result_at(result, row, column);
    return value->type == SQL_INT || value->type == SQL_BOOL ? value->integer : 0;
}

/* ---- gather ---- */

/* "home\0name", in lower case where names are so compared. */
static struct str key_of(struct introspect_world *world, struct str home, struct str name)
{
    size_t len = home.len + 1 + name.len;
    char *key = arena_alloc(&world->arena, len);
    if (key == NULL)
        return (struct str){NULL, 0};
    for (size_t i = 0; i < len; i++) {
        char c = i < home.len ? home.at[i] : i == home.len ? '\0' : name.at[i - home.len - 1];
        key[i] = world->case_sensitive ? c : str_lower(c);
    }
    return str_make(key, len);
}

static struct introspect_found *find(struct introspect_world *world, struct str home,
                                     struct str name)
{
    struct str key = key_of(world, home, name);
    return str_is_absent(key) ? NULL : map_find(&world->by_name, key);
}

static bool list_tables(struct introspect_world *world)
{
    const struct sql_result *from = world->answers[INTROSPECT_TABLES];
    for (size_t i = 0; i < from->row_count; i++) {
        struct introspect_found *table = &world->tables[i];
        const struct sql_value *rows = sql_result_at(from, i, TABLE_ROWS);
        int64_t estimate = rows->type == SQL_INT ? rows->integer : -1;
        table->home = text_at(from, i, HOME);
        table->name = text_at(from, i, NAME);
        table->is_bare = int_at(from, i, TABLE_IS_BARE) != 0;
        table->is_view = int_at(from, i, TABLE_IS_VIEW) != 0;
        table->may_count = rows->type == SQL_NULL || estimate >= 0;
        table->row_count = estimate < 0 ? -1 : estimate;
        table->rows[INTROSPECT_TABLES].first = i;
        struct str key = key_of(world, table->home, table->name);
        if (str_is_absent(key) || !map_put(&world->by_name, key, table))
            return false;
    }
    world->table_count = from->row_count;
    return true;
}

/* Give each table its run of rows. Rows of what the tables' answer lacks belong to nobody: it was
 * made between the two answers. */
static void share_rows(struct introspect_world *world, enum introspect_answer answer)
{
    const struct sql_result *from = world->answers[answer];
    for (size_t row = 0, end; row < from->row_count; row = end) {
        struct str home = text_at(from, row, HOME), name = text_at(from, row, NAME);
        for (end = row + 1; end < from->row_count && str_equal(text_at(from, end, NAME), name) &&
                            str_equal(text_at(from, end, HOME), home);)
            end++;
        struct introspect_found *table = find(world, home, name);
        if (table == NULL)
            continue;
        table->rows[answer].first = row;
        table->rows[answer].count = end - row;
    }
}

enum err_code introspect_world_gather(struct introspect_world *world, struct err *err)
{
    const struct sql_result *tables = world->answers[INTROSPECT_TABLES];
    arena_init(&world->arena, NAMES_BYTES);
    map_init(&world->by_name);
    world->case_sensitive = tables->row_count > 0 && int_at(tables, 0, TABLE_CASE_SENSITIVE) != 0;
    world->tables = mem_zalloc(size_max(tables->row_count, 1), sizeof *world->tables);
    if (world->tables != NULL && list_tables(world)) {
        for (int i = INTROSPECT_COLUMNS; i < INTROSPECT_FUNCTIONS; i++)
            share_rows(world, (enum introspect_answer)i);
        if (arena_ok(&world->arena))
            return ERR_OK;
    }
    return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
}

void introspect_world_fini(struct introspect_world *world)
{
    if (world->tables == NULL)
        return;
    map_fini(&world->by_name);
    arena_fini(&world->arena);
    mem_free(world->tables);
    world->tables = NULL;
}

/* ---- build ---- */

struct building {
    struct introspect_world *world;
    struct catalog_builder *builder;
    const struct json_value *secures; /* the map of secure views, or NULL */
    struct err *err;
};

struct columns {
    struct str names[MAX_KEY_COLUMNS];
    size_t count;
};

static bool is_readable(const struct sql_result *columns, size_t row)
{
    return columns->column_count <= COLUMN_READABLE || int_at(columns, row, COLUMN_READABLE) != 0;
}

/* Whether the role may read any of the table's columns. */
static bool is_any_readable(const struct introspect_world *world,
                            const struct introspect_found *table)
{
    size_t first = table->rows[INTROSPECT_COLUMNS].first;
    for (size_t i = 0; i < table->rows[INTROSPECT_COLUMNS].count; i++) {
        if (is_readable(world->answers[INTROSPECT_COLUMNS], first + i))
            return true;
    }
    return false;
}

/* Whether the table has the column, and the role may read it. */
static bool has_column(const struct introspect_world *world, const struct introspect_found *table,
                       struct str column)
{
    const struct sql_result *columns = world->answers[INTROSPECT_COLUMNS];
    size_t first = table->rows[INTROSPECT_COLUMNS].first;
    for (size_t i = 0; i < table->rows[INTROSPECT_COLUMNS].count; i++) {
        struct str is = text_at(columns, first + i, COLUMN_NAME);
        if (!is_readable(columns, first + i))
            continue;
        if (world->dialect->case_sensitive_columns ? str_equal(is, column)
                                                   : str_equal_nocase(is, column))
            return true;
    }
    return false;
}

static bool has_columns(const struct introspect_world *world, const struct introspect_found *table,
                        const struct columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        if (!has_column(world, table, columns->names[i]))
            return false;
    }
    return columns->count > 0;
}

/* One past the last row of the key or reference that begins at row. */
static size_t end_of(const struct sql_result *from, size_t row, size_t last)
{
    const struct sql_value *id = sql_result_at(from, row, KEY_ID);
    size_t end = row + 1;
    for (; end < last; end++) {
        const struct sql_value *other = sql_result_at(from, end, KEY_ID);
        if (other->integer != id->integer || !str_equal(other->text, id->text))
            break;
    }
    return end;
}

static void read_names(const struct sql_result *from, size_t row, size_t end, size_t column,
                       struct columns *to)
{
    to->count = end - row > MAX_KEY_COLUMNS ? 0 : end - row;
    for (size_t i = 0; i < to->count; i++)
        to->names[i] = text_at(from, row + i, column);
}

/* The primary key's columns; or one that is a key by itself. */
static void primary_key(const struct introspect_world *world, const struct introspect_found *table,
                        struct columns *to)
{
    const struct sql_result *keys = world->answers[INTROSPECT_KEYS];
    size_t first = table->rows[INTROSPECT_KEYS].first;
    size_t last = first + table->rows[INTROSPECT_KEYS].count;
    to->count = 0;
    for (size_t row = first, end; row < last; row = end) {
        end = end_of(keys, row, last);
        if (int_at(keys, row, KEY_IS_PRIMARY) != 0)
            read_names(keys, row, end, KEY_COLUMN, to);
    }
}

static bool is_unique(const struct introspect_world *world, const struct introspect_found *table,
                      struct str column)
{
    const struct sql_result *keys = world->answers[INTROSPECT_KEYS];
    size_t first = table->rows[INTROSPECT_KEYS].first;
    size_t last = first + table->rows[INTROSPECT_KEYS].count;
    for (size_t row = first, end; row < last; row = end) {
        end = end_of(keys, row, last);
        if (end == row + 1 && str_equal_nocase(text_at(keys, row, KEY_COLUMN), column))
            return true;
    }
    return false;
}

static bool may_be_text(enum catalog_type type)
{
    return type == CATALOG_TEXT || type == CATALOG_BLOB || type == CATALOG_UNKNOWN;
}

/* ---- what declarations say ---- */

struct told { /* of a column */
    struct str column, comment, allowed;
    struct told *next;
};

static bool tell(struct arena *arena, struct told **told, struct told one)
{
    struct told *kept = arena_alloc(arena, sizeof *kept);
    if (kept == NULL)
        return false;
    one.next = *told;
    *kept = one;
    *told = kept;
    return true;
}

/* The values of a condition that lists some, as SQL writes them. */
static bool tell_list(struct arena *arena, struct str condition, struct told **told)
{
    struct declared_list list;
    struct str allowed = STR("");
    if (!declared_read_list(arena, condition, &list))
        return true;
    for (size_t i = 0; i < list.count; i++) {
        if (str_find_char(list.values[i], ',') != STR_NONE)
            return true;
        allowed = arena_printf(arena, "%.*s%s'%.*s'", STR_ARG(allowed), i > 0 ? ", " : "",
                               STR_ARG(list.values[i]));
    }
    return arena_ok(arena) && tell(arena, told, (struct told){list.column, STR(""), allowed, NULL});
}

/* What SQLite keeps only as the statement that made a table. */
static bool tell_table(struct arena *arena, struct str sql, struct told **told)
{
    const struct declared_item *item;
    bool ok = declared_read_table(arena, sql, &item);
    for (; ok && item != NULL; item = item->next) {
        struct str rest = item->text, condition;
        if (item->name.len > 0 && item->comment.len > 0)
            ok = tell(arena, told, (struct told){item->name, item->comment, STR(""), NULL});
        while (ok && declared_next_check(&rest, &condition))
            ok = tell_list(arena, condition, told);
    }
    return ok;
}

static bool read_told(const struct building *b, const struct introspect_found *table,
                      struct told **told)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_CHECKS];
    size_t first = table->rows[INTROSPECT_CHECKS].first;
    bool ok = true;
    *told = NULL;
    for (size_t i = 0; ok && i < table->rows[INTROSPECT_CHECKS].count; i++) {
        struct str text = text_at(from, first + i, CHECK_TEXT);
        ok = b->world->dialect->checks_are_tables ? tell_table(&b->world->arena, text, told)
                                                  : tell_list(&b->world->arena, text, told);
    }
    return ok;
}

static void hear(const struct told *told, struct catalog_column *column)
{
    for (; told != NULL; told = told->next) {
        if (!str_equal_nocase(told->column, column->name))
            continue;
        if (told->comment.len > 0 && column->comment.len == 0)
            column->comment = told->comment;
        if (told->allowed.len > 0)
            column->allowed = told->allowed;
    }
}

static enum err_code add_columns(const struct building *b, const struct introspect_found *table)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_COLUMNS];
    size_t first = table->rows[INTROSPECT_COLUMNS].first;
    struct columns primary;
    enum err_code code = ERR_OK;
    struct told *told;
    if (!read_told(b, table, &told))
        return err_set(b->err, ERR_NO_MEMORY, "no memory for the catalog");
    primary_key(b->world, table, &primary);
    for (size_t i = 0; i < table->rows[INTROSPECT_COLUMNS].count && code == ERR_OK; i++) {
        struct catalog_column column = {
            .name = text_at(from, first + i, COLUMN_NAME),
            .declared_type = text_at(from, first + i, COLUMN_DECLARED),
            .comment = text_at(from, first + i, COLUMN_COMMENT),
            .type = catalog_type_of(text_at(from, first + i, COLUMN_BASE)),
            .not_null = int_at(from, first + i, COLUMN_NOT_NULL) != 0,
        };
        hear(told, &column);
        enum sensitive sensitive = sensitive_column(column.name, may_be_text(column.type));
        for (size_t k = 0; k < primary.count; k++)
            column.primary_key =
                column.primary_key || str_equal_nocase(primary.names[k], column.name);
        column.unique = is_unique(b->world, table, column.name);
        column.not_null = column.not_null || column.primary_key;
        column.unreadable = !is_readable(from, first + i);
        column.hidden =
            column.unreadable || (sensitive == SENSITIVE_SECRET && !b->world->show_private);
        column.pii = sensitive != SENSITIVE_NOT;
        code = catalog_add_column(b->builder, &column, b->err);
    }
    return code;
}

static enum err_code add_keys(const struct building *b, const struct introspect_found *table)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_KEYS];
    size_t first = table->rows[INTROSPECT_KEYS].first;
    size_t last = first + table->rows[INTROSPECT_KEYS].count;
    enum err_code code = ERR_OK;
    for (size_t row = first, end; row < last && code == ERR_OK; row = end) {
        struct columns columns;
        end = end_of(from, row, last);
        read_names(from, row, end, KEY_COLUMN, &columns);
        if (has_columns(b->world, table, &columns))
            code = catalog_add_key(b->builder, columns.names, columns.count,
                                   int_at(from, row, KEY_IS_PRIMARY) != 0, b->err);
    }
    return code;
}

static enum err_code add_reference(const struct building *b, const struct introspect_found *table,
                                   size_t row, size_t end)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_REFERENCES];
    struct str home = text_at(from, row, REFERENCE_HOME),
               name = text_at(from, row, REFERENCE_TABLE);
    struct introspect_found *parent = find(b->world, home, name);
    struct columns own, to;
    if (parent == NULL)
        return ERR_OK;
    read_names(from, row, end, REFERENCE_FROM, &own);
    read_names(from, row, end, REFERENCE_TO, &to);
    if (str_is_absent(text_at(from, row, REFERENCE_TO)))
        primary_key(b->world, parent, &to);
    if (to.count != own.count || !has_columns(b->world, table, &own) ||
        !has_columns(b->world, parent, &to))
        return ERR_OK;
    struct str target = name;
    if (!parent->is_bare)
        target = arena_printf(&b->world->arena, "%.*s.%.*s", STR_ARG(home), STR_ARG(name));
    if (str_is_absent(target))
        return err_set(b->err, ERR_NO_MEMORY, "no memory for the catalog");
    return catalog_add_reference(b->builder, own.names, target, to.names, own.count, b->err);
}

static enum err_code add_references(const struct building *b, const struct introspect_found *table)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_REFERENCES];
    size_t first = table->rows[INTROSPECT_REFERENCES].first;
    size_t last = first + table->rows[INTROSPECT_REFERENCES].count;
    enum err_code code = ERR_OK;
    for (size_t row = first, end; row < last && code == ERR_OK; row = end) {
        end = end_of(from, row, last);
        code = add_reference(b, table, row, end);
    }
    return code;
}

/* Whether a secure view stands for the table, "name" or "home.name" in the map. */
static bool is_mapped(const struct json_value *map, struct str name)
{
    for (const struct json_value *pair = map == NULL ? NULL : map->first; pair != NULL;
         pair = pair->next) {
        ptrdiff_t dot = str_find_char(pair->key, '.');
        struct str bare = dot == STR_NONE ? pair->key : str_from(pair->key, (size_t)dot + 1);
        if (str_equal_nocase(bare, name) || str_equal_nocase(pair->key, name))
            return true;
    }
    return false;
}

static bool is_of_secrets(const struct building *b, const struct introspect_found *found)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_COLUMNS];
    size_t first = found->rows[INTROSPECT_COLUMNS].first;
    bool logins = false;
    for (size_t i = 0; i < found->rows[INTROSPECT_COLUMNS].count; i++)
        logins = logins || sensitive_is_of_logins(text_at(from, first + i, COLUMN_NAME));
    return sensitive_table(found->name) || (logins && sensitive_may_be_logins(found->name));
}

/* The rows of a table are also those of what it inherits from, and hidden with them. */
static bool is_hidden(const struct building *b, const struct introspect_found *found)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_TABLES];
    bool hidden = is_of_secrets(b, found) && !b->world->show_private;
    struct str rest = from->column_count <= TABLE_ANCESTORS
                          ? str_make(NULL, 0)
                          : text_at(from, found->rows[INTROSPECT_TABLES].first, TABLE_ANCESTORS);
    while (!str_is_absent(rest)) {
        struct str name = str_split(&rest, '\n');
        hidden = hidden || is_mapped(b->secures, name) ||
                 (sensitive_table(name) && !b->world->show_private);
    }
    return hidden;
}

static enum err_code add_table(const struct building *b, const struct introspect_found *found)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_TABLES];
    struct catalog_table table = {
        .schema = found->is_bare ? STR("") : found->home,
        .home = found->home,
        .name = found->name,
        .comment = text_at(from, found->rows[INTROSPECT_TABLES].first, TABLE_COMMENT),
        .is_view = found->is_view,
        .hidden = is_hidden(b, found),
        .row_count = found->row_count,
    };
    if (!is_any_readable(b->world, found))
        return ERR_OK;
    enum err_code code = catalog_add_table(b->builder, &table, b->err);
    if (code == ERR_OK)
        code = add_columns(b, found);
    if (code == ERR_OK)
        code = add_keys(b, found);
    return code == ERR_OK ? add_references(b, found) : code;
}

static enum err_code read_secure_views(struct arena *arena, struct str json,
                                       const struct json_value **map, struct err *err)
{
    *map = NULL;
    if (json.len == 0)
        return ERR_OK;
    const struct json_value *value = json_value_parse(arena, json, NULL, err);
    if (value == NULL)
        return err->code;
    if (value->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "secure views: expected an object, got %s",
                       json_value_type_name(value));
    *map = value;
    return ERR_OK;
}

static enum err_code add_secure_views(const struct building *b)
{
    enum err_code code = ERR_OK;
    for (const struct json_value *pair = b->secures == NULL ? NULL : b->secures->first;
         pair != NULL && code == ERR_OK; pair = pair->next) {
        if (pair->type == JSON_STRING)
            code = catalog_secure(b->builder, pair->key, pair->text, b->err);
        else
            code = err_set(b->err, ERR_INVALID, "secure views: /%.*s: expected a string, got %s",
                           STR_ARG(pair->key), json_value_type_name(pair));
    }
    return code;
}

static enum err_code add_functions(const struct building *b, struct arena *arena)
{
    const struct sql_result *from = b->world->answers[INTROSPECT_FUNCTIONS];
    if (from->row_count == 0)
        return ERR_OK;
    struct str *names = arena_array(arena, from->row_count, sizeof *names);
    if (names == NULL)
        return err_set(b->err, ERR_NO_MEMORY, "no memory for the catalog");
    for (size_t i = 0; i < from->row_count; i++)
        names[i] = text_at(from, i, NAME);
    return catalog_set_functions(b->builder, names, from->row_count, b->err);
}

enum err_code introspect_world_build(struct introspect_world *world,
                                     const struct introspect_options *options, struct catalog **out,
                                     struct err *err)
{
    struct catalog_builder *builder = catalog_builder_create();
    if (builder == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
    struct arena arena;
    struct building b = {.world = world, .builder = builder, .err = err};
    arena_init(&arena, MAP_BYTES);
    enum err_code code = read_secure_views(&arena, options->secure_views, &b.secures, err);
    catalog_set_case_sensitive(builder, world->case_sensitive,
                               world->dialect->case_sensitive_columns);
    for (size_t i = 0; i < world->table_count && code == ERR_OK; i++)
        code = add_table(&b, &world->tables[i]);
    if (code == ERR_OK)
        code = add_functions(&b, &arena);
    if (code == ERR_OK)
        code = add_secure_views(&b);
    if (code == ERR_OK) {
        if (options->tenant_column.len > 0)
            catalog_set_tenant_column(builder, options->tenant_column);
        for (size_t i = 0; i < options->change_count; i++)
            catalog_change(builder, &options->changes[i]);
        for (size_t i = 0; i < options->rule_count; i++)
            if (options->rules[i].access != COLUMN_ACCESS_CLEAR)
                catalog_change_to_pii(builder, options->rules[i].table, options->rules[i].column);
        for (size_t i = 0; i < countof(options->declared) && code == ERR_OK; i++)
            if (options->declared[i].len > 0)
                code = catalog_declare_join_graph(builder, options->declared[i], err);
    }
    if (code == ERR_OK) {
        catalog_set_complete(builder, true);
        code = catalog_freeze(builder, out, err);
    }
    arena_fini(&arena);
    catalog_builder_destroy(builder);
    return code;
}
