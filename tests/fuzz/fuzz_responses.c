/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_responses.c - any body is a response with a question, or a problem that says why
 * not. */
#include <stdint.h>

#include "agents/memory/history.h"
#include "server/facades/responses.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct registry *make_registry(void)
{
    static struct registry *registry; /* compiled once */
    const struct limits limits = {.sql_agent_max_iterations = 15, .sql_correction_max_attempts = 3};
    struct err err;
    if (registry == NULL)
        CHECK(registry_create(&limits, &registry, &err) == ERR_OK);
    return registry;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char company[] = "c", user[] = "u";
    const struct config config = {
        .max_message_bytes = 256, .page_company_id = company, .page_user_id = user};
    const struct worker_crew crew = {.config = &config, .registry = make_registry(), .count = 1};
    struct worker worker = {.crew = &crew};
    const struct http_request http = {.body = {(const char *)data, size}};
    struct exchange exchange = {.worker = &worker, .request = &http};
    struct problem problem = {0};
    struct responses_request request;
    if (size > 8192)
        return 0;
    arena_init(&exchange.arena, 16 << 20);
    if (responses_read(&exchange, &request, &problem)) {
        const struct runs_request *run = &request.run;
        CHECK(run->message.len > 0 && run->message.len <= 256 && run->graph != NULL);
        CHECK(run->conversation_id.len <= 128 && run->user_id.len > 0 && run->company_id.len > 0);
        for (size_t i = 0; i < run->said_count; i++)
            CHECK(str_is_utf8(run->said[i].text));
    } else {
        CHECK(problem.status >= 400 && str_is_utf8(str_of(problem.err.text)));
    }
    arena_fini(&exchange.arena);
    return 0;
}
