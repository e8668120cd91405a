/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/reads.c - marks on the columns of each table that is read, then their names.
 *
 * Happy path: every table of the parse has a row of marks; every reference sets one; what is marked
 * is listed. Failure: no memory, no list. */
#include "agents/sql/parse/reads.h"

struct marks {
    const struct catalog *catalog;
    const struct sql_parse *parse;
    struct arena *arena;
    bool **read; /* by the catalog's table: by column, and last its number of a row; NULL: unread */
};

static const struct catalog_table *table_at(const struct marks *m, int table)
{
    return &m->catalog->tables[table];
}

/* SQLite tells of an integer key where its number of a row is read: they are one. */
static void mark_rowid(const struct marks *m, int table)
{
    const struct catalog_table *at = table_at(m, table);
    for (size_t i = 0; i < at->column_count; i++)
        if (at->columns[i].primary_key && at->columns[i].type == CATALOG_INTEGER)
            m->read[table][i] = true;
    m->read[table][at->column_count] = true;
}

static bool mark_tables(const struct marks *m)
{
    const struct sql_parse *parse = m->parse;
    for (size_t i = 0; i < parse->table_count; i++) {
        const struct sql_table_ref *ref = &parse->tables[i];
        if (ref->table == CATALOG_NONE)
            continue;
        size_t count = table_at(m, ref->table)->column_count;
        if (m->read[ref->table] == NULL)
            m->read[ref->table] = arena_array(m->arena, count + 1, sizeof(bool));
        if (m->read[ref->table] == NULL)
            return false;
        /* x IN t reads t's only column; a join in parentheses is SELECT * to SQLite */
        size_t all = ref->in_parens ? count : ref->use == SQL_USE_IN ? size_min(count, 1) : 0;
        for (size_t j = 0; j < all; j++)
            m->read[ref->table][j] = true;
    }
    return true;
}

static void mark_columns(const struct marks *m)
{
    for (size_t i = 0; i < m->parse->column_count; i++) {
        const struct sql_column_ref *ref = &m->parse->columns[i];
        int table = ref->table_ref < 0 ? CATALOG_NONE : m->parse->tables[ref->table_ref].table;
        if (table == CATALOG_NONE)
            continue;
        if (ref->rowid)
            mark_rowid(m, table);
        else if (ref->column != CATALOG_NONE)
            m->read[table][ref->column] = true;
    }
}

static bool list_columns(const struct marks *m, int table, struct sql_reads_table *out)
{
    const struct catalog_table *at = table_at(m, table);
    const bool *read = m->read[table];
    struct str *names = arena_array(m->arena, at->column_count + 1, sizeof *names);
    if (names == NULL)
        return false;
    *out = (struct sql_reads_table){.name = at->name, .columns = names};
    for (size_t i = 0; i < at->column_count; i++)
        if (read[i])
            names[out->column_count++] = at->columns[i].name;
    if (read[at->column_count])
        names[out->column_count++] = STR("ROWID");
    return true;
}

/* What SQLite keeps for itself is nobody's to read, whatever a policy says. */
static bool is_engines(struct str name)
{
    const struct str prefix = STR("sqlite_");
    return name.len >= prefix.len && str_equal_nocase(str_slice(name, 0, prefix.len), prefix);
}

/* Each table once, whatever it is called here; unknown ones as they are written. */
static bool list_tables(const struct marks *m, struct sql_reads *reads)
{
    const struct sql_parse *parse = m->parse;
    struct sql_reads_table *tables = arena_array(m->arena, parse->table_count + 1, sizeof *tables);
    if (tables == NULL)
        return false;
    reads->tables = tables;
    for (size_t i = 0; i < parse->table_count; i++) {
        int table = parse->tables[i].table;
        struct sql_reads_table *at = &tables[reads->table_count];
        if (table == CATALOG_NONE && !is_engines(parse->tables[i].name)) {
            *at = (struct sql_reads_table){.name = parse->tables[i].name, .any = true};
            reads->table_count++;
        } else if (table != CATALOG_NONE && m->read[table] != NULL) {
            if (!list_columns(m, table, at))
                return false;
            m->read[table] = NULL;
            reads->table_count++;
        }
    }
    return true;
}

/* A name that is a table's too is not listed: what is read by it must be listed as the table's. */
static void add_own(const struct marks *m, struct sql_reads *reads, struct str *own,
                    struct str name)
{
    bool again = reads->own_count > 0 && str_equal(own[reads->own_count - 1], name);
    if (!again && !str_is_empty(name) &&
        catalog_find_table(m->catalog, STR(""), name) == CATALOG_NONE)
        own[reads->own_count++] = name;
}

static bool list_own(const struct marks *m, struct sql_reads *reads)
{
    const struct sql_parse *parse = m->parse;
    struct str *own = arena_array(
        m->arena, parse->cte_count + parse->function_count + parse->column_count + 1, sizeof *own);
    struct str *functions = arena_array(m->arena, parse->function_count + 1, sizeof *functions);
    if (own == NULL || functions == NULL)
        return false;
    reads->own = own;
    reads->functions = functions;
    for (size_t i = 0; i < parse->cte_count; i++)
        add_own(m, reads, own, parse->ctes[i]);
    for (size_t i = 0; i < parse->function_count; i++) {
        functions[reads->function_count++] = parse->functions[i].name;
        if (parse->functions[i].in_from)
            add_own(m, reads, own, parse->functions[i].name);
    }
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].table_ref < 0)
            add_own(m, reads, own, parse->columns[i].relation);
    return true;
}

/* What a star over an unknown table gives nobody knows. */
static size_t width_of(const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->table_count; i++)
        if (parse->tables[i].table == CATALOG_NONE)
            return 0;
    return parse->output_count;
}

const struct sql_reads *sql_reads_of(const struct sql_parse *parse, const struct catalog *catalog,
                                     struct arena *arena)
{
    struct sql_reads *reads = arena_alloc(arena, sizeof *reads);
    struct marks m = {.catalog = catalog,
                      .parse = parse,
                      .arena = arena,
                      .read = arena_array(arena, catalog->table_count + 1, sizeof *m.read)};
    if (reads == NULL || m.read == NULL || !mark_tables(&m))
        return NULL;
    *reads = (struct sql_reads){.width = width_of(parse)};
    mark_columns(&m);
    return list_tables(&m, reads) && list_own(&m, reads) ? reads : NULL;
}
