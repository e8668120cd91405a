/* SPDX-License-Identifier: MIT */
/* server/facades/models.c - one object per graph of the registry.
 *
 * Failure: no such graph: 404. */
#include "server/facades/models.h"

#include "proto/json_write.h"
#include "proto/url.h"
#include "server/exchange.h"

enum { BODY_BYTES = 64 * 1024 };

static void write_model(struct exchange *exchange, size_t i, struct json_write *json)
{
    const struct worker_crew *crew = exchange->worker->crew;
    json_write_object(json);
    json_write_member_str(json, STR("id"),
                          str_of(graph_def(registry_graph(crew->registry, i))->name));
    json_write_member_str(json, STR("object"), STR("model"));
    json_write_member_u64(json, STR("created"), (uint64_t)meters_began(crew->meters));
    json_write_member_str(json, STR("owned_by"), STR("askd"));
    json_write_object_end(json);
}

static void send(struct exchange *exchange, struct buf *body)
{
    struct err err;
    if (buf_ok(body)) {
        exchange_reply(exchange, 200, "application/json", buf_str(body));
    } else {
        err_set(&err, ERR_NO_MEMORY, "no memory for the answer");
        exchange_fail(exchange, &err);
    }
    buf_fini(body);
}

void models_list(struct exchange *exchange)
{
    const struct registry *registry = exchange->worker->crew->registry;
    struct json_write json;
    struct buf body;
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    json_write_object(&json);
    json_write_member_str(&json, STR("object"), STR("list"));
    json_write_key(&json, STR("data"));
    json_write_array(&json);
    for (size_t i = 0; i < registry_count(registry); i++)
        write_model(exchange, i, &json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    send(exchange, &body);
}

void models_show(struct exchange *exchange)
{
    struct problem problem;
    struct json_write json;
    struct buf body;
    struct str name = {NULL, 0};
    int place = -1;
    if (url_decode(&exchange->arena, exchange->match.params[0], &name, &problem.err) == ERR_OK)
        place = registry_find(exchange->worker->crew->registry, name);
    if (place < 0) {
        problem_set(&problem, 404, "model_not_found", "there is no such model");
        exchange_problem(exchange, &problem);
        return;
    }
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    write_model(exchange, (size_t)place, &json);
    send(exchange, &body);
}
