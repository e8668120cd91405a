/* SPDX-License-Identifier: MIT */
/* Tests of agents/held: which numbers a text quotes, and which of them follow from rows. */
#include "tests/lib/test.h"

#include <stdio.h>

#include "agents/held/rows.h"
#include "core/base/buf.h"

enum { LACKING = 8, ARENA_BYTES = 1 << 20, LINE_BYTES = 400 };

static const struct {
    const char *text, *want; /* "value~step" of each reading, "|" between two of one number */
} texts[] = {
    {"There are 42 open orders.", "42~1"},
    {"It was 1,234.50 in all", "1234.5~0.01"},
    {"Es waren 1.234,50 Euro", "1234.5~0.01"},
    {"1.234 of them", "1234~1|1.234~0.001"},
    {"1,234,567 in all", "1.23457e+06~1"},
    {"1 234 567 en tout", "1.23457e+06~1"},
    {"12.5 % of 80", "12.5~0.1% 80~1"},
    {"about 3.2 million", "3.2e+06~100000"},
    {"2,5 Mio. Euro", "2.5e+06~100000"},
    {"on 2025-06-30 at 12:30", ""},
    {"am 30.6.2025", ""},
    {"Q3, WO-1042, 2nd, #17, v2", ""},
    {"1. first\n2. second", ""},
    {"as said [2, 3]", ""},
    {"worked 12h", "12~1"},
    {"USD 1'234.50", "1234.5~0.01"},
    {"99999999999999999999999", ""},
};

static void write_numbers(struct str rest, char *out, size_t size)
{
    struct held_number number;
    size_t len = 0;
    out[0] = '\0';
    while (held_numbers_next(&rest, &number)) {
        len += (size_t)snprintf(out + len, size - len, "%s", len > 0 ? " " : "");
        for (size_t i = 0; i < number.reading_count; i++)
            len += (size_t)snprintf(out + len, size - len, "%s%g~%g", i > 0 ? "|" : "",
                                    number.readings[i].value, number.readings[i].step);
        len += (size_t)snprintf(out + len, size - len, "%s", number.is_percent ? "%" : "");
    }
}

TEST(numbers_of_a_text)
{
    TEST_EACH(c, texts) {
        char numbers[LINE_BYTES];
        write_numbers(str_of(c->text), numbers, sizeof numbers);
        EXPECT_STR(c->text, str_of(numbers), str_of(c->want));
    }
}

static const char sales[] = "[[\"Oslo\",\"2025-05-01\",120.456,4],[\"Bergen\",\"2025-05-02\",80,6],"
                            "[\"Oslo\",\"2025-06-01\",99.5,10]]";
static const char many[] = "[[1],[2],[3]]";

static const struct {
    const char *rows, *row_count, *answer, *lacking;
} answers[] = {
    {sales, "3", "Oslo had 120.46, Bergen 80 and Oslo again 99.5.", ""},
    {sales, "3", "About 120 in May", ""},
    {sales, "3", "In all it was 299.96 over 3 rows, 2 of them in Oslo.", ""},
    {sales, "3", "On average 99.99 each", ""},
    {sales, "3", "Bergen has 26.7 % of it", ""},
    {sales, "3", "From 80 to 99.5, which is 24.4 % more, or 19.5", ""},
    {sales, "3", "Oslo alone has 219.956", ""},
    {sales, "3", "That is 30.114 for each of the 4", ""},
    {sales, "3", "On 1 May 2025 there were 4", ""},
    {sales, "3", "Es waren 120,46 und 80", ""},
    {sales, "3", "It was 5,000 in all", "5,000"},
    {sales, "3", "Oslo had 120.56", "120.56"},
    {sales, "3", "Bergen has 97.3 % of it", "97.3 %"},
    {sales, "3", "There are 17 rows, worth 12 million", "17 12 million"},
    {sales, "3", "More than 777 was asked for", ""}, /* said in the question */
    {many, "687", "The first 3 of 687 are here; 684 are not.", ""},
    {many, "687", "There are 688.", "688"},
    {"[]", "0", "Nothing matches.", ""},
    {"[]", "0", "There are 12.", "12"},
    {"[[0]]", "1", "None, that is 0.", ""},
    {"[[0.275]]", "1", "It is 27.5 %.", ""},
    {"[[-140719.65000000005]]", "1", "A loss of 140,719.65.", ""},
    {"[[null,true]]", "1", "1 row", ""},
};

TEST(numbers_that_follow_from_rows)
{
    static struct held_rows rows;
    TEST_EACH(c, answers) {
        struct arena arena;
        struct held_number lacking[LACKING];
        char names[LINE_BYTES] = "";
        size_t len = 0;
        arena_init(&arena, ARENA_BYTES);
        EXPECT_TRUE(c->answer,
                    held_rows_read(&rows, str_of(c->rows), str_of(c->row_count), &arena));
        held_rows_say(&rows, STR("Who had more than 777?"));
        size_t count = held_rows_lacks(&rows, str_of(c->answer), lacking, LACKING);
        for (size_t i = 0; i < count; i++)
            len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s", i > 0 ? " " : "",
                                    STR_ARG(lacking[i].text));
        EXPECT_STR(c->answer, str_of(names), str_of(c->lacking));
        arena_fini(&arena);
    }
}

TEST(rows_that_cannot_be_read_or_looked_at)
{
    static struct held_rows rows;
    struct arena arena;
    struct held_number lacking[LACKING];
    struct buf wide;
    arena_init(&arena, ARENA_BYTES);
    assert_false(held_rows_read(&rows, STR("{}"), STR("0"), &arena));
    assert_false(held_rows_read(&rows, STR("[1]"), STR("1"), &arena));
    buf_init(&wide, ARENA_BYTES);
    buf_push(&wide, STR("[[0"));
    for (size_t i = 0; i < HELD_COLUMNS; i++)
        buf_push(&wide, STR(",0"));
    buf_push(&wide, STR("]]"));
    assert_true(held_rows_read(&rows, buf_str(&wide), STR("1"), &arena));
    assert_int_equal(held_rows_lacks(&rows, STR("It is 512."), lacking, LACKING), 0);
    buf_fini(&wide);
    arena_fini(&arena);
}

RUN_TESTS(T(numbers_of_a_text), T(numbers_that_follow_from_rows),
          T(rows_that_cannot_be_read_or_looked_at))
