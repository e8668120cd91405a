/* SPDX-License-Identifier: MIT */
/* agents/nodes/schema_text.c - decides what of the schema a question needs to be told of.
 *
 * Happy path: the question's words are split once; each column is asked about by its name. Failure:
 * none; a full buf is the caller's to notice. */
#include "agents/nodes/schema_text.h"

#include "agents/common/extract.h"
#include "agents/nodes/facts.h"
#include "agents/search/alike.h"
#include "agents/semantic/prompt.h"
#include "agents/sql/catalog/catalog_prompt.h"
#include "agents/sql/catalog/naming.h"
#include "agents/sql/joins/join_graph.h"
#include "agents/sql/joins/join_words.h"

enum { MIN_WORD = 3 };

struct schema_text_words schema_text_words(struct str question)
{
    struct schema_text_words words = {.count = 0};
    while (question.len > 0 && words.count < SCHEMA_TEXT_WORDS) {
        struct str word = extract_word(question);
        if (word.len == 0)
            break;
        question = str_from(question, (size_t)(word.at - question.at) + word.len);
        if (word.len >= MIN_WORD)
            words.at[words.count++] = word;
    }
    return words;
}

/* Whether the column says whose a row is. A secure view has the name of its base table's column. */
static bool is_tenant(const struct catalog *catalog, int table, struct str column)
{
    const struct catalog_table *of = &catalog->tables[table];
    if (of->tenant_column == CATALOG_NONE && of->secures != CATALOG_NONE)
        of = &catalog->tables[of->secures];
    return of->tenant_column != CATALOG_NONE &&
           str_equal_nocase(of->columns[of->tenant_column].name, column);
}

/* Whether the column says who touched a row, or whose it is where rows are a company's. */
static bool is_noise(const struct catalog *catalog, bool by_tenant, int table, int column)
{
    const struct catalog_column *at = &catalog->tables[table].columns[column];
    return !at->primary_key && (sql_naming_is_audit(at->name) ||
                                (by_tenant && is_tenant(catalog, table, at->name)));
}

bool schema_text_omits(const struct knowledge *knows, const struct schema_text_words *words,
                       int table, int column)
{
    const struct catalog_column *at = &knows->catalog->tables[table].columns[column];
    return is_noise(knows->catalog, knows->tenant.on, table, column) &&
           !join_words_name(at->name, words->at, words->count);
}

static bool is_unasked(const struct catalog *catalog, const struct sql_unasked *unasked, int table,
                       int column)
{
    if (!is_noise(catalog, unasked->by_tenant, table, column))
        return false;
    const struct schema_text_words words = schema_text_words(unasked->question);
    return !join_words_name(catalog->tables[table].columns[column].name, words.at, words.count);
}

struct sql_unasked schema_text_unasked(const struct knowledge *knows, struct str question)
{
    return (struct sql_unasked){question, knows->tenant.on, is_unasked};
}

bool schema_text_omits_edge(const struct schema_text_words *words, const struct join_edge *edge)
{
    if (!edge->audit && !edge->tenant)
        return false;
    for (size_t i = 0; i < edge->column_count; i++)
        if (join_words_name(edge->from_columns[i], words->at, words->count))
            return false;
    return true;
}

struct omission {
    struct catalog_omits omits;
    const struct knowledge *knows;
    struct schema_text_words words;
};

static bool omits(const struct catalog_omits *of, int table, int column)
{
    const struct omission *omission = container_of(of, struct omission, omits);
    return schema_text_omits(omission->knows, &omission->words, table, column);
}

void schema_text_write(const struct knowledge *knows, struct str question, const int *tables,
                       size_t count, size_t max_columns, struct str today, struct buf *out)
{
    const struct omission omission = {{omits}, knows, schema_text_words(question)};
    catalog_write_prompt(knows->catalog, tables, count, max_columns, &omission.omits, out);
    semantic_prompt_write(knows->semantic, knows->catalog, tables, count, today, out);
}

struct str schema_text_examples(struct node *node, struct str question, const int *tables,
                                size_t count)
{
    return alike_write(&(struct alike_query){.knows = knowledge(node),
                                             .question = question,
                                             .tables = tables,
                                             .table_count = count,
                                             .today = facts_today(node)},
                       node_arena(node));
}

struct str schema_text_scope(struct node *node)
{
    return knowledge(node)->tenant.on ? STR("- All rows are of the asker's own company already: do "
                                            "not filter by company.\n")
                                      : STR("");
}
