/* SPDX-License-Identifier: MIT */
/* What calculate answers: exactly, or why not. */
#include "tests/lib/test.h"

#include "agents/tools/exact.h"

/* s1 has the columns total and n: (1.10, 3), (2.20, NULL), (-0.5e1, 4). */
static enum err_code find(void *owner, struct str statement, size_t row, size_t column,
                          struct str name, struct str *value, struct err *err)
{
    static const char *const cells[][2] = {{"1.10", "3"}, {"2.20", NULL}, {"-0.5e1", "4"}};
    (void)owner;
    if (!str_equal(statement, STR("s1")))
        return err_set(err, ERR_INVALID, "no such statement");
    if (row > countof(cells))
        return err_set(err, ERR_NOT_FOUND, "s1 has no row %zu", row);
    if (!str_is_absent(name))
        column = str_equal(name, STR("total")) ? 1 : str_equal(name, STR("n")) ? 2 : 9;
    if (column > 2)
        return err_set(err, ERR_INVALID, "no such column");
    const char *cell = cells[row - 1][column - 1];
    *value = cell == NULL ? (struct str){NULL, 0} : str_of(cell);
    return ERR_OK;
}

static const struct {
    const char *expression, *want; /* want: the result, or what is wrong */
    enum err_code code;
    bool is_rounded;
} cases[] = {
    {"0.1 + 0.2", "0.3"},
    {"1 - 2 - 3", "-4"},
    {"2 + 3 * 4", "14"},
    {"(2 + 3) * -4", "-20"},
    {"1 / 8", "0.125"},
    {"1 / 3", "0.333333333333", .is_rounded = true},
    {"2 / 3 * 3", "2"},
    {"--1", "1"},
    {"0.00", "0"},
    {"99999999999999999999 + 1", "100000000000000000000"},
    {"s1[1].total + s1[2][1]", "3.3"},
    {"sum(s1[*].total)", "-1.7"},
    {"avg(s1[*].n)", "3.5"},
    {"count(s1[*].n)", "2"},
    {"max(s1[*].total, 7 / 2)", "3.5"},
    {"min(s1[*].total)", "-5"},
    {"abs(s1[3].total)", "5"},
    {"round(s1[1].total / 3, 2)", "0.37"},
    {"round(-2.5)", "-3"},
    {"round((s1[2].total - s1[1].total) / s1[1].total * 100, 1)", "100"},
    {"1 / 0", "a division by zero at character 6", ERR_INVALID},
    {"1 +", "expected a number, a value such as s1[1].total, or a function at character 4",
     ERR_INVALID},
    {"(1", "expected ')' at character 3", ERR_INVALID},
    {"1 2", "expected the end at character 3", ERR_INVALID},
    {"sqrt(4)",
     "there is no such function; there are sum, avg, min, max, count, abs and round at character 6",
     ERR_INVALID},
    {"s1[*].total", "a whole column stands in a function only: sum(s1[*].total) at character 12",
     ERR_INVALID},
    {"s1[0].total", "expected the number of a row, from 1, or * at character 5", ERR_INVALID},
    {"s1[2].n", "row 2 of s1 has no number there", ERR_INVALID},
    {"s1[9].n", "s1 has no row 9", ERR_NOT_FOUND},
    {"s2[1].n", "no such statement", ERR_INVALID},
    {"9999999999999999999999999999 * 9999999999999999999999999999",
     "the numbers are too large to calculate exactly", ERR_TOO_LARGE},
};

TEST(results)
{
    TEST_EACH(c, cases) {
        struct buf out;
        struct err err = {0};
        bool is_rounded = false;
        buf_init(&out, 256);
        enum err_code code =
            tools_exact_calculate(str_of(c->expression), find, NULL, &out, &is_rounded, &err);
        EXPECT_INT(c->expression, code, c->code);
        EXPECT_STR(c->expression, code == ERR_OK ? buf_str(&out) : str_of(err.text),
                   str_of(c->want));
        EXPECT_INT(c->expression, is_rounded, c->is_rounded);
        buf_fini(&out);
    }
}

TEST(depth_is_bounded)
{
    char deep[2000];
    struct buf out;
    struct err err = {0};
    bool is_rounded;
    memset(deep, '(', sizeof deep);
    buf_init(&out, 256);
    EXPECT_INT(
        "deep",
        tools_exact_calculate(str_make(deep, sizeof deep), find, NULL, &out, &is_rounded, &err),
        ERR_INVALID);
    buf_fini(&out);
}

RUN_TESTS(T(results), T(depth_is_bounded))
