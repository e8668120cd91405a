/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog_prompt.c - a catalog's text for prompts, and what type names mean.
 *
 * A secure view is shown under its logical name with the view's columns (C27): secure_ names never
 * reach a model. Happy path only: a full buf is the caller's to notice. */
#include "agents/sql/catalog/catalog_prompt.h"

enum { COMMENT_BYTES = 160 };

static bool contains(struct str text, struct str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++) {
        if (str_equal_nocase(str_slice(text, i, i + word.len), word))
            return true;
    }
    return false;
}

enum catalog_type catalog_type_of(struct str declared)
{
    static const struct {
        struct str word;
        enum catalog_type type;
    } words[] = {
        /* the first that occurs wins, as in SQLite's affinity rules */
        {{"bool", 4}, CATALOG_BOOLEAN},
        {{"tinyint(1)", 10}, CATALOG_BOOLEAN},
        {{"timestamp", 9}, CATALOG_TIMESTAMP},
        {{"datetime", 8}, CATALOG_TIMESTAMP},
        {{"date", 4}, CATALOG_DATE},
        {{"interval", 8}, CATALOG_TEXT},
        {{"point", 5}, CATALOG_UNKNOWN},
        {{"int", 3}, CATALOG_INTEGER},
        {{"serial", 6}, CATALOG_INTEGER},
        {{"char", 4}, CATALOG_TEXT},
        {{"clob", 4}, CATALOG_TEXT},
        {{"text", 4}, CATALOG_TEXT},
        {{"enum", 4}, CATALOG_TEXT},
        {{"uuid", 4}, CATALOG_TEXT},
        {{"blob", 4}, CATALOG_BLOB},
        {{"binary", 6}, CATALOG_BLOB},
        {{"bytea", 5}, CATALOG_BLOB},
        {{"real", 4}, CATALOG_NUMBER},
        {{"floa", 4}, CATALOG_NUMBER},
        {{"doub", 4}, CATALOG_NUMBER},
        {{"dec", 3}, CATALOG_NUMBER},
        {{"numeric", 7}, CATALOG_NUMBER},
        {{"number", 6}, CATALOG_NUMBER},
        {{"money", 5}, CATALOG_NUMBER},
        {{"year", 4}, CATALOG_INTEGER},
        {{"currency", 8}, CATALOG_NUMBER},
        {{"logical", 7}, CATALOG_BOOLEAN},
        {{"string", 6}, CATALOG_TEXT},
        {{"uniqueidentifier", 16}, CATALOG_TEXT},
    };
    if (str_equal_nocase(str_trim(declared), STR("bit"))) /* SQL Server's, kept in SQLite */
        return CATALOG_BOOLEAN;
    for (size_t i = 0; i < countof(words); i++) {
        if (contains(declared, words[i].word))
            return words[i].type;
    }
    return CATALOG_UNKNOWN;
}

/* The table to show: a base table shows its view's columns. */
static int shown(const struct catalog *catalog, int table)
{
    int view = catalog->tables[table].secure_view;
    return view == CATALOG_NONE ? table : view;
}

/* The reference that column alone makes, or NULL. */
static const struct catalog_reference *reference_of(const struct catalog_table *table, int column)
{
    for (size_t i = 0; i < table->reference_count; i++) {
        if (table->references[i].column_count == 1 && table->references[i].columns[0] == column)
            return &table->references[i];
    }
    return NULL;
}

/* Whether a statement may read all of what the reference leads to: else nobody is told of it. */
static bool leads_somewhere(const struct catalog *catalog,
                            const struct catalog_reference *reference)
{
    const struct catalog_table *to = &catalog->tables[reference->to_table];
    const struct catalog_table *read = &catalog->tables[shown(catalog, reference->to_table)];
    if (to->hidden && to->secure_view == CATALOG_NONE)
        return false;
    for (size_t i = 0; i < reference->column_count; i++) {
        struct str name = to->columns[reference->to_columns[i]].name;
        int column = catalog_find_column(catalog, shown(catalog, reference->to_table), name);
        if (column == CATALOG_NONE || read->columns[column].hidden)
            return false;
    }
    return true;
}

