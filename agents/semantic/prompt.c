/* SPDX-License-Identifier: MIT */
/* agents/semantic/prompt.c - bullets under headings.
 *
 * Happy path only: entries beyond the limits are left out; the caller notices a full buf. */
#include "agents/semantic/prompt.h"

enum { PROMPT_BYTES = 12 << 10, MEANING_BYTES = 300 };

struct section {
    struct buf *out;
    size_t limit;
    const char *heading;
    struct str today;
    bool begun;
};

/* Append SQL with today's date in the place of {today}. */
static void push_sql(const struct section *section, struct str sql)
{
    ptrdiff_t at;
    while (section->today.len > 0 && (at = str_find(sql, STR("{today}"))) != STR_NONE) {
        buf_printf(section->out, "%.*s'%.*s'", STR_ARG(str_slice(sql, 0, (size_t)at)),
                   STR_ARG(section->today));
        sql = str_from(sql, (size_t)at + STR("{today}").len);
    }
    buf_push(section->out, sql);
}

static bool begin_bullet(struct section *section, struct str name)
{
    if (buf_len(section->out) >= section->limit)
        return false;
    if (!section->begun)
        buf_printf(section->out, "\n## %s\n", section->heading);
    section->begun = true;
    buf_printf(section->out, "- %.*s", STR_ARG(name));
    return true;
}

static void end_bullet(struct section *section, struct str meaning)
{
    meaning = str_utf8_prefix(meaning, MEANING_BYTES);
    if (meaning.len > 0)
        buf_printf(section->out, ": %.*s", STR_ARG(meaning));
    buf_push_char(section->out, '\n');
}

static void push_synonyms(struct buf *out, const struct semantic_texts *synonyms)
{
    for (size_t i = 0; i < synonyms->count; i++)
        buf_printf(out, "%s%.*s%s", i == 0 ? " (also " : ", ", STR_ARG(synonyms->at[i]),
                   i + 1 == synonyms->count ? ")" : "");
}

static bool has_table(const struct catalog *catalog, const int *tables, size_t count, int table)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i] == table || catalog->tables[tables[i]].secures == table)
            return true;
    return false;
}

static void write_named(const struct semantic *semantic, const struct catalog *catalog,
                        const int *tables, size_t count, bool metrics, struct section *section)
{
    for (size_t i = 0; i < semantic->named_count; i++) {
        const struct semantic_named *named = &semantic->named[i];
        if (!named->usable || named->is_metric != metrics ||
            !has_table(catalog, tables, count, named->table) || !begin_bullet(section, named->name))
            continue;
        push_synonyms(section->out, &named->synonyms);
        buf_push(section->out, STR(" = "));
        push_sql(section, named->expression.text);
        buf_push(section->out, STR(" of "));
        catalog_push_name(catalog, named->table, section->out);
        if (named->filter.text.len > 0)
            buf_push(section->out, STR(" where "));
        push_sql(section, named->filter.text);
        if (named->unit.len > 0)
            buf_printf(section->out, ", in %.*s", STR_ARG(named->unit));
        end_bullet(section, named->description);
    }
}

static void write_terms(const struct semantic *semantic, const struct catalog *catalog,
                        const int *tables, size_t count, struct section *section)
{
    for (size_t i = 0; i < semantic->term_count; i++) {
        const struct semantic_term *term = &semantic->terms[i];
        if ((term->table != CATALOG_NONE && !has_table(catalog, tables, count, term->table)) ||
            !begin_bullet(section, term->term))
            continue;
        push_synonyms(section->out, &term->synonyms);
        if (term->table != CATALOG_NONE) {
            buf_push(section->out, STR(" = "));
            catalog_push_name(catalog, term->table, section->out);
            buf_printf(section->out, ".%.*s is '%.*s'", STR_ARG(term->column_name),
                       STR_ARG(term->value));
        }
        end_bullet(section, term->meaning);
    }
}

static void write_comments(const struct semantic *semantic, const struct catalog *catalog,
                           const int *tables, size_t count, struct section *section)
{
    for (size_t i = 0; i < count; i++) {
        const struct catalog_table *table = &catalog->tables[tables[i]];
        if (semantic_model_table(semantic, tables[i]) == NULL)
            continue;
        if (table->comment.len > 0 && begin_bullet(section, table->name))
            end_bullet(section, table->comment);
        for (size_t c = 0; c < table->column_count; c++) {
            if (semantic_model_column(semantic, tables[i], (int)c) == NULL ||
                table->columns[c].comment.len == 0 || !begin_bullet(section, table->name))
                continue;
            buf_printf(section->out, ".%.*s", STR_ARG(table->columns[c].name));
            end_bullet(section, table->columns[c].comment);
        }
    }
}

void semantic_prompt_write_all(const struct semantic *semantic, const struct catalog *catalog,
                               const int *tables, size_t count, struct str today, struct buf *out)
{
    struct section comments = {out, buf_len(out) + PROMPT_BYTES, "Tables and columns", today,
                               false};
    if (semantic == NULL)
        return;
    write_comments(semantic, catalog, tables, count, &comments);
    semantic_prompt_write(semantic, catalog, tables, count, today, out);
}

void semantic_prompt_write(const struct semantic *semantic, const struct catalog *catalog,
                           const int *tables, size_t count, struct str today, struct buf *out)
{
    size_t limit = buf_len(out) + PROMPT_BYTES;
    struct section metrics = {out, limit, "Metrics", today, false};
    struct section filters = {out, limit, "Named conditions", today, false};
    struct section words = {out, limit, "Words of the business", today, false};
    if (semantic == NULL)
        return;
    write_named(semantic, catalog, tables, count, true, &metrics);
    write_named(semantic, catalog, tables, count, false, &filters);
    write_terms(semantic, catalog, tables, count, &words);
}
