/* SPDX-License-Identifier: MIT */
/* server/api/api_graphs.c - what the registry holds, as JSON or as a picture.
 *
 * Failure: no such graph: 404; an unknown format: 422. */
#include "server/api/api_graphs.h"

#include "proto/json_write.h"
#include "proto/url.h"
#include "server/api/api_run.h"
#include "server/http/exchange.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { BODY_BYTES = 1024 * 1024 };

void api_graphs_list(struct exchange *exchange)
{
    const struct registry *registry = exchange->shard->group->registry;
    struct json_write json;
    struct buf body;
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    json_write_object(&json);
    json_write_key(&json, STR("graphs"));
    json_write_array(&json);
    for (size_t i = 0; i < registry_count(registry); i++) {
        const struct graph_def *def = graph_def(registry_graph(registry, i));
        if (!shard_offers(exchange->shard, i))
            continue;
        json_write_object(&json);
        json_write_member_str(&json, STR("name"), str_of(def->name));
        json_write_member_str(&json, STR("purpose"), str_of(def->purpose));
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
    exchange_reply_json(exchange, 200, &body);
}

static bool read_format(struct exchange *exchange, struct str *format, struct problem *problem)
{
    struct err err = {0};
    *format = (struct str){NULL, 0};
    if (!str_is_absent(exchange->request->query) &&
        url_find_param(&exchange->arena, exchange->request->query, STR("format"), format, &err) !=
            ERR_OK)
        return problem_set(problem, 400, "invalid_request", "the query: %s", err.text);
    if (str_is_absent(*format) || str_equal(*format, STR("json")) ||
        str_equal(*format, STR("mermaid")))
        return true;
    return problem_set(problem, 422, "invalid_request",
                       "format: expected json or mermaid, got "
                       "'%.*s'",
                       STR_ARG(str_utf8_prefix(*format, 64)));
}

/* The graph of this name among those that a graph runs inside, however deep; NULL: none. */
static const struct graph *find_within(const struct graph *graph, struct str name)
{
    const struct graph_def *def = graph_def(graph);
    for (unsigned node = 0; node < def->node_count; node++) {
        unsigned inner = 0;
        const struct graph *part = graph_sub(graph, node);
        if (part == NULL)
            part = graph_inner(graph, node, inner++);
        for (; part != NULL; part = graph_inner(graph, node, inner++)) {
            const struct graph *found =
                str_equal(str_of(graph_def(part)->name), name) ? part : find_within(part, name);
            if (found != NULL)
                return found;
        }
    }
    return NULL;
}

/* By its own name, or as a part of one that may be asked: the page draws both. */
static const struct graph *find_graph(struct exchange *exchange, struct str name)
{
    const struct registry *registry = exchange->shard->group->registry;
    const struct graph *found = NULL;
    struct runs_request request = {0};
    if (run_body_set_graph(exchange, name, &request))
        return request.graph;
    for (size_t i = 0; i < registry_count(registry) && found == NULL; i++)
        if (shard_offers(exchange->shard, i))
            found = find_within(registry_graph(registry, i), name);
    return found;
}

void api_graphs_show(struct exchange *exchange)
{
    const struct graph *found = NULL;
    struct problem problem;
    struct str name, format;
    struct buf body;
    if (url_decode(&exchange->arena, exchange->match.params[0], &name, &problem.err) == ERR_OK)
        found = find_graph(exchange, name);
    if (found == NULL) {
        problem_set(&problem, 404, "not_found", "there is no such graph");
        exchange_problem(exchange, &problem);
        return;
    }
    if (!read_format(exchange, &format, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    buf_init(&body, BODY_BYTES);
    if (str_equal(format, STR("mermaid"))) {
        graph_write_mermaid(found, &body);
        exchange_reply_buf(exchange, 200, "text/plain; charset=utf-8", &body);
    } else {
        registry_write_definition(found, &body);
        exchange_reply_json(exchange, 200, &body);
    }
}

void api_graphs_stream(struct exchange *exchange)
{
    api_run_stream(exchange, NULL);
}

void api_graphs_invoke(struct exchange *exchange)
{
    api_run_invoke(exchange);
}
