/* SPDX-License-Identifier: MIT */
/* Figures of a text, whether another text holds them, and what is calculated from them. */
#include "tests/lib/test.h"

#include <stdio.h>

#include "agents/figures/calculate.h"
#include "agents/figures/numbers.h"

static const struct {
    const char *text, *want; /* every figure: value, then p(ercent) s(caled) y(ear) */
} texts[] = {
    {"", ""},
    {"no figures at all", ""},
    {"Revenue was 1,234.5.", "1234.5 "},
    {"$4.2 billion and \xE2\x82\xAC"
     "1.5bn",
     "4200000000s 1500000000s "},
    {"3.4m, 12 thousand, 7k", "3400000s 12000s 7000s "},
    {"a loss of (1,234)", "-1234 "},
    {"in (2023)", "2023y "},
    {"-3.2% and \xE2\x88\x92"
     "4 percent",
     "-3.2p -4p "},
    {"-$5 million", "-5000000s "},
    {"2022-2023", "2022y 2023y "},
    {"FY2023 and Q3 and Form 10-K, the 2nd", "2023y "},
    {"grew [1] by 12% [2, 3]", "12p "},
    {"1. First 5\n2) Second 6", "5 6 "},
    {"1,2 and 1,2345", "1 2 1 2345 "},
    {"12.5\\% of it", "12.5p "},
    {"a 5-year plan, 100-million", "100000000s "},
    {"ends with 7", "7 "},
    {"3 apples", "3 "},
};

TEST(figures_of_texts)
{
    TEST_EACH(c, texts) {
        char got[256] = "";
        size_t len = 0;
        struct analyst_number number;
        struct str rest = str_of(c->text);
        while (figures_numbers_next(&rest, &number))
            len += (size_t)snprintf(got + len, sizeof got - len, "%.10g%s%s%s ", number.value,
                                    number.is_percent ? "p" : "", number.scale != 1 ? "s" : "",
                                    number.is_year ? "y" : "");
        EXPECT_STR(c->text, str_of(got), str_of(c->want));
    }
}

/* Every prefix of every text is read to its end. */
TEST(prefixes)
{
    TEST_EACH(c, texts) {
        struct str whole = str_of(c->text);
        for (size_t i = 0; i <= whole.len; i++) {
            struct str rest = str_slice(whole, 0, i);
            struct analyst_number number;
            unsigned count = 0;
            while (figures_numbers_next(&rest, &number))
                count++;
            EXPECT_TRUE(c->text, count <= whole.len && rest.len == 0);
        }
    }
}

TEST(occurring)
{
    static const struct {
        const char *claimed, *text;
        bool want;
    } cases[] = {
        {"1,234", "It was 1234.", true},
        {"1,234", "It was 12345.", false},
        {"4.2 billion", "revenue of $4,213 million", true},
        {"4.3 billion", "revenue of $4,213 million", false},
        {"4,213 million", "revenue of $4.2 billion", false},
        {"4,213 million", "(in millions) | 4,213 |", true},
        {"4.213 billion", "amounts in US$ millions | 4,213 |", true},
        {"4,213", "(in millions) | 4,213 |", true},
        {"5%", "a decline of (5)%", true},
        {"loss of 88", "| (88) |", true},
        {"12.5%", "12.5 percent", true},
        {"12.6%", "12.5 percent", false},
        {"13%", "12.5 percent", true},
        {"5.0", "5 stores", true},
        {"5.1", "5 stores", false},
        {"4.2", "revenue of $4.2 billion", true},
        {"4.25", "revenue of $4.2 billion", false},
        {"7", "", false},
        {"4,213 million", "$ million | 2024\nRevenue | 4,213", true},
        {"4,213 million", "Revenue, USD million | 2024\nRevenue | 4,213", true},
        {"4,213 million", "\xE2\x82\xAC thousand | 2024\nRevenue | 4,213", false},
        {"4,213 million", "Several million people. | 4,213 |", false},
        {"1,234.5", "Umsatz 1.234,5", true},
        {"1.2345", "Umsatz 1.234,5", false},
        {"12.5%", "ein Plus von 12,5 %", true},
        {"12.5%", "ein Plus von 12,5 Prozent", true},
        {"12.5%", "un aumento del 12,5 por ciento", true},
        {"4.2 billion", "ein Umsatz von 4,2 Mrd. Euro", true},
        {"4.2 billion", "4,2 Milliarden Euro, 1,5 Prozent mehr", true},
        {"4,213 million", "in Mio. Euro | 2024\nUmsatz | 4.213", true},
        {"4,213 million", "Umsatz, Mio. € | 2024\nUmsatz | 4.213", true},
        {"4,213", "Filialen | 4.213", true}, /* nothing tells which */
        {"4,213", "Filialen | 4.213 | 2,5 %", true},
        {"4,213", "stores | 4.213 | 2.5 %", false},
        {"4.213", "stores | 4.213 | 2.5 %", true},
        {"4.2", "Filialen | 4,213", false},
        {"1,234,567", "am 30.6.2025 genau 1.234.567", true},
        {"1,234,567",
         "1\xC2\xA0"
         "234\xC2\xA0"
         "567 francs",
         true},
        {"1,234.5", "CHF 1'234.5", true},
    };
    TEST_EACH(c, cases) {
        struct analyst_number number;
        struct str rest = str_of(c->claimed);
        assert_true(figures_numbers_next(&rest, &number));
        EXPECT_INT(c->claimed, figures_numbers_occurs(&number, str_of(c->text)), c->want);
    }
}

