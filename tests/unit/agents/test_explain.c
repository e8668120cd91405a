/* SPDX-License-Identifier: MIT */
/* An analysis as Markdown: figures with their units and sources, calculations as formulas. */
#include "tests/lib/test.h"

#include "agents/figures/explain.h"

enum { BUDGET = 1 << 20 };

#define VALUE(period, value, verified)                                                             \
    "{\"company\":\"Acme Works\",\"metric\":\"revenue\",\"period\":\"" period "\","                \
    "\"value\":\"" value "\",\"unit\":\"$ million\",\"chunk\":1,\"verified\":" verified "}"

static const struct {
    const char *name, *analysis, *want;
} cases[] = {
    {"figures and formulas",
     "{\"values\":[" VALUE("2023", "1,000", "true") "," VALUE(
         "2024", "1,250",
         "true") "],"
                 "\"calculations\":[{\"kind\":\"growth\",\"of\":[0,1],\"verified\":true}]}",
     "- Acme Works, revenue, 2023: $1,000 million [1]\n"
     "- Acme Works, revenue, 2024: $1,250 million [1]\n\n"
     "$$\\frac{1,250 - 1,000}{1,000} \\times 100\\% = 25\\%$$"},
    {"below zero", "{\"values\":[" VALUE("2023", "-12", "true") "]}",
     "- Acme Works, revenue, 2023: -$12 million [1]"},
    {"nothing is verified", "{\"values\":[" VALUE("2023", "1,000", "false") "]}", ""},
};

TEST(an_explanation_has_figures_and_formulas)
{
    TEST_EACH(c, cases) {
        struct figures_results results;
        struct arena arena;
        struct buf out;
        struct err err;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        EXPECT_INT(c->name,
                   figures_results_read(&arena, str_of(c->analysis), NULL, 0, &results, &err),
                   ERR_OK);
        EXPECT_INT(c->name, figures_explain(&results, &arena, &out), c->want[0] != '\0');
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(an_explanation_has_figures_and_formulas))
