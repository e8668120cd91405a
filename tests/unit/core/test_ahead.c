/* SPDX-License-Identifier: MIT */
/* What is noted on the way of a piece is what is fetched before the next one. */
#include "tests/lib/test.h"

#include "core/loop/ahead.h"

enum { MANY_LINES = AHEAD_LINES + 2, LINE = AHEAD_LINE_BYTES };

static struct {
    _Alignas(AHEAD_LINE_BYTES) char memory[MANY_LINES * LINE];
    struct ahead ahead;
    struct loop *loop;
} fixture;

static void begin(void)
{
    fixture.loop = loop_create();
    EXPECT_TRUE("a loop", fixture.loop != NULL);
    ahead_begin(&fixture.ahead, fixture.loop);
}

static void end(void)
{
    ahead_end(fixture.loop);
    loop_destroy(fixture.loop);
}

static const char *line(size_t i)
{
    return fixture.memory + i * LINE;
}

TEST(places_are_kept_by_line)
{
    begin();
    AHEAD_NOTE(fixture.loop, line(3) + 5, line(3) + 63, line(0));
    AHEAD_NOTE(fixture.loop, line(0) + 1);
    EXPECT_INT("each line once", fixture.ahead.count, 2);
    EXPECT_TRUE("in their order", ahead_line(&fixture.ahead, 0) == line(3));
    EXPECT_TRUE("one after the other", ahead_line(&fixture.ahead, 1) == line(0));
    ahead_fetch(&fixture.ahead);
    end();
}

TEST(nothing_is_noted_off_the_way)
{
    begin();
    AHEAD_NOTE(fixture.loop, line(0));
    ahead_end(fixture.loop);
    AHEAD_NOTE(fixture.loop, line(1));
    EXPECT_INT("as it was", fixture.ahead.count, 1);
    end();
}

TEST(each_piece_is_noted_anew)
{
    begin();
    AHEAD_NOTE(fixture.loop, line(0), line(1));
    ahead_begin(&fixture.ahead, fixture.loop);
    AHEAD_NOTE(fixture.loop, line(2));
    EXPECT_INT("of the last alone", fixture.ahead.count, 1);
    EXPECT_TRUE("what that touched", ahead_line(&fixture.ahead, 0) == line(2));
    end();
}

TEST(what_does_not_fit_is_left_out)
{
    begin();
    AHEAD_NOTE(fixture.loop, (const void *)((uintptr_t)line(0) ^ (UINT64_C(1) << 46)));
    EXPECT_INT("too far away", fixture.ahead.count, 0);
    for (size_t i = 0; i < MANY_LINES; i++)
        AHEAD_NOTE(fixture.loop, line(i));
    EXPECT_INT("no more than there is room for", fixture.ahead.count, AHEAD_LINES);
    EXPECT_TRUE("the first ones",
                ahead_line(&fixture.ahead, AHEAD_LINES - 1) == line(AHEAD_LINES - 1));
    end();
}

RUN_TESTS(T(places_are_kept_by_line), T(nothing_is_noted_off_the_way), T(each_piece_is_noted_anew),
          T(what_does_not_fit_is_left_out))
