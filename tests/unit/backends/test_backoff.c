/* SPDX-License-Identifier: MIT */
#include "tests/lib/test.h"

#include "core/loop/backoff.h"

TEST(waits_are_bounded_and_the_providers_wish_wins)
{
    const struct backoff backoff = backoff_of(0, 100, 1000);
    static const struct {
        unsigned attempts;
        uint64_t most;
    } cases[] = {{1, 100}, {2, 200}, {3, 400}, {4, 800}, {5, 1000}, {40, 1000}, {1000, 1000}};
    EXPECT_INT("default", backoff.max_attempts, 3);
    TEST_EACH(c, cases) {
        uint64_t most = 0;
        for (unsigned i = 0; i < 2000; i++) {
            uint64_t wait_ms = backoff_wait_ms(&backoff, c->attempts, UINT64_MAX);
            EXPECT_TRUE("bounded", wait_ms <= c->most);
            most = wait_ms > most ? wait_ms : most;
        }
        EXPECT_TRUE("and spread", most > c->most / 2);
        EXPECT_INT("wish", backoff_wait_ms(&backoff, c->attempts, 12345), 12345);
    }
}

TEST(weather)
{
    EXPECT_TRUE("passes", backoff_is_weather(ERR_UNAVAILABLE) && backoff_is_weather(ERR_TIMEOUT) &&
                              backoff_is_weather(ERR_PROTOCOL));
    EXPECT_TRUE("stays", !backoff_is_weather(ERR_REJECTED) && !backoff_is_weather(ERR_DENIED) &&
                             !backoff_is_weather(ERR_OK) && !backoff_is_weather(ERR_CANCELLED));
}

RUN_TESTS(T(waits_are_bounded_and_the_providers_wish_wins), T(weather))
