/* SPDX-License-Identifier: MIT */
#include "tests/lib/test.h"

#include "core/words/fold.h"

static struct str fold(struct str text, char *to, size_t room)
{
    size_t len = 0;
    for (;;) {
        struct fold_char folded = fold_next(&text);
        if (folded.kind == FOLD_END)
            return str_make(to, len);
        assert_true(len + FOLD_BYTES <= room);
        memcpy(to + len, folded.text, folded.len);
        len += folded.len;
    }
}

TEST(case_and_accents_go)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"nothing", "", ""},
        {"ascii", "Work Order #7", "work order #7"},
        {"german", "ÜBERSTRASSE größe", "uberstrasse grosse"},
        {"french", "Où ÊTES-vous, cœur déçu?", "ou etes-vous, coeur decu?"},
        {"polish", "Łódź ŻÓŁĆ", "lodz zolc"},
        {"czech, turkish, hungarian", "Řeka ŞİŞLİ őrült ůž", "reka sisli orult uz"},
        {"icelandic", "Þór ÆÐ", "thor aed"},
        {"combining", "e\xCC\x81te\xCC\x81", "ete"},
        {"greek", "Άλφα ΣΊΣΥΦΟΣ", "αλφα σισυφοσ"},
        {"cyrillic", "Ёлка МОЙ Ђ", "елка мои ђ"},
        {"full width", "ＡＢＣ１２！", "abc12!"},
        {"han stays", "作業指示", "作業指示"},
        {"signs stay", "5 × 3 ÷ “2”", "5 × 3 ÷ “2”"},
    };
    TEST_EACH(c, cases) {
        char to[256];
        EXPECT_STR(c->name, fold(str_of(c->text), to, sizeof to), str_of(c->want));
    }
}

TEST(kinds)
{
    static const struct {
        const char *text;
        enum fold_kind kind;
        bool is_upper;
    } cases[] = {
        {"a", FOLD_LETTER, false},     {"Z", FOLD_LETTER, true},      {"7", FOLD_LETTER, false},
        {"_", FOLD_SIGN, false},       {" ", FOLD_SIGN, false},       {"Ä", FOLD_LETTER, true},
        {"ß", FOLD_LETTER, false},     {"×", FOLD_SIGN, false},       {"Д", FOLD_LETTER, true},
        {"д", FOLD_LETTER, false},     {"Ω", FOLD_LETTER, true},      {"語", FOLD_IDEOGRAPH, false},
        {"カ", FOLD_IDEOGRAPH, false}, {"한", FOLD_IDEOGRAPH, false}, {"。", FOLD_SIGN, false},
        {"—", FOLD_SIGN, false},       {"€", FOLD_SIGN, false},       {"😀", FOLD_SIGN, false},
        {"ª", FOLD_LETTER, false},     {"𠀀", FOLD_IDEOGRAPH, false}, {"ع", FOLD_LETTER, false},
    };
    TEST_EACH(c, cases) {
        struct str rest = str_of(c->text);
        struct fold_char folded = fold_next(&rest);
        EXPECT_INT(c->text, folded.kind, c->kind);
        EXPECT_INT(c->text, folded.is_upper, c->is_upper);
        EXPECT_TRUE(c->text, str_is_empty(rest));
    }
}

/* Any bytes come to an end, one sign for each that is not UTF-8. */
TEST(not_utf8)
{
    static const struct {
        const char *name, *text;
        size_t signs;
    } cases[] = {
        {"lone continuation", "\x80", 1},      {"cut short", "\xC3", 1},
        {"overlong", "\xC0\xAF", 2},           {"overlong of three", "\xE0\x80\xAF", 3},
        {"surrogate", "\xED\xA0\x80", 3},      {"above the last", "\xF4\x90\x80\x80", 4},
        {"five bytes", "\xF8\x88\x80\x80", 4}, {"wrong continuation", "\xE4\xBD\x41", 2},
    };
    TEST_EACH(c, cases) {
        struct str rest = str_of(c->text);
        size_t signs = 0, turns = 0;
        for (struct fold_char folded; (folded = fold_next(&rest)).kind != FOLD_END; turns++)
            signs += folded.kind == FOLD_SIGN;
        EXPECT_INT(c->name, signs, c->signs);
        EXPECT_TRUE(c->name, turns <= strlen(c->text));
    }
}

RUN_TESTS(T(case_and_accents_go), T(kinds), T(not_utf8))
