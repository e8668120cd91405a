/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_names.c - tables and columns that are nearly right, or stand in another
 * table of the statement.
 *
 * Happy path: the statement parses; each unknown name has exactly one home and gets its spelling.
 * Failure: a statement that does not parse, a name with no home or with two, is left alone. */
#include "agents/sql/catalog/quote.h"
#include "agents/sql/grammar/tree_walk.h"
#include "agents/sql/repair/repair_case.h"
#include "core/words/stem.h"

enum { MAX_WORDS = 12, NEAR = 2, NEAR_LEAST = 6 };

/* A name without case, signs, plural: what two spellings of one name share. In arena. */
static struct str key_of(struct arena *arena, struct str name)
{
    struct str words[MAX_WORDS];
    char *key = arena_alloc(arena, MAX_WORDS * STEM_BYTES);
    size_t len = 0, count = stem_split(arena, name, words, MAX_WORDS);
    if (key == NULL)
        return STR("");
    for (size_t i = 0; i < count; i++)
        len += stem_of(words[i], key + len).len;
    return str_make(key, len);
}

/* How unlike two names are: 0 the same but for case, signs and plural; 1 a slip of the pen; 2 not
 * alike. */
static unsigned unlikeness(struct arena *arena, struct str name, struct str key, struct str other)
{
    if (str_equal(key_of(arena, other), key))
        return 0;
    bool near = name.len >= NEAR_LEAST && sql_visible_distance(name, other, NEAR) <= NEAR;
    return near ? 1 : 2;
}

static const struct sql_parse *parse(struct sql_repair_case *at)
{
    const struct sql_parse *parse;
    const char *rule;
    struct err err;
    if (at->knows->catalog == NULL ||
        sql_parse_statement(at->knows->dialect, at->sql, at->knows->catalog, at->arena, &parse,
                            &rule, &err) != ERR_OK)
        return NULL;
    return parse;
}

/* ---- tables ---- */

/* The one table that may be meant, the more alike first; CATALOG_NONE: none, or several. */
static int table_meant(struct sql_repair_case *at, struct str name)
{
    struct sql_visible sees = sql_repair_case_sees(at);
    struct str key = key_of(at->arena, name);
    int found[2] = {CATALOG_NONE, CATALOG_NONE};
    size_t counts[2] = {0, 0};
    for (size_t i = 0; i < sees.catalog->table_count; i++) {
        if (!sql_visible_table(sees, (int)i) || sql_visible_is_secure_view(sees, (int)i))
            continue;
        unsigned unlike = unlikeness(at->arena, name, key, sees.catalog->tables[i].name);
        if (unlike > 1)
            continue;
        found[unlike] = (int)i;
        counts[unlike]++;
    }
    if (counts[0] > 0)
        return counts[0] == 1 ? found[0] : CATALOG_NONE;
    return counts[1] == 1 ? found[1] : CATALOG_NONE;
}

static bool is_qualifier(const struct sql_parse *parse, struct str name)
{
    for (size_t i = 0; i < parse->column_count; i++)
        if (str_equal_nocase(parse->columns[i].qualifier, name))
            return true;
    return false;
}

void sql_repair_names_tables(struct sql_repair_case *at)
{
    const struct sql_parse *read = parse(at);
    for (size_t i = 0; read != NULL && i < read->table_count; i++) {
        const struct sql_table_ref *ref = &read->tables[i];
        int table = ref->table == CATALOG_NONE ? table_meant(at, ref->name) : CATALOG_NONE;
        if (table == CATALOG_NONE)
            continue;
        const struct catalog_table *named = &at->knows->catalog->tables[table];
        struct str text = sql_repair_case_name(at, named->name);
        if (named->schema.len > 0)
            text = arena_printf(at->arena, "%.*s.%.*s",
                                STR_ARG(sql_repair_case_name(at, named->schema)), STR_ARG(text));
        /* columns go on finding it by the name it was given */
        if (str_is_empty(ref->alias) && is_qualifier(read, ref->name) &&
            !str_equal_nocase(ref->name, named->name))
            text = arena_printf(at->arena, "%.*s AS %.*s", STR_ARG(text),
                                STR_ARG(sql_repair_case_name(at, ref->name)));
        sql_repair_case_edit(at, ref->span.start, ref->span.end, text, true);
    }
}

/* ---- columns ---- */

