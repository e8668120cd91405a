/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog_names.c - which table or column a name means.
 *
 * Happy path: a table is put under "schema.name" of the schema it lies in and, when no other schema
 * has one like it, under its bare name; a name is folded like those and looked up.
 * Failure paths: the same name twice: ERR_INVALID; no memory; a name that is not there, or that
 * several schemas have and none is the default one: CATALOG_NONE. */
#include "agents/sql/catalog_names.h"

enum { FOLD_BYTES = 2 * CATALOG_NAME_BYTES + 2 };
/* In the map instead of an index: the bare name is not one table's. */
static const uintptr_t several = UINTPTR_MAX;

/* "schema.name" or "name", lower case where the dialect folds; false: longer than any name. */
static bool fold(const struct catalog *catalog, struct str schema, struct str name,
                 char to[static FOLD_BYTES], struct str *key)
{
    size_t len = 0;
    if (schema.len > CATALOG_NAME_BYTES || name.len > CATALOG_NAME_BYTES)
        return false;
    for (size_t i = 0; i < schema.len; i++)
        to[len++] = catalog->case_sensitive ? schema.at[i] : str_lower(schema.at[i]);
    if (schema.len > 0)
        to[len++] = '.';
    for (size_t i = 0; i < name.len; i++)
        to[len++] = catalog->case_sensitive ? name.at[i] : str_lower(name.at[i]);
    *key = str_make(to, len);
    return true;
}

static uintptr_t find_value(const struct catalog *catalog, struct str schema, struct str name)
{
    char room[FOLD_BYTES];
    struct str key;
    if (name.len == 0 || !fold(catalog, schema, name, room, &key))
        return 0;
    uintptr_t value = (uintptr_t)map_find(&catalog->by_name, key);
    if (value == 0 || value == several)
        return value;
    /* A name with a dot in it must not pass for a schema and a name. */
    struct str is = catalog->tables[value - 1].name;
    bool same = catalog->case_sensitive ? str_equal(is, name) : str_equal_nocase(is, name);
    return same ? value : 0;
}

static enum err_code put(struct catalog *catalog, struct str schema, struct str name,
                         uintptr_t value, struct err *err)
{
    char room[FOLD_BYTES];
    struct str key;
    if (!fold(catalog, schema, name, room, &key))
        return err_set(err, ERR_INVALID, "name '%.40s...' is too long", name.at);
    key = arena_str(&catalog->arena, key);
    /* An index, not an address: the map stores what it is given. */
    if (str_is_absent(key) || !map_put(&catalog->by_name, key, (void *)value))
        return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
    return ERR_OK;
}

/* Whether the bare name is taken by a table that has no other. */
static bool is_default(const struct catalog *catalog, uintptr_t value)
{
    return value != 0 && value != several && catalog->tables[value - 1].schema.len == 0;
}

enum err_code catalog_names_index(struct catalog *catalog, int i, struct err *err)
{
    const struct catalog_table *table = &catalog->tables[i];
    struct str home = table->home;
    uintptr_t value = (uintptr_t)i + 1, bare = find_value(catalog, STR(""), table->name);
    enum err_code code = ERR_OK;
    if ((home.len > 0 && find_value(catalog, home, table->name) != 0) ||
        (table->schema.len == 0 && is_default(catalog, bare)))
        return err_set(err, ERR_INVALID, "table '%.*s' is there twice", STR_ARG(table->name));
    if (home.len > 0)
        code = put(catalog, home, table->name, value, err);
    if (code != ERR_OK || (table->schema.len > 0 && is_default(catalog, bare)))
        return code;
    return put(catalog, STR(""), table->name, table->schema.len == 0 || bare == 0 ? value : several,
               err);
}

int catalog_find_table(const struct catalog *catalog, struct str schema, struct str name)
{
    uintptr_t value = find_value(catalog, schema, name);
    return value == 0 || value == several ? CATALOG_NONE : (int)(value - 1);
}

int catalog_find_dotted(const struct catalog *catalog, struct str name)
{
    int found = catalog_find_table(catalog, STR(""), name);
    for (size_t dot = 1; found == CATALOG_NONE && dot < name.len; dot++) {
        if (name.at[dot] == '.')
            found = catalog_find_table(catalog, str_slice(name, 0, dot), str_from(name, dot + 1));
    }
    return found;
}

void catalog_push_name(const struct catalog *catalog, int table, struct buf *out)
{
    int base = catalog->tables[table].secures;
    const struct catalog_table *at = &catalog->tables[base == CATALOG_NONE ? table : base];
    if (at->schema.len > 0)
        buf_printf(out, "%.*s.", STR_ARG(at->schema));
    buf_push(out, at->name);
}

int catalog_find_column(const struct catalog *catalog, int table, struct str name)
{
    const struct catalog_table *in = &catalog->tables[table];
    for (size_t i = 0; i < in->column_count; i++) {
        struct str is = in->columns[i].name;
        if (catalog->case_sensitive_columns ? str_equal(is, name) : str_equal_nocase(is, name))
            return (int)i;
    }
    return CATALOG_NONE;
}

size_t catalog_tables_with_column(const struct catalog *catalog, struct str column, int *tables,
                                  size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < catalog->table_count && count < max; i++) {
        int found = catalog_find_column(catalog, (int)i, column);
        if (catalog->tables[i].hidden || found == CATALOG_NONE)
            continue;
        if (!catalog->tables[i].columns[found].hidden)
            tables[count++] = (int)i;
    }
    return count;
}

bool catalog_is_key(const struct catalog_table *table, const int *columns, size_t count)
{
    if (count == 1 && table->columns[columns[0]].unique)
        return true;
    for (size_t k = 0; k < table->key_count; k++) {
        const struct catalog_key *key = &table->keys[k];
        size_t covered = 0;
        for (size_t i = 0; i < key->column_count; i++) {
            for (size_t c = 0; c < count; c++)
                covered += columns[c] == key->columns[i];
        }
        if (covered == key->column_count)
            return true;
    }
    return false;
}
