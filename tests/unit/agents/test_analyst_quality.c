/* SPDX-License-Identifier: MIT */
/* What a model read out of passages, calculated and compared; answers against their sources. */
#include "tests/lib/test.h"

#include <stdio.h>
#include <string.h>

#include "agents/analyst/quality.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { BUDGET = 32 << 20 };

static const struct search_hit hits[] = {
    {.document = STR("acme-2023.md"),
     .heading = STR("Results 2023"),
     .chunk = STR("a#1"),
     .text = STR("Acme's revenue was $120.5 million in 2023. Its net loss was (3.2) million. The "
                 "factory in Graz makes pumps."),
     .score = 0.9},
    {.document = STR("acme-2022.md"),
     .chunk = STR("a#2"),
     .text = STR("| (in millions) | 2022 |\n| Revenue | 100.0 |"),
     .score = 0.8},
    {.document = STR("acme-2022.md"), .chunk = STR("a#3"), .text = STR("| 2022\nCapex | 18")},
    {.document = STR("muster.md"),
     .chunk = STR("m#1"),
     .text = STR("Mio. € | 2022 | 2023\nUmsatz | 1.204 | 1.234,5\nDas ist ein Plus von 2,5 %.")},
};

#define VALUES                                                                                     \
    "\"values\":[{\"company\":\"Acme\",\"metric\":\"revenue\",\"period\":\"2022\",\"value\":100.0" \
    ",\"unit\":\"USD million\",\"chunk\":2},{\"company\":\"Acme\",\"metric\":\"revenue\","         \
    "\"period\":\"2023\",\"value\":\"120.5\",\"unit\":\"USD million\",\"chunk\":1}]"

static const struct {
    const char *name, *answer;
    enum err_code code;
    const char *errors; /* all of them as JSON, or the error's text */
    const char *has;    /* of what is written */
} readings[] = {
    {"good",
     "Here it is: {\"primary_metric\":\"revenue\"," VALUES
     ",\"calculations\":[{\"kind\":\"growth\",\"of\":[0,1],\"claimed\":20.5}],"
     "\"text\":\"Revenue rose by 20.5% to 120.5 million in 2023.\"}",
     ERR_OK, "[]",
     "\"result\":\"20.5%\",\"formula\":\"\\\\frac{120.5 - 100.0}{100.0} \\\\times 100\\\\% = "
     "20.5\\\\%\",\"verified\":true"},
    {"a claim that is wrong",
     "{" VALUES ",\"calculations\":[{\"kind\":\"growth\",\"of\":[0,1],\"claimed\":\"25%\"}]}",
     ERR_OK,
     "[\"calculation 0: 25% was claimed, but \\\\frac{120.5 - 100.0}{100.0} \\\\times 100\\\\% = "
     "20.5\\\\%\"]",
     "\"verified\":true"},
    {"a claim of the other sign",
     "{" VALUES ",\"calculations\":[{\"kind\":\"difference\",\"of\":[0,1],\"claimed\":-20.5}]}",
     ERR_OK, "[\"calculation 0: -20.5 was claimed, but 120.5 - 100.0 = 20.5\"]",
     "\"result\":\"20.5\""},
    {"a value that no chunk holds",
     "{\"values\":[{\"value\":130,\"unit\":\"million\",\"chunk\":1}]}", ERR_OK,
     "[\"value 0: passage [1] does not hold 130 million\"]", "\"verified\":false"},
    {"a scale that the document says elsewhere",
     "{\"values\":[{\"value\":18,\"unit\":\"million\",\"chunk\":3}]}", ERR_OK, "[]",
     "\"verified\":true"},
    {"a scale that it does not", "{\"values\":[{\"value\":18,\"unit\":\"billion\",\"chunk\":3}]}",
     ERR_OK, "[\"value 0: passage [3] does not hold 18 billion\"]", "\"verified\":false"},
    {"a chunk that is not there", "{\"values\":[{\"value\":100,\"unit\":\"\",\"chunk\":9}]}",
     ERR_OK, "[\"value 0: there is no passage [9]: 100 \"]", "\"verified\":false"},
    {"a loss", "{\"values\":[{\"value\":-3.2,\"unit\":\"USD million\",\"chunk\":1}]}", ERR_OK, "[]",
     "\"verified\":true"},
    {"commas for fractions, as written",
     "{\"values\":[{\"value\":\"1.204\",\"unit\":\"Mio. €\",\"period\":\"2022\",\"chunk\":4},"
     "{\"value\":\"1.234,5\",\"unit\":\"Mio. €\",\"period\":\"2023\",\"chunk\":4}],"
     "\"calculations\":[{\"kind\":\"growth\",\"of\":[0,1],\"claimed\":\"2.53%\"}]}",
     ERR_OK, "[]", "\\frac{1,234.5 - 1,204}{1,204}"},
    {"commas for fractions, as a program writes them",
     "{\"values\":[{\"value\":1204,\"unit\":\"Mio. €\",\"chunk\":4},"
     "{\"value\":\"1234.5\",\"unit\":\"Mio. "
     "€\",\"chunk\":4},{\"value\":2.5,\"unit\":\"%\",\"chunk\":4}]}",
     ERR_OK, "[]", "\"verified\":true"},
    {"a thousandth of it", "{\"values\":[{\"value\":1.204,\"unit\":\"Mio. €\",\"chunk\":4}]}",
     ERR_OK, "[\"value 0: passage [4] does not hold 1.204 Mio. €\"]", "\"verified\":false"},
    {"no figure", "{\"values\":[{\"value\":\"many\",\"chunk\":1}]}", ERR_OK,
     "[\"value 0: passage [1] does not hold many \"]", "\"verified\":false"},
    {"a figure made up", "{\"text\":\"It grew by 17%.\"}", ERR_OK,
     "[\"text: no passage holds 17, and it was not calculated\"]", NULL},
    {"of the question", "{\"text\":\"You asked for 42.\"}", ERR_OK, "[]", NULL},
    {"growth without years",
     "{\"values\":[{\"value\":0,\"chunk\":1},{\"value\":1,\"chunk\":1}],"
     "\"calculations\":[{\"kind\":\"growth\",\"of\":[0,1]}]}",
     ERR_OK,
     "[\"value 0: passage [1] does not hold 0 \",\"value 1: passage [1] does not hold 1 \","
     "\"calculation 0: growth: a base of 0 has none in percent\"]",
     "\"problem\":\"growth: a base of 0"},
    {"units that differ",
     "{\"values\":[{\"value\":120.5,\"unit\":\"million\",\"chunk\":1},"
     "{\"value\":100.0,\"unit\":\"%\",\"chunk\":2}],"
     "\"calculations\":[{\"kind\":\"sum\",\"of\":[0,1]}]}",
     ERR_OK, "[\"calculation 0: its operands have different units\"]", NULL},
    {"no JSON", "I cannot do that.", ERR_INVALID, "expected a JSON object, got none", NULL},
    {"values of another shape", "{\"values\":{}}", ERR_INVALID,
     "/values: expected an array, got an object", NULL},
    {"no such kind", "{" VALUES ",\"calculations\":[{\"kind\":\"magic\",\"of\":[0]}]}", ERR_INVALID,
     "/calculations/0/kind: 'magic' is none", NULL},
    {"no such value", "{" VALUES ",\"calculations\":[{\"kind\":\"sum\",\"of\":[0,2]}]}",
     ERR_INVALID, "/calculations/0/of: there is no such value", NULL},
    {"no operands", "{\"calculations\":[{\"kind\":\"sum\",\"of\":[]}]}", ERR_INVALID,
     "/calculations/0/of: expected 1 to 32 indices", NULL},
};