struct home { /* where a column may stand */
    const struct sql_table_ref *ref;
    struct str name;
};

/* The columns of ref that are as unlike name as said, counted; *home is the last. */
static size_t homes_in(struct sql_repair_case *at, const struct sql_table_ref *ref, struct str name,
                       unsigned unlike, struct home *home)
{
    struct sql_visible sees = sql_repair_case_sees(at);
    size_t count = 0;
    if (ref->table == CATALOG_NONE)
        return 0;
    const struct catalog_table *read = &sees.catalog->tables[sql_visible_read(sees, ref->table)];
    struct str key = key_of(at->arena, name);
    for (size_t i = 0; i < read->column_count; i++) {
        if (read->columns[i].hidden ||
            unlikeness(at->arena, name, key, read->columns[i].name) != unlike)
            continue;
        *home = (struct home){ref, read->columns[i].name};
        count++;
    }
    return count;
}

static bool answers_to(const struct sql_table_ref *ref, struct str qualifier)
{
    return str_equal_nocase(ref->alias.len > 0 ? ref->alias : ref->name, qualifier);
}

struct joins_walk {
    struct sql_tree_walk walk;
    struct sql_span span; /* of a reference */
    bool found;
};

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct joins_walk *search = container_of(walk, struct joins_walk, walk);
    if (expr->kind != SQL_EXPR_EQUAL || expr->children->kind != SQL_EXPR_NAME ||
        expr->children->next->kind != SQL_EXPR_NAME)
        return;
    for (const struct sql_expr *side = expr->children; side != NULL; side = side->next)
        search->found = search->found || side->span.start == search->span.start;
}

/* Whether the reference is one side of a = b: in another table it would join that with itself. */
static bool joins(const struct sql_parse *read, const struct sql_column_ref *ref)
{
    struct joins_walk search = {.walk = {.on_expr = on_expr}, .span = ref->span};
    sql_tree_walk_select(&search.walk, read->tree);
    return search.found;
}

/* The one home of an unknown column: in the table it names; else the same name in another table of
 * its SELECT; else near that name. With no table named, all tables of its SELECT are meant. */
static bool find_home(struct sql_repair_case *at, const struct sql_parse *read,
                      const struct sql_column_ref *ref, struct home *home)
{
    static const struct {
        bool own;
        unsigned unlike;
    } looks[] = {{true, 0}, {false, 0}, {true, 1}, {false, 1}};
    for (size_t look = 0; look < countof(looks); look++) {
        size_t count = 0;
        if (!looks[look].own && joins(read, ref))
            continue;
        for (size_t i = 0; i < read->table_count; i++) {
            const struct sql_table_ref *table = &read->tables[i];
            bool own = ref->qualifier.len == 0 || answers_to(table, ref->qualifier);
            if (table->scope == ref->scope && own == looks[look].own)
                count += homes_in(at, table, ref->name, looks[look].unlike, home);
        }
        if (count > 0)
            return count == 1;
    }
    return false;
}

static bool is_text_in_double_quotes(const struct sql_parse *read, const struct sql_column_ref *ref)
{
    return ref->qualifier.len == 0 && ref->span.end > ref->span.start &&
           read->text.at[ref->span.start] == '"';
}

void sql_repair_names_columns(struct sql_repair_case *at)
{
    const struct sql_parse *read = parse(at);
    for (size_t i = 0; read != NULL && i < read->column_count; i++) {
        const struct sql_column_ref *ref = &read->columns[i];
        struct home home;
        if (!ref->unknown || ref->ambiguous || ref->use != SQL_COLUMN_NAMED)
            continue;
        if (find_home(at, read, ref, &home)) {
            struct str of = home.ref->alias.len > 0 ? home.ref->alias : home.ref->name;
            struct str text = sql_repair_case_name(at, home.name);
            if (ref->qualifier.len > 0)
                text = arena_printf(at->arena, "%.*s.%.*s", STR_ARG(sql_repair_case_name(at, of)),
                                    STR_ARG(text));
            sql_repair_case_edit(at, ref->span.start, ref->span.end, text, true);
        } else if (is_text_in_double_quotes(read, ref)) {
            sql_repair_case_edit(at, ref->span.start, ref->span.end,
                                 sql_quote_text_in(at->knows->dialect, ref->name, at->arena), true);
        }
    }
}
