/* SPDX-License-Identifier: MIT */
/* Reuse, zeroing, counting, no memory. */
#include "tests/lib/test.h"

#include "core/base/pool.h"

TEST(objects_are_reused_and_zeroed)
{
    struct pool *pool = pool_create(40, 2);
    char *objects[4];
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 4; i++) {
            objects[i] = pool_take(pool);
            for (unsigned j = 0; j < 40; j++)
                EXPECT_INT("zero", objects[i][j], 0);
            memset(objects[i], 'x', 40);
        }
        EXPECT_INT("out", pool_out(pool), 4);
        for (unsigned i = 0; i < 4; i++)
            pool_give(pool, objects[i]);
    }
    uint64_t before = mem_alloc_count();
    pool_give(pool, pool_take(pool));
    EXPECT_INT("an idle one was there", mem_alloc_count(), before);
    pool_give(pool, NULL);
    EXPECT_INT("none out", pool_out(pool), 0);
    pool_destroy(pool);
    pool_destroy(NULL);
}

TEST(no_memory)
{
    mem_fail_nth(1);
    assert_null(pool_create(8, 0));
    struct pool *pool = pool_create(1, 0);
    mem_fail_nth(1);
    assert_null(pool_take(pool));
    EXPECT_INT("none out", pool_out(pool), 0);
    mem_fail_nth(0);
    pool_destroy(pool);
}

RUN_TESTS(T(objects_are_reused_and_zeroed), T(no_memory))
