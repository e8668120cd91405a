/* SPDX-License-Identifier: MIT */
/* server/api/api_auth.c - one JSON object, of the book.
 *
 * Failure: no resource is configured: 404. */
#include "server/api/api_auth.h"

#include <string.h>

#include "proto/json_write.h"
#include "server/http/exchange.h"

enum { BODY_BYTES = 1024 * 1024 };

void api_auth_resource(struct exchange *exchange)
{
    static const size_t well_known = sizeof "/.well-known/oauth-protected-resource" - 1;
    const struct auth_book *book = auth_book(exchange->site->auth);
    const char *path = exchange->match.route->pattern + well_known;
    struct json_write json;
    struct problem problem;
    struct buf out;
    if (str_is_absent(book->resource)) {
        problem_set(&problem, 404, "not_found",
                    "ASKD_AUTH_FILE has no \"resource\", so nothing is known of one");
        exchange_problem(exchange, &problem);
        return;
    }
    buf_init(&out, BODY_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("resource"),
                          arena_printf(&exchange->arena, "%.*s%s", STR_ARG(book->resource), path));
    json_write_key(&json, STR("authorization_servers"));
    json_write_array(&json);
    for (size_t i = 0; i < book->issuer_count; i++)
        json_write_str(&json, book->issuers[i].name);
    json_write_array_end(&json);
    json_write_key(&json, STR("bearer_methods_supported"));
    json_write_array(&json);
    json_write_str(&json, STR("header"));
    json_write_array_end(&json);
    json_write_member_str(&json, STR("resource_name"), STR("askd"));
    json_write_object_end(&json);
    exchange_reply_json(exchange, 200, &out);
}
