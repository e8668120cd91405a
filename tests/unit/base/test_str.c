/* SPDX-License-Identifier: MIT */
/* Views: compare, cut, numbers, UTF-8. */
#include "tests/lib/test.h"

#define RAW(literal) str_make(literal, sizeof(literal) - 1)

TEST(compare)
{
    static const struct {
        const char *name;
        struct str a, b;
        int order;
        bool nocase;
    } cases[] = {
        {"equal", {"abc", 3}, {"abc", 3}, 0, true},
        {"case", {"aBc", 3}, {"AbC", 3}, 1, true},
        {"prefix", {"ab", 2}, {"abc", 3}, -1, false},
        {"empty and absent", {"", 0}, {NULL, 0}, 0, true},
        {"unsigned", {"\xff", 1}, {"a", 1}, 1, false},
        {"NUL counts", {"a\0b", 3}, {"a\0c", 3}, -1, false},
        {"only ASCII folds", {"\xc3\x84", 2}, {"\xc3\xa4", 2}, -1, false},
    };
    TEST_EACH(c, cases) {
        int order = str_compare(c->a, c->b), back = str_compare(c->b, c->a);
        EXPECT_INT(c->name, (order > 0) - (order < 0), c->order);
        EXPECT_INT(c->name, (back > 0) - (back < 0), -c->order);
        EXPECT_INT(c->name, str_equal(c->a, c->b), c->order == 0);
        EXPECT_INT(c->name, str_equal_nocase(c->a, c->b), c->nocase);
        EXPECT_INT(c->name, str_compare_nocase(c->a, c->b) == 0, c->nocase);
        EXPECT_INT(c->name, (str_compare_nocase(c->a, c->b) > 0) == (order > 0) || c->nocase, 1);
    }
    EXPECT_TRUE("starts", str_starts_with(STR("select 1"), STR("select")));
    EXPECT_TRUE("too long", !str_starts_with(STR("sel"), STR("select")));
    EXPECT_TRUE("ends", str_ends_with(STR("a.txt"), STR(".txt")));
    EXPECT_TRUE("does not", !str_ends_with(STR("txt"), STR(".txt")));
    EXPECT_TRUE("ends, case aside", str_ends_with_nocase(STR("A.TXT"), STR(".txt")));
    EXPECT_TRUE("too short", !str_ends_with_nocase(STR("TXT"), STR(".txt")));
    EXPECT_TRUE("other letters", !str_ends_with_nocase(STR("a.txt"), STR(".csv")));
    EXPECT_TRUE("absent", str_is_absent(str_of(NULL)) && !str_is_absent(str_of("")));
    EXPECT_TRUE("hash", str_hash(STR("a")) != str_hash(STR("b")));
}

TEST(listed)
{
    static const char *const names[] = {"ABS", "_x", "abs", "date", "date_add"};
    static const char *const small[] = {"abs", "date", "date_add"};
    for (size_t i = 0; i < countof(names); i++)
        EXPECT_TRUE(names[i], str_is_listed(str_of(names[i]), names, countof(names)));
    static const struct {
        const char *name;
        bool listed, nocase;
    } cases[] = {
        {"abs", true, true},  {"date", true, true},         {"date_add", true, true},
        {"ABS", false, true}, {"Date_Add", false, true},    {"dat", false, false},
        {"", false, false},   {"date_added", false, false}, {"zz", false, false},
    };
    TEST_EACH(c, cases) {
        EXPECT_INT(c->name, str_is_listed(str_of(c->name), small, countof(small)), c->listed);
        EXPECT_INT(c->name, str_is_listed_nocase(str_of(c->name), small, countof(small)),
                   c->nocase);
    }
    EXPECT_TRUE("none", !str_is_listed(STR("a"), small, 0));
}

TEST(find_and_cut)
{
    struct str s = STR("one,two,,three");
    EXPECT_INT("char", str_find_char(s, ','), 3);
    EXPECT_INT("none", str_find_char(s, ';'), STR_NONE);
    EXPECT_INT("needle", str_find(s, STR(",,")), 7);
    EXPECT_INT("at the end", str_find(s, STR("three")), 9);
    EXPECT_INT("almost", str_find(STR("aaab"), STR("aab")), 1);
    EXPECT_INT("longer than all", str_find(STR("a"), STR("aa")), STR_NONE);
    EXPECT_STR("from", str_from(s, 9), STR("three"));
    EXPECT_STR("beyond", str_from(s, 99), STR(""));
    EXPECT_STR("slice", str_slice(s, 4, 7), STR("two"));
    EXPECT_STR("turned round", str_slice(s, 7, 4), STR(""));
    EXPECT_STR("trim", str_trim(STR(" \t\r\n a b \f\v")), STR("a b"));
    EXPECT_STR("all blank", str_trim(STR("  ")), STR(""));
    static const char *const parts[] = {"one", "two", "", "three"};
    size_t i = 0;
    for (struct str rest = s; !str_is_absent(rest); i++)
        EXPECT_STR("split", str_split(&rest, ','), str_of(parts[i]));
    EXPECT_INT("parts", i, 4);
}

