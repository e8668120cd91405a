/* SPDX-License-Identifier: MIT */
/* Workers that take turns by one clock. */
#include "tests/lib/test.h"

#include "core/loop/turns.h"

enum { BETWEEN_MS = 250, MOST_WORKERS = 5 };

TEST(each_has_its_turn_once_a_round)
{
    for (uint64_t count = 1; count <= MOST_WORKERS; count++)
        for (uint64_t now = 0; now < 2 * count * BETWEEN_MS; now += 7) {
            uint64_t at[MOST_WORKERS];
            for (uint64_t i = 0; i < count; i++) {
                uint64_t ms = turns_until_ms(now, BETWEEN_MS, i, count);
                EXPECT_TRUE("within a round", ms >= 1 && ms <= count * BETWEEN_MS);
                at[i] = (now + ms) % (count * BETWEEN_MS);
                EXPECT_INT("its own", at[i], i * BETWEEN_MS);
                EXPECT_INT("whenever it is asked", turns_until_ms(now + ms, BETWEEN_MS, i, count),
                           count * BETWEEN_MS);
            }
        }
}

TEST(nobody_else_is_there)
{
    EXPECT_INT("none is one", turns_until_ms(1000, BETWEEN_MS, 0, 0), BETWEEN_MS);
    EXPECT_INT("later", turns_until_ms(1001, BETWEEN_MS, 0, 1), BETWEEN_MS - 1);
}

RUN_TESTS(T(each_has_its_turn_once_a_round), T(nobody_else_is_there))
