/* SPDX-License-Identifier: MIT */
/* agents/nodes/search.c - one hybrid search, its hits as state.
 *
 * Happy path: search, then write hits and context, the latter cut to a third of what the model's
 * context takes, so that history and answer have room.
 * Failure: the search's error ends the node; a spent arena is ERR_NO_MEMORY. */
#include "agents/nodes/search.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { HITS_BYTES = 1 << 20, BYTES_PER_TOKEN = 3, CONTEXT_SHARE = 3 };

struct search {
    struct hybrid_search search;
    struct hybrid_query query;
};

static node_fn keep;

static enum step enter(struct node *node)
{
    struct search *f = node_frame(node);
    const struct search_config *config = node_config(node);
    const bool is_meant =
        slot_is_named(config->meant_slot) && node_has(node, slot_index(config->meant_slot));
    f->query = (struct hybrid_query){
        .collection = str_of(config->collection),
        .text = node_str(node, slot_index(is_meant ? config->meant_slot : config->question_slot)),
        .top_final = config->top,
        .may_rerank = true,
        .arena = node_arena(node),
    };
    hybrid_search_start(&f->search, node_session(node), &f->query, node_waiter(node));
    return node_await(node, keep);
}

void search_write_hit(const struct hybrid_hit *hit, size_t number, struct json_write *json)
{
    const struct passage *passage = &hit->passage;
    struct str title = passage_get(passage, STR("title"));
    struct str heading = passage_get(passage, STR("heading"));
    json_write_object(json);
    json_write_member_u64(json, STR("number"), number);
    json_write_member_str(json, STR("document"), passage_get(passage, STR("document")));
    if (title.len > 0)
        json_write_member_str(json, STR("title"), title);
    if (heading.len > 0)
        json_write_member_str(json, STR("heading"), heading);
    json_write_member_str(json, STR("chunk"), passage->id);
    json_write_member_double(json, STR("score"), hit->score);
    json_write_member_str(json, STR("text"), passage->text);
    json_write_object_end(json);
}

static void write_hits(const struct hybrid_search *search, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_array(&json);
    for (size_t i = 0; i < search->hit_count; i++)
        search_write_hit(&search->hits[i], i + 1, &json);
    json_write_array_end(&json);
}

void search_write_context(const struct search_hit *hits, size_t count, size_t most, struct buf *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && buf_len(out) + hits[i].text.len > most)
            return;
        buf_printf(out, "%s[%zu] %.*s%s%.*s\n", i > 0 ? "\n\n" : "", i + 1,
                   STR_ARG(hits[i].document), hits[i].heading.len > 0 ? ", " : "",
                   STR_ARG(hits[i].heading));
        buf_push(out, hits[i].text);
    }
}

static void put_warnings(struct node *node, unsigned slot, const struct hybrid_search *search)
{
    struct json_write json;
    struct buf out;
    buf_init(&out, HITS_BYTES);
    json_write_init(&json, &out);
    json_write_array(&json);
    const size_t count = hybrid_write_warnings(search, node_log(node), &json);
    json_write_array_end(&json);
    if (count > 0 && buf_ok(&out))
        node_put_str(node, slot, buf_str(&out));
    buf_fini(&out);
}

static enum step keep(struct node *node)
{
    struct search *f = node_frame(node);
    const struct search_config *config = node_config(node);
    size_t most = services(node)->limits->max_context_tokens * BYTES_PER_TOKEN / CONTEXT_SHARE;
    struct buf hits, context;
    struct err err;
    buf_init(&hits, HITS_BYTES);
    buf_init(&context, HITS_BYTES);
    write_hits(&f->search, &hits);
    const struct search_hit *read;
    size_t count = search_read_hits(node_arena(node), buf_str(&hits), &read);
    search_write_context(read, count, most, &context);
    bool is_fine = buf_ok(&hits) && buf_ok(&context);
    if (is_fine) {
        node_put_str(node, slot_index(config->hits_slot), buf_str(&hits));
        node_put_str(node, slot_index(config->context_slot), buf_str(&context));
    }
    buf_fini(&hits);
    buf_fini(&context);
    put_warnings(node, slot_index(config->warnings_slot), &f->search);
    if (is_fine)
        return STEP_DONE;
    err_set(&err, ERR_NO_MEMORY, "what the documents say does not fit into the run's memory");
    return node_fail(node, &err);
}

const struct graph_node_type search_node = {.enter = enter, .frame_bytes = sizeof(struct search)};

void search_write_citation(const struct search_hit *hit, size_t number, struct json_write *json)
{
    json_write_object(json);
    json_write_member_u64(json, STR("number"), number);
    json_write_member_str(json, STR("document"), hit->document);
    if (hit->title.len > 0)
        json_write_member_str(json, STR("title"), hit->title);
    if (hit->heading.len > 0)
        json_write_member_str(json, STR("heading"), hit->heading);
    json_write_member_str(json, STR("chunk"), hit->chunk);
    json_write_member_double(json, STR("score"), hit->score);
    json_write_member_str(json, STR("text"), hit->text);
    json_write_object_end(json);
}

/* ---- reading back ---- */

static struct str text_of(const struct json_value *hit, const char *key)
{
    const struct json_value *value = json_value_member(hit, str_of(key));
    return value == NULL || value->type != JSON_STRING ? STR("") : value->text;
}

size_t search_read_hits(struct arena *arena, struct str json, const struct search_hit **hits)
{
    const struct json_value *root = json_value_parse(arena, json, NULL, NULL);
    *hits = NULL;
    if (root == NULL || root->type != JSON_ARRAY)
        return 0;
    struct search_hit *read = arena_array(arena, root->count + 1, sizeof *read);
    size_t count = 0;
    if (read == NULL)
        return 0;
    JSON_EACH(hit, root) {
        const struct json_value *score = json_value_member(hit, STR("score"));
        read[count++] = (struct search_hit){
            .document = text_of(hit, "document"),
            .title = text_of(hit, "title"),
            .heading = text_of(hit, "heading"),
            .chunk = text_of(hit, "chunk"),
            .text = text_of(hit, "text"),
            .score = score == NULL ? 0 : score->number,
        };
    }
    *hits = read;
    return count;
}
