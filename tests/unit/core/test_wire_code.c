/* SPDX-License-Identifier: MIT */
/* What failed -> the code an error event carries, and whether to try again. */
#include "tests/lib/test.h"

#include "core/store/wire_code.h"

TEST(codes)
{
    static const struct {
        const char *kind;
        enum err_code code;
        const char *want;
        bool retryable;
    } cases[] = {
        {"llm.chat", ERR_UNAVAILABLE, "model_unavailable", true},
        {"llm.chat", ERR_PROTOCOL, "model_unavailable", true},
        {"llm.chat", ERR_BUSY, "model_unavailable", true},
        {"llm.chat", ERR_TIMEOUT, "model_timeout", true},
        {"llm.chat", ERR_REJECTED, "model_rejected", false},
        {"llm.chat", ERR_INVALID, "model_rejected", false},
        {"llm.chat", ERR_DENIED, "model_rejected", false},
        {"llm.chat", ERR_NOT_CONFIGURED, "model_not_configured", false},
        {"llm.chat", ERR_CANCELLED, "cancelled", true},
        {"llm.chat", ERR_NO_MEMORY, "internal", false},
        {"sql.query", ERR_TIMEOUT, "sql_timeout", true},
        {"sql.query", ERR_UNAVAILABLE, "database_unavailable", true},
        {"sql.query", ERR_BUSY, "overloaded", true},
        {"sql.query", ERR_REJECTED, "sql_rejected", false},
        {"sql.query", ERR_INVALID, "sql_rejected", false},
        {"sql.query", ERR_NOT_FOUND, "sql_failed", false},
        {"vec.search", ERR_TIMEOUT, "retrieval_unavailable", true},
        {"text.search", ERR_INVALID, "retrieval_unavailable", true},
        {"embed.text", ERR_PROTOCOL, "retrieval_unavailable", true},
        {"gate.enter", ERR_TIMEOUT, "overloaded", true},
        {"delay", ERR_TIMEOUT, "deadline_exceeded", true},
        {NULL, ERR_TIMEOUT, "deadline_exceeded", true},
        {NULL, ERR_LIMIT, "graph_recursion_limit", false},
        {NULL, ERR_INVALID, "invalid_request", false},
        {NULL, ERR_CONFLICT, "conflict", false},
        {NULL, ERR_BUSY, "overloaded", true},
        {NULL, ERR_CANCELLED, "cancelled", true},
        {NULL, ERR_INTERNAL, "internal", false},
        {NULL, ERR_GONE, "internal", false},
        {"work", ERR_NO_MEMORY, "internal", false},
    };
    TEST_EACH(c, cases) {
        const char *name = c->kind == NULL ? c->want : c->kind;
        EXPECT_STR(name, str_of(wire_code_of(c->kind, c->code)), str_of(c->want));
        EXPECT_INT(name, wire_code_is_retryable(c->want), c->retryable);
    }
    EXPECT_TRUE("unknown", !wire_code_is_retryable("something"));
    EXPECT_TRUE("said by servers", wire_code_is_retryable("server_shutdown"));
}

RUN_TESTS(T(codes))
