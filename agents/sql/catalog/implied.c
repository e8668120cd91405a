/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/implied.c - a column that is called like the key of another table, or like
 * another table and a key, refers to it.
 *
 * Happy path: all names are cut into words, without what the columns of a table or all tables begin
 * with; each column is held against the key of each table, and the best one is kept where no other
 * is as good.
 * Failure: no memory finds nothing; two tables that fit equally well leave the column alone. */
#include "agents/sql/catalog/implied.h"

#include "agents/sql/catalog/naming.h"
#include "core/words/stem.h"

#include <string.h>

enum {
    WORDS = 8,
    ARENA_BYTES = 32 << 20,
    BY_KEY = 88,       /* called exactly like the key of one table */
    BY_TABLE = 84,     /* called like the table, and a key */
    BY_ROLE = 80,      /* something before the name of the key */
    BY_BEGINNING = 74, /* the table's name shortened, and a key */
    BY_SELF = 64,      /* parent_id, manager_id: a row of the same table */
    ABBREVIATED = 3,   /* letters of a shortened name, at least */
};

struct words {
    struct str at[WORDS];
    size_t count;
};

struct namer {
    struct arena arena;
    const struct catalog *catalog;
    struct words *tables, **columns;
    int *keys; /* the single key column of each table, or CATALOG_NONE */
};

static bool is_one_of(struct str word, const char *const *list, size_t count)
{
    return sql_naming_is_one_of(word, list, count);
}

static bool is_key_word(struct str word)
{
    static const char *const words[] = {"id",     "no",  "nr", "num", "number", "code",
                                        "cd",     "key", "fk", "ref", "uuid",   "guid",
                                        "nummer", "sk",  "pk", "oid", "codigo"};
    return is_one_of(word, words, countof(words));
}

/* What only sorts tables or columns. */
static bool is_affix(struct str word)
{
    static const char *const words[] = {"tbl", "tab", "mst", "hdr", "trn", "dim", "fact", "t"};
    return is_one_of(word, words, countof(words));
}

static bool same(struct str a, struct str b)
{
    char x[STEM_BYTES], y[STEM_BYTES];
    return str_equal(stem_of(a, x), stem_of(b, y));
}

static void drop_first(struct words *words)
{
    words->count--;
    memmove(&words->at[0], &words->at[1], words->count * sizeof words->at[0]);
}

/* ---- names -> words ---- */

static void split(struct namer *n, struct str name, struct words *to)
{
    to->count = stem_split(&n->arena, name, to->at, WORDS);
}

/* The word that all of many names begin with goes: jbId, jbSiteId; sbCustomer, sbTicker. */
static void drop_shared(struct words *names, size_t count)
{
    enum { LEAST = 3, LETTERS = 4 };
    if (count < LEAST || names[0].count < 2 || names[0].at[0].len > LETTERS)
        return;
    struct str first = names[0].at[0];
    for (size_t i = 0; i < count; i++)
        if (names[i].count < 2 || !str_equal(names[i].at[0], first))
            return;
    for (size_t i = 0; i < count; i++)
        drop_first(&names[i]);
}

static bool cut_names(struct namer *n)
{
    const struct catalog *catalog = n->catalog;
    n->tables = arena_array(&n->arena, catalog->table_count + 1, sizeof *n->tables);
    n->columns = arena_array(&n->arena, catalog->table_count + 1, sizeof *n->columns);
    n->keys = arena_array(&n->arena, catalog->table_count + 1, sizeof *n->keys);
    for (size_t t = 0; arena_ok(&n->arena) && t < catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        split(n, table->name, &n->tables[t]);
        n->columns[t] = arena_array(&n->arena, table->column_count + 1, sizeof **n->columns);
        for (size_t c = 0; n->columns[t] != NULL && c < table->column_count; c++)
            split(n, table->columns[c].name, &n->columns[t][c]);
        if (n->columns[t] != NULL)
            drop_shared(n->columns[t], table->column_count);
    }
    if (!arena_ok(&n->arena))
        return false;
    drop_shared(n->tables, catalog->table_count);
    for (size_t t = 0; t < catalog->table_count; t++) {
        struct words *name = &n->tables[t];
        if (name->count > 1 && is_affix(name->at[0]))
            drop_first(name);
        if (name->count > 1 && is_affix(name->at[name->count - 1]))
            name->count--;
    }
    return true;
}

/* ---- keys ---- */

