/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_langgraph.c - any body is a run with a question or a problem that names a member;
 * any query and Last-Event-ID a view and a cursor, or a problem; a view's query reads back. */
#include <stdint.h>

#include "server/facades/langgraph/langgraph_body.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_problem(const struct problem *problem)
{
    CHECK(problem->status >= 400 && problem->status < 600);
    CHECK(str_is_utf8(str_of(problem->err.text)));
}

static void read_body(struct exchange *exchange)
{
    struct langgraph_asked asked;
    const struct runs_request *request = &asked.request;
    struct problem problem = {0};
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root != NULL && langgraph_body_read(exchange, STR("t"), root, &asked, &problem)) {
        CHECK(!str_is_absent(asked.resume) ||
              (request->message.len > 0 && request->message.len <= 256));
        CHECK(request->graph != NULL && str_equal(request->caller.conversation_id, STR("t")));
    } else {
        check_problem(&problem);
    }
}

static void read_query(struct exchange *exchange)
{
    struct langgraph_view view, again;
    struct problem problem = {0};
    struct buf out;
    if (!langgraph_body_read_query(exchange, &view, &problem)) {
        check_problem(&problem);
        return;
    }
    buf_init(&out, 4096);
    langgraph_body_write_query(&view, &out);
    CHECK(buf_ok(&out) && buf_len(&out) > 0);
    struct http_request http = {.query = str_from(buf_str(&out), 1)};
    exchange->request = &http;
    CHECK(langgraph_body_read_query(exchange, &again, &problem));
    CHECK(again.modes == view.modes && again.subgraphs == view.subgraphs);
    buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char company[] = "c";
    char webhooks[] = "https://a.b/";
    const struct config config = {
        .max_message_bytes = 256, .page_company_id = company, .webhooks = webhooks};
    struct shard_group group = {.config = &config};
    struct shard shard = {.group = &group};
    const struct http_request http = {.body = {(const char *)data, size},
                                      .query = {(const char *)data, size}};
    struct exchange exchange = {.shard = &shard, .request = &http};
    static const struct limits limits = {.sql_agent_max_iterations = 15};
    struct registry *registry;
    struct err err;
    if (size > 8192 || registry_create(&limits, &registry, &err) != ERR_OK)
        return 0;
    group.registry = registry;
    arena_init(&exchange.arena, 16 << 20);
    read_body(&exchange);
    read_query(&exchange);
    arena_fini(&exchange.arena);
    registry_destroy(registry);
    return 0;
}
