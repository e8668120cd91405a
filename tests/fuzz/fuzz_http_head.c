/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_http_head.c - any lines give a head whose fields are in range, and a longer head
 * is refused at the limit. */
#include <stdint.h>
#include <string.h>

#include "backends/http/http_client_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_client_head head;
    struct str rest = str_make((const char *)data, size);
    http_client_head_init(&head);
    while (!str_is_absent(rest)) {
        struct str line = str_split(&rest, '\n');
        bool fits = http_client_head_feed(&head, line, UINT64_C(1795255200000));
        CHECK(fits == (head.bytes <= HTTP_CLIENT_HEAD_BYTES));
        CHECK(head.status >= 0 && head.status <= 999);
        CHECK(memchr(head.content_type, '\0', sizeof head.content_type) != NULL);
        CHECK(!head.is_complete || head.status >= 200);
    }
    return 0;
}
