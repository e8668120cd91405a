/* SPDX-License-Identifier: MIT */
/* tests/unit/server/test_cmd_eval_rows.c - which results say the same, and how verdicts add up. */
#include "server/cli/cmd_eval_rows.h"
#include "server/cli/cmd_eval_tally.h"

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "tests/lib/test.h"

enum { ARENA_BYTES = 1 << 20 };

static const struct {
    const char *name, *gold, *answer;
    bool ordered, same;
} pairs[] = {
    {"equal", "[[1,\"a\"]]", "[[1,\"a\"]]", true, true},
    {"other order of rows", "[[1],[2]]", "[[2],[1]]", false, true},
    {"the order was asked for", "[[1],[2]]", "[[2],[1]]", true, false},
    {"other order of columns", "[[1,\"a\"],[2,\"b\"]]", "[[\"a\",1],[\"b\",2]]", true, true},
    {"a column more", "[[\"a\"],[\"b\"]]", "[[7,\"b\"],[8,\"a\"]]", false, true},
    {"a column less", "[[1,\"a\"]]", "[[1]]", false, false},
    {"a row more", "[[1]]", "[[1],[1]]", false, false},
    {"a row less", "[[1],[1]]", "[[1]]", false, false},
    {"rows counted", "[[1],[1],[2]]", "[[1],[2],[2]]", false, false},
    {"columns that fit alone but not together", "[[1,2],[2,1]]", "[[1,1],[2,2]]", false, false},
    {"two equal columns", "[[1,2],[2,1]]", "[[2,1],[1,2]]", false, true},
    {"a fraction", "[[0.30000000000000004]]", "[[0.3]]", true, true},
    {"a decimal as text of digits", "[[12.50]]", "[[12.5]]", true, true},
    {"no value is not empty text", "[[null]]", "[[\"\"]]", true, false},
    {"a yes is a one", "[[true]]", "[[1]]", true, true},
    {"leading zeros are text", "[[\"007\"]]", "[[7]]", true, false},
    {"nothing", "[]", "[]", true, true},
    {"something for nothing", "[]", "[[1]]", false, false},
};

static bool read_rows(struct arena *arena, const char *rows, bool truncated,
                      struct cmd_eval_rows *to)
{
    struct str text =
        arena_printf(arena, "{\"rows\":%s,\"truncated\":%s}", rows, truncated ? "true" : "false");
    return cmd_eval_rows_read(arena, json_value_parse(arena, text, NULL, NULL), to);
}

TEST(rows_that_say_the_same)
{
    TEST_EACH(c, pairs) {
        struct arena arena;
        struct cmd_eval_rows gold, answer;
        arena_init(&arena, ARENA_BYTES);
        EXPECT_TRUE(c->name, read_rows(&arena, c->gold, false, &gold));
        EXPECT_TRUE(c->name, read_rows(&arena, c->answer, false, &answer));
        EXPECT_INT(c->name, cmd_eval_rows_same(&arena, &gold, &answer, c->ordered), c->same);
        arena_fini(&arena);
    }
}

/* What was cut off is right when all of it is right and there is more. */
TEST(truncated_answers)
{
    struct arena arena;
    struct cmd_eval_rows gold, answer;
    arena_init(&arena, ARENA_BYTES);
    assert_true(read_rows(&arena, "[[1],[2],[3]]", false, &gold));
    assert_true(read_rows(&arena, "[[3],[1]]", true, &answer));
    assert_true(cmd_eval_rows_same(&arena, &gold, &answer, false));
    assert_false(cmd_eval_rows_same(&arena, &gold, &answer, true));
    assert_true(read_rows(&arena, "[[3],[4]]", true, &answer));
    assert_false(cmd_eval_rows_same(&arena, &gold, &answer, false));
    assert_true(read_rows(&arena, "[[1],[2],[3]]", true, &answer));
    assert_false(cmd_eval_rows_same(&arena, &gold, &answer, false));
    arena_fini(&arena);
}

