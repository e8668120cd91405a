/* SPDX-License-Identifier: MIT */
/* The trip wire, counting, sizes that do not fit. */
#include "tests/lib/test.h"

TEST(the_nth_fails_once)
{
    for (unsigned n = 1; n < 5; n++) {
        mem_fail_nth(n);
        for (unsigned i = 1; i < 8; i++) {
            void *at = i % 2 == 0 ? mem_zalloc(1, 8) : mem_alloc(8);
            EXPECT_INT("fails", at == NULL, i == n);
            mem_free(at);
        }
    }
    mem_fail_nth(1);
    mem_fail_nth(0);
    void *at = mem_alloc(0);
    assert_non_null(at);
    mem_fail_nth(1);
    assert_null(mem_resize(at, 100));
    at = mem_resize(at, 100);
    assert_non_null(at);
    mem_free(at);
    mem_free(NULL);
}

TEST(counting_and_overflow)
{
    uint64_t before = mem_alloc_count();
    mem_free(mem_alloc(1));
    EXPECT_INT("counted", mem_alloc_count() - before, 1);
    char *zeroed = mem_zalloc(4, 4);
    for (unsigned i = 0; i < 16; i++)
        EXPECT_INT("zero", zeroed[i], 0);
    mem_free(zeroed);
    int64_t held = mem_held_bytes();
    char *some = mem_alloc(1000);
    EXPECT_TRUE("held", mem_held_bytes() >= held + 1000);
    some = mem_resize(some, 5000);
    EXPECT_TRUE("more", mem_held_bytes() >= held + 5000 && mem_held_bytes() < held + 6000);
    mem_free(some);
    EXPECT_TRUE("given back", mem_held_bytes() == held);
    size_t sum = 7;
    EXPECT_TRUE("add", size_add(1, 2, &sum) && sum == 3 && !size_add(SIZE_MAX, 1, &sum));
    EXPECT_TRUE("mul", size_mul(3, 2, &sum) && sum == 6 && !size_mul(SIZE_MAX, 2, &sum));
    EXPECT_TRUE("min and max", size_min(1, 2) == 1 && size_max(1, 2) == 2);
}

RUN_TESTS(T(the_nth_fails_once), T(counting_and_overflow))