TEST(notations)
{
    static const struct {
        const char *text;
        enum figures_notation want;
    } cases[] = {
        {"", FIGURES_UNTOLD},
        {"1234", FIGURES_UNTOLD},
        {"1.234 or 1,234", FIGURES_UNTOLD},
        {"1,234.5", FIGURES_POINT},
        {"1.234,5", FIGURES_COMMA},
        {"1,234,567", FIGURES_POINT},
        {"1.234.567", FIGURES_COMMA},
        {"2.5 % of 1,234", FIGURES_POINT},
        {"2,5 % von 1.234", FIGURES_COMMA},
        {"30.6.2025, section 2.3.1", FIGURES_UNTOLD},
        {"as said [1,2] and [3,14]", FIGURES_UNTOLD},
        {"2.5 and 1,234.5 and 3,5", FIGURES_POINT},
    };
    TEST_EACH(c, cases)
        EXPECT_INT(c->text, figures_numbers_notation(str_of(c->text)), c->want);
}

TEST(signs_exchanged)
{
    struct arena arena;
    arena_init(&arena, 4096);
    EXPECT_STR("digits", figures_numbers_exchange(&arena, STR("1.234,5 am 3.6., ja")),
               STR("1,234.5 am 3,6., ja"));
    arena_fini(&arena);
}

TEST(scales_of_units)
{
    bool is_percent;
    EXPECT_TRUE("million", figures_numbers_scale(STR("USD million"), &is_percent) == 1e6);
    EXPECT_TRUE("no percent", !is_percent);
    EXPECT_TRUE("percent", figures_numbers_scale(STR("%"), &is_percent) == 1 && is_percent);
    EXPECT_TRUE("none", figures_numbers_scale(STR("stores"), NULL) == 1);
}

