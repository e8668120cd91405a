/* SPDX-License-Identifier: MIT */
#include "server/records/conversation_queue.h"
#include "tests/lib/test.h"

TEST(one_after_the_other)
{
    struct conversation_queue turns;
    struct conversation_queue_member a = {0}, b = {0}, c = {0}, other = {0}, alone = {0};
    conversation_queue_init(&turns);
    assert_true(conversation_queue_join(&turns, &a, STR("k")));
    assert_true(conversation_queue_join(&turns, &b, STR("k")));
    assert_true(conversation_queue_join(&turns, &c, STR("k")));
    assert_true(conversation_queue_join(&turns, &other, STR("m")));
    assert_true(conversation_queue_join(&turns, &alone, STR("")));
    EXPECT_TRUE("a", conversation_queue_is_first(&turns, &a) &&
                         conversation_queue_first(&turns, STR("k")) == &a);
    EXPECT_TRUE("other", conversation_queue_is_first(&turns, &other));
    EXPECT_TRUE("alone", conversation_queue_is_first(&turns, &alone) &&
                             conversation_queue_first(&turns, STR("")) == NULL);
    conversation_queue_leave(&turns, &b);
    conversation_queue_leave(&turns, &b);
    EXPECT_TRUE("still a", conversation_queue_is_first(&turns, &a) &&
                               !conversation_queue_is_first(&turns, &c));
    conversation_queue_leave(&turns, &a);
    EXPECT_TRUE("c", conversation_queue_is_first(&turns, &c));
    assert_true(conversation_queue_join(&turns, &a, STR("k")));
    EXPECT_TRUE("behind c", !conversation_queue_is_first(&turns, &a));
    conversation_queue_leave(&turns, &c);
    EXPECT_TRUE("a again", conversation_queue_is_first(&turns, &a));
    conversation_queue_leave(&turns, &a);
    conversation_queue_leave(&turns, &other);
    conversation_queue_leave(&turns, &alone);
    EXPECT_TRUE("nobody", conversation_queue_first(&turns, STR("k")) == NULL);
    conversation_queue_fini(&turns);
}

TEST(no_memory_for_the_first)
{
    struct conversation_queue turns;
    struct conversation_queue_member a = {0};
    conversation_queue_init(&turns);
    mem_fail_nth(1);
    bool joined = conversation_queue_join(&turns, &a, STR("k"));
    mem_fail_nth(0);
    EXPECT_TRUE("refused", !joined);
    conversation_queue_leave(&turns, &a);
    conversation_queue_fini(&turns);
}

RUN_TESTS(T(one_after_the_other), T(no_memory_for_the_first))
