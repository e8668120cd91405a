/* SPDX-License-Identifier: MIT */
/* agents/lexicon/guess.c - writes the facts of a lexicon down.
 *
 * Happy path only: facts that cannot be guessed are left out; the caller notices a full buf. */
#include "agents/lexicon/guess.h"

#include "agents/lexicon/describe_names.h"
#include "core/base/stem.h"
#include "proto/json_write.h"

enum { LABEL_BYTES = 200, LOOKUP_ROWS = 200 };

static void write_label(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    struct buf label;
    buf_init(&label, LABEL_BYTES);
    lexicon_describe_table(lexicon, table, false, &label);
    if (buf_ok(&label))
        json_write_member_str(writer, STR("label"), buf_str(&label));
    buf_fini(&label);
}

/* Small, referred to, and referring to nothing but companies; neither of persons nor of what
 * happened at a time. */
static bool is_lookup(const struct lexicon *lexicon, int table)
{
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_table *t = &catalog->tables[table];
    bool referred = false;
    if (lexicon->facts[table].person || lexicon->facts[table].began != CATALOG_NONE)
        return false;
    for (size_t r = 0; r < t->reference_count; r++)
        if (t->references[r].columns[0] != t->tenant_column)
            return false;
    for (size_t i = 0; i < catalog->table_count; i++)
        for (size_t r = 0; r < catalog->tables[i].reference_count; r++)
            referred = referred || catalog->tables[i].references[r].to_table == table;
    return referred && t->row_count >= 0 && t->row_count <= LOOKUP_ROWS && !t->is_view;
}

/* inspectorId, of a table that is not called inspector: a role. */
static bool names_role(const struct lexicon *lexicon, int table, int column)
{
    struct lexicon_link links[8];
    struct str words[ENGLISH_WORDS];
    struct arena arena;
    bool role = false;
    arena_init(&arena, 4096);
    size_t count = stem_split(&arena, lexicon->catalog->tables[table].columns[column].name, words,
                              ENGLISH_WORDS);
    count = count > 1 ? count - 1 : count;
    size_t found = lexicon_index_find(lexicon, words, count, links, countof(links));
    for (size_t i = 0; i < found; i++)
        role = role ||
               (links[i].kind == LINK_ROLE && links[i].table == table && links[i].column == column);
    arena_fini(&arena);
    return role;
}

static void write_role(const struct lexicon *lexicon, int table, int column,
                       struct json_write *writer)
{
    struct str words[ENGLISH_WORDS], label;
    struct arena arena;
    arena_init(&arena, 4096);
    size_t count = stem_split(&arena, lexicon->catalog->tables[table].columns[column].name, words,
                              ENGLISH_WORDS);
    label = words[0];
    for (size_t i = 1; i + 1 < count; i++)
        label = arena_printf(&arena, "%.*s %.*s", STR_ARG(label), STR_ARG(words[i]));
    json_write_member_str(writer, STR("label"), label);
    arena_fini(&arena);
}

static bool is_label(const struct lexicon_facts *facts, int column)
{
    for (size_t i = 0; i < facts->label_count; i++)
        if (facts->labels[i] == column)
            return true;
    return false;
}

static void write_columns(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_table *t = &catalog->tables[table];
    json_write_key(writer, STR("columns"));
    json_write_object(writer);
    for (size_t c = 0; c < t->column_count; c++) {
        bool role = lexicon_index_reference(catalog, table, (int)c) != NULL &&
                    names_role(lexicon, table, (int)c);
        bool shown =
            t->secure_view == CATALOG_NONE ||
            catalog_find_column(catalog, t->secure_view, t->columns[c].name) != CATALOG_NONE;
        bool pii = t->columns[c].pii && !is_label(&lexicon->facts[table], (int)c);
        if (t->columns[c].hidden || !shown || (!pii && !role))
            continue;
        json_write_key(writer, t->columns[c].name);
        json_write_object(writer);
        if (role)
            write_role(lexicon, table, (int)c, writer);
        if (pii)
            json_write_member_bool(writer, STR("pii"), true);
        json_write_object_end(writer);
    }
    json_write_object_end(writer);
}

static void write_table(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    const struct lexicon_facts *facts = &lexicon->facts[table];
    json_write_object(writer);
    write_label(lexicon, table, writer);
    if (facts->label_count > 0) {
        json_write_key(writer, STR("label_columns"));
        json_write_array(writer);
        for (size_t i = 0; i < facts->label_count; i++)
            json_write_str(writer, t->columns[facts->labels[i]].name);
        json_write_array_end(writer);
    }
    if (facts->began != CATALOG_NONE)
        json_write_member_str(writer, STR("time"), t->columns[facts->began].name);
    if (is_lookup(lexicon, table))
        json_write_member_bool(writer, STR("lookup"), true);
    write_columns(lexicon, table, writer);
    json_write_object_end(writer);
}

void lexicon_guess_write(const struct lexicon *lexicon, struct buf *out)
{
    static const char *const lists[] = {"metrics", "filters", "glossary", "verified_queries"};
    struct json_write writer;
    struct buf name;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_i64(&writer, STR("version"), 1);
    json_write_key(&writer, STR("tables"));
    json_write_object(&writer);
    buf_init(&name, 2 * LABEL_BYTES);
    for (size_t t = 0; t < lexicon->catalog->table_count; t++) {
        if (!lexicon->facts[t].visible)
            continue;
        buf_clear(&name);
        catalog_push_name(lexicon->catalog, (int)t, &name);
        json_write_key(&writer, buf_str(&name));
        write_table(lexicon, (int)t, &writer);
    }
    buf_fini(&name);
    json_write_object_end(&writer);
    for (size_t i = 0; i < countof(lists); i++) {
        json_write_key(&writer, str_of(lists[i]));
        json_write_array(&writer);
        json_write_array_end(&writer);
    }
    json_write_object_end(&writer);
}
