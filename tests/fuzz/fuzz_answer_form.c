/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_answer_form.c - a client's schema, a NUL, and what a run said at its end: what
 * comes of both is JSON that keeps to the schema, or an error in UTF-8. */
#include <stdint.h>

#include "core/base/buf.h"
#include "proto/json_schema.h"
#include "server/facades/openai/answer_form.h"

enum { ARENA_BYTES = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = str_make((const char *)data, size), schema = str_split(&input, '\0');
    struct err err = {0};
    struct arena arena;
    struct buf out;
    arena_init(&arena, ARENA_BYTES);
    buf_init(&out, ARENA_BYTES);
    const struct answer_form form = {json_value_parse(&arena, schema, NULL, &err), input,
                                     STR("Said."), &arena};
    if (form.schema != NULL && form.schema->type == JSON_OBJECT) {
        if (answer_form_write(&form, &out, &err)) {
            const struct json_value *value = json_value_parse(&arena, buf_str(&out), NULL, &err);
            CHECK(value != NULL && json_schema_check(form.schema, value, &err) == ERR_OK);
        } else {
            CHECK(buf_len(&out) == 0 && err.code != ERR_OK && str_is_utf8(str_of(err.text)));
        }
    }
    buf_fini(&out);
    arena_fini(&arena);
    return 0;
}
