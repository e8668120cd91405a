/* SPDX-License-Identifier: MIT */
#include "server/turns.h"
#include "tests/lib/test.h"

TEST(one_after_the_other)
{
    struct turns turns;
    struct turns_member a = {0}, b = {0}, c = {0}, other = {0}, alone = {0};
    turns_init(&turns);
    assert_true(turns_join(&turns, &a, STR("k")));
    assert_true(turns_join(&turns, &b, STR("k")));
    assert_true(turns_join(&turns, &c, STR("k")));
    assert_true(turns_join(&turns, &other, STR("m")));
    assert_true(turns_join(&turns, &alone, STR("")));
    EXPECT_TRUE("a", turns_is_first(&turns, &a) && turns_first(&turns, STR("k")) == &a);
    EXPECT_TRUE("other", turns_is_first(&turns, &other));
    EXPECT_TRUE("alone", turns_is_first(&turns, &alone) && turns_first(&turns, STR("")) == NULL);
    turns_leave(&turns, &b);
    turns_leave(&turns, &b);
    EXPECT_TRUE("still a", turns_is_first(&turns, &a) && !turns_is_first(&turns, &c));
    turns_leave(&turns, &a);
    EXPECT_TRUE("c", turns_is_first(&turns, &c));
    assert_true(turns_join(&turns, &a, STR("k")));
    EXPECT_TRUE("behind c", !turns_is_first(&turns, &a));
    turns_leave(&turns, &c);
    EXPECT_TRUE("a again", turns_is_first(&turns, &a));
    turns_leave(&turns, &a);
    turns_leave(&turns, &other);
    turns_leave(&turns, &alone);
    EXPECT_TRUE("nobody", turns_first(&turns, STR("k")) == NULL);
    turns_fini(&turns);
}

TEST(no_memory_for_the_first)
{
    struct turns turns;
    struct turns_member a = {0};
    turns_init(&turns);
    mem_fail_nth(1);
    bool joined = turns_join(&turns, &a, STR("k"));
    mem_fail_nth(0);
    EXPECT_TRUE("refused", !joined);
    turns_leave(&turns, &a);
    turns_fini(&turns);
}

RUN_TESTS(T(one_after_the_other), T(no_memory_for_the_first))
