/* SPDX-License-Identifier: MIT */
/* agents/lexicon/glossary.c - enters one entry for each name and each synonym.
 *
 * Happy path: a synonym of a table, column, value, metric or filter is found like the name itself.
 * Failure: no memory; agents/semantic/bind has already left out names that the catalog does not
 * have. */
#include "agents/lexicon/glossary.h"

#include "agents/semantic/model.h"
#include "core/words/stem.h"

#include <string.h>

void lexicon_glossary_facts(const struct lexicon *lexicon, int table, struct lexicon_facts *facts)
{
    const struct semantic_table *said = semantic_model_table(lexicon->semantic, table);
    if (said == NULL)
        return;
    if (said->time_column != CATALOG_NONE && said->time_table == table) {
        facts->began = said->time_column;
    } else if (said->time_column != CATALOG_NONE) {
        facts->began = CATALOG_NONE;
        facts->header = said->time_table;
    }
    if (said->label_count == 0)
        return;
    facts->label_count = size_min(said->label_count, OFFLINE_LABELS);
    memcpy(facts->labels, said->labels, facts->label_count * sizeof facts->labels[0]);
}

bool lexicon_glossary_hides(const struct lexicon *lexicon, int table, int column)
{
    const struct semantic_column *said = semantic_model_column(lexicon->semantic, table, column);
    return said != NULL && said->pii == 1;
}

static bool enter_text(struct lexicon *lexicon, struct str text, struct lexicon_link link)
{
    struct str words[ENGLISH_WORDS];
    size_t count = stem_split(&lexicon->arena, text, words, ENGLISH_WORDS);
    return count == 0 || lexicon_index_enter(lexicon, words, count, link);
}

static bool enter_all(struct lexicon *lexicon, struct str name,
                      const struct semantic_texts *synonyms, struct lexicon_link link)
{
    bool ok = name.len == 0 || enter_text(lexicon, name, link);
    for (size_t i = 0; ok && i < synonyms->count; i++)
        ok = enter_text(lexicon, synonyms->at[i], link);
    return ok;
}

static bool enter_column(struct lexicon *lexicon, int table, const struct semantic_column *column)
{
    const struct catalog *catalog = lexicon->catalog;
    struct lexicon_link link = {LINK_COLUMN, table, column->column, STR(""), false, 100, NULL};
    if (lexicon_index_reference(catalog, table, column->column) != NULL)
        link.kind = LINK_ROLE;
    else if (lexicon_index_is_boolean(catalog, table, column->column))
        link.kind = LINK_BOOL;
    if (!enter_all(lexicon, column->label, &column->synonyms, link))
        return false;
    link.kind = LINK_MOMENT;
    return !lexicon_index_is_date(catalog, table, column->column) ||
           enter_all(lexicon, column->label, &column->synonyms, link);
}

static bool enter_table(struct lexicon *lexicon, const struct semantic_table *table)
{
    struct lexicon_link link = {LINK_TABLE, table->table, CATALOG_NONE, STR(""), false, 100, NULL};
    bool ok = enter_all(lexicon, table->label, &table->synonyms, link);
    for (size_t c = 0; ok && c < table->column_count; c++) {
        const struct semantic_column *column = &table->columns[c];
        if (column->column != CATALOG_NONE && column->pii != 1 &&
            !lexicon->catalog->tables[table->table].columns[column->column].hidden)
            ok = enter_column(lexicon, table->table, column);
    }
    return ok;
}

bool lexicon_glossary_enter(struct lexicon *lexicon)
{
    const struct semantic *semantic = lexicon->semantic;
    bool ok = true;
    for (size_t i = 0; ok && semantic != NULL && i < semantic->table_count; i++)
        if (semantic->tables[i].table != CATALOG_NONE &&
            lexicon->facts[semantic->tables[i].table].visible)
            ok = enter_table(lexicon, &semantic->tables[i]);
    for (size_t i = 0; ok && semantic != NULL && i < semantic->named_count; i++) {
        const struct semantic_named *named = &semantic->named[i];
        const struct lexicon_link link = {named->is_metric ? LINK_METRIC : LINK_BOOL,
                                          named->table,
                                          CATALOG_NONE,
                                          STR(""),
                                          false,
                                          OFFLINE_SCORE_DECLARED,
                                          named};
        if (named->usable && lexicon->facts[named->table].visible)
            ok = enter_all(lexicon, named->name, &named->synonyms, link);
    }
    for (size_t i = 0; ok && semantic != NULL && i < semantic->term_count; i++) {
        const struct semantic_term *term = &semantic->terms[i];
        const struct lexicon_link link = {LINK_VALUE,  term->table, term->column,
                                          term->value, false,       OFFLINE_SCORE_DECLARED,
                                          NULL};
        if (term->table != CATALOG_NONE && lexicon->facts[term->table].visible &&
            !lexicon_glossary_hides(lexicon, term->table, term->column))
            ok = enter_all(lexicon, term->term, &term->synonyms, link);
    }
    return ok && arena_ok(&lexicon->arena);
}