TEST(readings_checked)
{
    TEST_EACH(c, readings) {
        struct arena arena;
        struct figures_results results;
        struct err err = {0};
        struct buf out;
        struct json_write json;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        EXPECT_INT(
            c->name,
            figures_results_read(&arena, str_of(c->answer), hits, countof(hits), &results, &err),
            c->code);
        if (c->code != ERR_OK) {
            EXPECT_STR(c->name, str_of(err.text), str_of(c->errors));
        } else {
            json_write_init(&json, &out);
            json_write_array(&json);
            figures_results_check(&arena, &results, STR("What about 42?"), hits, countof(hits),
                                  &json);
            json_write_array_end(&json);
            EXPECT_STR(c->name, buf_str(&out), str_of(c->errors));
            buf_clear(&out);
            json_write_init(&json, &out);
            figures_results_write(&results, &json);
            if (c->has != NULL && str_find(buf_str(&out), str_of(c->has)) == STR_NONE)
                fail_msg("%s: '%s' is not in %.*s", c->name, c->has, STR_ARG(buf_str(&out)));
            struct str written = arena_str(&arena, buf_str(&out)); /* reads back as the same */
            EXPECT_INT(c->name, figures_results_read(&arena, written, NULL, 0, &results, &err),
                       ERR_OK);
            buf_clear(&out);
            json_write_init(&json, &out);
            figures_results_write(&results, &json);
            EXPECT_STR(c->name, buf_str(&out), written);
        }
        buf_fini(&out);
        arena_fini(&arena);
    }
}

static const char bar[] = "{\"type\":\"bar\",\"data\":{\"labels\":[\"2022\",\"2023\"],\"datasets\":"
                          "[{\"label\":\"Revenue\","
                          "\"data\":[100,120.5]}]}}";

