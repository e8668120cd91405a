/* SPDX-License-Identifier: MIT */
/* What a run showed is kept as it was shown, as much as there is room for, and it is always JSON.
 */
#include "server/records/turn_result.h"

#include <stdio.h>

#include "proto/json_value.h"
#include "tests/lib/test.h"

enum { OUT_BYTES = 4 * TURN_RESULT_BYTES, ARENA_BYTES = 8 * 1024 * 1024 };

/* The object that a run with this terminal event leaves; of arena. */
static const struct json_value *kept(struct arena *arena, struct turn_result *result)
{
    struct buf out;
    struct json_write json;
    buf_init(&out, OUT_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    turn_result_write(result, &json);
    json_write_object_end(&json);
    EXPECT_TRUE("within its bytes", buf_ok(&out) && buf_len(&out) < TURN_RESULT_BYTES + 16 * 1024);
    const struct json_value *read =
        json_value_parse(arena, arena_str(arena, buf_str(&out)), NULL, NULL);
    EXPECT_TRUE("it is JSON", read != NULL);
    buf_fini(&out);
    return read;
}

static struct str text_at(const struct json_value *root, const char *pointer)
{
    struct str text = STR("");
    if (json_value_str(root, pointer, &text, NULL) != ERR_OK)
        return STR("");
    return text;
}

static size_t count_at(const struct json_value *root, const char *pointer)
{
    const struct json_value *found = json_value_find(root, pointer);
    return found == NULL ? 0 : found->count;
}

static void hear_call(struct turn_result *result, enum event_kind kind, const char *tool,
                      const char *members)
{
    turn_result_hear(
        result,
        &(struct event){.kind = kind, .name = str_of(tool), .text = str_of(members), .number = 9});
}

TEST(calls_of_tools)
{
    struct arena arena;
    struct turn_result result = {0};
    arena_init(&arena, ARENA_BYTES);
    hear_call(&result, EVENT_TOOL_START, "sql_agent", ""); /* a sub-graph is no call */
    hear_call(&result, EVENT_TOOL_START, "run_sql",
              "\"id\":\"c1\",\"arguments\":{\"sql\":\"SELECT 1\"}");
    hear_call(&result, EVENT_TOOL_START, "calculate", "\"id\":\"c2\",\"arguments\":{}");
    hear_call(&result, EVENT_TOOL_START, "list_tables", "\"id\":\"c3\",\"arguments\":{}");
    hear_call(&result, EVENT_TOOL_END, "calculate",
              "\"id\":\"c2\",\"result\":{\"error\":\"no\"},\"failed\":true");
    hear_call(&result, EVENT_TOOL_END, "run_sql", "\"id\":\"c1\",\"result\":{\"rows\":[[1]]}");
    turn_result_hear(&result, &(struct event){.kind = EVENT_COMPLETE, .text = STR("")});
    const struct json_value *read = kept(&arena, &result);
    EXPECT_INT("calls", count_at(read, "/tools"), 3);
    EXPECT_STR("what was given", text_at(read, "/tools/0/arguments/sql"), STR("SELECT 1"));
    EXPECT_INT("what came back", count_at(read, "/tools/0/result/rows"), 1);
    EXPECT_TRUE("failed", json_value_find(read, "/tools/1/failed") != NULL);
    EXPECT_TRUE("not ended", json_value_find(read, "/tools/2/ms") == NULL);
    arena_fini(&arena);
}

TEST(members_of_complete)
{
    struct arena arena;
    struct turn_result result = {0};
    arena_init(&arena, ARENA_BYTES);
    turn_result_hear(&result, &(struct event){.kind = EVENT_NODE_START, .name = STR("a")});
    turn_result_hear(&result, &(struct event){.kind = EVENT_NODE_START, .name = STR("a/b")});
    turn_result_hear(&result,
                     &(struct event){.kind = EVENT_NODE_END, .name = STR("a/b"), .number = 7});
    turn_result_hear(
        &result,
        &(struct event){.kind = EVENT_COMPLETE,
                        .text = STR("\"run_id\":\"r\",\"sql\":\"SELECT 1\",\"chart\":{\"type\":"
                                    "\"bar\"},\"data\":{\"columns\":[{\"name\":\"n\"}],\"rows\":"
                                    "[[1],[\"x\"]],\"row_count\":2},\"citations\":[{\"number\":1}]"
                                    ",\"stats\":{\"tokens\":3}")});
    const struct json_value *read = kept(&arena, &result);
    EXPECT_INT("steps", count_at(read, "/steps"), 2);
    EXPECT_STR("the inner one", text_at(read, "/steps/1/node"), STR("a/b"));
    EXPECT_TRUE("it has ended", json_value_find(read, "/steps/1/ms") != NULL);
    EXPECT_TRUE("the outer has not", json_value_find(read, "/steps/0/ms") == NULL);
    EXPECT_STR("chart", text_at(read, "/result/chart/type"), STR("bar"));
    EXPECT_INT("rows", count_at(read, "/result/data/rows"), 2);
    EXPECT_STR("a cell", text_at(read, "/result/data/rows/1/0"), STR("x"));
    EXPECT_INT("citations", count_at(read, "/result/citations"), 1);
    EXPECT_TRUE("not twice", json_value_find(read, "/result/sql") == NULL &&
                                 json_value_find(read, "/result/run_id") == NULL);
    EXPECT_TRUE("all rows are there", json_value_find(read, "/result/data/cut") == NULL);
    arena_fini(&arena);
}

TEST(an_error_and_what_came_with_it)
{
    struct arena arena;
    struct turn_result result = {0};
    arena_init(&arena, ARENA_BYTES);
    turn_result_hear(&result, &(struct event){.kind = EVENT_ERROR,
                                              .name = STR("model_timeout"),
                                              .text = STR("it \"slept\""),
                                              .more = STR("\"stats\":{\"tokens\":3}")});
    const struct json_value *read = kept(&arena, &result);
    EXPECT_STR("code", text_at(read, "/error/code"), STR("model_timeout"));
    EXPECT_STR("message", text_at(read, "/error/message"), STR("it \"slept\""));
    EXPECT_INT("stats", count_at(read, "/result/stats"), 1);
    arena_fini(&arena);
}

TEST(more_rows_than_there_is_room_for)
{
    struct arena arena;
    struct buf text;
    struct turn_result result = {0};
    arena_init(&arena, ARENA_BYTES);
    buf_init(&text, ARENA_BYTES);
    buf_printf(&text, "\"data\":{\"columns\":[{\"name\":\"n\"}],\"rows\":[");
    for (unsigned i = 0; i < 5000; i++)
        buf_printf(&text, "%s[%u,\"a row ] of some length }\"]", i == 0 ? "" : ",", i);
    buf_printf(&text, "],\"row_count\":5000},\"warnings\":[\"behind the rows\"]");
    turn_result_hear(&result, &(struct event){.kind = EVENT_COMPLETE, .text = buf_str(&text)});
    const struct json_value *read = kept(&arena, &result);
    size_t rows = count_at(read, "/result/data/rows");
    EXPECT_TRUE("some rows", rows > 100 && rows < 5000);
    EXPECT_TRUE("it says so", json_value_find(read, "/result/data/cut") != NULL);
    EXPECT_STR("what is behind them", text_at(read, "/result/warnings/0"), STR("behind the rows"));
    buf_fini(&text);
    arena_fini(&arena);
}

TEST(what_is_too_large_or_broken)
{
    static const char *const broken[] = {"\"a\":",     "\"a\":[1", "\"data\":{\"rows\":[[1],2",
                                         "\"data\":7", "}",        "\"data\":{\"rows\":7}"};
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < countof(broken); i++) {
        struct turn_result result = {0};
        turn_result_hear(&result,
                         &(struct event){.kind = EVENT_COMPLETE, .text = str_of(broken[i])});
        (void)kept(&arena, &result);
    }
    struct turn_result many = {0};
    for (unsigned i = 0; i < 3 * TURN_RESULT_STEPS; i++)
        turn_result_hear(&many, &(struct event){.kind = EVENT_NODE_START, .name = STR("n")});
    EXPECT_INT("steps", count_at(kept(&arena, &many), "/steps"), TURN_RESULT_STEPS);
    arena_fini(&arena);
}

RUN_TESTS(T(calls_of_tools), T(members_of_complete), T(an_error_and_what_came_with_it),
          T(more_rows_than_there_is_room_for), T(what_is_too_large_or_broken))
