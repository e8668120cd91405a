/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/retrieval.c - the seed's three searches (R82), by words.
 *
 * Happy path: the conversation is loaded, the five pairs most like the question, five comments of
 * tables and columns it is about, and the ten tables it is most likely about are put.
 * Failure: no catalog ends the run; no pairs and no comments are empty lists. */
#include "agents/text_to_sql/retrieval.h"

#include "agents/content.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/remember.h"
#include "agents/sql_agent/rank.h"
#include "agents/text_to_sql/pairs.h"
#include "agents/text_to_sql/state.h"
#include "proto/json_write.h"

enum { TOP_PAIRS = 5, TOP_METADATA = 5, TOP_TABLES = 10, TEXT_BYTES = 256 * 1024 };

/* Put the buf's text and free it. */
static void put_text(struct node *node, unsigned slot, struct buf *out)
{
    if (buf_ok(out))
        node_put_str(node, slot, buf_str(out));
    buf_fini(out);
}

static void put_pairs(struct node *node, struct str question)
{
    struct buf out;
    struct json_write writer;
    const struct text_to_sql_pair *found[TOP_PAIRS];
    const struct text_to_sql_pairs *pairs = knowledge(node)->pairs;
    size_t count = 0;
    if (pairs != NULL)
        count = text_to_sql_pairs_find(pairs, question, node_arena(node), found, TOP_PAIRS);
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < count; i++) {
        json_write_object(&writer);
        json_write_member_str(&writer, STR("question"), found[i]->question);
        json_write_member_str(&writer, STR("sql"), found[i]->sql);
        json_write_object_end(&writer);
    }
    json_write_array_end(&writer);
    put_text(node, TEXT_TO_SQL_SQL_PAIRS, &out);
}

struct comment { /* what the database says of a table, or of a column */
    struct str table, column, text;
    size_t shared; /* words of the question in it */
};

/* Keep the comment among the best; those found first win where as many words are shared. */
static void keep_comment(struct arena *arena, struct comment *best, size_t *count,
                         struct comment comment, const struct str *words, size_t word_count)
{
    struct str own[CONTENT_MAX_WORDS];
    if (str_is_empty(comment.text))
        return;
    size_t own_count = content_words(arena, comment.text, own, CONTENT_MAX_WORDS), at = *count;
    for (size_t i = 0; i < own_count; i++)
        comment.shared += content_find(words, word_count, own[i]) >= 0;
    while (at > 0 && best[at - 1].shared < comment.shared)
        at--;
    if (at == TOP_METADATA)
        return;
    for (size_t i = size_min(*count, TOP_METADATA - 1); i > at; i--)
        best[i] = best[i - 1];
    best[at] = comment;
    *count = size_min(*count + 1, TOP_METADATA);
}

static void put_metadata(struct node *node, struct str question, const int *tables, size_t count)
{
    struct buf out;
    struct json_write writer;
    struct comment best[TOP_METADATA];
    struct str words[CONTENT_MAX_WORDS];
    size_t found = 0,
           word_count = content_words(node_arena(node), question, words, CONTENT_MAX_WORDS);
    for (size_t i = 0; i < count; i++) {
        const struct catalog_table *table = &knowledge(node)->catalog->tables[tables[i]];
        struct comment comment = {.table = table->name, .text = table->comment};
        keep_comment(node_arena(node), best, &found, comment, words, word_count);
        for (size_t j = 0; j < table->column_count; j++) {
            comment.column = table->columns[j].name;
            comment.text = table->columns[j].hidden ? STR("") : table->columns[j].comment;
            keep_comment(node_arena(node), best, &found, comment, words, word_count);
        }
    }
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < found; i++) {
        json_write_object(&writer);
        json_write_member_str(&writer, STR("table"), best[i].table);
        json_write_member_str(&writer, STR("column"), best[i].column);
        json_write_member_str(&writer, STR("says"), best[i].text);
        json_write_object_end(&writer);
    }
    json_write_array_end(&writer);
    put_text(node, TEXT_TO_SQL_METADATA, &out);
}

static void put_tables(struct node *node, const int *tables, size_t count)
{
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    catalog_write_prompt(knowledge(node)->catalog, tables, count,
                         services(node)->limits->sql_max_columns_in_schema, &out);
    put_text(node, TEXT_TO_SQL_DATABASE_INFO, &out);
}

static enum step retrieve(struct node *node)
{
    enum step failed;
    int tables[TOP_TABLES];
    if (check_sql_catalog(node, &failed) == NULL)
        return failed;
    struct str question = node_str(node, TEXT_TO_SQL_QUESTION);
    remember_load(node, TEXT_TO_SQL_MESSAGES, question);
    put_pairs(node, question);
    size_t count = sql_agent_rank_tables(knowledge(node), question, node_arena(node), tables,
                                         TOP_TABLES, NULL);
    put_metadata(node, question, tables, count);
    put_tables(node, tables, count);
    return STEP_DONE;
}

const struct graph_node_type text_to_sql_retrieval_node = {.enter = retrieve};
