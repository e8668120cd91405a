/* SPDX-License-Identifier: MIT */
/* The offline engine's side of the analyst: a question and passages to figures, calculations to be
 * done, gaps; a checked analysis to sentences. */
#include "tests/lib/test.h"

#include <string.h>

#include "agents/offline/documents/analyst.h"
#include "core/base/mem.h"

enum { BUDGET = 8 << 20 };

static const char passages[] = "[1] acme-2024.md, Acme Works: annual report 2024 > Income\n"
                               "$ million | 2024 | 2023 | Change\n"
                               "Revenue | 1,250 | 1,000 | +25.0 %\n"
                               "Operating income | 125 | 80 | +56.3 %\n"
                               "Net interest | -11 | n/a | n/a\n"
                               "It was a good year.\n"
                               "\n"
                               "[2] acme-2024.md, Acme Works: annual report 2024 > Segments\n"
                               "Segment revenue, $ million | 2024 | 2023 | Share of 2024\n"
                               "Pumps | 1,000 | 900 | 80.0 %\n"
                               "Total | 1,250 | 1,000 | 100.0 %\n"
                               "\n"
                               "[3] globex-2024.md, Globex: annual report 2024 > Figures\n"
                               "$ million | 2024 | 2023\n"
                               "Revenue | 500 | 640\n"
                               "\n"
                               "[4] globex-2024.md, Globex opens a warehouse > About\n"
                               "| 2024 | 2023\n"
                               "Free cash flow | 40 | 12\n"
                               "Employees at year end | 2,024 | 1,999\n"
                               "Free cash flow was $40 million.\n"
                               "\n"
                               "[5] acme-q3.md, Acme Works: third quarter of 2024\n"
                               "$ million | Q3 2024 | Q2 2024\n"
                               "Revenue | 330 | 310";

static struct str ask(struct arena *arena, struct buf *out, const char *task, const char *question,
                      const char *analysis, const char *errors)
{
    const struct llm_field fields[] = {
        {STR("question"), str_of(question)},    {STR("context"), str_of(passages)},
        {STR("analysis"), str_of(analysis)},    {STR("errors"), str_of(errors)},
        {STR("explanation"), STR("EXPLAINED")},
    };
    const struct llm_prompt prompt = {
        .task = task, .fields = fields, .field_count = countof(fields), .arena = arena};
    EXPECT_TRUE(task, offline_analyst_knows(&prompt));
    buf_clear(out);
    offline_analyst_answer(arena, &prompt, out);
    EXPECT_TRUE(task, buf_ok(out));
    return buf_str(out);
}

#define VALUE(company, metric, period, value, unit, chunk)                                         \
    "{\"company\":\"" company "\",\"metric\":\"" metric "\",\"period\":\"" period                  \
    "\",\"value\":\"" value "\",\"unit\":\"" unit "\",\"chunk\":" chunk
#define ACME_2023   VALUE("Acme Works", "revenue", "2023", "1,000", "$ million", "1")
#define ACME_2024   VALUE("Acme Works", "revenue", "2024", "1,250", "$ million", "1")
#define INCOME_2024 VALUE("Acme Works", "operating income", "2024", "125", "$ million", "1")
#define GLOBEX_2024 VALUE("Globex", "revenue", "2024", "500", "$ million", "3")
#define ANALYSIS(metric, values, calculations)                                                     \
    "{\"primary_metric\":\"" metric "\",\"values\":[" values "],\"calculations\":[" calculations   \
    "]}"
#define NOTHING "{\"values\":[],\"calculations\":[]}"

