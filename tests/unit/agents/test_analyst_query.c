/* SPDX-License-Identifier: MIT */
/* A model's reading of a question, as far as it holds; verified figures as a chart. */
#include "tests/lib/test.h"

#include "agents/analyst/draw.h"
#include "agents/analyst/query.h"
#include "core/base/buf.h"
#include "proto/json_write.h"

enum { BUDGET = 8 << 20 };

#define EMPTY                                                                                      \
    "{\"question\":\"Why?\",\"entities\":[],\"companies\":[],\"years\":[],\"document_types\":[],"  \
    "\"keywords\":[],"                                                                             \
    "\"augmented_query\":\"Why?\"}"

static const struct {
    const char *name, *answer, *want;
} readings[] = {
    {"whole",
     "Here: {\"entities\":[\"revenue\"],\"companies\":[\" Acme \"],\"years\":[2023,\"2024\"],"
     "\"document_types\":[\"annual_report\"],\"keywords\":[\"sales\"],"
     "\"augmented_query\":\"Acme revenue\"} and so on",
     "{\"question\":\"Why?\",\"entities\":[\"revenue\"],\"companies\":[\"Acme\"],\"years\":["
     "\"2023\",\"2024\"],"
     "\"document_types\":[\"annual_report\"],\"keywords\":[\"sales\"],"
     "\"augmented_query\":\"Acme revenue\"}"},
    {"no JSON", "I cannot.", EMPTY},
    {"nothing", "", EMPTY},
    {"cut", "{\"companies\":[\"Acme\"", EMPTY},
    {"other shapes",
     "{\"entities\":{},\"companies\":\"Acme\",\"years\":[null,true,\"\",{}],\"keywords\":7,"
     "\"augmented_query\":[]}",
     EMPTY},
    {"blank", "{\"augmented_query\":\"  \"}", EMPTY},
};

TEST(queries_are_read_as_far_as_they_hold)
{
    TEST_EACH(c, readings) {
        struct arena arena;
        struct analyst_query query;
        struct json_write json;
        struct buf out;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        for (unsigned time = 0; time < 2; time++) { /* what was written reads the same */
            struct str answer = time == 0 ? str_of(c->answer) : arena_str(&arena, buf_str(&out));
            analyst_query_read(&arena, answer, STR("Why?"), &query);
            buf_clear(&out);
            json_write_init(&json, &out);
            analyst_query_write(&query, &json);
            EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        }
        buf_fini(&out);
        arena_fini(&arena);
    }
}

#define VALUE(company, metric, period, value, unit)                                                \
    "{\"company\":\"" company "\",\"metric\":\"" metric "\",\"period\":\"" period                  \
    "\",\"value\":\"" value "\",\"unit\":\"" unit "\",\"chunk\":1,\"verified\":true}"
#define SHARE(part, whole) "{\"kind\":\"share\",\"of\":[" part "," whole "]}"

static const struct {
    const char *name, *analysis;
    const char *has, *also; /* of the chart; NULL: there is none */
} charts[] = {
    {"by period",
     "{\"primary_metric\":\"revenue\",\"values\":[" VALUE(
         "Acme", "revenue", "2023", "120", "USD million") "," VALUE("Acme", "Revenue", "2022",
                                                                    "100", "USD million") "]}",
     "\"title\":\"Revenue of Acme, 2022 to 2023\"", "\"data\":[100,120]"},
    {"by company",
     "{\"values\":[" VALUE("Acme", "revenue", "2023", "120",
                           "USD") "," VALUE("Globex", "revenue", "2023", "90", "USD") "]}",
     "\"title\":\"Revenue in 2023\"", "\"data\":[120,90]"},
    {"scales that differ are drawn in one",
     "{\"values\":[" VALUE("Acme", "revenue", "2022", "900",
                           "million") "," VALUE("Acme", "revenue", "2023", "1.2", "billion") "]}",
     "\"type\":\"bar\"", "\"data\":[900000000,1200000000]"},
    {"margins",
     "{\"values\":[" VALUE("Acme", "income", "2022", "10", "") "," VALUE(
         "Acme", "revenue", "2022", "100",
         "") "," VALUE("Acme", "income", "2023", "30",
                       "") "," VALUE("Acme", "revenue", "2023", "120",
                                     "") "],"
                                         "\"calculations\":[" SHARE("0", "1") "," SHARE("2",
                                                                                        "3") "]}",
     "Income in % of revenue of Acme, 2022 to 2023", "\"data\":[10,25]"},
    {"one figure", "{\"values\":[" VALUE("Acme", "revenue", "2022", "1", "") "]}", NULL, NULL},
    {"units that differ",
     "{\"values\":[" VALUE("Acme", "growth", "2022", "1", "%") "," VALUE("Acme", "growth", "2023",
                                                                         "2", "USD") "]}",
     NULL, NULL},
    {"what is not verified",
     "{\"values\":[{\"metric\":\"a\",\"period\":\"2022\",\"value\":1},"
     "{\"metric\":\"a\",\"period\":\"2023\",\"value\":2}]}",
     NULL, NULL},
    {"nothing", "{}", NULL, NULL},
};

TEST(figures_become_a_chart)
{
    TEST_EACH(c, charts) {
        struct arena arena;
        struct figures_results results;
        struct err err = {0};
        arena_init(&arena, BUDGET);
        EXPECT_INT(c->name,
                   figures_results_read(&arena, str_of(c->analysis), NULL, 0, &results, &err),
                   ERR_OK);
        struct str chart = analyst_draw_chart(&arena, &results, STR("How?"));
        EXPECT_INT(c->name, str_is_absent(chart), c->has == NULL);
        if (c->has != NULL && (str_find(chart, str_of(c->has)) == STR_NONE ||
                               str_find(chart, str_of(c->also)) == STR_NONE))
            fail_msg("%s: %.*s", c->name, STR_ARG(chart));
        arena_fini(&arena);
    }
}

RUN_TESTS(T(queries_are_read_as_far_as_they_hold), T(figures_become_a_chart))
