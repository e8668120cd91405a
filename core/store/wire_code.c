/* SPDX-License-Identifier: MIT */
/* core/store/wire_code.c - a table of kind prefix and code; the first row that fits speaks.
 *
 * Unknown codes are not retryable. */
#include "core/store/wire_code.h"

#include <string.h>

#define BIT(code) (1u << ERR_##code)

static const unsigned refused = BIT(REJECTED) | BIT(INVALID) | BIT(DENIED);
static const unsigned any = ~0u;

const char *wire_code_of(const char *op_kind, enum err_code code)
{
    const struct {
        const char *prefix; /* of the operation's kind; "" fits all */
        unsigned codes;
        const char *wire;
    } rows[] = {
        {"", BIT(CANCELLED), "cancelled"},
        {"", BIT(NO_MEMORY) | BIT(INTERNAL), "internal"},
        {"llm.", BIT(TIMEOUT), "model_timeout"},
        {"llm.", refused | BIT(TOO_LARGE), "model_rejected"},
        {"llm.", BIT(NOT_CONFIGURED), "model_not_configured"},
        {"llm.", any, "model_unavailable"},
        {"sql.", BIT(TIMEOUT), "sql_timeout"},
        {"sql.", BIT(UNAVAILABLE) | BIT(NOT_CONFIGURED), "database_unavailable"},
        {"sql.", BIT(BUSY), "overloaded"},
        {"sql.", refused, "sql_rejected"},
        {"sql.", any, "sql_failed"},
        {"vec.", any, "retrieval_unavailable"},
        {"text.", any, "retrieval_unavailable"},
        {"embed.", any, "retrieval_unavailable"},
        {"search.", any, "retrieval_unavailable"},
        {"gate.", BIT(BUSY) | BIT(TIMEOUT), "overloaded"},
        {"", BIT(TIMEOUT), "deadline_exceeded"},
        {"", BIT(LIMIT), "graph_recursion_limit"},
        {"", BIT(INVALID), "invalid_request"},
        {"", BIT(DENIED), "forbidden"},
        {"", BIT(CONFLICT), "conflict"},
        {"", BIT(BUSY), "overloaded"},
    };
    const char *kind = op_kind == NULL ? "" : op_kind;
    for (size_t i = 0; i < countof(rows); i++)
        if ((rows[i].codes & 1u << code) != 0 &&
            strncmp(kind, rows[i].prefix, strlen(rows[i].prefix)) == 0)
            return rows[i].wire;
    return "internal";
}

bool wire_code_is_retryable(const char *wire_code)
{
    static const char *const retryable[] = {
        "overloaded",      "model_unavailable",    "model_timeout",
        "sql_timeout",     "database_unavailable", "retrieval_unavailable",
        "cancelled",       "deadline_exceeded",    "lagged",
        "server_shutdown",
    };
    for (size_t i = 0; i < countof(retryable); i++)
        if (strcmp(retryable[i], wire_code) == 0)
            return true;
    return false;
}

struct str wire_code_public(const char *wire_code, enum err_code code, struct str text)
{
    static const struct {
        const char *wire;
        unsigned codes;
        const char *says;
    } rows[] = {
        {"database_unavailable", BIT(NOT_CONFIGURED), "no database is set up for questions"},
        {"database_unavailable", ~0u, "the database is unavailable"},
        {"model_not_configured", ~0u, "no model is configured"},
        {"model_rejected", BIT(TOO_LARGE),
         "the question, with what belongs to it, or its answer is "
         "too long for the model"},
        {"model_rejected", ~0u, "the model refuses the request"},
        {"model_timeout", ~0u, "the model did not answer in time"},
        {"model_unavailable", BIT(PROTOCOL), "the model's answer could not be understood"},
        {"model_unavailable", ~0u, "the model is unavailable"},
        {"retrieval_unavailable", BIT(NOT_CONFIGURED), "no documents are configured"},
        {"retrieval_unavailable", ~0u, "the documents are unavailable"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        if ((rows[i].codes & 1u << code) != 0 && strcmp(rows[i].wire, wire_code) == 0)
            return str_of(rows[i].says);
    return text;
}

struct str wire_code_loggable(const char *wire_code, struct str text, enum log_level level)
{
    static const char *const quoting[] = {"sql_rejected", "sql_failed", "sql_timeout",
                                          "invalid_request", "model_rejected"};
    for (size_t i = 0; i < countof(quoting) && level > LOG_DEBUG; i++)
        if (strcmp(quoting[i], wire_code) == 0)
            return STR("(its words are for the asker; logged at level debug)");
    return text;
}
