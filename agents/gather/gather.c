/* SPDX-License-Identifier: MIT */
/* agents/gather/gather.c - three searches (R82), each by meaning and by words.
 *
 * Happy path: the conversation is loaded; pairs, metadata and tables are looked up by meaning, all
 * at once, in the caller's own and everybody's; what the file of pairs, the database's comments and
 * the words of the schema say is fused with that; five pairs, five pieces of metadata and ten
 * tables are put, or all tables of a small schema. Failure: no catalog ends the run; a store that
 * is not there or down leaves the words, and a warning when it should have been there; nothing
 * found is an empty list. */
#include "agents/gather/gather.h"

#include "agents/common/content.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/values.h"
#include "agents/search/hybrid.h"
#include "agents/search/near.h"
#include "agents/search/schema_index.h"
#include "agents/search/rank.h"
#include "agents/gather/pairs.h"
#include "agents/sql_agent/whole.h"
#include "proto/json_write.h"

enum {
    TOP_PAIRS = 5,
    TOP_METADATA = 5,
    TOP_TABLES = 10,
    TOP_PASSAGES = 40,
    TEXT_BYTES = 256 * 1024
};
enum { LOOK_PAIRS, LOOK_METADATA, LOOK_TABLES, LOOKS };
enum { SEARCH_MS = 5000 };

struct gathering {
    struct near_query query;
    struct near_search search;
    bool has_searched;
};

/* The hits in one collection, best first; none where the search failed. */
static size_t found_in(const struct gathering *f, size_t look, const struct passage_hit **hits)
{
    *hits = f->search.found[look].hits;
    return f->has_searched && f->search.found[look].op.err.code == ERR_OK
               ? f->search.found[look].hit_count
               : 0;
}

static const struct gather_config *config_of(const struct node *node)
{
    return node_config(node);
}

static void put(struct node *node, struct slot_ref slot, struct str text)
{
    if (slot_is_named(slot))
        node_put_str(node, slot_index(slot), text);
}

/* Put the buf's text and free it. */
static void put_text(struct node *node, struct slot_ref slot, struct buf *out)
{
    if (buf_ok(out))
        put(node, slot, buf_str(out));
    buf_fini(out);
}

static void write_pair(struct json_write *writer, struct str question, struct str sql)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("question"), question);
    json_write_member_str(writer, STR("sql"), sql);
    json_write_object_end(writer);
}

static bool is_put(const struct str *questions, size_t count, struct str question)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_nocase(questions[i], question))
            return true;
    return false;
}

/* The best of the collection and of the file in turn. */
static void put_pairs(struct node *node, const struct gathering *f, struct str question)
{
    struct buf out;
    struct json_write writer;
    const struct gather_pair *found[TOP_PAIRS];
    const struct gather_pairs *pairs = knowledge(node)->pairs;
    const struct passage_hit *hits;
    struct str put[TOP_PAIRS];
    size_t count = 0, put_count = 0, hit_count = found_in(f, LOOK_PAIRS, &hits);
    if (pairs != NULL)
        count = gather_pairs_find(pairs, question, node_arena(node), found, TOP_PAIRS);
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < 2 * TOP_PAIRS && put_count < TOP_PAIRS; i++) {
        size_t rank = i / 2;
        bool is_hit = i % 2 == 0;
        if (rank >= (is_hit ? hit_count : count))
            continue;
        struct str asked = is_hit ? hits[rank].passage.text : found[rank]->question;
        struct str sql = is_hit ? passage_get(&hits[rank].passage, STR("sql")) : found[rank]->sql;
        if (str_is_empty(sql) || is_put(put, put_count, asked))
            continue;
        put[put_count++] = asked;
        write_pair(&writer, asked, sql);
    }
    json_write_array_end(&writer);
    put_text(node, config_of(node)->pairs_slot, &out);
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

static size_t find_comments(struct node *node, struct str question, const int *tables, size_t count,
                            struct comment *best)
{
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
    return found;
}

static void write_member(struct json_write *writer, struct str name, struct str value)
{
    if (!str_is_empty(value))
        json_write_member_str(writer, name, value);
}

/* Put the metadata: entries that were added about the business, then the comments of the database.
 */
