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

void api_graphs_show(struct exchange *exchange)
{
    struct runs_request found = {0};
    struct problem problem;
    struct str name, format;
    struct buf body;
    if (url_decode(&exchange->arena, exchange->match.params[0], &name, &problem.err) != ERR_OK ||
        !run_body_set_graph(exchange, name, &found)) {
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
        graph_write_mermaid(found.graph, &body);
        exchange_reply_buf(exchange, 200, "text/plain; charset=utf-8", &body);
    } else {
        registry_write_definition(found.graph, &body);
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
