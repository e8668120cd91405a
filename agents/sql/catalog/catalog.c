/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog.c - tables and columns gathered as drafts, then frozen into arrays.
 *
 * Happy path: add tables, their columns and references in any order of reference; freeze resolves
 * names to indices, applies the secure-view map and the tenant column, builds the name index, and
 * finds the cheapest way from each table to one that names its company.
 * Failure paths:
 *  - a duplicate, unknown or empty name, a missing secure view: ERR_INVALID naming it; the frozen
 *    catalog is not made and the builder is only good for destroy;
 *  - no memory: ERR_NO_MEMORY, likewise.
 * Drafts live in an arena of their own, so that the catalog keeps only what it needs. */
#include "agents/sql/catalog/catalog.h"

#include "agents/sql/catalog/catalog_change.h"
#include "agents/sql/catalog/naming.h"
#include "core/base/mem.h"

enum {
    CATALOG_BYTES = 64 << 20, /* the largest schema we serve; openmrs needs 300 KiB */
    MAX_TABLES = 100 * 1000,  /* so that an index always fits an int */
    NAME_BYTES = 512,         /* of one name */
    FOLD_BYTES = 2 * NAME_BYTES + 2,
};

struct draft_reference {
    struct draft_reference *next;
    struct str to_table;
    struct str *columns, *to_columns;
    size_t column_count;
};

struct draft_key {
    struct draft_key *next;
    struct str *columns;
    size_t column_count;
    bool primary;
};

struct draft_column {
    struct draft_column *next;
    struct catalog_column column;
};

struct draft_table {
    struct draft_table *next;
    struct catalog_table table;
    struct draft_column *columns, **columns_end;
    struct draft_reference *references, **references_end;
    struct draft_key *keys, **keys_end;
    struct str tenant_column; /* its own, or empty: the builder's */
};

struct draft_secure {
    struct draft_secure *next;
    struct str logical, view;
};

struct catalog_builder {
    struct catalog *catalog; /* being made; strings are copied into its arena at once */
    struct arena drafts;
    struct draft_table *tables, *last, **tables_end;
    struct draft_secure *secures, **secures_end;
    size_t table_count;
    struct str tenant_column;
};

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
}

/* ---- which table or column a name means ----
 *
 * A table is put under "schema.name" of the schema it lies in and, when no other schema has one
 * like it, under its bare name; a name is folded like those and looked up. A name that is not
 * there, or that several schemas have and none is the default one, is CATALOG_NONE. */

/* In the map instead of an index: the bare name is not one table's. */
static const uintptr_t several = UINTPTR_MAX;

