/* SPDX-License-Identifier: MIT */
#include "server/admission.h"
#include "tests/lib/test.h"

TEST(places_then_queue_then_no)
{
    struct admission admission;
    admission_init(&admission, 5, 4, 2, 2); /* this worker's share: 3, 2, 1 */
    EXPECT_INT("first", admission_ask(&admission, false), ADMISSION_NOW);
    EXPECT_INT("second", admission_ask(&admission, false), ADMISSION_NOW);
    EXPECT_INT("third", admission_ask(&admission, false), ADMISSION_WAIT);
    EXPECT_INT("fourth", admission_ask(&admission, false), ADMISSION_FULL);
    EXPECT_TRUE("no place yet", !admission_advance(&admission, false));
    admission_leave(&admission);
    EXPECT_TRUE("now", admission_advance(&admission, false));
    EXPECT_INT("queue is free again", admission_ask(&admission, true), ADMISSION_WAIT);
    EXPECT_TRUE("forced past the limit", admission_advance(&admission, true));
    EXPECT_INT("runs", admission.runs, 3);
    EXPECT_TRUE("connections", admission_is_full(&admission, 3));
    EXPECT_TRUE("connections left", !admission_is_full(&admission, 2));
    admission.draining = true;
    EXPECT_INT("draining", admission_ask(&admission, false), ADMISSION_CLOSED);
}

RUN_TESTS(T(places_then_queue_then_no))
