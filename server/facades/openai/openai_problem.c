/* SPDX-License-Identifier: MIT */
/* server/facades/openai/openai_problem.c - the type follows from the status, the rest is copied.
 *
 * Failure: none but a full buf. */
#include "server/facades/openai/openai_problem.h"

static struct str type_of(int status)
{
    return status == 401   ? STR("authentication_error")
           : status == 403 ? STR("permission_error")
           : status == 429 ? STR("rate_limit_error")
           : status == 501 ? STR("invalid_request_error")
           : status >= 500 ? STR("server_error")
                           : STR("invalid_request_error");
}

void openai_problem_write(struct json_write *json, int status, struct str code, struct str message,
                          struct str param)
{
    json_write_object(json);
    json_write_member_str(json, STR("message"), message);
    json_write_member_str(json, STR("type"), type_of(status));
    json_write_key(json, STR("param"));
    if (param.len > 0)
        json_write_str(json, param);
    else
        json_write_null(json);
    json_write_member_str(json, STR("code"), code);
    json_write_object_end(json);
}

static void write_problem(const struct problem *problem, const char *request_id, struct buf *out)
{
    char param[PROBLEM_POINTER_BYTES];
    struct json_write json;
    size_t len = 0;
    (void)request_id; /* it is a header */
    /* "/messages/0/content" is called messages.0.content here */
    const bool is_parameter = problem->status == 501 && problem->pointer[0] != '\0';
    const struct str code = is_parameter ? STR("unsupported_parameter") : str_of(problem->code);
    for (const char *c = problem->pointer; *c != '\0'; c++)
        if (len > 0 || *c != '/')
            param[len++] = *c == '/' ? '.' : *c;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("error"));
    openai_problem_write(&json, problem->status, code, str_of(problem->err.text),
                         str_make(param, len));
    json_write_object_end(&json);
}

int openai_problem_answer(enum err_code result, struct str code, struct str message,
                          struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("error"));
    openai_problem_write(&json, err_http_status(result), code, message, STR(""));
    json_write_object_end(&json);
    return err_http_status(result);
}

const struct problem_style openai_problem_style = {"application/json", 400, 400, write_problem};
