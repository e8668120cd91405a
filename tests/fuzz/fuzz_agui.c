/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_agui.c - any body is a RunAgentInput with a question or a problem that names a
 * member. */
#include <stdint.h>

#include "server/facades/agui/agui.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config = {.max_message_bytes = 256};
    const struct shard_group group = {.config = &config};
    struct shard shard = {.group = &group};
    const struct http_request http = {.body = {(const char *)data, size}};
    struct exchange exchange = {.shard = &shard, .request = &http};
    const struct registry_entry entry = {.takes_client_tools = true};
    struct runs_request request = {.entry = &entry};
    struct agui_input input = {.resumes = {NULL, 0}};
    struct problem problem = {0};
    char company[] = "c";
    if (size > 8192)
        return 0;
    config.page_company_id = company;
    arena_init(&exchange.arena, 16 << 20);
    const struct json_value *root = run_body_parse(&exchange, &problem);
    if (root != NULL && agui_read(&exchange, root, &input, &request, &problem)) {
        CHECK(!str_is_absent(input.resumes) ||
              (request.message.len > 0 && request.message.len <= 256));
        CHECK(str_is_absent(input.resumes) == str_is_absent(input.answer));
        CHECK(input.thread_id.len > 0 && input.run_id.len > 0);
        CHECK(str_equal(request.caller.conversation_id, input.thread_id));
    } else {
        CHECK(problem.status >= 400 && str_is_utf8(str_of(problem.err.text)));
    }
    arena_fini(&exchange.arena);
    return 0;
}
