/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_http2_head.c - lines "name TAB value" as the fields of an HTTP/2 request: what is
 * accepted is a request whose headers HTTP/1 could carry; what is refused has a status. */
#include <stdint.h>

#include "proto/http2_head.h"
#include "proto/http_head.h"
#include "proto/http_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct http_limits limits = {
    .target_bytes = 64, .head_bytes = 1024, .header_count = 12, .body_bytes = 64};

static void check_request(const struct http_request *request)
{
    struct str name, value;
    size_t cursor = 0;
    CHECK(http_target_is_host(request->host));
    CHECK(str_equal(http_request_header(request, STR("Host")), request->host));
    CHECK(request->path.len > 0 && request->target.len <= limits.target_bytes);
    while (http_request_next_header(request, &cursor, &name, &value)) {
        CHECK(http_head_is_token(name));
        CHECK(str_find_char(value, '\r') == STR_NONE && str_find_char(value, '\0') == STR_NONE);
    }
    CHECK(cursor == request->fields.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http2_head head;
    struct err err = {0};
    struct str rest = {(const char *)data, size};
    http2_head_init(&head, &limits);
    while (rest.len > 0) {
        struct str value = str_split(&rest, '\n');
        struct str name = str_split(&value, '\t');
        http2_head_take(&head, name, str_is_absent(value) ? STR("") : value);
    }
    if (http2_head_end(&head, false, &err) == ERR_OK)
        check_request(&head.request);
    else
        CHECK(http2_head_status(&head) >= 400 && err.text[0] != '\0');
    http2_head_fini(&head);
    return 0;
}
