/* SPDX-License-Identifier: MIT */
/* server/api/caller.c - three headers, checked like the fields of our own body; then the grant.
 *
 * Failure: a header is empty, too long or no UTF-8; the grant is for somebody else. */
#include "server/api/caller.h"

#include "proto/url.h"

enum { ID_BYTES = 128 };

/* Put the header into *name, if there is one. */
static enum err_code read_header(const struct http_request *http, const char *header,
                                 struct str *name, struct err *err)
{
    struct str text = http_request_header(http, str_of(header));
    if (str_is_absent(text))
        return ERR_OK;
    if (text.len == 0 || text.len > ID_BYTES || !str_is_utf8(text))
        return err_set(err, ERR_INVALID, "%s: expected 1 to %d bytes of UTF-8, got %zu", header,
                       ID_BYTES, text.len);
    *name = text;
    return ERR_OK;
}

enum err_code caller_settle(const struct exchange *exchange, struct identity *caller,
                            struct err *err)
{
    const struct http_request *http = exchange->request;
    if (read_header(http, "X-Askd-Company-Id", &caller->company_id, err) != ERR_OK ||
        read_header(http, "X-Askd-User-Id", &caller->user_id, err) != ERR_OK ||
        read_header(http, "X-Askd-Role", &caller->role, err) != ERR_OK)
        return err->code;
    return auth_grant_settle(&exchange->grant, caller, err);
}

bool caller_take(const struct exchange *exchange, struct identity *caller, int invalid_status,
                 struct problem *problem)
{
    struct err err = {0};
    enum err_code code = caller_settle(exchange, caller, &err);
    int status = code == ERR_DENIED ? 403 : invalid_status;
    return code == ERR_OK || problem_set(problem, status, problem_code(status), "%s", err.text);
}

bool caller_take_query(struct exchange *exchange, struct identity *caller, struct problem *problem)
{
    struct str query = exchange->request->query;
    struct err err = {0};
    *caller = (struct identity){.company_id = {NULL, 0}};
    if (!str_is_absent(query) &&
        (url_find_param(&exchange->arena, query, STR("company_id"), &caller->company_id, &err) !=
             ERR_OK ||
         url_find_param(&exchange->arena, query, STR("user_id"), &caller->user_id, &err) != ERR_OK))
        return problem_set(problem, 400, "invalid_request", "the query: %s", err.text);
    if (!caller_take(exchange, caller, 400, problem))
        return false;
    if (str_is_absent(caller->company_id))
        caller->company_id = STR("");
    if (str_is_absent(caller->user_id))
        caller->user_id = STR("");
    return true;
}
