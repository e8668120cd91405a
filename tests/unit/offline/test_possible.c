/* SPDX-License-Identifier: MIT */
/* Readings that no row can meet. */
#include "tests/lib/test.h"

#include "agents/offline/compose/possible.h"

static struct reading_filter bound(int column, enum offline_op op, double number)
{
    return (struct reading_filter){
        .on = {0, column, NULL, 0}, .op = op, .number = number, .out = READING_NONE};
}

static bool are_possible(struct reading_filter a, struct reading_filter b)
{
    static struct offline_reading reading;
    reading = (struct offline_reading){.scope_count = 1};
    reading.scopes[0].filters[0] = a;
    reading.scopes[0].filters[1] = b;
    reading.scopes[0].filter_count = 2;
    return offline_possible(&reading);
}

TEST(ranges_of_one_column_must_meet)
{
    EXPECT_TRUE("apart", !are_possible(bound(1, OP_LT, 3000), bound(1, OP_GT, 10000)));
    EXPECT_TRUE("at one end", !are_possible(bound(1, OP_LT, 5), bound(1, OP_GE, 5)));
    EXPECT_TRUE("one number", are_possible(bound(1, OP_LE, 5), bound(1, OP_GE, 5)));
    EXPECT_TRUE("overlap", are_possible(bound(1, OP_GT, 1), bound(1, OP_LT, 5)));
    EXPECT_TRUE("two columns", are_possible(bound(1, OP_LT, 1), bound(2, OP_GT, 5)));
}

TEST(values_of_one_output_are_its_own)
{
    struct reading_filter a = bound(1, OP_LT, 1), b = bound(1, OP_GT, 5);
    a.out = 0;
    b.out = 1;
    EXPECT_TRUE("each of its own output", are_possible(a, b));
}

TEST(periods_must_meet)
{
    struct reading_filter a = bound(1, OP_RANGE, 0), b = a;
    a.range = (struct offline_range){100, 200};
    b.range = (struct offline_range){200, 300};
    EXPECT_TRUE("one after the other", !are_possible(a, b));
    b.range.first = OFFLINE_DAY_NONE;
    EXPECT_TRUE("open at its beginning", are_possible(a, b));
}

static struct reading_filter text(enum offline_op op, const char *value)
{
    return (struct reading_filter){.on = {0, 1, NULL, 0},
                                   .op = op,
                                   .number = LIKE_WITHIN,
                                   .values = {str_of(value)},
                                   .value_count = 1,
                                   .out = READING_NONE};
}

TEST(a_column_has_one_text)
{
    EXPECT_TRUE("two", !are_possible(text(OP_EQ, "open"), text(OP_EQ, "closed")));
    EXPECT_TRUE("the same", are_possible(text(OP_EQ, "open"), text(OP_EQ, "open")));
    EXPECT_TRUE("not in it", !are_possible(text(OP_LIKE, "attempt"), text(OP_EQ, "delivery")));
    EXPECT_TRUE("in it", are_possible(text(OP_EQ, "failed_attempt"), text(OP_LIKE, "Attempt")));
    EXPECT_TRUE("two parts", are_possible(text(OP_LIKE, "failed"), text(OP_LIKE, "attempt")));
    EXPECT_TRUE("another", are_possible(text(OP_EQ, "open"), text(OP_NE, "closed")));
}

RUN_TESTS(T(a_column_has_one_text), T(ranges_of_one_column_must_meet),
          T(values_of_one_output_are_its_own), T(periods_must_meet))
