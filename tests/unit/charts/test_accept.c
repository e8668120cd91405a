/* SPDX-License-Identifier: MIT */
/* What a model suggests: kept, or answered with a better chart and the reason. */
#include "tests/unit/charts/charts_rig.h"

#include "agents/charts/accept.h"

#define MONTHS "[\"month\",\"total\"]", "[[\"2025-01\",1],[\"2025-02\",2],[\"2025-03\",3]]"
#define CITIES "[\"city\",\"total\"]", "[[\"Oslo\",1],[\"Rome\",2],[\"Bern\",3]]"
#define SEVEN                                                                                      \
    "[\"city\",\"total\"]",                                                                        \
        "[[\"a\",1],[\"b\",2],[\"c\",3],[\"d\",4],[\"e\",5],[\"f\",6],[\"g\",7]]"

static const struct {
    const char *name, *columns, *rows, *suggested, *type, *remark;
} cases[] = {
    {"as the rules say", CITIES, "bar", "bar", NULL},
    {"in any case", CITIES, " Bar ", "bar", NULL},
    {"a table is always right", CITIES, "table", "table", NULL},
    {"another that is possible", CITIES, "pie", "pie", NULL},
    {"a doughnut of three", CITIES, "doughnut", "doughnut", NULL},
    {"bars over time", MONTHS, "bar", "bar", NULL},
    {"a pie of months", MONTHS, "pie", "pie", NULL},
    {"a line over months by name", "[\"month\",\"total\"]", "[[\"Jan\",1],[\"Mar\",2],[\"Feb\",3]]",
     "line", "line", NULL},
    {"a scatter of few", "[\"a\",\"b\"]", "[[1,2],[5,3],[3,4]]", "scatter", "scatter", NULL},
    {"a line over cities", CITIES, "line", "bar",
     "\"line\" was suggested, but 'city' has no order."},
    {"a line of two points", "[\"month\",\"total\"]", "[[\"2025-01\",1],[\"2025-02\",2]]", "line",
     "bar", "\"line\" was suggested, but it has fewer than 3 points."},
    {"seven parts", SEVEN, "pie", "bar", "\"pie\" was suggested, but there are more than 6 parts."},
    {"a negative part", "[\"city\",\"total\"]", "[[\"a\",1],[\"b\",-2]]", "doughnut", "bar",
     "\"doughnut\" was suggested, but 'total' has negative values."},
    {"averages as parts", "[\"city\",\"avg_score\"]", "[[\"a\",1],[\"b\",2]]", "pie", "bar",
     "\"pie\" was suggested, but 'avg_score' is no part of a whole."},
    {"parts of two numbers", "[\"city\",\"credit\",\"debit\"]", "[[\"a\",1,2],[\"b\",2,3]]", "pie",
     "bar", "\"pie\" was suggested, but its parts are of one number in one category."},
    {"bars of two units", "[\"city\",\"hours\",\"cost\"]", "[[\"a\",1,2],[\"b\",2,3]]", "bar",
     "table", "\"bar\" was suggested, but its numbers have different units."},
    {"a metric of three", CITIES, "metric", "bar",
     "\"metric\" was suggested, but there are several rows."},
    {"a bar of one", "[\"n\"]", "[[5]]", "bar", "metric",
     "\"bar\" was suggested, but no column names its parts."},
    {"a scatter of one number", CITIES, "scatter", "bar",
     "\"scatter\" was suggested, but it takes two columns of numbers."},
    {"bars without numbers", "[\"a\",\"b\"]", "[[\"x\",\"y\"],[\"z\",\"w\"]]", "bar", "table",
     "\"bar\" was suggested, but its columns have no places in one."},
    {"a radar", CITIES, "radar", "bar", "\"radar\" was suggested, but there is no such chart."},
    {"nothing", CITIES, "", "bar", "\"\" was suggested, but there is no such chart."},
};

