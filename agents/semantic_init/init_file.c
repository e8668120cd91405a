/* SPDX-License-Identifier: MIT */
/* agents/semantic_init/init_file.c - tables, then what sales add up to, states, and codes.
 *
 * Happy path only: what cannot be guessed is left out; the caller notices a full buf. */
#include "agents/semantic_init/init_file.h"

#include "agents/english/vocabulary.h"
#include "agents/lexicon/codes.h"
#include "agents/lexicon/column_values.h"
#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/render_names.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "agents/semantic_init/init_tables.h"
#include "agents/sql/catalog/quote.h"
#include "core/words/stem.h"

enum { LINKS = 16, STATES = 12, SHORT_CODE = 3 };

static void write_table_name(const struct lexicon *lexicon, int table, struct json_write *writer)
{
    struct buf name;
    buf_init(&name, INIT_TEXT_BYTES);
    catalog_push_name(lexicon->catalog, table, &name);
    json_write_member_str(writer, STR("table"), buf_str(&name));
    buf_fini(&name);
}

/* ---- metrics: what "revenue" adds up, where rows are more than payments, of whomever ---- */

static bool is_payments(const struct lexicon *lexicon, int table)
{
    const struct lexicon_words *name = lexicon_spelling_table(lexicon, table);
    char stem[STEM_BYTES];
    for (size_t i = 0; i < name->count; i++)
        if (vocabulary_has(VOCABULARY_PAYMENTS, stem_of(name->words[i], stem)))
            return true;
    return false;
}

static bool is_metric(const struct lexicon *lexicon, const struct lexicon_link *link)
{
    return link->kind == LINK_METRIC && !is_payments(lexicon, link->table);
}

static bool is_before(const struct lexicon_link *links, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (links[k].kind == LINK_METRIC && links[k].table == links[i].table)
            return true;
    return false;
}

static void write_metric(const struct lexicon *lexicon, enum sql_dialect dialect,
                         const struct semantic_named *named, bool alone, struct json_write *writer)
{
    struct buf name, text;
    buf_init(&name, INIT_TEXT_BYTES);
    buf_init(&text, INIT_TEXT_BYTES);
    buf_push(&name, named->name);
    if (!alone) {
        buf_push(&name, STR(" of "));
        lexicon_describe_table(lexicon, named->table, true, &name);
    }
    init_tables_push_expression(lexicon, dialect, named, &text);
    json_write_object(writer);
    json_write_member_str(writer, STR("name"), buf_str(&name));
    write_table_name(lexicon, named->table, writer);
    json_write_member_str(writer, STR("expression"), buf_str(&text));
    json_write_object_end(writer);
    buf_fini(&text);
    buf_fini(&name);
}

static void write_metrics(const struct lexicon *lexicon, enum sql_dialect dialect,
                          struct json_write *writer)
{
    struct lexicon_link links[LINKS];
    const struct str word = STR("revenue");
    size_t count = lexicon_index_find(lexicon, &word, 1, links, LINKS), tables = 0;
    for (size_t i = 0; i < count; i++)
        tables += is_metric(lexicon, &links[i]) && !is_before(links, i);
    for (size_t i = 0; i < count; i++)
        if (is_metric(lexicon, &links[i]) && !is_before(links, i))
            write_metric(lexicon, dialect, links[i].named, tables == 1, writer);
}

/* ---- filters: rows in a state ---- */

static bool is_state(const struct lexicon *lexicon, int table, int column)
{
    const struct lexicon_words *name = lexicon_spelling_column(lexicon, table, column);
    const struct str last = name->count > 0 ? name->words[name->count - 1] : STR("");
    return (str_equal(last, STR("status")) || str_equal(last, STR("state")) ||
            str_equal(last, STR("stage"))) &&
           lexicon->catalog->tables[table].columns[column].type == CATALOG_TEXT;
}

/* "on hold orders": rows of the table whose state is called so. */
static void write_state(const struct lexicon *lexicon, enum sql_dialect dialect, int table,
                        int column, struct str value, struct json_write *writer)
{
    struct str label = lexicon_codes_label(lexicon, table, column, value);
    struct buf name, text;
    const struct render render = {.dialect = dialect, .out = &text};
    if (str_is_absent(label) && value.len <= SHORT_CODE)
        return; /* nobody knows what it means */
    buf_init(&name, INIT_TEXT_BYTES);
    buf_init(&text, INIT_TEXT_BYTES);
    lexicon_describe_words(str_is_absent(label) ? value : label, &name);
    buf_push_char(&name, ' ');
    lexicon_describe_table(lexicon, table, true, &name);
    sql_quote_name(dialect, lexicon->catalog->tables[table].columns[column].name, &text);
    buf_push(&text, STR(" = "));
    lexicon_render_text(&render, value);
    json_write_object(writer);
    json_write_member_str(writer, STR("name"), buf_str(&name));
    write_table_name(lexicon, table, writer);
    json_write_member_str(writer, STR("expression"), buf_str(&text));
    json_write_object_end(writer);
    buf_fini(&text);
    buf_fini(&name);
}