static int find_key(const struct catalog_table *table)
{
    int key = CATALOG_NONE;
    if (table->is_view || table->hidden)
        return CATALOG_NONE;
    for (size_t k = 0; k < table->key_count; k++)
        if (table->keys[k].column_count == 1 && (key == CATALOG_NONE || table->keys[k].primary))
            key = table->keys[k].columns[0];
    for (size_t c = 0; key == CATALOG_NONE && c < table->column_count; c++)
        if (table->columns[c].unique)
            key = (int)c;
    return key == CATALOG_NONE || table->columns[key].hidden ? CATALOG_NONE : key;
}

static bool has_reference(const struct catalog_table *table, int column)
{
    for (size_t r = 0; r < table->reference_count; r++)
        for (size_t i = 0; i < table->references[r].column_count; i++)
            if (table->references[r].columns[i] == column)
                return true;
    return false;
}

static bool is_number(enum catalog_type type)
{
    return type == CATALOG_INTEGER || type == CATALOG_NUMBER;
}

/* The same kind of value, as far as declared types tell. */
static bool same_type(const struct catalog_column *a, const struct catalog_column *b)
{
    return a->type == b->type || (is_number(a->type) && is_number(b->type));
}

static bool may_refer(const struct namer *n, size_t t, size_t c)
{
    const struct catalog_table *table = &n->catalog->tables[t];
    const struct catalog_column *column = &table->columns[c];
    bool kind =
        is_number(column->type) || column->type == CATALOG_TEXT || column->type == CATALOG_UNKNOWN;
    return kind && !column->hidden && (int)c != table->tenant_column &&
           !sql_naming_is_audit(column->name) && !has_reference(table, (int)c) &&
           n->columns[t][c].count > 0;
}

/* ---- one column against one table ---- */

/* Whether name ends in tail. *before: how many words stand before it. */
static bool ends_in(const struct words *name, size_t count, const struct words *tail,
                    size_t *before)
{
    if (tail->count == 0 || count < tail->count)
        return false;
    *before = count - tail->count;
    for (size_t i = 0; i < tail->count; i++)
        if (!same(name->at[*before + i], tail->at[i]))
            return false;
    return true;
}

/* "cust" of customer, "kunde" of kunden. */
static bool begins(struct str whole, struct str part)
{
    return part.len >= ABBREVIATED && part.len < whole.len && str_starts_with(whole, part);
}

/* "id" alone says nothing of whose key it is. */
static bool says_whose(const struct words *key)
{
    return key->count > 1 ||
           (key->count == 1 && !is_key_word(key->at[0]) && !str_equal(key->at[0], STR("name")) &&
            !str_equal(key->at[0], STR("type")));
}

static bool is_keyed(const struct words *column)
{
    return column->count > 1 && is_key_word(column->at[column->count - 1]);
}

/* How sure it is by the name of the other table; 0: not at all. */
static int rank_by_table(const struct namer *n, size_t t, size_t c, size_t to)
{
    const struct words *column = &n->columns[t][c], *table = &n->tables[to];
    size_t before = 0;
    if (is_keyed(column) && ends_in(column, column->count - 1, table, &before))
        return before == 0 && to != t ? BY_TABLE : BY_ROLE;
    if (to == t || table->count == 0)
        return 0;
    if (is_keyed(column))
        return begins(table->at[table->count - 1], column->at[column->count - 2]) ? BY_BEGINNING
                                                                                  : 0;
    bool bare = ends_in(column, column->count, table, &before) && before == 0;
    return bare && is_number(n->catalog->tables[t].columns[c].type) ? BY_SELF : 0;
}

/* How sure it is by the name of the other table's key; 0: not at all. */
static int rank_by_key(const struct namer *n, size_t t, size_t c, size_t to)
{
    const struct words *column = &n->columns[t][c], *key = &n->columns[to][n->keys[to]];
    struct str name = n->catalog->tables[t].columns[c].name;
    size_t before = 0;
    if (to != t && says_whose(key) &&
        str_equal_nocase(name, n->catalog->tables[to].columns[n->keys[to]].name))
        return BY_KEY;
    if (key->count < 2 || !ends_in(column, column->count, key, &before))
        return 0;
    return before == 0 && to == t ? 0 : BY_ROLE;
}

static int rank(const struct namer *n, size_t t, size_t c, size_t to)
{
    if ((int)c == n->keys[t]) /* rows that share the key of what they belong to */
        return to == t ? 0 : rank_by_table(n, t, c, to);
    int by_key = rank_by_key(n, t, c, to), by_table = rank_by_table(n, t, c, to);
    return by_key > by_table ? by_key : by_table;
}

