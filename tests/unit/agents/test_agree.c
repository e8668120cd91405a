/* SPDX-License-Identifier: MIT */
/* Which results say the same. */
#include "tests/lib/test.h"

#include "agents/rows/agree.h"

enum { MOST = 16 };

#define I(n)                                                                                       \
    {                                                                                              \
        .type = SQL_INT, .integer = (n)                                                            \
    }
#define R(n)                                                                                       \
    {                                                                                              \
        .type = SQL_REAL, .real = (n)                                                              \
    }
#define TXT(s)                                                                                     \
    {                                                                                              \
        .type = SQL_TEXT, .text = { s, sizeof(s) - 1 }                                             \
    }
#define D(s)                                                                                       \
    {                                                                                              \
        .type = SQL_DECIMAL, .text = { s, sizeof(s) - 1 }                                          \
    }
#define NONE                                                                                       \
    {                                                                                              \
        .type = SQL_NULL                                                                           \
    }

struct side {
    size_t columns, rows;
    bool truncated;
    struct sql_value values[MOST];
};

static const struct {
    const char *name;
    struct side one, two;
    bool ordered;
    enum rows_agreement want;
} cases[] = {
    {"one number", {1, 1, false, {I(7)}}, {1, 1, false, {I(7)}}, false, ROWS_AGREE},
    {"two numbers", {1, 1, false, {I(7)}}, {1, 1, false, {I(8)}}, false, ROWS_DIFFER},
    {"an integer and a fraction",
     {1, 1, false, {I(3)}},
     {1, 1, false, {R(3.5)}},
     false,
     ROWS_DIFFER},
    {"a division of integers",
     {1, 1, false, {I(3)}},
     {1, 1, false, {R(10.0 / 3)}},
     false,
     ROWS_DIFFER},
    {"7 and 7.0", {1, 1, false, {I(7)}}, {1, 1, false, {R(7)}}, false, ROWS_AGREE},
    {"a decimal and a double",
     {1, 1, false, {D("12.50")}},
     {1, 1, false, {R(12.5)}},
     false,
     ROWS_AGREE},
    {"rounded", {1, 1, false, {R(3.33)}}, {1, 1, false, {R(10.0 / 3)}}, false, ROWS_AGREE},
    {"rounded and another", {1, 1, false, {R(3.33)}}, {1, 1, false, {R(3.5)}}, false, ROWS_DIFFER},
    {"a share and its percentage",
     {1, 1, false, {R(0.25)}},
     {1, 1, false, {R(25)}},
     false,
     ROWS_DIFFER},
    {"nothing and 0", {1, 1, false, {NONE}}, {1, 1, false, {I(0)}}, false, ROWS_DIFFER},
    {"no rows", {1, 0, false, {NONE}}, {2, 0, false, {NONE}}, false, ROWS_AGREE},
    {"one row too many", {1, 2, false, {I(1), I(2)}}, {1, 1, false, {I(1)}}, false, ROWS_DIFFER},
    {"another order of rows and columns",
     {2, 2, false, {TXT("a"), I(1), TXT("b"), I(2)}},
     {2, 2, false, {I(2), TXT("b"), I(1), TXT("a")}},
     false,
     ROWS_AGREE},
    {"the same columns, other rows",
     {2, 2, false, {TXT("a"), I(1), TXT("b"), I(2)}},
     {2, 2, false, {TXT("a"), I(2), TXT("b"), I(1)}},
     false,
     ROWS_DIFFER},
    {"a column more",
     {1, 2, false, {TXT("a"), TXT("b")}},
     {2, 2, false, {TXT("b"), I(1), TXT("a"), I(2)}},
     false,
     ROWS_AGREE},
    {"a name in two columns",
     {2, 2, false, {TXT("Ann Lee"), I(1), TXT("Bob Ray"), I(2)}},
     {3, 2, false, {TXT("Bob"), TXT("Ray"), I(2), TXT("Ann"), TXT("Lee"), I(1)}},
     false,
     ROWS_AGREE},
    {"another name in two columns",
     {2, 2, false, {TXT("Ann Lee"), I(1), TXT("Bob Ray"), I(2)}},
     {3, 2, false, {TXT("Bob"), TXT("Lee"), I(2), TXT("Ann"), TXT("Ray"), I(1)}},
     false,
     ROWS_DIFFER},
    {"the figures of others",
     {2, 1, false, {TXT("Ann"), I(1)}},
     {2, 1, false, {TXT("Bob"), I(1)}},
     false,
     ROWS_DIFFER},
    {"ordered, ties apart",
     {2, 3, false, {TXT("a"), I(2), TXT("b"), I(2), TXT("c"), I(1)}},
     {2, 3, false, {TXT("b"), I(2), TXT("a"), I(2), TXT("c"), I(1)}},
     true,
     ROWS_AGREE},
    {"ordered the other way",
     {2, 2, false, {TXT("a"), I(2), TXT("c"), I(1)}},
     {2, 2, false, {TXT("c"), I(1), TXT("a"), I(2)}},
     true,
     ROWS_DIFFER},
    {"both cut", {1, 1, true, {I(1)}}, {1, 1, true, {I(2)}}, false, ROWS_INCOMPARABLE},
    {"one cut", {1, 1, true, {I(1)}}, {1, 1, false, {I(1)}}, false, ROWS_DIFFER},
};

static struct sql_result result_of(const struct side *side)
{
    static const struct str names[MOST] = {{"", 0}};
    return (struct sql_result){names, side->columns, side->values, side->rows, side->truncated, 0};
}

TEST(results_are_compared_by_values)
{
    TEST_EACH(c, cases) {
        const struct sql_result one = result_of(&c->one), two = result_of(&c->two);
        EXPECT_INT(c->name, rows_compare(&one, &two, c->ordered), c->want);
        EXPECT_INT(c->name, rows_compare(&two, &one, c->ordered), c->want);
    }
}

TEST(too_much_is_not_compared)
{
    static struct sql_value many[ROWS_COMPARED_CELLS];
    const struct sql_result large = {NULL, 1, many, ROWS_COMPARED_CELLS, false, 0};
    EXPECT_INT("cells", rows_compare(&large, &large, false), ROWS_INCOMPARABLE);
    const struct sql_result wide = {NULL, ROWS_COMPARED_COLUMNS + 1, many, 1, false, 0};
    EXPECT_INT("columns", rows_compare(&wide, &wide, false), ROWS_INCOMPARABLE);
}

RUN_TESTS(T(results_are_compared_by_values), T(too_much_is_not_compared))
