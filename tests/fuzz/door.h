/* SPDX-License-Identifier: MIT */
/* tests/fuzz/door.h - an exchange with a body, for what reads the bodies of doors. */
#ifndef TESTS_FUZZ_DOOR_H
#define TESTS_FUZZ_DOOR_H

#include <stdint.h>

#include "agents/memory/history.h"
#include "server/http/exchange.h"
#include "server/runs/shard.h"

enum { DOOR_BODY_BYTES = 8192, DOOR_MESSAGE_BYTES = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline const struct registry *door_registry(void)
{
    static struct registry *registry; /* compiled once */
    const struct limits limits = {.sql_agent_max_iterations = 15, .sql_correction_max_attempts = 3};
    struct err err;
    if (registry == NULL)
        CHECK(registry_create(&limits, &registry, &err) == ERR_OK);
    return registry;
}

typedef bool door_read_fn(struct exchange *exchange, struct runs_request *run,
                          struct problem *problem);

/* Read the body: a run with a question within limits, or a problem that says why not. */
static inline int door_try(const uint8_t *data, size_t size, door_read_fn *read)
{
    char company[] = "c";
    const struct config config = {.max_message_bytes = DOOR_MESSAGE_BYTES,
                                  .page_company_id = company};
    const struct shard_group group = {.config = &config, .registry = door_registry(), .count = 1};
    struct shard shard = {.group = &group};
    const struct http_request http = {.body = {(const char *)data, size}};
    struct exchange exchange = {.shard = &shard, .request = &http};
    struct problem problem = {0};
    struct runs_request run = {0};
    if (size > DOOR_BODY_BYTES)
        return 0;
    arena_init(&exchange.arena, 16 << 20);
    if (read(&exchange, &run, &problem)) {
        CHECK(run.message.len > 0 && run.message.len <= DOOR_MESSAGE_BYTES && run.graph != NULL);
        CHECK(run.caller.conversation_id.len <= 128 && run.caller.user_id.len > 0 &&
              run.caller.company_id.len > 0);
        for (size_t i = 0; i < run.said_count; i++)
            CHECK(str_is_utf8(run.said[i].text));
    } else {
        CHECK(problem.status >= 400 && str_is_utf8(str_of(problem.err.text)));
    }
    arena_fini(&exchange.arena);
    return 0;
}

#endif
