/* SPDX-License-Identifier: MIT */
/* A slot that a table leaves out is none, and not the first. */
#include "core/run/slot.h"

#include "tests/lib/test.h"

enum { FIRST, SECOND, LAST = 63 };

TEST(named_or_none)
{
    static const struct {
        struct slot_ref absent, first, second, last;
    } table = {.first = SLOT(FIRST), .second = SLOT(SECOND), .last = SLOT(LAST)};
    EXPECT_TRUE("absent", !slot_is_named(table.absent));
    EXPECT_TRUE("first", slot_is_named(table.first));
    EXPECT_INT("first", slot_index(table.first), FIRST);
    EXPECT_INT("second", slot_index(table.second), SECOND);
    EXPECT_INT("last", slot_index(table.last), LAST);
}

RUN_TESTS(T(named_or_none))
