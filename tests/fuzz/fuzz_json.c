/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_json.c - reader and tree agree on what JSON is; what a tree writes reads back
 * and writes the same again; strings are UTF-8; any bytes written as a string are JSON. */
#include <stdint.h>

#include "proto/json_read.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool reader_accepts(struct str text)
{
    struct json_read reader;
    enum json_token token;
    struct buf scratch;
    buf_init(&scratch, text.len);
    json_read_init(&reader, text);
    do {
        token = json_read_next(&reader);
        if (token == JSON_TOKEN_STRING || token == JSON_TOKEN_KEY) {
            struct str plain = json_read_unescape(&reader, &scratch);
            CHECK(!str_is_absent(plain) && str_is_utf8(plain) && json_read_is(&reader, plain));
        }
    } while (token != JSON_TOKEN_END && token != JSON_TOKEN_ERROR);
    buf_fini(&scratch);
    CHECK(json_read_offset(&reader) <= text.len);
    json_read_init(&reader, text);
    CHECK(token == JSON_TOKEN_ERROR || json_read_skip(&reader, json_read_next(&reader)));
    return token == JSON_TOKEN_END;
}

static void write_tree(const struct json_value *value, struct buf *out)
{
    struct json_write writer;
    json_write_init(&writer, out);
    json_value_write(value, &writer);
    CHECK(buf_ok(out) && json_write_is_complete(&writer));
}

static void check_tree(struct str text, bool is_json)
{
    const struct json_limits limits = {.allow_duplicates = true};
    struct arena arena;
    struct err err = {0};
    struct buf once, twice;
    arena_init(&arena, 64 << 20);
    buf_init(&once, 1 << 20);
    buf_init(&twice, 1 << 20);
    const struct json_value *value = json_value_parse(&arena, text, &limits, &err);
    CHECK(value == NULL || is_json); /* a number out of range makes JSON that is no tree */
    if (value != NULL) {
        write_tree(value, &once);
        const struct json_value *again = json_value_parse(&arena, buf_str(&once), &limits, &err);
        CHECK(again != NULL);
        write_tree(again, &twice);
        CHECK(str_equal(buf_str(&once), buf_str(&twice)));
        json_value_parse(&arena, text, NULL, &err); /* duplicates refused */
        JSON_EACH(member, value) {
            CHECK(value->type != JSON_OBJECT || json_value_member(value, member->key) != NULL);
        }
    } else {
        CHECK(err.code == ERR_INVALID && str_is_utf8(str_of(err.text)));
    }
    buf_fini(&once);
    buf_fini(&twice);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct json_write writer;
    struct buf out;
    if (size > 8192)
        return 0;
    check_tree(text, reader_accepts(text));
    buf_init(&out, 1 << 20);
    json_write_init(&writer, &out);
    json_write_str(&writer, text);
    CHECK(buf_ok(&out) && reader_accepts(buf_str(&out)));
    buf_fini(&out);
    return 0;
}
