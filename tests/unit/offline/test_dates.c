/* SPDX-License-Identifier: MIT */
#include "tests/lib/test.h"

#include "agents/english/dates.h"

/* Today is Thursday, 2024-08-15. "" is an open end; took 0: no date. */
static const struct {
    const char *text;
    size_t took;
    const char *first, *end;
} cases[] = {
    {"2024-03-05", 1, "2024-03-05", "2024-03-06"},
    {"in 2023", 2, "2023-01-01", "2024-01-01"},
    {"2023", 0, "", ""},
    {"over 2000", 0, "", ""},
    {"in may", 2, "2024-05-01", "2024-06-01"},
    {"in september", 2, "2023-09-01", "2023-10-01"},
    {"in May 2022", 3, "2022-05-01", "2022-06-01"},
    {"may", 0, "", ""},
    {"on March 5, 2024", 5, "2024-03-05", "2024-03-06"},
    {"on 5 March 2024", 4, "2024-03-05", "2024-03-06"},
    {"last month", 2, "2024-07-01", "2024-08-01"},
    {"this month", 2, "2024-08-01", "2024-09-01"},
    {"last week", 2, "2024-08-05", "2024-08-12"},
    {"this quarter", 2, "2024-07-01", "2024-10-01"},
    {"last quarter", 2, "2024-04-01", "2024-07-01"},
    {"last year", 2, "2023-01-01", "2024-01-01"},
    {"in the last 30 days", 5, "2024-07-16", "2024-08-16"},
    {"in the past 3 months", 5, "2024-05-15", "2024-08-16"},
    {"next 7 days", 3, "2024-08-15", "2024-08-23"},
    {"yesterday", 1, "2024-08-14", "2024-08-15"},
    {"10 days ago", 3, "2024-08-05", "2024-08-06"},
    {"in the first quarter of 2023", 6, "2023-01-01", "2023-04-01"},
    {"Q3 2023", 2, "2023-07-01", "2023-10-01"},
    {"second half of 2023", 4, "2023-07-01", "2024-01-01"},
    {"before 2023-02-01", 2, "", "2023-02-01"},
    {"after 2023", 2, "2024-01-01", ""},
    {"since March 2024", 3, "2024-03-01", ""},
    {"until 2024-02-29", 2, "", "2024-03-01"},
    {"between 2024-01-01 and 2024-01-31", 4, "2024-01-01", "2024-02-01"},
    {"from January to March 2023", 5, "2023-01-01", "2023-04-01"},
    {"between 100 and 500", 0, "", ""},
    {"2024-13-01", 0, "", ""},
    {"last 5 orders", 0, "", ""},
};

static void expect_day(const char *name, int32_t day, const char *want)
{
    char text[11] = "";
    if (day != OFFLINE_DAY_NONE)
        english_dates_text(day, text);
    EXPECT_STR(name, str_of(text), str_of(want));
}

TEST(phrases)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        struct offline_token *tokens;
        struct offline_range range;
        size_t count;
        arena_init(&arena, 1 << 18);
        EXPECT_INT(c->text, english_tokens_of(&arena, str_of(c->text), &tokens, &count), ERR_OK);
        size_t took = english_dates_match(tokens, count, 0, english_dates_day(2024, 8, 15), &range);
        EXPECT_INT(c->text, took, c->took);
        if (took > 0) {
            expect_day(c->text, range.first, c->first);
            expect_day(c->text, range.end, c->end);
        }
        arena_fini(&arena);
    }
}

TEST(every_day_of_a_century_goes_and_comes_back)
{
    int32_t before = english_dates_day(1999, 12, 31);
    for (int32_t day = before + 1; day < before + 36525; day++) {
        int year, month, dom;
        english_dates_split(day, &year, &month, &dom);
        EXPECT_INT("day", english_dates_day(year, month, dom), day);
    }
}

RUN_TESTS(T(phrases), T(every_day_of_a_century_goes_and_comes_back))
