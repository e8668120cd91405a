/* SPDX-License-Identifier: MIT */
/* Tests of server/cmd_joins_words: requests out of lines, plans as words and as JSON. */
#include "tests/unit/joins/rig.h"

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/cli/cmd_joins_words.h"

static const struct {
    const char *name, *line;
    enum err_code want;
    size_t tables, words;
    unsigned hops;
} lines[] = {
    {"a pair", "{\"from\":\"a\",\"to\":\"b\"}", ERR_OK, 2, 0, 4},
    {"a list", "{\"tables\":[\"a\",\"b\",\"c\"],\"max_hops\":6}", ERR_OK, 3, 0, 6},
    {"words in a text", "{\"from\":\"a\",\"to\":\"b\",\"words\":\"who  inspected it?\"}", ERR_OK, 2,
     3, 4},
    {"words in a list", "{\"from\":\"a\",\"to\":\"b\",\"words\":[\"x\",\"y\"]}", ERR_OK, 2, 2, 4},
    {"more hops than there are", "{\"from\":\"a\",\"to\":\"b\",\"max_hops\":99}", ERR_OK, 2, 0, 12},
    {"a question", "{\"from\":\"a\",\"to\":\"b\",\"question\":\"who led it?\"}", ERR_OK, 2, 3, 4},
    {"nothing", "{}", ERR_INVALID, 0, 0, 0},
    {"half a pair", "{\"from\":\"a\"}", ERR_INVALID, 0, 0, 0},
    {"a number for a table", "{\"from\":1,\"to\":\"b\"}", ERR_INVALID, 0, 0, 0},
    {"a number in the list", "{\"tables\":[\"a\",1]}", ERR_INVALID, 0, 0, 0},
    {"tables is a text", "{\"tables\":\"a\"}", ERR_INVALID, 0, 0, 0},
    {"no hops", "{\"from\":\"a\",\"to\":\"b\",\"max_hops\":0}", ERR_INVALID, 0, 0, 0},
    {"hops in words", "{\"from\":\"a\",\"to\":\"b\",\"max_hops\":\"4\"}", ERR_INVALID, 0, 0, 0},
    {"words is a number", "{\"from\":\"a\",\"to\":\"b\",\"words\":1}", ERR_INVALID, 0, 0, 0},
    {"too many tables",
     "{\"tables\":[\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","
     "\"a\",\"a\",\"a\",\"a\"]}",
     ERR_TOO_LARGE, 0, 0, 0},
};

TEST(requests)
{
    TEST_EACH(c, lines) {
        struct arena arena;
        struct err err = {0};
        struct cmd_joins_request request = {.table_count = 0};
        arena_init(&arena, 1 << 20);
        const struct json_value *line = json_value_parse(&arena, str_of(c->line), NULL, &err);
        assert_non_null(line);
        EXPECT_INT(c->name, cmd_joins_words_request(line, 4, &request, &err), c->want);
        if (c->want == ERR_OK) {
            EXPECT_INT(c->name, request.table_count, c->tables);
            EXPECT_INT(c->name, request.word_count, c->words);
            EXPECT_INT(c->name, request.max_hops, c->hops);
        }
        arena_fini(&arena);
    }
}

TEST(a_plan_in_words_and_in_json)
{
    struct join_graph *graph =
        rig_edges("workTime.employeeId>employee.id user.employeeId>employee.id");
    struct join_finder *finder = join_finder_create(graph, NULL);
    struct join_plan plan;
    struct err err = {0};
    struct buf out;
    struct json_write writer;
    buf_init(&out, RIG_TEXT);
    assert_int_equal(join_path_find(finder, rig_table(graph, "employee"), rig_table(graph, "user"),
                                    NULL, 0, &plan, &err),
                     ERR_OK);
    cmd_joins_words_plan(graph, &plan, &out);
    EXPECT_STR("words", buf_str(&out),
               STR("employee -> user\n  user.employeeId = employee.id (N:1)\n"
                   "relationships 1, cost 1000, confidence 1.00\n"
                   "rows of employee repeat: count them distinct, sum them before joining\n"
                   "FROM employee\nJOIN \"user\" ON \"user\".employeeId = employee.id\n"));
    buf_clear(&out);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    cmd_joins_words_members(graph, &plan, &writer);
    json_write_object_end(&writer);
    EXPECT_STR("JSON", buf_str(&out),
               STR("{\"joins\":[\"user.employeeId=employee.id\"],\"path\":[{\"from_table\":"
                   "\"user\",\"from_column\":\"employeeId\","
                   "\"to_table\":\"employee\",\"to_column\":\"id\",\"type\":\"foreign_key\","
                   "\"confidence\":1,\"cardinality\":\"N:1\"}],\"hops\":1,\"cost\":1000,"
                   "\"tables\":[\"employee\",\"user\"],\"confidence\":1,\"fans_out\":true}"));
    buf_fini(&out);
    join_finder_destroy(finder);
    join_graph_destroy(graph);
}

static const struct {
    const char *name, *edges;
    bool rival;
} rivals[] = {
    {"equal roles", "a.x>b.id a.y>b.id", true},
    {"farther", "a.x>b.id a.y:0.9>b.id", false},
};

TEST(the_next_best_within_a_tenth)
{
    TEST_EACH(c, rivals) {
        struct join_graph *graph = rig_edges(c->edges);
        struct join_finder *finder = join_finder_create(graph, NULL);
        struct join_plan plan;
        struct err err = {0};
        struct buf out;
        struct json_write writer;
        buf_init(&out, RIG_TEXT);
        json_write_init(&writer, &out);
        EXPECT_INT(c->name,
                   join_path_find(finder, rig_table(graph, "a"), rig_table(graph, "b"), NULL, 0,
                                  &plan, &err),
                   ERR_OK);
        json_write_object(&writer);
        cmd_joins_words_members(graph, &plan, &writer);
        json_write_object_end(&writer);
        EXPECT_TRUE(c->name, (str_find(buf_str(&out), STR("runner_up")) >= 0) == c->rival);
        buf_fini(&out);
        join_finder_destroy(finder);
        join_graph_destroy(graph);
    }
}

TEST(figures)
{
    struct join_graph *graph = rig_edges("b.aId>a.id d.cId:0.4>c.id");
    struct buf out;
    buf_init(&out, RIG_TEXT);
    cmd_joins_words_stats(graph, 0.7, &out);
    EXPECT_TRUE("tables", str_starts_with(buf_str(&out), STR("tables 4\n")));
    EXPECT_TRUE("usable", str_find(buf_str(&out), STR("0.70 or more 1\n")) > 0);
    EXPECT_TRUE("parts", str_find(buf_str(&out), STR("parts 3\ntables alone 2\n")) > 0);
    buf_fini(&out);
    join_graph_destroy(graph);
}

RUN_TESTS(T(requests), T(a_plan_in_words_and_in_json), T(the_next_best_within_a_tenth), T(figures))