static void put_metadata(struct node *node, const struct gathering *f, struct str question,
                         const int *tables, size_t count)
{
    struct buf out;
    struct json_write writer;
    struct comment best[TOP_METADATA];
    const struct passage_hit *hits;
    size_t hit_count = found_in(f, LOOK_METADATA, &hits);
    size_t found = find_comments(node, question, tables, count, best);
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < hit_count; i++) {
        json_write_object(&writer);
        write_member(&writer, STR("table"), passage_get(&hits[i].passage, STR("table")));
        write_member(&writer, STR("column"), passage_get(&hits[i].passage, STR("column")));
        write_member(&writer, STR("term"), passage_get(&hits[i].passage, STR("term")));
        json_write_member_str(&writer, STR("says"), hits[i].passage.text);
        json_write_object_end(&writer);
    }
    for (size_t i = 0; i < found && hit_count + i < TOP_METADATA; i++) {
        json_write_object(&writer);
        json_write_member_str(&writer, STR("table"), best[i].table);
        json_write_member_str(&writer, STR("column"), best[i].column);
        json_write_member_str(&writer, STR("says"), best[i].text);
        json_write_object_end(&writer);
    }
    json_write_array_end(&writer);
    put_text(node, config_of(node)->metadata_slot, &out);
}

/* Put the tables, their values and examples: all tables where the schema is small, the same for
 * each question; else those of the question. */
static void put_tables(struct node *node, struct str question, const int *tables, size_t count)
{
    struct buf out;
    int all[SQL_AGENT_WHOLE_TABLES];
    struct str whole = sql_agent_whole_schema(node, question);
    buf_init(&out, TEXT_BYTES);
    if (whole.len > 0) {
        count = sql_agent_whole_tables(node, all);
        tables = all;
        buf_push(&out, whole);
    } else {
        schema_text_write(knowledge(node), question, tables, count,
                          services(node)->limits->sql_max_columns_in_schema, facts_today(node),
                          &out);
    }
    put_text(node, config_of(node)->schema_slot, &out);
    put(node, config_of(node)->values_slot, values_write(node, tables, count, question));
    struct str examples = schema_text_examples(node, question, tables, count);
    if (examples.len > 0)
        put(node, config_of(node)->examples_slot, examples);
}

/* Tables by the ranks of both: words first, for a name that is said is meant. */
static size_t fuse_tables(struct node *node, const struct gathering *f, struct str question,
                          int *tables)
{
    const struct passage_hit *hits;
    int near[TOP_TABLES];
    size_t hit_count = found_in(f, LOOK_TABLES, &hits);
    size_t near_count =
        schema_index_tables(knowledge(node)->catalog, hits, hit_count, near, TOP_TABLES);
    return search_rank_fused(node_session(node), question, near, near_count, node_arena(node),
                             tables, TOP_TABLES);
}

static enum step put_all(struct node *node)
{
    const struct gathering *f = node_frame(node);
    int tables[TOP_TABLES];
    struct str question = node_str(node, slot_index(config_of(node)->question_slot));
    put_pairs(node, f, question);
    size_t count = fuse_tables(node, f, question, tables);
    put_metadata(node, f, question, tables, count);
    put_tables(node, question, tables, count);
    return STEP_DONE;
}

/* The first failure of the search or of one of its collections; NULL: none. */
static const struct err *trouble_of(const struct gathering *f)
{
    if (f->search.op.err.code != ERR_OK)
        return &f->search.op.err;
    for (size_t i = 0; i < LOOKS; i++)
        if (f->search.found[i].op.err.code != ERR_OK)
            return &f->search.found[i].op.err;
    return NULL;
}

static enum step take_found(struct node *node)
{
    struct gathering *f = node_frame(node);
    const struct err *trouble = trouble_of(f);
    f->has_searched = f->search.op.err.code == ERR_OK;
    if (trouble != NULL) {
        put(node, config_of(node)->warning_slot,
            STR("examples and tables were looked up by words only"));
        LOG(node_log(node), WARN, "retrieval.degraded", "code=%s reason=\"%s\"",
            err_name(trouble->code), trouble->text);
    }
    return put_all(node);
}

static enum step enter(struct node *node)
{
    struct gathering *f = node_frame(node);
    enum step failed;
    if (check_sql_catalog(node, &failed) == NULL)
        return failed;
    struct str question = node_str(node, slot_index(config_of(node)->question_slot));
    if (slot_is_named(config_of(node)->messages_slot))
        remember_load(node, slot_index(config_of(node)->messages_slot), question);
    if (!near_search_can(services(node)))
        return put_all(node);
    f->query = (struct near_query){
        .text = question,
        .looks = {[LOOK_PAIRS] = {.collection = HYBRID_SQL_PAIRS, .top = TOP_PAIRS},
                  [LOOK_METADATA] = {.collection = HYBRID_METADATA, .top = TOP_METADATA},
                  [LOOK_TABLES] = {.collection = HYBRID_SCHEMA,
                                   .top = TOP_PASSAGES,
                                   .field = SCHEMA_INDEX_CATALOG,
                                   .value = knowledge(node)->schema_id}},
        .look_count = LOOKS,
        .timeout_ms = SEARCH_MS,
    };
    near_search_start(&f->search, node_session(node), &f->query, node_waiter(node));
    return node_settle(node, take_found);
}

const struct graph_node_type gather_node = {.enter = enter,
                                            .frame_bytes = sizeof(struct gathering)};