/* "schema.name" or "name", lower case where the dialect folds; false: longer than any name. */
static bool fold(const struct catalog *catalog, struct str schema, struct str name,
                 char to[static FOLD_BYTES], struct str *key)
{
    size_t len = 0;
    if (schema.len > NAME_BYTES || name.len > NAME_BYTES)
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

static enum err_code put_name(struct catalog *catalog, struct str schema, struct str name,
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

static enum err_code index_names(struct catalog *catalog, int i, struct err *err)
{
    const struct catalog_table *table = &catalog->tables[i];
    struct str home = table->home;
    uintptr_t value = (uintptr_t)i + 1, bare = find_value(catalog, STR(""), table->name);
    enum err_code code = ERR_OK;
    if ((home.len > 0 && find_value(catalog, home, table->name) != 0) ||
        (table->schema.len == 0 && is_default(catalog, bare)))
        return err_set(err, ERR_INVALID, "table '%.*s' is there twice", STR_ARG(table->name));
    if (home.len > 0)
        code = put_name(catalog, home, table->name, value, err);
    if (code != ERR_OK || (table->schema.len > 0 && is_default(catalog, bare)))
        return code;
    return put_name(catalog, STR(""), table->name,
                    table->schema.len == 0 || bare == 0 ? value : several, err);
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

/* ---- drafts ---- */

struct catalog_builder *catalog_builder_create(void)
{
    struct catalog_builder *builder = mem_zalloc(1, sizeof *builder);
    struct catalog *catalog = mem_zalloc(1, sizeof *catalog);
    if (builder == NULL || catalog == NULL) {
        mem_free(builder);
        mem_free(catalog);
        return NULL;
    }
    arena_init(&catalog->arena, CATALOG_BYTES);
    map_init(&catalog->by_name);
    arena_init(&builder->drafts, CATALOG_BYTES);
    builder->catalog = catalog;
    builder->tables_end = &builder->tables;
    builder->secures_end = &builder->secures;
    return builder;
}

void catalog_builder_destroy(struct catalog_builder *builder)
{
    if (builder == NULL)
        return;
    catalog_destroy(builder->catalog);
    arena_fini(&builder->drafts);
    mem_free(builder);
}

static struct str copy_text(struct arena *arena, struct str text)
{
    return text.len == 0 ? STR("") : arena_str(arena, text);
}

static enum err_code check_name(const char *what, struct str name, struct err *err)
{
    if (name.len == 0 || name.len > NAME_BYTES)
        return err_set(err, ERR_INVALID, "a %s name has 1 to %d bytes, this one has %zu", what,
                       NAME_BYTES, name.len);
    return ERR_OK;
}

enum err_code catalog_add_table(struct catalog_builder *builder, const struct catalog_table *table,
                                struct err *err)
{
    enum err_code code = check_name("table", table->name, err);
    if (code != ERR_OK)
        return code;
    if (table->schema.len > NAME_BYTES || table->home.len > NAME_BYTES)
        return check_name("schema",
                          table->schema.len > table->home.len ? table->schema : table->home, err);
    if (builder->table_count == MAX_TABLES)
        return err_set(err, ERR_INVALID, "more than %d tables", MAX_TABLES);
    struct draft_table *draft = arena_alloc(&builder->drafts, sizeof *draft);
    if (draft == NULL)
        return no_memory(err);
    struct arena *arena = &builder->catalog->arena;
    draft->table = *table;
    draft->table.name = arena_str(arena, table->name);
    draft->table.schema = copy_text(arena, table->schema);
    draft->table.home = copy_text(arena, table->home.len == 0 ? table->schema : table->home);
    draft->table.comment = copy_text(arena, table->comment);
    if (!arena_ok(arena))
        return no_memory(err);
    draft->columns_end = &draft->columns;
    draft->references_end = &draft->references;
    draft->keys_end = &draft->keys;
    *builder->tables_end = builder->last = draft;
    builder->tables_end = &draft->next;
    builder->table_count++;
    return ERR_OK;
}

enum err_code catalog_add_column(struct catalog_builder *builder,
                                 const struct catalog_column *column, struct err *err)
{
    enum err_code code = check_name("column", column->name, err);
    struct draft_table *table = builder->last;
    if (code != ERR_OK)
        return code;
    if (table == NULL)
        return err_set(err, ERR_INVALID, "column '%.*s' comes before any table",
                       STR_ARG(column->name));
    struct draft_column *draft = arena_alloc(&builder->drafts, sizeof *draft);
    if (draft == NULL)
        return no_memory(err);
    struct arena *arena = &builder->catalog->arena;
    draft->column = *column;
    draft->column.name = arena_str(arena, column->name);
    draft->column.declared_type = copy_text(arena, column->declared_type);
    draft->column.comment = copy_text(arena, column->comment);
    draft->column.allowed = copy_text(arena, column->allowed);
    if (!arena_ok(arena))
        return no_memory(err);
    *table->columns_end = draft;
    table->columns_end = &draft->next;
    table->table.column_count++;
    return ERR_OK;
}

static struct str *copy_names(struct arena *arena, const struct str *names, size_t count)
{
    struct str *copies = arena_array(arena, count, sizeof *copies);
    for (size_t i = 0; copies != NULL && i < count; i++)
        copies[i] = arena_str(arena, names[i]);
    return copies;
}

enum err_code catalog_add_reference(struct catalog_builder *builder, const struct str *columns,
                                    struct str to_table, const struct str *to_columns,
                                    size_t column_count, struct err *err)
{
    struct draft_table *table = builder->last;
    if (table == NULL || column_count == 0)
        return err_set(err, ERR_INVALID, "a reference to '%.*s' needs a table and columns",
                       STR_ARG(to_table));
    struct draft_reference *draft = arena_alloc(&builder->drafts, sizeof *draft);
    if (draft == NULL)
        return no_memory(err);
    draft->to_table = arena_str(&builder->drafts, to_table);
    draft->columns = copy_names(&builder->drafts, columns, column_count);
    draft->to_columns = copy_names(&builder->drafts, to_columns, column_count);
    draft->column_count = column_count;
    if (!arena_ok(&builder->drafts))
        return no_memory(err);
    *table->references_end = draft;
    table->references_end = &draft->next;
    table->table.reference_count++;
    return ERR_OK;
}

static const struct draft_column *find_draft_column(const struct draft_table *table,
                                                    struct str name)
{
    const struct draft_column *at = table->columns;
    while (at != NULL && !str_equal_nocase(at->column.name, name))
        at = at->next;
    return at;
}

static bool is_named(const struct draft_table *table, struct str name)
{
    struct str home = table->table.home, own = table->table.name;
    bool dotted = name.len == home.len + 1 + own.len && name.at[home.len] == '.' &&
                  str_equal(str_slice(name, 0, home.len), home) && str_ends_with(name, own);
    return str_equal(name, own) || dotted;
}

static struct draft_table *find_draft(struct catalog_builder *builder, struct str name)
{
    struct draft_table *at = builder->tables;
    while (at != NULL && !is_named(at, name))
        at = at->next;
    return at;
}

static bool has_reference(const struct draft_table *table, struct str to_table,
                          const struct str *columns, size_t column_count)
{
    for (const struct draft_reference *at = table->references; at != NULL; at = at->next) {
        bool same = at->column_count == column_count && str_equal(at->to_table, to_table);
        for (size_t i = 0; same && i < column_count; i++)
            same = str_equal_nocase(at->columns[i], columns[i]);
        if (same)
            return true;
    }
    return false;
}

enum err_code catalog_declare_reference(struct catalog_builder *builder, struct str from_table,
                                        const struct str *columns, struct str to_table,
                                        const struct str *to_columns, size_t column_count,
                                        struct err *err)
{
    struct draft_table *from = find_draft(builder, from_table), *last = builder->last;
    const struct draft_table *to = find_draft(builder, to_table);
    if (from == NULL || to == NULL || has_reference(from, to_table, columns, column_count))
        return ERR_OK;
    for (size_t i = 0; i < column_count; i++) {
        const struct draft_column *own = find_draft_column(from, columns[i]);
        const struct draft_column *other = find_draft_column(to, to_columns[i]);
        if (own == NULL || other == NULL || own->column.unreadable || other->column.unreadable)
            return ERR_OK;
    }
    builder->last = from;
    enum err_code code =
        catalog_add_reference(builder, columns, to_table, to_columns, column_count, err);
    builder->last = last;
    return code;
}

enum err_code catalog_add_key(struct catalog_builder *builder, const struct str *columns,
                              size_t column_count, bool primary, struct err *err)
{
    struct draft_table *table = builder->last;
    if (table == NULL || column_count == 0)
        return err_set(err, ERR_INVALID, "a key needs a table and columns");
    struct draft_key *draft = arena_alloc(&builder->drafts, sizeof *draft);
    if (draft == NULL)
        return no_memory(err);
    draft->columns = copy_names(&builder->drafts, columns, column_count);
    draft->column_count = column_count;
    draft->primary = primary;
    if (!arena_ok(&builder->drafts))
        return no_memory(err);
    *table->keys_end = draft;
    table->keys_end = &draft->next;
    table->table.key_count++;
    return ERR_OK;
}

enum err_code catalog_secure(struct catalog_builder *builder, struct str logical, struct str view,
                             struct err *err)
{
    struct draft_secure *draft = arena_alloc(&builder->drafts, sizeof *draft);
    if (draft == NULL)
        return no_memory(err);
    draft->logical = arena_str(&builder->drafts, logical);
    draft->view = arena_str(&builder->drafts, view);
    if (!arena_ok(&builder->drafts))
        return no_memory(err);
    *builder->secures_end = draft;
    builder->secures_end = &draft->next;
    return ERR_OK;
}

void catalog_set_tenant_column(struct catalog_builder *builder, struct str column)
{
    /* A copy that finds no memory leaves the arena exhausted, which freeze reports. */
    builder->tenant_column = arena_str(&builder->drafts, column);
}

void catalog_set_case_sensitive(struct catalog_builder *builder, bool tables, bool columns)
{
    builder->catalog->case_sensitive = tables;
    builder->catalog->case_sensitive_columns = columns;
}

void catalog_set_complete(struct catalog_builder *builder, bool complete)
{
    builder->catalog->complete = complete;
}

enum err_code catalog_set_functions(struct catalog_builder *builder, const struct str *names,
                                    size_t count, struct err *err)
{
    struct catalog *catalog = builder->catalog;
    struct str *functions = arena_array(&catalog->arena, size_max(count, 1), sizeof *functions);
    for (size_t i = 0; functions != NULL && i < count; i++)
        functions[i] = arena_str(&catalog->arena, names[i]);
    if (!arena_ok(&catalog->arena))
        return no_memory(err);
    catalog->functions = functions;
    catalog->function_count = count;
    return ERR_OK;
}

/* Any letter beyond ASCII is taken for the same letter without its accent. */
static bool may_be_called(struct str function, struct str name)
{
    size_t at = 0;
    for (size_t i = 0; i < function.len; at++) {
        unsigned char c = (unsigned char)function.at[i++];
        if (at == name.len || (c < 0x80 && str_lower((char)c) != str_lower(name.at[at])))
            return false;
        while (c >= 0x80 && i < function.len && ((unsigned char)function.at[i] & 0xc0) == 0x80)
            i++;
    }
    return at == name.len;
}

bool catalog_has_function(const struct catalog *catalog, struct str name)
{
    for (size_t i = 0; i < catalog->function_count; i++)
        if (may_be_called(catalog->functions[i], name))
            return true;
    return false;
}

static bool is_meant(const struct catalog_builder *builder, const struct draft_table *draft,
                     struct str name)
{
    struct str table = draft->table.name;
    bool secures = false;
    for (const struct draft_secure *pair = builder->secures; pair != NULL; pair = pair->next)
        secures = secures || (str_equal(pair->logical, name) && str_equal(pair->view, table));
    return is_named(draft, name) || secures;
}

static void restrict_column(struct catalog_column *column, enum column_access access)
{
    if (access == COLUMN_ACCESS_CLEAR || column->hidden)
        return; /* nothing gives back what is hidden for another reason */
    column->access = access;
    column->pii = true;
    column->hidden = access == COLUMN_ACCESS_HIDDEN || access == COLUMN_ACCESS_PRIVATE;
}

/* A view may show a column under its name. */
static void restrict_views(struct catalog_builder *builder, const struct catalog_change *change)
{
    for (struct draft_table *draft = builder->tables; draft != NULL; draft = draft->next)
        for (struct draft_column *at = draft->columns; at != NULL; at = at->next)
            if (draft->table.is_view && at->column.access == COLUMN_ACCESS_CLEAR &&
                str_equal_nocase(at->column.name, change->column))
                restrict_column(&at->column, change->access);
}

/* Whether name is the table of a dotted name, in whatever case. */
static bool is_end_of(struct str name, struct str dotted)
{
    if (name.len > dotted.len)
        return false;
    size_t before = dotted.len - name.len;
    return str_equal_nocase(name, str_from(dotted, before)) &&
           (before == 0 || dotted.at[before - 1] == '.');
}

void catalog_change_to_pii(struct catalog_builder *builder, struct str table, struct str column)
{
    for (struct draft_table *draft = builder->tables; draft != NULL; draft = draft->next)
        for (struct draft_column *at = draft->columns; at != NULL; at = at->next)
            at->column.pii =
                at->column.pii || (str_equal_nocase(at->column.name, column) &&
                                   (draft->table.is_view || is_end_of(draft->table.name, table)));
}

void catalog_change(struct catalog_builder *builder, const struct catalog_change *change)
{
    struct arena *arena = &builder->catalog->arena;
    for (struct draft_table *draft = builder->tables; draft != NULL; draft = draft->next) {
        struct str *comment = change->column.len == 0 ? &draft->table.comment : NULL;
        if (!is_meant(builder, draft, change->table))
            continue;
        if (change->tenant.len > 0)
            draft->tenant_column = arena_str(arena, change->tenant);
        for (struct draft_column *at = draft->columns; at != NULL; at = at->next) {
            if (!str_equal(at->column.name, change->column))
                continue;
            comment = &at->column.comment;
            at->column.pii = change->pii < 0 ? at->column.pii : change->pii != 0;
            restrict_column(&at->column, change->access);
        }
        if (comment != NULL && change->comment.len > 0)
            *comment = arena_printf(arena, "%.*s%s%.*s", STR_ARG(change->comment),
                                    comment->len > 0 ? "; " : "", STR_ARG(*comment));
    }
    if (change->access != COLUMN_ACCESS_CLEAR)
        restrict_views(builder, change);
}

static enum err_code freeze_columns(struct catalog *catalog, const struct draft_table *draft,
                                    struct catalog_table *table, struct err *err)
{
    struct catalog_column *columns =
        arena_array(&catalog->arena, table->column_count, sizeof *columns);
    struct map seen;
    enum err_code code = ERR_OK;
    size_t n = 0;
    if (columns == NULL)
        return no_memory(err);
    map_init(&seen);
    for (const struct draft_column *from = draft->columns; from != NULL; from = from->next) {
        char room[NAME_BYTES];
        struct str key = from->column.name;
        columns[n++] = from->column;
        for (size_t i = 0; i < key.len; i++)
            room[i] = catalog->case_sensitive_columns ? key.at[i] : str_lower(key.at[i]);
        key = arena_str(&catalog->arena, str_make(room, key.len));
        if (!str_is_absent(key) && map_find(&seen, key) != NULL) {
            code = err_set(err, ERR_INVALID, "column '%.*s' of table '%.*s' is there twice",
                           STR_ARG(from->column.name), STR_ARG(table->name));
            break;
        }
        if (str_is_absent(key) || !map_put(&seen, key, columns)) {
            code = no_memory(err);
            break;
        }
    }
    map_fini(&seen);
    table->columns = columns;
    return code;
}

static enum err_code resolve_reference(struct catalog *catalog, int from,
                                       const struct draft_reference *draft,
                                       struct catalog_reference *reference, struct err *err)
{
    int to = catalog_find_dotted(catalog, draft->to_table);
    if (to == CATALOG_NONE)
        return err_set(err, ERR_INVALID, "table '%.*s' refers to '%.*s', which is not there",
                       STR_ARG(catalog->tables[from].name), STR_ARG(draft->to_table));
    int *columns = arena_array(&catalog->arena, draft->column_count, sizeof *columns);
    int *to_columns = arena_array(&catalog->arena, draft->column_count, sizeof *to_columns);
    if (columns == NULL || to_columns == NULL)
        return no_memory(err);
    for (size_t i = 0; i < draft->column_count; i++) {
        columns[i] = catalog_find_column(catalog, from, draft->columns[i]);
        to_columns[i] = catalog_find_column(catalog, to, draft->to_columns[i]);
        if (columns[i] == CATALOG_NONE || to_columns[i] == CATALOG_NONE)
            return err_set(err, ERR_INVALID, "reference %.*s.%.*s -> %.*s.%.*s names no column",
                           STR_ARG(catalog->tables[from].name), STR_ARG(draft->columns[i]),
                           STR_ARG(draft->to_table), STR_ARG(draft->to_columns[i]));
    }
    *reference = (struct catalog_reference){columns, to, to_columns, draft->column_count};
    return ERR_OK;
}

static enum err_code freeze_references(struct catalog *catalog, struct catalog_table *tables,
                                       const struct catalog_builder *builder, struct err *err)
{
    size_t i = 0;
    for (const struct draft_table *draft = builder->tables; draft != NULL; draft = draft->next) {
        struct catalog_reference *references =
            arena_array(&catalog->arena, tables[i].reference_count, sizeof *references);
        size_t n = 0;
        if (references == NULL)
            return no_memory(err);
        tables[i].references = references;
        for (const struct draft_reference *from = draft->references; from != NULL;
             from = from->next) {
            enum err_code code = resolve_reference(catalog, (int)i, from, &references[n++], err);
            if (code != ERR_OK)
                return code;
        }
        i++;
    }
    return ERR_OK;
}

/* Columns that say they are the primary key make one, if nobody added it as a key. */
static void add_flagged_key(const struct catalog_table *table, struct catalog_key *keys,
                            int *columns)
{
    size_t count = 0;
    for (size_t i = 0; i < table->key_count; i++) {
        if (keys[i].primary)
            return;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].primary_key)
            columns[count++] = (int)i;
    }
    keys[table->key_count] = (struct catalog_key){columns, count, true};
}

static enum err_code freeze_keys(struct catalog *catalog, const struct draft_table *draft,
                                 struct catalog_table *table, int index, struct err *err)
{
    struct catalog_key *keys = arena_array(&catalog->arena, table->key_count + 1, sizeof *keys);
    int *flagged = arena_array(&catalog->arena, table->column_count, sizeof *flagged);
    size_t n = 0;
    if (keys == NULL || flagged == NULL)
        return no_memory(err);
    for (const struct draft_key *from = draft->keys; from != NULL; from = from->next) {
        int *columns = arena_array(&catalog->arena, from->column_count, sizeof *columns);
        if (columns == NULL)
            return no_memory(err);
        for (size_t i = 0; i < from->column_count; i++) {
            columns[i] = catalog_find_column(catalog, index, from->columns[i]);
            if (columns[i] == CATALOG_NONE)
                return err_set(err, ERR_INVALID, "a key of table '%.*s' names no column '%.*s'",
                               STR_ARG(table->name), STR_ARG(from->columns[i]));
        }
        keys[n++] = (struct catalog_key){columns, from->column_count, from->primary};
    }
    add_flagged_key(table, keys, flagged);
    table->keys = keys;
    table->key_count += keys[table->key_count].column_count > 0;
    return ERR_OK;
}

/* C34: a map that names a view the database lacks must not start; all of them at once. */
static enum err_code apply_secures(struct catalog *catalog, struct catalog_table *tables,
                                   const struct catalog_builder *builder, struct err *err)
{
    struct buf missing;
    enum err_code code = ERR_OK;
    buf_init(&missing, ERR_TEXT_BYTES * 4);
    for (const struct draft_secure *pair = builder->secures; pair != NULL; pair = pair->next) {
        int view = catalog_find_dotted(catalog, pair->view);
        int base = catalog_find_dotted(catalog, pair->logical);
        /* The map is literal (C34): where names are case-sensitive the lookup is, too. */
        if (view == CATALOG_NONE) {
            buf_printf(&missing, "%s%.*s", buf_len(&missing) == 0 ? "" : ", ", STR_ARG(pair->view));
            continue;
        }
        if (base == CATALOG_NONE || base == view)
            continue; /* the role cannot see the base table: nothing to hide */
        tables[base].hidden = true;
        tables[base].secure_view = view;
        tables[view].secures = base;
    }
    if (buf_len(&missing) > 0 || !buf_ok(&missing))
        code = err_set(err, ERR_INVALID, "secure views that do not exist: %.*s",
                       STR_ARG(buf_str(&missing)));
    buf_fini(&missing);
    return code;
}

/* ---- whose rows a table holds, where it does not say so ----
 *
 * What a tenant column refers to is the companies' own table, and the column referred to its key;
 * from all tables that have either, costs are carried against the references until none falls. A
 * step costs one; more where it may be NULL, since rows without a parent have no company; most
 * where it says who touched the row, which is not whose the row is. Costs are above zero, so the
 * ways have no circles. Of equal ways the reference that comes first is taken. */

enum { STEP = 1, STEP_NULLABLE = 1000, STEP_AUDIT = 1000 * 1000 };

static void find_keys(const struct catalog *catalog, struct catalog_table *tables)
{
    for (size_t i = 0; i < catalog->table_count; i++) {
        const struct catalog_table *from = &tables[i];
        for (size_t r = 0; r < from->reference_count; r++) {
            const struct catalog_reference *reference = &from->references[r];
            struct catalog_table *to = &tables[reference->to_table];
            if (from->tenant_column != CATALOG_NONE && reference->column_count == 1 &&
                reference->columns[0] == from->tenant_column && to->tenant_column == CATALOG_NONE &&
                to->tenant_key == CATALOG_NONE)
                to->tenant_key = reference->to_columns[0];
        }
    }
}

static uint64_t cost_of(const struct catalog_table *table,
                        const struct catalog_reference *reference)
{
    bool nullable = false, audit = false;
    for (size_t i = 0; i < reference->column_count; i++) {
        const struct catalog_column *column = &table->columns[reference->columns[i]];
        nullable = nullable || !(column->not_null || column->primary_key);
        audit = audit || sql_naming_is_audit(column->name);
    }
    return (uint64_t)(STEP + (nullable ? STEP_NULLABLE : 0) + (audit ? STEP_AUDIT : 0));
}

/* Whether the table got a cheaper way. */
static bool improve(struct catalog_table *table, const uint64_t *costs, uint64_t *cost)
{
    bool better = false;
    for (size_t r = 0; *cost > 0 && r < table->reference_count; r++) {
        uint64_t beyond = costs[table->references[r].to_table];
        uint64_t whole =
            beyond == UINT64_MAX ? UINT64_MAX : beyond + cost_of(table, &table->references[r]);
        if (whole >= *cost)
            continue;
        *cost = whole;
        table->tenant_reference = (int)r;
        better = true;
    }
    return better;
}

static enum err_code find_tenancy(struct catalog *catalog, struct catalog_table *tables,
                                  struct err *err)
{
    uint64_t *costs = mem_zalloc(catalog->table_count + 1, sizeof *costs);
    if (costs == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
    find_keys(catalog, tables);
    for (size_t i = 0; i < catalog->table_count; i++)
        costs[i] = tables[i].tenant_column != CATALOG_NONE || tables[i].tenant_key != CATALOG_NONE
                       ? 0
                       : UINT64_MAX;
    for (bool better = true; better;) {
        better = false;
        for (size_t i = 0; i < catalog->table_count; i++)
            better = improve(&tables[i], costs, &costs[i]) || better;
    }
    mem_free(costs);
    return ERR_OK;
}

/* In any case: "companyId" configured as "companyid" must not go unfiltered. */
static int find_tenant_column(const struct catalog_table *table, struct str name)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (name.len > 0 && str_equal_nocase(table->columns[i].name, name))
            return (int)i;
    }
    return CATALOG_NONE;
}

