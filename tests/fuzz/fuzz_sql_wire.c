/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_sql_wire.c - bodies of frames between askd and its SQLite processes. */
#include <stdint.h>

#include "backends/sql/child/sql_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 4 << 20 };

/* Read all bytes that the values show, for the sanitizers to see. */
static void touch(const struct sql_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(values[i].text.len == 0 || str_equal(values[i].text, values[i].text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str body = str_make((const char *)data, size);
    struct arena arena;
    struct sql_statement statement;
    struct sql_wire_reply reply;
    enum sql_wire_kind kind;
    struct str inner;
    (void)sql_wire_next(body, size, &kind, &inner);
    arena_init(&arena, ARENA_BYTES);
    if (sql_wire_read_statement(body, &arena, &statement) == ERR_OK)
        touch(statement.params, statement.param_count);
    if (sql_wire_read_reply(body, &arena, &reply) == ERR_OK && reply.err.code == ERR_OK)
        touch(reply.result.values, reply.result.row_count * reply.result.column_count);
    arena_fini(&arena);
    return 0;
}
