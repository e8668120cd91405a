/* SPDX-License-Identifier: MIT */
/* server/facades/openai/models.c - one object per graph of the registry.
 *
 * Failure: no such graph: 404. */
#include "server/facades/openai/models.h"

#include "proto/json_write.h"
#include "proto/url.h"
#include "server/http/exchange.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { BODY_BYTES = 64 * 1024 };

static void write_model(struct exchange *exchange, const struct registry_entry *entry,
                        struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("id"), str_of(entry->def->name));
    json_write_member_str(json, STR("object"), STR("model"));
    json_write_member_u64(json, STR("created"),
                          (uint64_t)meters_began(exchange->shard->group->meters));
    json_write_member_str(json, STR("owned_by"), STR("askd"));
    json_write_object_end(json);
}

void models_list(struct exchange *exchange)
{
    const struct registry *registry = exchange->shard->group->registry;
    struct json_write json;
    struct buf body;
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    json_write_object(&json);
    json_write_member_str(&json, STR("object"), STR("list"));
    json_write_key(&json, STR("data"));
    json_write_array(&json);
    for (size_t i = 0; i < registry_count(registry); i++)
        if (shard_offers(exchange->shard, i))
            write_model(exchange, registry_entry(registry, i), &json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    exchange_reply_json(exchange, 200, &body);
}

void models_show(struct exchange *exchange)
{
    struct runs_request found = {0};
    struct problem problem;
    struct json_write json;
    struct buf body;
    struct str name;
    if (url_decode(&exchange->arena, exchange->match.params[0], &name, &problem.err) != ERR_OK ||
        !run_body_set_graph(exchange, name, &found)) {
        problem_set(&problem, 404, "model_not_found", "there is no such model");
        exchange_problem(exchange, &problem);
        return;
    }
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    write_model(exchange, found.entry, &json);
    exchange_reply_json(exchange, 200, &body);
}
