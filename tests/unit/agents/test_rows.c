/* SPDX-License-Identifier: MIT */
/* What a caller and a prompt see of a result: whole rows, cut cells, and how many there are. */
#include "tests/lib/test.h"

#include <string.h>

#include "agents/rows/rows.h"
#include "proto/json_value.h"

enum { LONG = 140000, ROWS = 60 };

static void expect(const char *name, bool is_so)
{
    if (!is_so)
        fail_msg("%s", name);
}

static char long_text[LONG];
static const struct str column = {"body", 4};

static struct sql_result result_of(const struct sql_value *values, size_t count, bool truncated)
{
    return (struct sql_result){&column, 1, values, count, truncated, 0};
}

TEST(a_long_cell_is_cut_and_no_row_is_lost)
{
    struct sql_value values[3] = {{.type = SQL_TEXT}, {.type = SQL_INT, .integer = 7}, {0}};
    struct buf out;
    memset(long_text, 'y', sizeof long_text);
    values[0].text = str_make(long_text, sizeof long_text);
    values[2] = (struct sql_value){.type = SQL_BLOB, .text = {"\xff\x00\x01", 3}};
    const struct sql_result result = result_of(values, 3, false);
    buf_init(&out, 1 << 20);
    rows_write_shown(&out, &result, &(struct rows_counted){3, 3, false, true}, NULL);
    assert_true(buf_ok(&out));
    expect("the cell says its length",
           str_find(buf_str(&out), STR("yyy... (140000 characters)\"")) != STR_NONE);
    expect("the row behind it is there", str_find(buf_str(&out), STR("[7]")) != STR_NONE);
    expect("bytes are not text", str_find(buf_str(&out), STR("[\"(3 bytes)\"]")) != STR_NONE);
    expect("a prompt's size", buf_len(&out) < 4096);
    buf_fini(&out);
}

TEST(a_text_of_many_bytes_is_cut_between_characters)
{
    struct sql_value value = {.type = SQL_TEXT};
    struct buf out;
    for (size_t i = 0; i + 3 <= LONG; i += 3)
        memcpy(long_text + i, "\xe2\x82\xac", 3);
    value.text = str_make(long_text, 3 * 1000);
    const struct sql_result result = result_of(&value, 1, false);
    buf_init(&out, 1 << 20);
    rows_write_shown(&out, &result, &(struct rows_counted){1, 1, false, true}, NULL);
    expect("characters, not bytes",
           str_find(buf_str(&out), STR("... (1000 characters)")) != STR_NONE);
    expect("none is broken", str_find(buf_str(&out), STR("\xef\xbf\xbd")) == STR_NONE);
    buf_fini(&out);
}

static const struct {
    const char *name;
    size_t rows;
    bool truncated, is_counted;
    uint64_t counted;
    size_t max_bytes;
    const char *whole, *shown;
} cases[] = {
    {"all", 3, false, false, 0, 0, "\"row_count\":3,\"truncated\":false,\"exec",
     "\"row_count\":\"3\",\"truncated\":\"false\""},
    {"cut and counted", 3, true, true, 687, 0,
     "\"row_count\":3,\"truncated\":true,\"total_rows\":687,",
     "\"row_count\":\"687\",\"truncated\":\"true (the first 3 of 687 are here)\""},
    {"cut, not counted", 3, true, false, 0, 0, "\"row_count\":3,\"truncated\":true,\"exec",
     "\"row_count\":\"3\",\"truncated\":\"true (the first 3 are here; nobody counted all)\""},
    {"a prompt shows fewer", ROWS, false, false, 0, 0, "\"row_count\":60,\"truncated\":false,",
     "\"truncated\":\"false (the first 50 of 60 are here)\""},
    {"rows that do not fit are left out and counted", 30, false, false, 0, 60,
     "\"truncated\":true,\"total_rows\":30,", " of 30 are here)"},
    {"too long and cut by the engine", 30, true, true, 99, 60,
     "\"truncated\":true,\"total_rows\":99,", " of 99 are here)"},
};

TEST(what_is_left_out_is_said)
{
    static struct sql_value values[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        values[i] = (struct sql_value){.type = SQL_INT, .integer = 1000};
    TEST_EACH(c, cases) {
        struct buf out, shown;
        struct arena arena;
        const struct sql_result result = result_of(values, c->rows, c->truncated);
        buf_init(&out, 1 << 20);
        buf_init(&shown, 1 << 20);
        const struct rows_whole whole = {c->is_counted ? &c->counted : NULL, c->max_bytes,
                                         STR("SELECT 1")};
        struct rows_counted told = rows_write(&out, &result, &whole);
        rows_write_shown(&shown, &result, &told, false);
        if (str_find(buf_str(&out), str_of(c->whole)) == STR_NONE ||
            str_find(buf_str(&shown), str_of(c->shown)) == STR_NONE)
            fail_msg("%s: %.*s %.*s", c->name, STR_ARG(buf_str(&out)), STR_ARG(buf_str(&shown)));
        arena_init(&arena, 1 << 20);
        const struct json_value *json = json_value_parse(&arena, buf_str(&out), NULL, NULL);
        EXPECT_INT(c->name, json_value_member(json, STR("rows"))->count, told.here);
        arena_fini(&arena);
        buf_fini(&out);
        buf_fini(&shown);
    }
}

TEST(bytes_are_written_without_loss)
{
    const struct sql_value value = {.type = SQL_BLOB, .text = {"\xff\x00\x1b", 3}};
    const struct sql_result result = result_of(&value, 1, false);
    struct buf out;
    buf_init(&out, 1 << 20);
    (void)rows_write(&out, &result, &(struct rows_whole){0});
    expect("hexadecimal", str_find(buf_str(&out), STR("[[\"\\\\xff001b\"]]")) != STR_NONE);
    buf_fini(&out);
}

TEST(no_memory_is_no_empty_result)
{
    const struct sql_value value = {.type = SQL_INT, .integer = 7};
    const struct sql_result result = result_of(&value, 1, false);
    struct buf out;
    buf_init(&out, 8);
    (void)rows_write(&out, &result, &(struct rows_whole){0});
    expect("it says so", !buf_ok(&out));
    buf_fini(&out);
}

RUN_TESTS(T(a_long_cell_is_cut_and_no_row_is_lost),
          T(a_text_of_many_bytes_is_cut_between_characters), T(what_is_left_out_is_said),
          T(bytes_are_written_without_loss), T(no_memory_is_no_empty_result))
