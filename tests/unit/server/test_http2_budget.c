/* SPDX-License-Identifier: MIT */
/* What an HTTP/2 connection may send beside work, and what gives it more. */
#include "server/http/http2_budget.h"
#include "tests/lib/test.h"

static size_t spend_all(struct http2_budget *budget, uint64_t now_ms,
                        bool (*spend)(struct http2_budget *budget, uint64_t now_ms))
{
    size_t count = 0;
    while (spend(budget, now_ms))
        count++;
    return count;
}

TEST(a_burst_and_then_a_rate)
{
    struct http2_budget budget;
    http2_budget_init(&budget, 1000);
    EXPECT_INT("frames at once", spend_all(&budget, 1000, http2_budget_frame), 4096);
    EXPECT_INT("resets are others", spend_all(&budget, 1000, http2_budget_reset), 4096);
    EXPECT_INT("none are left", spend_all(&budget, 1001, http2_budget_frame), 0);
    EXPECT_INT("of a second", spend_all(&budget, 2000, http2_budget_frame), 64);
    EXPECT_INT("resets of two seconds", spend_all(&budget, 3000, http2_budget_reset), 128);
    EXPECT_INT("a day is a burst", spend_all(&budget, 86400000, http2_budget_frame), 4096);
    EXPECT_INT("an age is one, too", spend_all(&budget, UINT64_MAX, http2_budget_frame), 4096);
}

TEST(looking_often_loses_nothing)
{
    struct http2_budget budget;
    size_t count = 0;
    http2_budget_init(&budget, 0);
    (void)spend_all(&budget, 0, http2_budget_frame);
    for (uint64_t now_ms = 1; now_ms <= 1000; now_ms++)
        count += spend_all(&budget, now_ms, http2_budget_frame);
    EXPECT_INT("of a second", count, 64);
}

TEST(work_earns)
{
    struct http2_budget budget;
    http2_budget_init(&budget, 0);
    (void)spend_all(&budget, 0, http2_budget_frame);
    (void)spend_all(&budget, 0, http2_budget_reset);
    http2_budget_work(&budget);
    http2_budget_work(&budget);
    http2_budget_answer(&budget);
    EXPECT_INT("frames", spend_all(&budget, 0, http2_budget_frame), 8);
    EXPECT_INT("resets", spend_all(&budget, 0, http2_budget_reset), 1);
    for (size_t i = 0; i < 100000; i++)
        http2_budget_work(&budget);
    EXPECT_INT("a burst at most", spend_all(&budget, 0, http2_budget_frame), 4096);
}

RUN_TESTS(T(a_burst_and_then_a_rate), T(looking_often_loses_nothing), T(work_earns))