static const struct {
    const char *question, *analysis, *gaps;
} questions[] = {
    {"How did Acme's revenue change between 2023 and 2024?",
     ANALYSIS("revenue", ACME_2023 "}," ACME_2024 "}", "{\"kind\":\"growth\",\"of\":[0,1]}"), "[]"},
    {"How much did the turnover of Acme grow in 2024?",
     ANALYSIS("revenue", ACME_2023 "}," ACME_2024 "}", "{\"kind\":\"growth\",\"of\":[0,1]}"), "[]"},
    {"What is Acme's annual growth of sales from 2023 to 2024?",
     ANALYSIS("revenue", ACME_2023 "}," ACME_2024 "}",
              "{\"kind\":\"growth\",\"of\":[0,1]},{\"kind\":\"cagr\",\"of\":[0,1]}"),
     "[]"},
    {"average revenue of acme",
     ANALYSIS("revenue", ACME_2023 "}," ACME_2024 "}", "{\"kind\":\"average\",\"of\":[0,1]}"),
     "[]"},
    {"Revenue of Acme", ANALYSIS("revenue", ACME_2024 "}", ""), "[]"},
    {"Compare the revenue of Globex and Acme in 2024",
     ANALYSIS("revenue", GLOBEX_2024 "}," ACME_2024 "}", "{\"kind\":\"compare\",\"of\":[0,1]}"),
     "[]"},
    {"difference between the revenues of Acme and Globex in 2024",
     ANALYSIS("revenue",
              ACME_2023 "}," ACME_2024 "}," VALUE("Globex", "revenue", "2023", "640", "$ million",
                                                  "3") "}," GLOBEX_2024 "}",
              "{\"kind\":\"difference\",\"of\":[3,1]}"),
     "[]"},
    {"Operating margin of Acme in 2024",
     ANALYSIS("revenue", ACME_2024 "}," INCOME_2024 "}", "{\"kind\":\"share\",\"of\":[1,0]}"),
     "[]"},
    {"Revenue of Acme's pumps in 2024",
     ANALYSIS("Pumps (Segment revenue)",
              VALUE("Acme Works", "Pumps (Segment revenue)", "2024", "1,000", "$ million", "2") "}",
              ""),
     "[]"},
    {"Share of pumps in Acme's revenue in 2024",
     ANALYSIS("revenue",
              ACME_2024 "}," VALUE("Acme Works", "Pumps (Segment revenue)", "2024", "1,000",
                                   "$ million", "2") "}",
              "{\"kind\":\"share\",\"of\":[1,0]}"),
     "[]"},
    {"Free cash flow of Globex in 2024",
     ANALYSIS("free cash flow",
              VALUE("Globex", "free cash flow", "2024", "40", "$ million", "4") "}", ""),
     "[]"},
    {"headcount of Globex in 2023",
     ANALYSIS("employees", VALUE("Globex", "employees", "2023", "1,999", "", "4") "}", ""), "[]"},
    {"Acme: net interest in 2024",
     ANALYSIS("Net interest",
              VALUE("Acme Works", "Net interest", "2024", "-11", "$ million", "1") "}", ""),
     "[]"},
    {"Acme: net interest in 2023", NOTHING, "[]"},
    {"Revenue of Acme in the third quarter of 2024",
     ANALYSIS("revenue", VALUE("Acme Works", "revenue", "Q3 2024", "330", "$ million", "5") "}",
              ""),
     "[]"},
    {"Revenue of Acme in 2019", NOTHING, "[\"revenue of Acme Works in 2019\"]"},
    {"Compare Acme's revenue with Initech's in 2024", ANALYSIS("revenue", ACME_2024 "}", ""),
     "[\"revenue of Initech\"]"},
    {"gross profit of Globex", NOTHING, "[\"gross profit of Globex\"]"},
    {"Why did Acme's revenue grow in 2024?", NOTHING, "[]"},
    {"What was said in the earnings call?", NOTHING, "[]"},
    {"", NOTHING, "[]"},
};

/* What follows a value on the way back is "verified"; the model does not say it. */
TEST(figures_and_gaps)
{
    TEST_EACH(c, questions) {
        struct arena arena;
        struct buf out;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        EXPECT_STR(c->question, ask(&arena, &out, "analysis", c->question, "", ""),
                   str_of(c->analysis));
        struct str verdict = ask(&arena, &out, "context_validation", c->question, "", "");
        EXPECT_TRUE(c->question,
                    str_ends_with(str_slice(verdict, 0, verdict.len - 1), str_of(c->gaps)));
        EXPECT_INT(c->question, str_starts_with(verdict, STR("{\"sufficient\":true")),
                   strcmp(c->gaps, "[]") == 0);
        buf_fini(&out);
        arena_fini(&arena);
    }
}

#define TRUE     ",\"verified\":true}"
#define OF(kind) "{\"kind\":\"" kind "\",\"of\":[0,1],\"verified\":true}"

