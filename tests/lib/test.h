/* SPDX-License-Identifier: MIT */
/* tests/lib/test.h - cmocka with tables: TEST, TEST_EACH and checks whose failure line names the
 * case. Include it instead of cmocka.h. */
#ifndef TESTS_LIB_TEST_H
#define TESTS_LIB_TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/base/str.h"

#define TEST(name) static void name(void **unused_state UNUSED)
#define RUN_TESTS(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest all[] = {__VA_ARGS__};                                             \
        return cmocka_run_group_tests(all, NULL, NULL);                                            \
    }
#define T(name) cmocka_unit_test(name)

#define TEST_EACH(item, table)                                                                     \
    for (__typeof__(&(table)[0]) item = (table); item < (table) + countof(table); item++)

#define EXPECT_INT(name, got, want)                                                                \
    do {                                                                                           \
        long long got_ = (long long)(got), want_ = (long long)(want);                              \
        if (got_ != want_)                                                                         \
            fail_msg("%s: got %lld, want %lld", (name), got_, want_);                              \
    } while (0)

#define EXPECT_TRUE(name, cond)                                                                    \
    do {                                                                                           \
        if (!(cond))                                                                               \
            fail_msg("%s: not so: %s", (name), #cond);                                             \
    } while (0)

#define EXPECT_STR(name, got, want)                                                                \
    do {                                                                                           \
        struct str got_ = (got), want_ = (want);                                                   \
        if (!str_equal(got_, want_))                                                               \
            fail_msg("%s: got '%.*s', want '%.*s'", (name), STR_ARG(got_), STR_ARG(want_));        \
    } while (0)

#endif
