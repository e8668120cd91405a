/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_tool_arguments.c - what a model may write as arguments: any JSON against any
 * schema, and any expression, ends well or with a reason in UTF-8; what was calculated reads back.
 */
#include "agents/tools/arguments.h"
#include "agents/tools/exact.h"
#include "core/base/mem.h"
#include "proto/json_schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum err_code find(void *owner, struct str statement, size_t row, size_t column,
                          struct str name, struct str *value, struct err *err)
{
    (void)owner;
    (void)column;
    if (row > 3)
        return err_set(err, ERR_NOT_FOUND, "no row %zu", row);
    *value = row == 2 ? (struct str){NULL, 0} : row == 1 ? statement : name;
    return ERR_OK;
}

static void try_expression(struct str text)
{
    struct buf out;
    struct err err = {0};
    bool is_rounded = false;
    buf_init(&out, 1024);
    if (tools_exact_calculate(text, find, NULL, &out, &is_rounded, &err) == ERR_OK) {
        struct buf again;
        bool is_rounded_again = false;
        buf_init(&again, 1024);
        enum err_code code =
            tools_exact_calculate(buf_str(&out), find, NULL, &again, &is_rounded_again, &err);
        CHECK(code == ERR_TOO_LARGE || code == ERR_INVALID ||
              str_equal(buf_str(&out), buf_str(&again)));
        buf_fini(&again);
    }
    buf_fini(&out);
}

/* The first line is the schema, the rest the value; the whole is an expression, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_make((const char *)data, size), rest = text;
    struct arena arena;
    struct err err = {0};
    if (size > 8192)
        return 0;
    arena_init(&arena, 4 << 20);
    struct str line = str_split(&rest, '\n');
    const struct json_value *schema = json_value_parse(&arena, line, NULL, &err);
    const struct json_value *value =
        str_is_absent(rest) ? NULL : json_value_parse(&arena, rest, NULL, &err);
    if (schema != NULL && value != NULL && json_schema_check(schema, value, &err) != ERR_OK)
        CHECK(err.code == ERR_INVALID && str_is_utf8(str_of(err.text)));
    if (schema != NULL && value != NULL && value->type == JSON_OBJECT) {
        struct str rest_of = tools_arguments_without_nulls(schema, value, &arena);
        const struct json_value *fewer =
            str_is_absent(rest_of) ? NULL : json_value_parse(&arena, rest_of, NULL, &err);
        CHECK(fewer == NULL ? str_is_absent(rest_of) || !arena_ok(&arena)
                            : fewer->count < value->count);
    }
    arena_fini(&arena);
    try_expression(text);
    return 0;
}
