/* SPDX-License-Identifier: MIT */
/* server/http/problem.c - one JSON object.
 *
 * Failure: none but a full buf. */
#include "server/http/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/http_response.h"
#include "proto/json_write.h"

static const struct {
    int status;
    const char *code;
} codes[] = {
    {401, "unauthorized"},       {403, "forbidden"},  {404, "not_found"},
    {405, "method_not_allowed"}, {409, "conflict"},   {410, "gone"},
    {429, "overloaded"},         {503, "overloaded"}, {500, "internal"},
};

const char *problem_code(int status)
{
    for (size_t i = 0; i < countof(codes); i++)
        if (codes[i].status == status)
            return codes[i].code;
    return status >= 500 ? "internal" : "invalid_request";
}

PRINTF(4, 0)
static void fill(struct problem *problem, int status, const char *code, const char *fmt,
                 va_list args)
{
    char text[ERR_TEXT_BYTES];
    *problem = (struct problem){.status = status, .code = code};
    vsnprintf(text, sizeof text, fmt, args);
    err_set(&problem->err, status == 404 ? ERR_NOT_FOUND : ERR_INVALID, "%s", text);
}

bool problem_set(struct problem *problem, int status, const char *code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(problem, status, code, fmt, args);
    va_end(args);
    return false;
}

bool problem_field(struct problem *problem, const char *pointer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(problem, 422, "invalid_request", fmt, args);
    va_end(args);
    size_t len = str_utf8_prefix(str_of(pointer), sizeof problem->pointer - 1).len;
    memcpy(problem->pointer, pointer, len);
    problem->pointer[len] = '\0';
    return false;
}

bool problem_unsupported(struct problem *problem, const char *pointer, const char *feature)
{
    problem_field(problem, pointer, "%s: %s not supported here", pointer, feature);
    problem->status = 501;
    problem->code = "unsupported";
    return false;
}

void problem_write(const struct problem *problem, const char *request_id, struct buf *out)
{
    struct json_write json;
    bool retryable = problem->status == 408 || problem->status == 429 || problem->status == 503;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("type"), STR("about:blank"));
    json_write_member_str(&json, STR("title"), str_of(http_response_reason(problem->status)));
    json_write_member_i64(&json, STR("status"), problem->status);
    json_write_member_str(&json, STR("code"), str_of(problem->code));
    json_write_member_str(&json, STR("detail"), str_of(problem->err.text));
    if (problem->pointer[0] != '\0')
        json_write_member_str(&json, STR("pointer"), str_of(problem->pointer));
    json_write_member_bool(&json, STR("retryable"), retryable);
    if (request_id[0] != '\0')
        json_write_member_str(&json, STR("request_id"), str_of(request_id));
    json_write_object_end(&json);
}
