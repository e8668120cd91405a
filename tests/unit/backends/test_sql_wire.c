/* SPDX-License-Identifier: MIT */
/* backends/sql_wire: what is put is read again, a frame is found however it comes, and no cut or
 * changed byte is read past its end. */
#include "backends/sql/child/sql_wire.h"

#include <string.h>

#include "tests/lib/test.h"

enum { MOST = 1 << 20 };

static const struct sql_value values[] = {
    {.type = SQL_NULL},
    {.type = SQL_INT, .integer = INT64_MIN},
    {.type = SQL_REAL, .real = 0.5},
    {.type = SQL_TEXT, .text = {"\xc3\xa4", 2}},
    {.type = SQL_BLOB, .text = {"\0\1", 2}},
    {.type = SQL_BOOL, .integer = 1},
};

static void put_statement(struct buf *out)
{
    static const struct str columns[] = {{"id", 2}, {"name", 4}};
    static const struct sql_reads_table tables[] = {
        {.name = {"t", 1}, .columns = columns, .column_count = 2}, {.name = {"v", 1}, .any = true}};
    static const struct sql_reads reads = {.tables = tables,
                                           .table_count = 2,
                                           .functions = columns,
                                           .function_count = 1,
                                           .own = columns,
                                           .own_count = 2,
                                           .width = 3};
    static const struct sql_variable variables[] = {{{"company_id", 10}, {"acme", 4}},
                                                    {{"user_id", 7}, {NULL, 0}}};
    buf_init(out, MOST);
    sql_wire_put_statement(out, &(struct sql_statement){.text = STR("SELECT 1"),
                                                        .params = values,
                                                        .param_count = countof(values),
                                                        .variables = variables,
                                                        .variable_count = 2,
                                                        .reads = &reads,
                                                        .max_rows = 7,
                                                        .max_bytes = 8,
                                                        .timeout_ms = 9});
    assert_true(buf_ok(out));
}

static struct str body_of(const struct buf *frame, enum sql_wire_kind want)
{
    enum sql_wire_kind kind = SQL_WIRE_CANCEL;
    struct str body = {0};
    EXPECT_INT("whole", sql_wire_next(buf_str(frame), MOST, &kind, &body), SQL_WIRE_WHOLE);
    EXPECT_INT("kind", kind, want);
    return body;
}

static void expect_values(const struct sql_value *got, size_t count)
{
    EXPECT_INT("values", count, countof(values));
    for (size_t i = 0; i < countof(values); i++) {
        EXPECT_INT("type", got[i].type, values[i].type);
        EXPECT_TRUE("integer", got[i].integer == values[i].integer);
        EXPECT_TRUE("text", str_equal(got[i].text, values[i].text));
    }
}

TEST(statements_come_back)
{
    struct buf frame;
    struct arena arena;
    struct sql_statement got;
    put_statement(&frame);
    arena_init(&arena, MOST);
    struct str body = body_of(&frame, SQL_WIRE_STATEMENT);
    EXPECT_INT("read", sql_wire_read_statement(body, &arena, &got), ERR_OK);
    EXPECT_TRUE("text", str_equal(got.text, STR("SELECT 1")));
    expect_values(got.params, got.param_count);
    EXPECT_TRUE("variable", str_equal(got.variables[0].value, STR("acme")));
    EXPECT_TRUE("absent", str_is_absent(got.variables[1].value));
    assert_non_null(got.reads);
    EXPECT_TRUE("listed", sql_reads_lists(got.reads, STR("t"), STR("name")));
    EXPECT_TRUE("any of it", sql_reads_lists(got.reads, STR("v"), STR("x")));
    EXPECT_TRUE("not listed", !sql_reads_lists(got.reads, STR("t"), STR("secret")));
    EXPECT_TRUE("function", sql_reads_calls(got.reads, STR("id")));
    EXPECT_INT("width", got.reads->width, 3);
    EXPECT_INT("limits", got.max_rows * 100 + got.max_bytes * 10 + got.timeout_ms, 789);
    arena_fini(&arena);
    buf_fini(&frame);
}

