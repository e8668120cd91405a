/* SPDX-License-Identifier: MIT */
/* backends/strikes: who is closed out, for how long, and who is not. */
#include "backends/pool/strikes.h"

#include <stdio.h>

#include "tests/lib/test.h"

static const struct identity ann = {.company_id = {"acme", 4}, .user_id = {"ann", 3}};
static const struct identity bob = {.company_id = {"acme", 4}, .user_id = {"bob", 3}};

static void strike(struct strikes *strikes, const struct identity *caller, unsigned times,
                   uint64_t now_ms)
{
    for (unsigned i = 0; i < times; i++)
        strikes_add(strikes, caller, now_ms);
}

TEST(several_in_a_window_close_for_a_while)
{
    struct strikes s = {0};
    strike(&s, &ann, STRIKES_MOST - 1, 1000);
    EXPECT_INT("not yet", strikes_wait_ms(&s, &ann, 1000), 0);
    strike(&s, &ann, 1, 2000);
    EXPECT_INT("closed", strikes_wait_ms(&s, &ann, 2000), STRIKES_PAUSE_MS);
    EXPECT_INT("others are not", strikes_wait_ms(&s, &bob, 2000), 0);
    EXPECT_INT("the last millisecond", strikes_wait_ms(&s, &ann, 2000 + STRIKES_PAUSE_MS - 1), 1);
    EXPECT_INT("open again", strikes_wait_ms(&s, &ann, 2000 + STRIKES_PAUSE_MS), 0);
    strike(&s, &ann, STRIKES_MOST - 1, 3000 + STRIKES_PAUSE_MS);
    EXPECT_INT("counted anew", strikes_wait_ms(&s, &ann, 3000 + STRIKES_PAUSE_MS), 0);
}

TEST(what_is_long_ago_does_not_count)
{
    struct strikes s = {0};
    strike(&s, &ann, STRIKES_MOST - 1, 1000);
    strike(&s, &ann, STRIKES_MOST - 1, 1001 + STRIKES_WINDOW_MS);
    EXPECT_INT("two windows", strikes_wait_ms(&s, &ann, 1001 + STRIKES_WINDOW_MS), 0);
}

TEST(nobody_is_never_closed_out)
{
    struct strikes s = {0};
    const struct identity nobody = {.company_id = STR("")};
    strike(&s, &nobody, 3 * STRIKES_MOST, 1000);
    EXPECT_INT("without a name", strikes_wait_ms(&s, &nobody, 1000), 0);
}

TEST(who_was_late_longest_ago_is_forgotten)
{
    struct strikes s = {0};
    char name[STRIKES_CALLERS + 1][2 * STRIKES_NAME_BYTES];
    struct identity callers[STRIKES_CALLERS + 1];
    for (size_t i = 0; i <= STRIKES_CALLERS; i++) { /* alike as far as a row holds them */
        int len = snprintf(name[i], sizeof name[i], "%0*zu", (int)(STRIKES_NAME_BYTES + i), i);
        callers[i] = (struct identity){.user_id = str_make(name[i], (size_t)len)};
        strike(&s, &callers[i], STRIKES_MOST, 1000 + i);
    }
    EXPECT_INT("the first", strikes_wait_ms(&s, &callers[0], 1000 + STRIKES_CALLERS), 0);
    for (size_t i = 1; i <= STRIKES_CALLERS; i++)
        EXPECT_TRUE("the others", strikes_wait_ms(&s, &callers[i], 1000 + STRIKES_CALLERS) > 0);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(several_in_a_window_close_for_a_while),
        cmocka_unit_test(what_is_long_ago_does_not_count),
        cmocka_unit_test(nobody_is_never_closed_out),
        cmocka_unit_test(who_was_late_longest_ago_is_forgotten),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