static const struct {
    const char *name, *question, *analysis, *errors, *answer;
} answers[] = {
    {"growth", "Growth of Acme's revenue in 2024",
     ANALYSIS("revenue", ACME_2023 TRUE "," ACME_2024 TRUE, OF("growth")), "[]",
     "Acme Works' revenue grew by 25% from 2023 to 2024, from $1,000 million to $1,250 million "
     "[1].\n\nEXPLAINED"},
    {"decline", "Growth of Acme's revenue in 2024",
     ANALYSIS("revenue", ACME_2024 TRUE "," ACME_2023 TRUE, OF("growth")), "",
     "Acme Works' revenue fell by 20% from 2024 to 2023, from $1,250 million to $1,000 million "
     "[1].\n\nEXPLAINED"},
    {"comparison", "Compare Acme's and Globex's revenue in 2024",
     ANALYSIS("revenue", ACME_2024 TRUE "," GLOBEX_2024 TRUE, OF("compare")), "",
     "Acme Works' revenue was $1,250 million in 2024, 150% more than the $500 million of Globex "
     "[1, 3].\n\nEXPLAINED"},
    {"margin", "Operating margin of Acme in 2024",
     ANALYSIS("revenue", INCOME_2024 TRUE "," ACME_2024 TRUE, OF("share")), "",
     "Acme Works' operating margin was 10% in 2024: $125 million of $1,250 million "
     "[1].\n\nEXPLAINED"},
    {"average", "Average revenue of Acme",
     ANALYSIS("revenue", ACME_2023 TRUE "," ACME_2024 TRUE, OF("average")), "",
     "Acme Works' revenue was $1,125 million on average from 2023 to 2024 [1].\n\nEXPLAINED"},
    {"figures alone", "Revenue of Acme in 2024", ANALYSIS("revenue", ACME_2024 TRUE, ""), "",
     "Acme Works' revenue was $1,250 million in 2024 [1].\n\nEXPLAINED"},
    {"what is missing is told", "Revenue of Acme in 2019 and 2024",
     ANALYSIS("revenue", ACME_2024 TRUE, ""), "",
     "Acme Works' revenue was $1,250 million in 2024 [1].\n\nEXPLAINED\n\nThe documents found do "
     "not have: revenue of Acme Works in 2019."},
    {"what is not verified is not said", "Revenue of Acme in 2019",
     ANALYSIS("revenue", ACME_2024 "}", ""), "",
     "The documents do not say: revenue of Acme Works in 2019."},
    {"an answer that did not pass is not repeated", "Was it a good year for Acme?",
     ANALYSIS("revenue", ACME_2024 TRUE, ""), "[\"wrong\"]", "It was a good year. [1]"},
    {"of the companies asked about", "Which pumps does Globex sell?", NOTHING, "",
     "The documents do not say, and I can't answer that without a language model."},
    {"no analysis", "Was it a good year for Acme?", "Sorry.", "", "It was a good year. [1]"},
};

TEST(findings_in_sentences)
{
    TEST_EACH(c, answers) {
        struct arena arena;
        struct buf out;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        EXPECT_STR(c->name, ask(&arena, &out, "synthesis", c->question, c->analysis, c->errors),
                   str_of(c->answer));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

TEST(a_question_is_read)
{
    struct arena arena;
    struct buf out;
    arena_init(&arena, BUDGET);
    buf_init(&out, BUDGET);
    EXPECT_STR("read", ask(&arena, &out, "query_processing", "Operating margin in 2024?", "", ""),
               STR("{\"entities\":[\"operating margin\"],\"companies\":[],\"years\":[\"2024\"],"
                   "\"keywords\":[\"operating margin\",\"operating income\",\"revenue\"],"
                   "\"augmented_query\":\"Operating margin in 2024? operating margin operating "
                   "income revenue\"}"));
    buf_fini(&out);
    arena_fini(&arena);
}

/* Memory that ends says less; nothing is read that was not made. */
TEST(the_nth_allocation_fails)
{
    static const char *const tasks[] = {"query_processing", "context_validation", "analysis",
                                        "synthesis"};
    for (size_t t = 0; t < countof(tasks); t++)
        for (uint64_t n = 1; n < 40; n++) {
            const struct llm_field fields[] = {{STR("question"), STR("Acme's operating margin")},
                                               {STR("context"), str_of(passages)},
                                               {STR("analysis"), str_of(questions[5].analysis)}};
            struct arena arena;
            struct buf out;
            arena_init(&arena, BUDGET);
            buf_init(&out, BUDGET);
            const struct llm_prompt prompt = {
                .task = tasks[t], .fields = fields, .field_count = 3, .arena = &arena};
            mem_fail_nth(n);
            offline_analyst_answer(&arena, &prompt, &out);
            mem_fail_nth(0);
            buf_fini(&out);
            arena_fini(&arena);
        }
}

RUN_TESTS(T(figures_and_gaps), T(findings_in_sentences), T(a_question_is_read),
          T(the_nth_allocation_fails))