static void put_reply(struct buf *out, enum err_code code)
{
    static const struct str columns[] = {{"a", 1}, {"b", 1}};
    struct sql_query query = {.sqlstate = "42"};
    if (code != ERR_OK)
        err_set(&query.op.err, code, "no");
    query.result = (struct sql_result){.columns = columns,
                                       .column_count = 2,
                                       .values = values,
                                       .row_count = countof(values) / 2,
                                       .truncated = true,
                                       .duration_us = 5};
    buf_init(out, MOST);
    sql_wire_put_reply(out, &query);
    assert_true(buf_ok(out));
}

TEST(replies_come_back)
{
    struct buf frame;
    struct arena arena;
    struct sql_wire_reply got;
    arena_init(&arena, MOST);
    put_reply(&frame, ERR_OK);
    struct str body = body_of(&frame, SQL_WIRE_REPLY);
    EXPECT_INT("read", sql_wire_read_reply(body, &arena, &got), ERR_OK);
    EXPECT_INT("fine", got.err.code, ERR_OK);
    expect_values(got.result.values, got.result.row_count * got.result.column_count);
    EXPECT_TRUE("column", str_equal(got.result.columns[1], STR("b")));
    EXPECT_TRUE("truncated", got.result.truncated && got.result.duration_us == 5);
    buf_fini(&frame);
    put_reply(&frame, ERR_REJECTED);
    body = body_of(&frame, SQL_WIRE_REPLY);
    EXPECT_INT("read", sql_wire_read_reply(body, &arena, &got), ERR_OK);
    EXPECT_INT("refused", got.err.code, ERR_REJECTED);
    EXPECT_TRUE("why", strcmp(got.err.text, "no") == 0 && strcmp(got.sqlstate, "42") == 0);
    buf_fini(&frame);
    arena_fini(&arena);
}

TEST(frames_come_in_parts)
{
    struct buf frame;
    enum sql_wire_kind kind;
    struct str body;
    put_statement(&frame);
    for (size_t len = 0; len < buf_len(&frame); len++)
        EXPECT_INT("part", sql_wire_next(str_slice(buf_str(&frame), 0, len), MOST, &kind, &body),
                   SQL_WIRE_PART);
    EXPECT_INT("too long", sql_wire_next(buf_str(&frame), buf_len(&frame) - 5, &kind, &body),
               SQL_WIRE_WRONG);
    frame.at[frame.start + 4] = 9;
    EXPECT_INT("no kind", sql_wire_next(buf_str(&frame), MOST, &kind, &body), SQL_WIRE_WRONG);
    buf_fini(&frame);
}

/* In memory of its own, so that a sanitizer sees a byte too far. */
static void read_both(struct str body)
{
    struct arena arena;
    struct sql_statement statement;
    struct sql_wire_reply reply;
    struct buf copy;
    buf_init(&copy, MOST);
    buf_push(&copy, body);
    arena_init(&arena, MOST);
    (void)!sql_wire_read_statement(buf_str(&copy), &arena, &statement);
    (void)!sql_wire_read_reply(buf_str(&copy), &arena, &reply);
    arena_fini(&arena);
    buf_fini(&copy);
}

TEST(no_body_is_read_past_its_end)
{
    for (int which = 0; which < 2; which++) {
        struct buf frame;
        if (which == 0)
            put_statement(&frame);
        else
            put_reply(&frame, ERR_OK);
        struct str body = body_of(&frame, which == 0 ? SQL_WIRE_STATEMENT : SQL_WIRE_REPLY);
        for (size_t i = 0; i < body.len; i++) {
            char *at = frame.at + (body.at - frame.at) + i, kept = *at;
            read_both(str_slice(body, 0, i));
            for (int change = 1; change < 256; change *= 2) {
                *at = (char)(kept ^ change);
                read_both(body);
            }
            *at = (char)0xff;
            read_both(body);
            *at = kept;
        }
        buf_fini(&frame);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(statements_come_back),
        cmocka_unit_test(replies_come_back),
        cmocka_unit_test(frames_come_in_parts),
        cmocka_unit_test(no_body_is_read_past_its_end),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