static const struct {
    const char *name;
    enum analyst_kind kind;
    struct analyst_operand of[3];
    size_t count;
    enum err_code code;
    const char *result, *formula;
} sums[] = {
    {"growth",
     ANALYST_GROWTH,
     {{100, {"100", 3}, 0, 1, 2022}, {120, {"120", 3}, 0, 1, 2023}},
     2,
     ERR_OK,
     "20%",
     "\\frac{120 - 100}{100} \\times 100\\% = 20\\%"},
    {"a third",
     ANALYST_GROWTH,
     {{90, {"90", 2}, 0, 1, 0}, {120, {"120", 3}, 0, 1, 0}},
     2,
     ERR_OK,
     "33.33%",
     "\\frac{120 - 90}{90} \\times 100\\% = 33.33\\%"},
    {"decline",
     ANALYST_GROWTH,
     {{200, {"200", 3}, 0, 1, 0}, {150, {"150", 3}, 0, 1, 0}},
     2,
     ERR_OK,
     "-25%",
     "\\frac{150 - 200}{200} \\times 100\\% = -25\\%"},
    {"from zero",
     ANALYST_GROWTH,
     {{0, {"0", 1}, 0, 1, 0}, {1, {"1", 1}, 0, 1, 0}},
     2,
     ERR_INVALID,
     "growth: a base of 0 has none in percent",
     NULL},
    {"from a loss",
     ANALYST_GROWTH,
     {{-5, {"-5", 2}, 0, 1, 0}, {1, {"1", 1}, 0, 1, 0}},
     2,
     ERR_INVALID,
     "growth: a base of -5 has none in percent",
     NULL},
    {"difference",
     ANALYST_DIFFERENCE,
     {{1.5e6, {"1.5", 3}, 1, 1e6, 0}, {4.25e6, {"4.25", 4}, 2, 1e6, 0}},
     2,
     ERR_OK,
     "2.75",
     "4.25 - 1.5 = 2.75"},
    {"tenths",
     ANALYST_SUM,
     {{0.1, {"0.1", 3}, 1, 1, 0}, {0.2, {"0.2", 3}, 1, 1, 0}},
     2,
     ERR_OK,
     "0.3",
     "0.1 + 0.2 = 0.3"},
    {"ratio",
     ANALYST_RATIO,
     {{1, {"1", 1}, 0, 1, 0}, {3, {"3", 1}, 0, 1, 0}},
     2,
     ERR_OK,
     "0.33",
     "\\frac{1}{3} = 0.33"},
    {"a margin",
     ANALYST_SHARE,
     {{192e6, {"192", 3}, 0, 1e6, 0}, {1044e6, {"1,044", 5}, 0, 1e6, 0}},
     2,
     ERR_OK,
     "18.39%",
     "\\frac{192}{1,044} \\times 100\\% = 18.39\\%"},
    {"of nothing",
     ANALYST_SHARE,
     {{1, {"1", 1}, 0, 1, 0}, {0, {"0", 1}, 0, 1, 0}},
     2,
     ERR_INVALID,
     "share: the second operand is zero",
     NULL},
    {"thousands",
     ANALYST_SUM,
     {{999, {"999", 3}, 0, 1, 0}, {-1234567, {"(-1,234,567)", 12}, 0, 1, 0}},
     2,
     ERR_OK,
     "-1,233,568",
     "999 + (-1,234,567) = -1,233,568"},
    {"by zero",
     ANALYST_RATIO,
     {{1, {"1", 1}, 0, 1, 0}, {0, {"0", 1}, 0, 1, 0}},
     2,
     ERR_INVALID,
     "ratio: the second operand is zero",
     NULL},
    {"cagr",
     ANALYST_CAGR,
     {{100, {"100", 3}, 0, 1, 2020}, {121, {"121", 3}, 0, 1, 2022}},
     2,
     ERR_OK,
     "10%",
     "\\left(\\left(\\frac{121}{100}\\right)^{1/2} - 1\\right) \\times 100\\% = 10\\%"},
    {"cagr, no years",
     ANALYST_CAGR,
     {{100, {"100", 3}, 0, 1, 0}, {121, {"121", 3}, 0, 1, 2022}},
     2,
     ERR_INVALID,
     "cagr: expected two periods with years in order",
     NULL},
    {"average",
     ANALYST_AVERAGE,
     {{1, {"1", 1}, 0, 1, 0}, {2, {"2", 1}, 0, 1, 0}, {6, {"6", 1}, 0, 1, 0}},
     3,
     ERR_OK,
     "3",
     "\\frac{1 + 2 + 6}{3} = 3"},
    {"compare",
     ANALYST_COMPARE,
     {{150, {"150", 3}, 0, 1, 0}, {100, {"100", 3}, 0, 1, 0}},
     2,
     ERR_OK,
     "50%",
     "\\frac{150 - 100}{100} \\times 100\\% = 50\\%"},
    {"one only",
     ANALYST_SUM,
     {{1, {"1", 1}, 0, 1, 0}},
     1,
     ERR_INVALID,
     "sum: expected 2 operands or more, got 1",
     NULL},
    {"three of two",
     ANALYST_DIFFERENCE,
     {{.value = 1}, {.value = 2}, {.value = 3}},
     3,
     ERR_INVALID,
     "difference: expected 2 operands, got 3",
     NULL},
    {"endless",
     ANALYST_SUM,
     {{1.7e308, {"17", 2}, 0, 1, 0}, {1.7e308, {"17", 2}, 0, 1, 0}},
     2,
     ERR_INVALID,
     "sum: the result is too large",
     NULL},
};

TEST(calculations)
{
    TEST_EACH(c, sums) {
        struct analyst_result result;
        struct err err = {0};
        struct buf out;
        buf_init(&out, 4096);
        EXPECT_INT(c->name, figures_calculate(c->kind, c->of, c->count, &result, &err), c->code);
        if (c->code == ERR_OK) {
            figures_calculate_write(&result, false, &out);
            EXPECT_STR(c->name, buf_str(&out), str_of(c->result));
            buf_clear(&out);
            figures_calculate_formula(c->kind, c->of, c->count, &result, &out);
            EXPECT_STR(c->name, buf_str(&out), str_of(c->formula));
        } else {
            EXPECT_STR(c->name, str_of(err.text), str_of(c->result));
        }
        buf_fini(&out);
    }
}

TEST(names_of_kinds)
{
    enum analyst_kind kind;
    for (int i = 0; i < ANALYST_KIND_COUNT; i++) {
        const char *name = figures_calculate_name((enum analyst_kind)i);
        EXPECT_TRUE(name, figures_calculate_kind(str_of(name), &kind));
        EXPECT_INT(name, kind, i);
    }
    EXPECT_TRUE("any case", figures_calculate_kind(STR("CAGR"), &kind));
    EXPECT_TRUE("none", !figures_calculate_kind(STR("magic"), &kind));
}

RUN_TESTS(T(figures_of_texts), T(prefixes), T(occurring), T(notations), T(signs_exchanged),
          T(scales_of_units), T(calculations), T(names_of_kinds))