TEST(suggestions)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        arena_init(&arena, RIG_BYTES);
        struct charts_table table = rig_table(&arena, c->columns, c->rows);
        const struct charts_request request = {.table = &table};
        const struct charts_spec *spec = charts_accept_spec(&request, str_of(c->suggested), &arena);
        assert_non_null(spec);
        EXPECT_STR(c->name, str_of(charts_spec_type_name(spec->type)), str_of(c->type));
        EXPECT_STR(c->name, spec->remark, str_of(c->remark));
        rig_check_chartjs(c->name, spec, &arena);
        arena_fini(&arena);
    }
}

TEST(parts_that_are_missing)
{
    struct arena arena;
    arena_init(&arena, RIG_BYTES);
    struct charts_table table = rig_table(&arena, CITIES);
    table.is_truncated = true;
    const struct charts_request request = {.table = &table};
    EXPECT_STR("no pie", charts_accept_spec(&request, STR("pie"), &arena)->remark,
               STR("\"pie\" was suggested, but parts are missing from the result."));
    EXPECT_STR("a table says so", charts_accept_spec(&request, STR("table"), &arena)->note,
               STR("The result is cut off: there are more rows than these."));
    arena_fini(&arena);
}

/* Seed 002's six names. */
TEST(banking_names)
{
    static const struct {
        const char *columns, *rows, *name;
    } names[] = {
        {"[\"n\"]", "[[1]]", "metric"},
        {"[\"a\",\"b\"]", "[[1,2]]", "table"},
        {"[\"a\",\"b\"]", "[[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2]]", "table"},
        {CITIES, "bar"},
        {MONTHS, "line"},
        {"[\"a\"]", "[[\"x\"],[\"y\"]]", "table"},
    };
    TEST_EACH(c, names) {
        struct arena arena;
        arena_init(&arena, RIG_BYTES);
        struct charts_table table = rig_table(&arena, c->columns, c->rows);
        const struct charts_request request = {.table = &table};
        const struct charts_spec *spec = charts_choose_spec(&request, &arena);
        EXPECT_STR(c->columns, str_of(charts_spec_banking_name(spec)), str_of(c->name));
        arena_fini(&arena);
    }
}

TEST(chart_of_events)
{
    struct arena arena;
    arena_init(&arena, RIG_BYTES);
    struct charts_table table = rig_table(&arena, CITIES);
    const struct charts_request request = {.table = &table};
    struct str chart =
        charts_chartjs_chart(charts_accept_spec(&request, STR("line"), &arena), &arena);
    EXPECT_TRUE("spec",
                str_starts_with(chart, STR("{\"type\":\"bar\",\"title\":\"Total by city\",\"x\":"
                                           "\"city\",\"y\":[\"total\"],\"remark\":\"")));
    EXPECT_TRUE("Chart.js",
                str_find(chart, STR("\"chartjs\":{\"type\":\"bar\",\"data\":{\"labels\":"
                                    "[\"Bern\",\"Rome\",\"Oslo\"],\"datasets\":[{"
                                    "\"label\":\"Total\",\"data\":[3,2,1]")) != STR_NONE);
    arena_fini(&arena);
}

TEST(without_memory)
{
    static const char *const suggestions[] = {"pie", "line", "radar"};
    TEST_EACH(suggested, suggestions) {
        struct str chart = {NULL, 0};
        for (uint64_t nth = 1; str_is_absent(chart); nth++) {
            struct arena data, arena;
            arena_init(&data, RIG_BYTES);
            arena_init(&arena, RIG_BYTES);
            struct charts_table table = rig_table(&data, CITIES);
            const struct charts_request request = {.table = &table};
            mem_fail_nth(nth);
            const struct charts_spec *spec =
                charts_accept_spec(&request, str_of(*suggested), &arena);
            if (spec != NULL)
                chart = charts_chartjs_chart(spec, &arena);
            mem_fail_nth(0);
            arena_fini(&arena);
            arena_fini(&data);
            assert_true(nth < 100);
        }
    }
}

RUN_TESTS(T(suggestions), T(parts_that_are_missing), T(banking_names), T(chart_of_events),
          T(without_memory))