static void write_keys(const struct catalog *catalog, int table, int column, struct buf *out)
{
    const struct catalog_table *of = &catalog->tables[table];
    if (of->columns[column].primary_key)
        buf_push(out, STR(", primary key"));
    const struct catalog_reference *reference = reference_of(of, column);
    if (reference == NULL || !leads_somewhere(catalog, reference))
        return;
    buf_push(out, STR(", references "));
    catalog_push_name(catalog, reference->to_table, out);
    const struct catalog_table *to = &catalog->tables[reference->to_table];
    buf_printf(out, ".%.*s", STR_ARG(to->columns[reference->to_columns[0]].name));
}

/* A comment on one line, cut: it is the database's text, not ours. */
static void write_comment(struct str comment, struct buf *out)
{
    struct str text = str_utf8_prefix(str_trim(comment), COMMENT_BYTES);
    if (text.len == 0)
        return;
    buf_push(out, STR(": "));
    for (size_t i = 0; i < text.len; i++)
        buf_push_char(out, (unsigned char)text.at[i] < ' ' ? ' ' : text.at[i]);
}

static void write_column(const struct catalog *catalog, int table, size_t i, struct buf *out)
{
    const struct catalog_column *column = &catalog->tables[table].columns[i];
    /* A view has no keys of its own; the table it stands for does. */
    int base = catalog->tables[table].secures;
    int of = base == CATALOG_NONE ? table : base;
    int at = catalog_find_column(catalog, of, column->name);
    struct str comment = column->comment;
    buf_printf(out, "- %.*s", STR_ARG(column->name));
    if (column->declared_type.len > 0)
        buf_printf(out, " %.*s", STR_ARG(column->declared_type));
    if (column->allowed.len > 0)
        buf_printf(out, " in (%.*s)", STR_ARG(str_utf8_prefix(column->allowed, COMMENT_BYTES)));
    if (at != CATALOG_NONE) {
        write_keys(catalog, of, at, out);
        if (comment.len == 0)
            comment = catalog->tables[of].columns[at].comment;
    }
    write_comment(comment, out);
    buf_push_char(out, '\n');
}

/* A secure view's own, or that of the table it stands for. */
static struct str comment_of(const struct catalog *catalog, int table)
{
    const struct catalog_table *at = &catalog->tables[table];
    return at->comment.len > 0 || at->secures == CATALOG_NONE
               ? at->comment
               : catalog->tables[at->secures].comment;
}

/* References of several columns, when all of them are shown. */
static void write_wide_keys(const struct catalog *catalog, int table, struct buf *out)
{
    const struct catalog_table *at = &catalog->tables[table];
    for (size_t i = 0; i < at->reference_count; i++) {
        const struct catalog_reference *reference = &at->references[i];
        bool hidden = false;
        for (size_t j = 0; j < reference->column_count; j++)
            hidden = hidden || at->columns[reference->columns[j]].hidden;
        if (reference->column_count < 2 || hidden || !leads_somewhere(catalog, reference))
            continue;
        buf_push(out, STR("- key ("));
        for (size_t j = 0; j < reference->column_count; j++)
            buf_printf(out, "%s%.*s", j == 0 ? "" : ", ",
                       STR_ARG(at->columns[reference->columns[j]].name));
        buf_push(out, STR(") references "));
        catalog_push_name(catalog, reference->to_table, out);
        buf_push_char(out, '\n');
    }
}

static void write_table(const struct catalog *catalog, int table, size_t max_columns,
                        const struct catalog_omits *omits, struct buf *out)
{
    const struct catalog_table *at = &catalog->tables[table];
    size_t written = 0, left_out = 0;
    buf_push(out, STR("## "));
    catalog_push_name(catalog, table, out);
    write_comment(comment_of(catalog, table), out);
    buf_push_char(out, '\n');
    for (size_t i = 0; i < at->column_count; i++) {
        if (at->columns[i].hidden || (omits != NULL && omits->is(omits, table, (int)i)))
            continue;
        if (written == max_columns) {
            left_out++;
            continue;
        }
        write_column(catalog, table, i, out);
        written++;
    }
    if (left_out > 0)
        buf_printf(out, "- (%zu more columns)\n", left_out);
    write_wide_keys(catalog, table, out);
}

void catalog_write_prompt(const struct catalog *catalog, const int *tables, size_t count,
                          size_t max_columns, const struct catalog_omits *omits, struct buf *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push_char(out, '\n');
        write_table(catalog, shown(catalog, tables[i]), max_columns, omits, out);
    }
}
