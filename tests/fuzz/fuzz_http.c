/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_http.c - the same bytes whole, one by one and cut by their own first byte must
 * give the same requests and the same failure; every view of a request lies in the parser. */
#include <stdio.h>

#include "proto/http_request.h"
#include "tests/fuzz/cuts.h"

static const struct http_limits limits = {.target_bytes = 64,
                                          .head_bytes = 512,
                                          .header_count = 8,
                                          .body_bytes = 64,
                                          .overhead_bytes = 64};

static void note_request(const struct http_request *request, struct buf *out)
{
    struct str name, value;
    size_t cursor = 0;
    buf_printf(out, "%d %.*s|%.*s|%.*s|%.*s|%d%d\n", (int)request->method, STR_ARG(request->path),
               STR_ARG(request->query), STR_ARG(request->host), STR_ARG(request->body),
               request->keep_alive, request->expect_continue);
    while (http_request_next_header(request, &cursor, &name, &value)) {
        CHECK(http_head_is_token(name));
        CHECK(!str_is_absent(http_request_header(request, name)));
        buf_push(out, value);
    }
}

static void transcribe(struct str input, size_t step, struct buf *out)
{
    struct http_request_parser parser;
    struct err err = {0};
    buf_clear(out);
    http_request_init(&parser, &limits);
    for (size_t at = 0; at < input.len && parser.phase != HTTP_PHASE_FAILED;) {
        size_t consumed;
        struct str piece = str_slice(input, at, at + step);
        enum err_code code = http_request_feed(&parser, piece, &consumed, &err);
        CHECK(consumed <= piece.len);
        CHECK((code != ERR_OK) == (parser.phase == HTTP_PHASE_FAILED));
        at += consumed;
        if (parser.phase == HTTP_PHASE_DONE) {
            note_request(&parser.request, out);
            http_request_reset(&parser);
        } else {
            CHECK(code != ERR_OK || consumed == piece.len);
        }
    }
    buf_printf(out, "%d %d %s", (int)parser.phase, http_request_status(&parser), err.text);
    CHECK(buf_ok(out));
    http_request_fini(&parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, 8192, transcribe);
}
