/* SPDX-License-Identifier: MIT */
/* backends/think_filter: what was thought aloud, cut anywhere. */
#include "backends/models/think_filter.h"

#include "core/base/buf.h"
#include "tests/lib/test.h"

static const struct {
    const char *name;
    bool starts_inside;
    const char *text, *want;
    bool has_thought;
} cases[] = {
    {"plain", false, "SELECT 1", "SELECT 1", false},
    {"nothing", false, "", "", false},
    {"blanks alone", false, " \n", " \n", false},
    {"blanks before the text", false, "\n\n  a b", "\n\n  a b", false},
    {"a block", false, "<think>a < b, </thin></think>\n\nSELECT 1", "SELECT 1", true},
    {"blanks around it", false, "\n <think>\nhm\n</think> \n x", "x", true},
    {"two blocks", false, "<think>a</think>\n<think>b</think>c", "c", true},
    {"an empty block", false, "<think></think>c", "c", true},
    {"another tag", false, "<thinking>a</think></thinking>c", "c", true},
    {"Gemma's", false, "<thought>a</thought>c", "c", true},
    {"the end twice begun", false, "<think>a<</think>c", "c", true},
    {"no block", false, "<b>bold</b>", "<b>bold</b>", false},
    {"less than", false, "< 5", "< 5", false},
    {"a tag that is cut", false, "<thin", "<thin", false},
    {"a tag that is none", false, "<thinker>a", "<thinker>a", false},
    {"later on it is text", false, "Say <think>a</think>", "Say <think>a</think>", false},
    {"never closed", false, "<think>a", "", true},
    {"opened by the template", true, "hm</think>\nc", "c", true},
    {"opened by the template, not closed", true, "hm", "", true},
    {"more blanks than are kept", false,
     "                                                            a",
     "                                                            a", false},
};

static void feed(struct think_filter *filter, struct str text, size_t step, struct buf *out)
{
    for (size_t at = 0; at < text.len; at += step) {
        struct str before;
        struct str rest = think_filter_feed(filter, str_slice(text, at, at + step), &before);
        buf_push(out, before);
        buf_push(out, rest);
    }
    buf_push(out, think_filter_end(filter));
}

TEST(cut_anywhere)
{
    struct buf out;
    buf_init(&out, 1 << 10);
    TEST_EACH(c, cases) {
        for (size_t step = 1; step <= 80; step++) {
            struct think_filter filter;
            think_filter_init(&filter, c->starts_inside);
            buf_clear(&out);
            feed(&filter, str_of(c->text), step, &out);
            EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
            EXPECT_INT(c->name, filter.has_thought, c->has_thought);
        }
    }
    buf_fini(&out);
}

RUN_TESTS(T(cut_anywhere))
