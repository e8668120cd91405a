/* SPDX-License-Identifier: MIT */
/* agents/semantic_init/init_tables.c - writes the facts of a lexicon about one table down.
 *
 * Happy path only: facts that cannot be guessed are left out; the caller notices a full buf. */
#include "agents/semantic_init/init_tables.h"

#include "agents/english/vocabulary.h"
#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "agents/sql/catalog/sensitive.h"
#include "agents/sql/catalog/visible.h"
#include "core/words/stem.h"

enum { LOOKUP_ROWS = 200, SURE = 80, LINKS = 8, ARENA_BYTES = 4096 };

static void write_buf(struct json_write *writer, struct str key, const struct buf *text)
{
    if (buf_ok(text) && buf_str(text).len > 0)
        json_write_member_str(writer, key, buf_str(text));
}

/* ---- the table ---- */

/* The label; and the words of the name as a synonym, where they are others. */
static void write_label(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    const struct lexicon_words *spelled = lexicon_spelling_table(lexicon, table);
    struct buf label, name;
    buf_init(&label, INIT_TEXT_BYTES);
    buf_init(&name, INIT_TEXT_BYTES);
    lexicon_describe_table(lexicon, table, false, &label);
    write_buf(writer, STR("label"), &label);
    lexicon_describe_words(lexicon->catalog->tables[table].name, &name);
    if (spelled->differs && buf_ok(&name) && buf_ok(&label) &&
        !str_equal(buf_str(&name), buf_str(&label))) {
        json_write_key(writer, STR("synonyms"));
        json_write_array(writer);
        json_write_str(writer, buf_str(&name));
        json_write_array_end(writer);
    }
    buf_fini(&name);
    buf_fini(&label);
}

/* Whether a text is the name of somebody other than whom the row is called by: contact_name. */
static bool names_another(const struct lexicon *lexicon, int table, int column)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, table, column);
    char stem[STEM_BYTES];
    bool name = w->count > 0 && str_equal(w->words[w->count - 1], STR("name"));
    for (size_t i = lexicon->facts[table].shared; name && i + 1 < w->count; i++)
        if (vocabulary_has(VOCABULARY_RELATIVES, w->words[i]) ||
            vocabulary_has(VOCABULARY_PERSONS, stem_of(w->words[i], stem)))
            return t->columns[column].type == CATALOG_TEXT;
    return false;
}

/* Whether a column that rows are called by is the name of another, beside one that is not. */
static bool is_beside_name(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_facts *facts = &lexicon->facts[table];
    bool own = false;
    for (size_t i = 0; i < facts->label_count; i++)
        own = own || !names_another(lexicon, table, facts->labels[i]);
    return own && names_another(lexicon, table, column);
}

static void write_label_columns(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    const struct lexicon_facts *facts = &lexicon->facts[table];
    if (facts->label_count == 0)
        return;
    json_write_key(writer, STR("label_columns"));
    json_write_array(writer);
    for (size_t i = 0; i < facts->label_count; i++)
        if (!is_beside_name(lexicon, table, facts->labels[i]))
            json_write_str(writer, lexicon->catalog->tables[table].columns[facts->labels[i]].name);
    json_write_array_end(writer);
}

/* Its own date, or that of the table whose lines its rows are; not when rows were written down. */
static void write_time(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    const struct catalog *catalog = lexicon->catalog;
    int column, of = lexicon_facts_dated(lexicon, table, &column);
    struct buf text;
    if (column == CATALOG_NONE || lexicon_facts_is_audit(catalog->tables[of].columns[column].name))
        return;
    buf_init(&text, INIT_TEXT_BYTES);
    if (of != table) {
        catalog_push_name(catalog, of, &text);
        buf_push_char(&text, '.');
    }
    buf_push(&text, catalog->tables[of].columns[column].name);
    write_buf(writer, STR("time"), &text);
    buf_fini(&text);
}

void init_tables_push_expression(const struct lexicon *lexicon, enum sql_dialect dialect,
                                 const struct semantic_named *named, struct buf *out)
{
    struct buf text;
    buf_init(&text, INIT_TEXT_BYTES);
    semantic_model_push(&named->expression, lexicon->catalog, dialect, named->table, 0, STR(""),
                        &text);
    if (buf_ok(&text) && buf_len(&text) > 2)
        buf_push(out, str_slice(buf_str(&text), 1, buf_len(&text) - 1));
    buf_fini(&text);
}

static void write_rows(const struct lexicon *lexicon, enum sql_dialect dialect, int table,
                       struct json_write *writer)
{
    const struct semantic_named *living = lexicon->facts[table].living;
    struct buf text;
    if (living == NULL)
        return;
    buf_init(&text, INIT_TEXT_BYTES);
    init_tables_push_expression(lexicon, dialect, living, &text);
    write_buf(writer, STR("rows"), &text);
    buf_fini(&text);
}

static bool is_worth_saying(const struct catalog_reference *reference)
{
    return reference->implied >= SURE && reference->column_count == 1;
}