/* A row of the same table that stands above: an organisation's tree, or whose manager somebody is.
 */
static bool is_above(const struct words *column)
{
    static const char *const words[] = {"parent", "manager", "supervisor", "mgr",
                                        "boss",   "supv",    "superior"};
    return column->count == 2 && is_key_word(column->at[1]) &&
           is_one_of(column->at[0], words, countof(words));
}

/* The best table for a column; percent 0: none, or several. */
static struct implied_reference find_best(const struct namer *n, size_t t, size_t c)
{
    const struct catalog *catalog = n->catalog;
    const struct catalog_column *column = &catalog->tables[t].columns[c];
    struct implied_reference best = {.table = (int)t, .column = (int)c};
    bool tied = false;
    for (size_t to = 0; to < catalog->table_count; to++) {
        if (n->keys[to] == CATALOG_NONE ||
            !same_type(column, &catalog->tables[to].columns[n->keys[to]]))
            continue;
        int percent = rank(n, t, c, to);
        tied = percent == best.percent  ? tied || percent > 0
               : percent > best.percent ? false
                                        : tied;
        if (percent <= best.percent)
            continue;
        best.percent = percent;
        best.to_table = (int)to;
        best.to_column = n->keys[to];
    }
    if (best.percent == 0 && n->keys[t] != CATALOG_NONE && (int)c != n->keys[t] &&
        is_above(&n->columns[t][c]) && same_type(column, &catalog->tables[t].columns[n->keys[t]])) {
        best.percent = BY_SELF;
        best.to_table = (int)t;
        best.to_column = n->keys[t];
    }
    best.needs_rows = best.percent == BY_SELF || (int)c == n->keys[t];
    best.percent = tied ? 0 : best.percent;
    return best;
}

size_t implied_find(const struct catalog *catalog, struct implied_reference *found, size_t max)
{
    struct namer n = {.catalog = catalog};
    size_t count = 0;
    arena_init(&n.arena, ARENA_BYTES);
    if (cut_names(&n)) {
        for (size_t t = 0; t < catalog->table_count; t++)
            n.keys[t] = find_key(&catalog->tables[t]);
        for (size_t t = 0; t < catalog->table_count; t++) {
            const struct catalog_table *table = &catalog->tables[t];
            for (size_t c = 0; c < table->column_count && count < max; c++) {
                if (table->is_view || table->hidden || !may_refer(&n, t, c))
                    continue;
                found[count] = find_best(&n, t, c);
                count += found[count].percent > 0;
            }
        }
    }
    arena_fini(&n.arena);
    return count;
}

/* ---- adding ---- */

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the catalog");
}

/* The references of a table, with those of found that are clear behind them. */
static bool extend(struct catalog *catalog, struct catalog_table *table, int index,
                   const struct implied_reference *found, size_t count)
{
    struct catalog_reference *references =
        arena_array(&catalog->arena, table->reference_count + count + 1, sizeof *references);
    size_t n = table->reference_count;
    if (references == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        references[i] = table->references[i];
    for (size_t i = 0; i < count; i++) {
        if (found[i].table != index || found[i].percent < IMPLIED_CLEAR)
            continue;
        int *columns = arena_array(&catalog->arena, 2, sizeof *columns);
        if (columns == NULL)
            return false;
        columns[0] = found[i].column;
        columns[1] = found[i].to_column;
        references[n++] = (struct catalog_reference){&columns[0], found[i].to_table, &columns[1], 1,
                                                     found[i].percent};
    }
    table->references = references;
    table->reference_count = n;
    return true;
}

enum err_code implied_add(struct catalog *catalog, const struct implied_reference *found,
                          size_t count, struct err *err)
{
    struct catalog_table *tables =
        arena_array(&catalog->arena, catalog->table_count + 1, sizeof *tables);
    if (tables == NULL)
        return no_memory(err);
    for (size_t t = 0; t < catalog->table_count; t++) {
        size_t own = 0;
        tables[t] = catalog->tables[t];
        for (size_t i = 0; i < count; i++)
            own += found[i].table == (int)t && found[i].percent >= IMPLIED_CLEAR;
        if (own > 0 && !extend(catalog, &tables[t], (int)t, found, count))
            return no_memory(err);
    }
    catalog->tables = tables;
    return ERR_OK;
}
