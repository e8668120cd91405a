/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_assistants.c - an assistant is a graph, its id the graph's
 * name.
 *
 * Failure: no such graph: 404; a search by what graphs do not have: 501. */
#include "server/facades/langgraph/langgraph_assistants.h"

#include "proto/json_write.h"
#include "proto/url.h"
#include "server/facades/facade.h"
#include "server/facades/langgraph/langgraph_json.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { ANSWER_BYTES = 1024 * 1024 };

static void refuse(struct exchange *exchange, int status, const char *code, const char *text)
{
    struct problem problem;
    problem_set(&problem, status, code, "%s", text);
    exchange_problem(exchange, &problem);
}

static void write_assistant(const struct graph_def *def, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("assistant_id"), str_of(def->name));
    json_write_member_str(json, STR("graph_id"), str_of(def->name));
    json_write_member_str(json, STR("name"), str_of(def->name));
    json_write_member_str(json, STR("description"), str_of(def->purpose));
    json_write_member_raw(json, STR("config"), STR("{}"));
    json_write_member_raw(json, STR("context"), STR("{}"));
    json_write_member_raw(json, STR("metadata"), STR("{\"created_by\":\"system\"}"));
    json_write_member_u64(json, STR("version"), 1);
    langgraph_json_time(json, "created_at", 0);
    langgraph_json_time(json, "updated_at", 0);
    json_write_object_end(json);
}

/* The path's graph; NULL: answered. */
static const struct graph *find(struct exchange *exchange)
{
    struct runs_request found = {0};
    struct str name;
    struct err err;
    if (url_decode(&exchange->arena, exchange->match.params[0], &name, &err) == ERR_OK &&
        run_body_set_graph(exchange, name, &found))
        return found.graph;
    refuse(exchange, 404, "not_found", "there is no such assistant");
    return NULL;
}

struct search {
    struct str graph_id;
    uint64_t limit, offset;
};

static bool read_search(struct exchange *exchange, struct search *search)
{
    static const struct facade_field fields[] = {
        {"graph_id", FACADE_STRING},
        {"limit", FACADE_INTEGER},
        {"offset", FACADE_INTEGER},
        {"metadata", FACADE_OBJECT, "a search by metadata is"},
        {"name", FACADE_STRING, "a search by name is"},
        {"sort_by", FACADE_STRING, "another order is"},
        {"sort_order", FACADE_STRING, "another order is"},
        {"select", FACADE_ARRAY, "choosing members is"},
    };
    struct problem problem;
    struct err err;
    int64_t limit = 10, offset = 0;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), &problem) ||
        !facade_read_str(root, "/graph_id", &search->graph_id, &problem)) {
        exchange_problem(exchange, &problem);
        return false;
    }
    if ((json_value_member(root, STR("limit")) != NULL &&
         json_value_i64(root, "/limit", &limit, &err) == ERR_INVALID) ||
        (json_value_member(root, STR("offset")) != NULL &&
         json_value_i64(root, "/offset", &offset, &err) == ERR_INVALID) ||
        limit < 0 || offset < 0) {
        refuse(exchange, 422, "invalid_request", "limit, offset: expected numbers from 0 on");
        return false;
    }
    search->limit = (uint64_t)limit;
    search->offset = (uint64_t)offset;
    return true;
}

/* Those that fit, from offset on; returns how many fit. */
static uint64_t walk(struct exchange *exchange, const struct search *search,
                     struct json_write *json)
{
    const struct registry *registry = exchange->shard->group->registry;
    uint64_t place = 0;
    for (size_t i = 0; i < registry_count(registry); i++) {
        const struct registry_entry *entry = registry_entry(registry, i);
        if (!shard_offers(exchange->shard, i) ||
            (!str_is_absent(search->graph_id) &&
             !str_equal(search->graph_id, str_of(entry->def->name))))
            continue;
        if (json != NULL && place >= search->offset && place < search->offset + search->limit)
            write_assistant(entry->def, json);
        place++;
    }
    return place;
}

void langgraph_assistants_search(struct exchange *exchange)
{
    struct search search;
    struct json_write json;
    struct buf out;
    if (!read_search(exchange, &search))
        return;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_array(&json);
    walk(exchange, &search, &json);
    json_write_array_end(&json);
    exchange_reply_json(exchange, 200, &out);
}

void langgraph_assistants_count(struct exchange *exchange)
{
    struct search search;
    struct buf out;
    if (!read_search(exchange, &search))
        return;
    buf_init(&out, ANSWER_BYTES);
    buf_push_u64(&out, walk(exchange, &search, NULL));
    exchange_reply_json(exchange, 200, &out);
}

/* The path's graph, and an answer that begins. NULL: answered. */
static const struct graph_def *begin_answer(struct exchange *exchange, struct json_write *json,
                                            struct buf *out)
{
    const struct graph *graph = find(exchange);
    if (graph == NULL)
        return NULL;
    buf_init(out, ANSWER_BYTES);
    json_write_init(json, out);
    return graph_def(graph);
}

void langgraph_assistants_show(struct exchange *exchange)
{
    struct json_write json;
    struct buf out;
    const struct graph_def *def = begin_answer(exchange, &json, &out);
    if (def == NULL)
        return;
    write_assistant(def, &json);
    exchange_reply_json(exchange, 200, &out);
}

static const char *name_node(const struct graph_def *def, unsigned node)
{
    return node == GRAPH_START ? "__start__"
           : node == GRAPH_END ? "__end__"
                               : def->nodes[node].name;
}

static void write_node(const char *name, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("id"), str_of(name));
    json_write_member_str(json, STR("type"), STR("runnable"));
    json_write_key(json, STR("data"));
    json_write_object(json);
    json_write_member_str(json, STR("name"), str_of(name));
    json_write_object_end(json);
    json_write_object_end(json);
}

void langgraph_assistants_graph(struct exchange *exchange)
{
    struct json_write json;
    struct buf out;
    const struct graph_def *def = begin_answer(exchange, &json, &out);
    if (def == NULL)
        return;
    json_write_object(&json);
    json_write_key(&json, STR("nodes"));
    json_write_array(&json);
    write_node("__start__", &json);
    for (size_t i = 0; i < def->node_count; i++)
        write_node(def->nodes[i].name, &json);
    write_node("__end__", &json);
    json_write_array_end(&json);
    json_write_key(&json, STR("edges"));
    json_write_array(&json);
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        json_write_object(&json);
        json_write_member_str(&json, STR("source"), str_of(name_node(def, edge->from)));
        json_write_member_str(&json, STR("target"), str_of(name_node(def, edge->to)));
        json_write_member_str(&json, STR("data"), str_of(edge->label));
        json_write_member_bool(&json, STR("conditional"), edge->label != NULL);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
    exchange_reply_json(exchange, 200, &out);
}

void langgraph_assistants_schemas(struct exchange *exchange)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"messages\":{\"type\":\"array\",\"items\":{"
        "\"type\":\"object\"}}},\"required\":[\"messages\"]}";
    struct json_write json;
    struct buf out;
    const struct graph_def *def = begin_answer(exchange, &json, &out);
    if (def == NULL)
        return;
    json_write_object(&json);
    json_write_member_str(&json, STR("graph_id"), str_of(def->name));
    json_write_member_raw(&json, STR("input_schema"), str_of(schema));
    json_write_member_raw(&json, STR("output_schema"), str_of(schema));
    json_write_member_raw(&json, STR("state_schema"), str_of(schema));
    json_write_member_raw(&json, STR("config_schema"), STR("{\"type\":\"object\"}"));
    json_write_object_end(&json);
    exchange_reply_json(exchange, 200, &out);
}