static void write_references(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_table *t = &catalog->tables[table];
    size_t count = 0;
    for (size_t r = 0; r < t->reference_count; r++)
        count += is_worth_saying(&t->references[r]);
    if (count == 0)
        return;
    json_write_key(writer, STR("references"));
    json_write_object(writer);
    for (size_t r = 0; r < t->reference_count; r++) {
        const struct catalog_reference *reference = &t->references[r];
        struct buf to;
        if (!is_worth_saying(reference))
            continue;
        buf_init(&to, INIT_TEXT_BYTES);
        catalog_push_name(catalog, reference->to_table, &to);
        buf_push_char(&to, '.');
        buf_push(&to, catalog->tables[reference->to_table].columns[reference->to_columns[0]].name);
        write_buf(writer, t->columns[reference->columns[0]].name, &to);
        buf_fini(&to);
    }
    json_write_object_end(writer);
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

/* ---- its columns ---- */

/* inspectorId, of a table that is not called inspector: a role. */
static bool names_role(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_words *name = lexicon_spelling_column(lexicon, table, column);
    struct lexicon_link links[LINKS];
    size_t count = name->count > 1 ? name->count - 1 : name->count;
    size_t found = lexicon_index_find(lexicon, name->words, count, links, LINKS);
    for (size_t i = 0; i < found; i++)
        if (links[i].kind == LINK_ROLE && links[i].table == table && links[i].column == column)
            return true;
    return false;
}

static void push_role(const struct lexicon *lexicon, int table, int column, struct buf *out)
{
    const struct lexicon_words *name = lexicon_spelling_column(lexicon, table, column);
    for (size_t i = 0; i == 0 || i + 1 < name->count; i++)
        buf_printf(out, "%s%.*s", i > 0 ? " " : "", STR_ARG(name->words[i]));
}

/* What people say for the column, where they do not say its name. */
static void push_column_label(const struct lexicon *lexicon, int table, int column, struct buf *out)
{
    struct buf name;
    if (lexicon_index_reference(lexicon->catalog, table, column) != NULL) {
        if (names_role(lexicon, table, column))
            push_role(lexicon, table, column, out);
        return;
    }
    buf_init(&name, INIT_TEXT_BYTES);
    lexicon_describe_words(lexicon->catalog->tables[table].columns[column].name, &name);
    lexicon_describe_column(lexicon, table, column, out);
    if (buf_ok(&name) && str_equal(buf_str(&name), buf_str(out)))
        buf_clear(out);
    buf_fini(&name);
}

/* The unit that a number's name ends with. */
static struct str unit_of(const struct lexicon *lexicon, int table, int column)
{
    static const char *const units[][2] = {
        {"cents", "cents"},
        {"cent", "cents"},
        {"percent", "%"},
        {"percentage", "%"},
        {"minutes", "minutes"},
        {"mins", "minutes"},
        {"hours", "hours"},
        {"hrs", "hours"},
        {"seconds", "seconds"},
        {"secs", "seconds"},
        {"days", "days"},
        {"months", "months"},
        {"weeks", "weeks"},
        {"km", "km"},
        {"kilometers", "km"},
        {"miles", "miles"},
        {"kg", "kg"},
        {"kwh", "kWh"},
        {"celsius", "degrees Celsius"},
    };
    const struct lexicon_words *name = lexicon_spelling_column(lexicon, table, column);
    if (name->count < 2 || !lexicon_index_is_number(lexicon->catalog, table, column))
        return STR("");
    for (size_t i = 0; i < countof(units); i++)
        if (str_equal(name->words[name->count - 1], str_of(units[i][0])))
            return str_of(units[i][1]);
    return STR("");
}

/* Private by its name, or by what its name stands for: TEL_NO is a telephone number. */
static bool looks_private(const struct lexicon *lexicon, int table, int column)
{
    const struct catalog_column *of = &lexicon->catalog->tables[table].columns[column];
    struct buf label;
    buf_init(&label, INIT_TEXT_BYTES);
    lexicon_describe_column(lexicon, table, column, &label);
    bool is_private =
        of->pii || names_another(lexicon, table, column) ||
        (buf_ok(&label) &&
         sensitive_column(buf_str(&label), of->type == CATALOG_TEXT) != SENSITIVE_NOT);
    buf_fini(&label);
    return is_private && (!lexicon_index_is_label(lexicon, table, column) ||
                          is_beside_name(lexicon, table, column));
}

static void write_column(const struct lexicon *lexicon, int table, int column,
                         struct json_write *writer)
{
    bool is_private = looks_private(lexicon, table, column);
    struct str unit = unit_of(lexicon, table, column);
    struct buf label;
    buf_init(&label, INIT_TEXT_BYTES);
    push_column_label(lexicon, table, column, &label);
    if (is_private || unit.len > 0 || buf_len(&label) > 0) {
        json_write_key(writer, lexicon->catalog->tables[table].columns[column].name);
        json_write_object(writer);
        write_buf(writer, STR("label"), &label);
        if (unit.len > 0)
            json_write_member_str(writer, STR("unit"), unit);
        if (is_private)
            json_write_member_bool(writer, STR("pii"), true);
        json_write_object_end(writer);
    }
    buf_fini(&label);
}

void init_tables_write(const struct lexicon *lexicon, enum sql_dialect dialect, int table,
                       struct json_write *writer)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    json_write_object(writer);
    write_label(lexicon, table, writer);
    write_label_columns(lexicon, table, writer);
    write_time(lexicon, table, writer);
    write_rows(lexicon, dialect, table, writer);
    write_references(lexicon, table, writer);
    if (is_lookup(lexicon, table))
        json_write_member_bool(writer, STR("lookup"), true);
    json_write_key(writer, STR("columns"));
    json_write_object(writer);
    for (size_t c = 0; c < t->column_count; c++)
        if (sql_visible_told(lexicon->catalog, table, (int)c))
            write_column(lexicon, table, (int)c, writer);
    json_write_object_end(writer);
    json_write_object_end(writer);
}