TEST(numbers)
{
    static const struct {
        const char *text;
        bool is_u64, is_i64, is_double;
        uint64_t u64;
        int64_t i64;
        double real;
    } cases[] = {
        {"0", true, true, true, 0, 0, 0},
        {"42", true, true, true, 42, 42, 42},
        {"-1", false, true, true, 0, -1, -1},
        {"18446744073709551615", true, false, true, UINT64_MAX, 0, 18446744073709551615.0},
        {"18446744073709551616", false, false, true, 0, 0, 18446744073709551616.0},
        {"9223372036854775807", true, true, true, INT64_MAX, INT64_MAX, 9223372036854775807.0},
        {"-9223372036854775808", false, true, true, 0, INT64_MIN, -9223372036854775808.0},
        {"-9223372036854775809", false, false, true, 0, 0, -9223372036854775809.0},
        {"", false, false, false, 0, 0, 0},
        {"-", false, false, false, 0, 0, 0},
        {"--1", false, false, false, 0, 0, 0},
        {" 1", false, false, false, 0, 0, 0},
        {"1 ", false, false, false, 0, 0, 0},
        {"0x10", false, false, false, 0, 0, 0},
        {"1.5", false, false, true, 0, 0, 1.5},
        {".5", false, false, true, 0, 0, 0.5},
        {"1e3", false, false, true, 0, 0, 1000},
        {"1e", false, false, false, 0, 0, 0},
        {"1e999", false, false, false, 0, 0, 0},
        {"inf", false, false, false, 0, 0, 0},
        {"nan", false, false, false, 0, 0, 0},
        {"1,5", false, false, false, 0, 0, 0},
    };
    TEST_EACH(c, cases) {
        uint64_t u64 = 0;
        int64_t i64 = 0;
        double real = 0;
        EXPECT_INT(c->text, str_to_u64(str_of(c->text), &u64), c->is_u64);
        EXPECT_INT(c->text, str_to_i64(str_of(c->text), &i64), c->is_i64);
        EXPECT_INT(c->text, str_to_double(str_of(c->text), &real), c->is_double);
        EXPECT_TRUE(c->text, u64 == c->u64 && i64 == c->i64);
        EXPECT_TRUE(c->text, real >= c->real && real <= c->real);
    }
    double real;
    char digits[66];
    memset(digits, '1', sizeof digits);
    EXPECT_TRUE("64 bytes", str_to_double(str_make(digits, 64), &real));
    EXPECT_TRUE("65 bytes", !str_to_double(str_make(digits, 65), &real));
}

TEST(utf8)
{
    static const struct {
        const char *name;
        struct str text;
        bool good;
    } cases[] = {
        {"ASCII", {"abc", 3}, true},
        {"two bytes", {"\xc3\xa4", 2}, true},
        {"three", {"\xe2\x82\xac", 3}, true},
        {"four", {"\xf0\x9f\x98\x80", 4}, true},
        {"NUL", {"\0", 1}, true},
        {"the last", {"\xf4\x8f\xbf\xbf", 4}, true},
        {"beyond the last", {"\xf4\x90\x80\x80", 4}, false},
        {"overlong slash", {"\xc0\xaf", 2}, false},
        {"overlong three", {"\xe0\x80\x80", 3}, false},
        {"overlong four", {"\xf0\x80\x80\x80", 4}, false},
        {"surrogate", {"\xed\xa0\x80", 3}, false},
        {"lone continuation", {"\x80", 1}, false},
        {"cut short", {"\xe2\x82", 2}, false},
        {"never a lead", {"\xff", 1}, false},
    };
    TEST_EACH(c, cases)
        EXPECT_INT(c->name, str_is_utf8(c->text), c->good);
    struct str euros = RAW("\xe2\x82\xac\xe2\x82\xac"
                           "a");
    static const size_t want[] = {0, 0, 0, 3, 3, 3, 6, 7, 7};
    for (size_t max = 0; max < countof(want); max++) {
        struct str cut = str_utf8_prefix(euros, max);
        EXPECT_INT("prefix", cut.len, want[max]);
        EXPECT_TRUE("whole", str_is_utf8(cut));
    }
}

TEST(characters)
{
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        EXPECT_INT("digit", str_is_digit(c), i >= '0' && i <= '9');
        EXPECT_INT("alpha", str_is_alpha(c), (i >= 'a' && i <= 'z') || (i >= 'A' && i <= 'Z'));
        EXPECT_INT("lower", (unsigned char)str_lower(c), i >= 'A' && i <= 'Z' ? i + 32 : i);
        EXPECT_INT("blank", str_is_blank(c), i == ' ' || (i >= 9 && i <= 13));
    }
}

RUN_TESTS(T(compare), T(listed), T(find_and_cut), T(numbers), T(utf8), T(characters))