TEST(no_memory_is_not_the_same)
{
    bool same = false;
    for (uint64_t n = 1; !same && n < 100; n++) {
        struct arena arena;
        struct cmd_eval_rows gold, answer;
        arena_init(&arena, ARENA_BYTES);
        mem_fail_nth(n);
        same = read_rows(&arena, "[[1,2]]", false, &gold) &&
               read_rows(&arena, "[[2,1]]", false, &answer) &&
               cmd_eval_rows_same(&arena, &gold, &answer, false);
        mem_fail_nth(0);
        arena_fini(&arena);
    }
    assert_true(same);
}

static const struct {
    const char *sql;
    enum sql_dialect dialect;
    bool ordered;
} statements[] = {
    {"SELECT a FROM t ORDER BY a", SQL_SQLITE, true},
    {"SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3) AS s", SQL_SQLITE, false},
    {"SELECT 'order by' FROM t", SQL_SQLITE, false},
    {"SELECT a::text FROM t ORDER BY a", SQL_POSTGRES, true},
    {"SELECT `order` FROM t ORDER  BY 1", SQL_MYSQL, true},
};

TEST(orders_that_are_asked_for)
{
    TEST_EACH(c, statements) {
        struct arena arena;
        arena_init(&arena, ARENA_BYTES);
        EXPECT_INT(c->sql, cmd_eval_rows_ordered(&arena, c->dialect, str_of(c->sql)), c->ordered);
        arena_fini(&arena);
    }
}

TEST(verdicts_add_up)
{
    struct cmd_eval_tally tally = {.took_us = NULL};
    struct buf text;
    struct json_write json;
    buf_init(&text, 1 << 16);
    for (uint64_t i = 1; i <= 100; i++)
        assert_true(cmd_eval_tally_add(&tally, STR("easy"), false,
                                       i <= 90   ? EVAL_RIGHT
                                       : i <= 94 ? EVAL_WRONG
                                       : i <= 99 ? EVAL_ABSTAINED
                                                 : EVAL_FAILED,
                                       i * 1000));
    assert_true(cmd_eval_tally_add(&tally, STR("refuse"), true, EVAL_ABSTAINED, 1000));
    json_write_init(&json, &text);
    cmd_eval_tally_write(&tally, &json);
    assert_true(buf_ok(&text));
    EXPECT_TRUE("group", str_find(buf_str(&text), STR("\"difficulty\":\"easy\",\"asked\":100,"
                                                      "\"right\":90,\"wrong\":4,\"abstained\":5,"
                                                      "\"failed\":1")) != STR_NONE);
    EXPECT_TRUE("coverage", str_find(buf_str(&text), STR("\"coverage\":90")) != STR_NONE);
    EXPECT_TRUE("precision", str_find(buf_str(&text), STR("\"precision\":95.7446")) != STR_NONE);
    EXPECT_TRUE("p99", str_find(buf_str(&text), STR("\"p99_ms\":99")) != STR_NONE);
    buf_clear(&text);
    cmd_eval_tally_print(&tally, &text);
    EXPECT_TRUE("silent", str_find(buf_str(&text), STR("must not be answered")) != STR_NONE);
    buf_fini(&text);
    cmd_eval_tally_fini(&tally);
}

TEST(too_many_groups)
{
    struct cmd_eval_tally tally = {.took_us = NULL};
    char name[2] = "a";
    for (int i = 0; i < EVAL_GROUPS; i++, name[0]++)
        assert_true(cmd_eval_tally_add(&tally, str_of(name), false, EVAL_RIGHT, 1));
    assert_false(cmd_eval_tally_add(&tally, str_of(name), false, EVAL_RIGHT, 1));
    cmd_eval_tally_fini(&tally);
}

RUN_TESTS(T(rows_that_say_the_same), T(truncated_answers), T(no_memory_is_not_the_same),
          T(orders_that_are_asked_for), T(verdicts_add_up), T(too_many_groups))