/* The values of a column that has few; 0: it has many, or is not to be read. */
static size_t few_values(const struct lexicon *lexicon, int table, int column,
                         struct str values[LEXICON_FEW])
{
    bool has_all;
    const struct catalog_column *of = &lexicon->catalog->tables[table].columns[column];
    if (of->hidden || of->pii)
        return 0;
    return lexicon_column_values_few(lexicon, table, column, values, &has_all);
}

static void write_states(const struct lexicon *lexicon, enum sql_dialect dialect,
                         struct json_write *writer)
{
    struct str values[LEXICON_FEW];
    for (size_t t = 0; t < lexicon->catalog->table_count; t++)
        for (size_t c = 0; c < lexicon->catalog->tables[t].column_count; c++) {
            if (!lexicon->facts[t].visible || !is_state(lexicon, (int)t, (int)c))
                continue;
            size_t count = few_values(lexicon, (int)t, (int)c, values);
            for (size_t i = 0; count <= STATES && i < count; i++)
                write_state(lexicon, dialect, (int)t, (int)c, values[i], writer);
        }
}

/* ---- the glossary: codes whose meaning is known ---- */

static void write_term(const struct lexicon *lexicon, int table, int column, struct str code,
                       struct str label, struct json_write *writer)
{
    int64_t number;
    const struct catalog_column *of = &lexicon->catalog->tables[table].columns[column];
    json_write_object(writer);
    json_write_member_str(writer, STR("term"), label);
    write_table_name(lexicon, table, writer);
    json_write_member_str(writer, STR("column"), of->name);
    if (of->type == CATALOG_INTEGER && str_to_i64(code, &number))
        json_write_member_i64(writer, STR("value"), number);
    else
        json_write_member_str(writer, STR("value"), code);
    json_write_object_end(writer);
}

/* A text of states is a filter for each of them already. */
static bool is_filtered(const struct lexicon *lexicon, int table, int column)
{
    struct str values[LEXICON_FEW];
    size_t count = few_values(lexicon, table, column, values);
    return is_state(lexicon, table, column) && count > 0 && count <= STATES;
}

static void write_terms(const struct lexicon *lexicon, struct json_write *writer)
{
    struct str code, label;
    int column;
    for (size_t t = 0; t < lexicon->catalog->table_count; t++)
        for (size_t i = 0; lexicon->facts[t].visible &&
                           lexicon_codes_at(lexicon, (int)t, i, &column, &code, &label);
             i++)
            if (!is_filtered(lexicon, (int)t, column))
                write_term(lexicon, (int)t, column, code, label, writer);
}

/* ---- the whole ---- */

static void write_tables(const struct lexicon *lexicon, enum sql_dialect dialect,
                         struct json_write *writer)
{
    struct buf name;
    buf_init(&name, INIT_TEXT_BYTES);
    json_write_object(writer);
    for (size_t t = 0; t < lexicon->catalog->table_count; t++) {
        if (!lexicon->facts[t].visible)
            continue;
        buf_clear(&name);
        catalog_push_name(lexicon->catalog, (int)t, &name);
        json_write_key(writer, buf_str(&name));
        init_tables_write(lexicon, dialect, (int)t, writer);
    }
    json_write_object_end(writer);
    buf_fini(&name);
}

void semantic_init_write(const struct lexicon *lexicon, enum sql_dialect dialect, struct buf *out)
{
    struct json_write writer;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_i64(&writer, STR("version"), 1);
    json_write_key(&writer, STR("tables"));
    write_tables(lexicon, dialect, &writer);
    json_write_key(&writer, STR("metrics"));
    json_write_array(&writer);
    write_metrics(lexicon, dialect, &writer);
    json_write_array_end(&writer);
    json_write_key(&writer, STR("filters"));
    json_write_array(&writer);
    write_states(lexicon, dialect, &writer);
    json_write_array_end(&writer);
    json_write_key(&writer, STR("glossary"));
    json_write_array(&writer);
    write_terms(lexicon, &writer);
    json_write_array_end(&writer);
    json_write_key(&writer, STR("verified_queries"));
    json_write_array(&writer);
    json_write_array_end(&writer);
    json_write_object_end(&writer);
}
