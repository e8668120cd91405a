/* SPDX-License-Identifier: MIT */
#include "tests/lib/test.h"

#include "core/words/stem.h"

/* Forms of one word have one stem. */
static const struct {
    const char *one, *other;
} same[] = {
    {"orders", "order"},
    {"cities", "city"},
    {"hired", "hire"},
    {"completed", "complete"},
    {"installed", "install"},
    {"planning", "plan"},
    {"passes", "passed"},
    {"paid", "pay"},
    {"led", "lead"},
    {"people", "person"},
    {"boxes", "box"},
    {"canceled", "cancelled"},
    {"addresses", "address"},
    {"shipped", "ship"},
    {"hrs", "hours"},
    {"\xC3\x9C"
     "berstunden",
     "\xC3\xBC"
     "berstunden"},
    {"CAF\xC3\x89S", "caf\xC3\xA9"},
};

static const struct {
    const char *one, *other;
} apart[] = {{"order", "border"}, {"status", "stat"}, {"bus", "bu"}, {"is", "i"}};

static struct str stem(const char *word, char *to)
{
    return stem_of(str_of(word), to);
}

TEST(forms_of_a_word_meet)
{
    char a[STEM_BYTES], b[STEM_BYTES];
    TEST_EACH(c, same)
        EXPECT_STR(c->one, stem(c->one, a), stem(c->other, b));
    TEST_EACH(c, apart)
        EXPECT_TRUE(c->one, !str_equal(stem(c->one, a), stem(c->other, b)));
}

TEST(long_words_are_cut)
{
    char to[STEM_BYTES], word[300];
    memset(word, 'x', sizeof word);
    EXPECT_TRUE("cut", stem_of(str_make(word, sizeof word), to).len < STEM_BYTES);
    EXPECT_INT("empty", stem_of(STR(""), to).len, 0);
}

TEST(names_are_split)
{
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"customerLocation", "customer location"},
        {"order_items", "order items"},
        {"HTTPServer", "http server"},
        {"crew A1", "crew a1"},
        {"WO-1005", "wo 1005"},
        {"", ""},
        {"___", ""},
        {"OrderID", "order id"},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct str words[6], joined = STR("");
        arena_init(&arena, 1 << 16);
        size_t n = stem_split(&arena, str_of(c->name), words, countof(words));
        for (size_t i = 0; i < n; i++)
            joined = i == 0 ? words[0]
                            : arena_printf(&arena, "%.*s %.*s", STR_ARG(joined), STR_ARG(words[i]));
        EXPECT_STR(c->name, joined, str_of(c->words));
        char phrase[6 * (STEM_BYTES + 1)];
        size_t count;
        EXPECT_STR(c->name, stem_phrase(str_of(c->name), countof(words), phrase, &count),
                   stem_key(&arena, words, n));
        EXPECT_INT(c->name, count, n);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(forms_of_a_word_meet), T(long_words_are_cut), T(names_are_split))
