/* SPDX-License-Identifier: MIT */
/* server/http/cors.c - compare, and echo.
 *
 * Failure: an origin that is not named gets no header, so the browser keeps the answer from it. */
#include "server/http/cors.h"

#include "proto/http_response.h"

static const struct str exposed =
    STR("X-Request-Id, X-Run-Id, Content-Location, Location, Retry-After, Mcp-Session-Id, "
        "traceparent, WWW-Authenticate, x-vercel-ai-ui-message-stream, Content-Disposition, "
        "X-Askd-Rows, X-Askd-Truncated");

bool cors_allows(const char *origins, const struct http_request *request)
{
    struct str rest = str_of(origins);
    struct str origin = http_request_header(request, STR("Origin"));
    while (origin.len > 0 && !str_is_absent(rest))
        if (str_equal(str_trim(str_split(&rest, ',')), origin))
            return true;
    return false;
}

bool cors_is_preflight(const struct http_request *request, enum http_method *wanted)
{
    struct str method = http_request_header(request, STR("Access-Control-Request-Method"));
    *wanted = str_equal(method, STR("GET"))      ? HTTP_METHOD_GET
              : str_equal(method, STR("POST"))   ? HTTP_METHOD_POST
              : str_equal(method, STR("PATCH"))  ? HTTP_METHOD_PATCH
              : str_equal(method, STR("DELETE")) ? HTTP_METHOD_DELETE
                                                 : HTTP_METHOD_OPTIONS;
    return request->method == HTTP_METHOD_OPTIONS && *wanted != HTTP_METHOD_OPTIONS &&
           !str_is_absent(http_request_header(request, STR("Origin")));
}

void cors_write(const char *origins, const struct http_request *request, struct buf *out)
{
    if (origins[0] == '\0')
        return;
    buf_push(out, STR("Vary: Origin\r\n"));
    if (!cors_allows(origins, request))
        return;
    (void)http_response_header(out, STR("Access-Control-Allow-Origin"),
                               http_request_header(request, STR("Origin"))); /* one of ours */
    (void)http_response_header(out, STR("Access-Control-Expose-Headers"), exposed);
}

void cors_write_preflight(const struct http_request *request, struct buf *out)
{
    struct str headers = http_request_header(request, STR("Access-Control-Request-Headers"));
    buf_push(out, STR("Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE\r\n"
                      "Access-Control-Max-Age: 600\r\n"));
    if (headers.len > 0) /* one with control bytes is left out */
        (void)http_response_header(out, STR("Access-Control-Allow-Headers"), headers);
}
