/* SPDX-License-Identifier: MIT */
/* What the process holds, and when it is worth giving back. */
#include "core/base/resident.h"
#include "tests/lib/test.h"

enum { MIB = 1024 * 1024, BIG = 96 * MIB };

TEST(what_is_held)
{
    uint64_t before = resident_bytes();
    char *block = mem_alloc(BIG);
    assert_non_null(block);
    memset(block, 1, BIG);
    EXPECT_TRUE("it is counted", before > 0 && resident_bytes() >= before + BIG / 2);
    mem_free(block);
}

TEST(when_it_is_given_back)
{
    static const struct {
        const char *name;
        uint64_t bytes, after, free;
        bool want;
    } cases[] = {
        {"small", 20, 0, 10, false},
        {"the peak of a few hundred streams", 50, 30, 18, true},
        {"a peak that is over", 400, 0, 300, true},
        {"a peak that is used", 400, 0, 10, false},
        {"given back already, the allocator counts it as free", 130, 130, 300, false},
        {"the next peak", 400, 130, 300, true},
    };
    TEST_EACH(c, cases)
        EXPECT_INT(c->name, resident_wants_trim(c->bytes * MIB, c->after * MIB, c->free * MIB),
                   c->want);
}

RUN_TESTS(T(what_is_held), T(when_it_is_given_back))