static enum err_code fill(struct catalog *catalog, struct catalog_builder *builder, struct err *err)
{
    struct catalog_table *tables =
        arena_array(&catalog->arena, builder->table_count, sizeof *tables);
    size_t i = 0;
    enum err_code code = ERR_OK;
    if (tables == NULL || !arena_ok(&builder->drafts))
        return no_memory(err);
    catalog->tables = tables;
    for (const struct draft_table *draft = builder->tables; draft != NULL; draft = draft->next) {
        tables[i] = draft->table;
        tables[i].secure_view = tables[i].secures = tables[i].tenant_column = CATALOG_NONE;
        tables[i].tenant_key = tables[i].tenant_reference = CATALOG_NONE;
        catalog->table_count = i + 1;
        if ((code = freeze_columns(catalog, draft, &tables[i], err)) != ERR_OK ||
            (code = index_names(catalog, (int)i, err)) != ERR_OK ||
            (code = freeze_keys(catalog, draft, &tables[i], (int)i, err)) != ERR_OK)
            return code;
        catalog->by_company =
            catalog->by_company || draft->tenant_column.len > 0 || builder->tenant_column.len > 0;
        tables[i].tenant_column =
            find_tenant_column(&tables[i], draft->tenant_column.len > 0 ? draft->tenant_column
                                                                        : builder->tenant_column);
        i++;
    }
    if ((code = freeze_references(catalog, tables, builder, err)) != ERR_OK ||
        (code = find_tenancy(catalog, tables, err)) != ERR_OK)
        return code;
    return apply_secures(catalog, tables, builder, err);
}

enum err_code catalog_freeze(struct catalog_builder *builder, struct catalog **out, struct err *err)
{
    struct catalog *catalog = builder->catalog;
    *out = NULL;
    CHECK(catalog != NULL);
    enum err_code code = fill(catalog, builder, err);
    builder->catalog = NULL;
    if (code == ERR_OK)
        *out = catalog;
    else
        catalog_destroy(catalog);
    arena_fini(&builder->drafts);
    return code;
}

void catalog_destroy(struct catalog *catalog)
{
    if (catalog == NULL)
        return;
    map_fini(&catalog->by_name);
    arena_fini(&catalog->arena);
    mem_free(catalog);
}