static const struct {
    const char *name, *text, *charts, *errors;
} answers[] = {
    {"good",
     "## Revenue\n\nRevenue was 120.5 million in 2023 [1], after 100 million [2]. That is 20.5% "
     "more.\n\n$$\\frac{120.5 - 100.0}{100.0} \\times 100\\% = 20.5\\%$$\n",
     "", "[]"},
    {"one mark for two", "Revenue rose from 100 to 120.5 million [1, 2].", "", "[]"},
    {"words", "The factory in Graz makes pumps. [1]", "", "[]"},
    {"words made up", "Pirates bought the zoo of Vienna. [1]", "",
     "[\"the passages marked do not say this: Pirates bought the zoo of Vienna. [1]\"]"},
    {"a source made up", "Revenue was 120.5 million [7]. Graz makes pumps [1].", "",
     "[\"there is no passage [7]: Revenue was 120.5 million [7].\"]"},
    {"a figure made up", "Revenue was 177 million. The factory in Graz makes pumps. [1]", "",
     "[\"no passage holds 177, and it was not calculated: Revenue was 177 million.\"]"},
    {"a figure of another passage", "Revenue was 100 million. [1] Graz makes pumps. [1]", "", "[]"},
    {"a figure beside its source", "Revenue was 3.9 million in 2023. [1]", "",
     "[\"the passages marked do not hold 3.9, and it was not calculated: Revenue was 3.9 million "
     "in "
     "2023. [1]\"]"},
    {"as German writes figures", "Der Umsatz stieg 2023 auf 1.234,5 Mio. Euro, um 2,5 Prozent. [4]",
     "", "[]"},
    {"as English writes them", "Revenue rose by 2.5% to EUR 1,234.5 million in 2023. [4]", "",
     "[]"},
    {"a German figure made up", "Der Umsatz stieg 2023 auf 1.334,5 Mio. Euro. [4]", "",
     "[\"the passages marked do not hold 1.334, and it was not calculated: Der Umsatz stieg 2023 "
     "auf "
     "1.334,5 Mio. Euro. [4]\"]"},
    {"no source", "Revenue was 120.5 million.", "",
     "[\"the answer marks no passage as its source\"]"},
    {"nothing", " ", "", "[\"the answer is empty\"]"},
    {"a chart", "Graz makes pumps. [1]", "BAR", "[]"},
    {"a chart that is broken", "Graz makes pumps. [1]",
     "[{\"chartjs\":{\"type\":\"bar\",\"data\":{\"labels\":[\"a\"],\"datasets\":[{\"data\":[1,2]}]}"
     "}}]",
     "[\"chart 0: /data/datasets/0/data: expected 1 values, one for each label, got 2\"]"},
    {"a chart of figures made up", "Graz makes pumps. [1]",
     "[{\"chartjs\":{\"type\":\"bar\",\"data\":{\"labels\":[\"a\"],\"datasets\":[{\"label\":\"b\","
     "\"data\":[777]}]}}}]",
     "[\"chart 0: no passage holds its 777\"]"},
    {"no array of charts", "Graz makes pumps. [1]", "{}", "[\"charts: expected an array\"]"},
};

static void check_answer(struct arena *arena, struct str text, const char *charts, struct buf *out)
{
    char array[1024];
    struct figures_results results;
    struct err err;
    struct json_write json;
    bool has_results = figures_results_read(arena, str_of(readings[0].answer), hits, countof(hits),
                                            &results, &err) == ERR_OK;
    snprintf(array, sizeof array, "[{\"chartjs\":%s}]", bar);
    struct analyst_answer answer = {
        .text = text,
        .question = STR("How did revenue change?"),
        .charts = str_of(strcmp(charts, "BAR") == 0 ? array : charts),
        .results = has_results ? &results : NULL,
        .hits = hits,
        .hit_count = countof(hits),
    };
    json_write_init(&json, out);
    json_write_array(&json);
    if (has_results)
        figures_results_check(arena, &results, answer.question, hits, countof(hits), &json);
    analyst_quality_check(arena, &answer, &json);
    json_write_array_end(&json);
}

TEST(answers_checked)
{
    TEST_EACH(c, answers) {
        struct arena arena;
        struct buf out;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        check_answer(&arena, str_of(c->text), c->charts, &out);
        EXPECT_STR(c->name, buf_str(&out), str_of(c->errors));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

TEST(citations)
{
    const struct analyst_answer answer = {
        .text = STR("A [2]. B [9]. C [2]."), .hits = hits, .hit_count = countof(hits)};
    struct buf out;
    struct json_write json;
    buf_init(&out, BUDGET);
    json_write_init(&json, &out);
    json_write_array(&json);
    analyst_quality_cite(&answer, &json);
    json_write_array_end(&json);
    EXPECT_TRUE(
        "the marked one alone",
        str_starts_with(buf_str(&out), STR("[{\"number\":2,\"document\":\"acme-2022.md\"")) &&
            str_find(buf_str(&out), STR("acme-2023")) == STR_NONE);
    buf_fini(&out);
}

/* Memory that ends: fewer things are supported, nothing breaks. */
TEST(memory_that_ends)
{
    for (size_t budget = 64; budget < 256 * 1024; budget = budget * 5 / 4 + 8) {
        struct arena arena;
        struct buf out;
        arena_init(&arena, budget);
        buf_init(&out, BUDGET);
        check_answer(&arena, str_of(answers[0].text), "BAR", &out);
        EXPECT_TRUE("an array", str_starts_with(buf_str(&out), STR("[")));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(readings_checked), T(answers_checked), T(citations), T(memory_that_ends))
