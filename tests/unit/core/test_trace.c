/* SPDX-License-Identifier: MIT */
/* tests/unit/core/test_trace.c - W3C's header: what is a parent, what is none, and back again. */
#include "core/observe/trace.h"

#include "tests/lib/test.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN  "00f067aa0ba902b7"

static const struct {
    const char *name, *text;
    bool is_parent, is_sampled;
} cases[] = {
    {"sampled", "00-" TRACE "-" SPAN "-01", true, true},
    {"not sampled", "00-" TRACE "-" SPAN "-00", true, false},
    {"more flags", "00-" TRACE "-" SPAN "-03", true, true},
    {"a later version", "cc-" TRACE "-" SPAN "-01-what-comes", true, true},
    {"a later version, run on", "cc-" TRACE "-" SPAN "-01.what", false, false},
    {"this version is not longer", "00-" TRACE "-" SPAN "-01-what", false, false},
    {"version ff", "ff-" TRACE "-" SPAN "-01", false, false},
    {"no trace", "00-00000000000000000000000000000000-" SPAN "-01", false, false},
    {"no span", "00-" TRACE "-0000000000000000-01", false, false},
    {"capitals", "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", false, false},
    {"not hex", "00-" TRACE "-00f067aa0ba902bg-01", false, false},
    {"flags not hex", "00-" TRACE "-" SPAN "-0x", false, false},
    {"blanks for dashes", "00 " TRACE " " SPAN " 01", false, false},
    {"short", "00-" TRACE "-" SPAN "-0", false, false},
    {"empty", "", false, false},
};

TEST(headers)
{
    TEST_EACH(c, cases) {
        struct trace_parent parent;
        EXPECT_INT(c->name, trace_parent_read(str_of(c->text), &parent), c->is_parent);
        if (c->is_parent)
            EXPECT_INT(c->name, parent.is_sampled, c->is_sampled);
    }
    struct trace_parent parent;
    EXPECT_TRUE("absent", !trace_parent_read((struct str){NULL, 0}, &parent));
}

TEST(what_is_written_is_read)
{
    struct trace trace = {0};
    struct trace_parent parent;
    char text[TRACE_PARENT_BYTES + 1], id[TRACE_ID_DIGITS + 1];
    trace_make_id(trace.id);
    const struct trace_place run = {&trace, 0xfedcba9876543210}, node = trace_child(&run);
    trace_parent_write(&run, true, text);
    EXPECT_INT("read", trace_parent_read(str_of(text), &parent), true);
    EXPECT_TRUE("span", parent.span_id == run.span_id);
    EXPECT_INT("id", memcmp(parent.id, trace.id, sizeof trace.id), 0);
    EXPECT_INT("sampled", parent.is_sampled, true);
    EXPECT_STR("digits", str_slice(str_of(text), 36, 52), STR("fedcba9876543210"));
    trace_write_id(trace.id, id);
    EXPECT_STR("the id's digits", str_slice(str_of(text), 3, 35), str_of(id));
    EXPECT_TRUE("a child is another, of the same trace",
                node.span_id != run.span_id && node.span_id != 0 && node.trace == &trace);
}

RUN_TESTS(T(headers), T(what_is_written_is_read))
