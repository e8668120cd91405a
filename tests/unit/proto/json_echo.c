/* SPDX-License-Identifier: MIT */
/* tests/unit/proto/json_echo.c - reads JSON texts from stdin, each ended by a NUL byte, and writes
 * each back as our parser understood it, or "error", ended the same way. For the comparison with
 * another parser in tests/node/json_diff.mjs. */
#include <stdio.h>

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { MAX_INPUT = 256 * 1024 * 1024 };

static void echo(struct str text, struct buf *out)
{
    const struct json_limits limits = {.allow_duplicates = true};
    struct arena arena;
    struct err err;
    arena_init(&arena, MAX_INPUT);
    const struct json_value *value = json_value_parse(&arena, text, &limits, &err);
    buf_clear(out);
    if (value == NULL) {
        buf_push(out, STR("error"));
    } else {
        struct json_write writer;
        json_write_init(&writer, out);
        json_value_write(value, &writer);
        CHECK(json_write_is_complete(&writer));
    }
    CHECK(buf_ok(out));
    fwrite(buf_str(out).at, 1, buf_len(out), stdout);
    putchar('\0');
    arena_fini(&arena);
}

int main(void)
{
    struct buf input, out;
    buf_init(&input, MAX_INPUT);
    buf_init(&out, MAX_INPUT);
    for (;;) {
        char *to = buf_reserve(&input, 65536);
        CHECK(to != NULL);
        size_t len = fread(to, 1, 65536, stdin);
        if (len == 0)
            break;
        buf_commit(&input, len);
    }
    struct str rest = buf_str(&input);
    while (rest.len > 0)
        echo(str_split(&rest, '\0'), &out);
    buf_fini(&input);
    buf_fini(&out);
    return 0;
}
