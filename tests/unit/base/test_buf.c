/* SPDX-License-Identifier: MIT */
/* Appending, consuming, the limit, sticky failure. */
#include "tests/lib/test.h"

#include "core/base/buf.h"

TEST(what_is_pushed_comes_out)
{
    struct buf buf;
    buf_init(&buf, 4096);
    EXPECT_STR("empty", buf_str(&buf), STR(""));
    buf_push(&buf, STR("ab"));
    buf_push(&buf, (struct str){0});
    buf_push_char(&buf, '-');
    buf_push_u64(&buf, UINT64_MAX);
    buf_push_char(&buf, ' ');
    buf_push_i64(&buf, INT64_MIN);
    buf_printf(&buf, " %s=%d", "x", 5);
    EXPECT_STR("all", buf_str(&buf), STR("ab-18446744073709551615 -9223372036854775808 x=5"));
    buf_consume(&buf, 3);
    buf_truncate(&buf, 5);
    EXPECT_STR("cut", buf_str(&buf), STR("18446"));
    char *room = buf_reserve(&buf, 3);
    assert_non_null(room);
    memcpy(room, "xyz", 3);
    buf_commit(&buf, 2);
    EXPECT_STR("committed", buf_str(&buf), STR("18446xy"));
    buf_clear(&buf);
    EXPECT_INT("cleared", buf_len(&buf), 0);
    buf_fini(&buf);
    buf_fini(&buf);
}

TEST(a_stream_through_a_small_buffer)
{
    struct buf buf;
    uint64_t in = 0, out = 0;
    buf_init(&buf, 64);
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < round % 13 && buf_len(&buf) < 64; i++)
            buf_push_char(&buf, (char)(in++ % 251));
        for (unsigned i = 0; i < round % 11 && buf_len(&buf) > 0; i++) {
            EXPECT_INT("byte", (unsigned char)buf_str(&buf).at[0], out++ % 251);
            buf_consume(&buf, 1);
        }
        EXPECT_TRUE("ok", buf_ok(&buf) && buf.cap <= 64);
    }
    EXPECT_INT("balance", in - out, buf_len(&buf));
    buf_fini(&buf);
}

TEST(the_limit_is_exact_and_failure_sticks)
{
    struct buf buf;
    buf_init(&buf, 10);
    buf_push(&buf, STR("0123456789"));
    EXPECT_TRUE("fits", buf_ok(&buf));
    buf_push(&buf, STR("!"));
    EXPECT_TRUE("does not", !buf_ok(&buf));
    buf_consume(&buf, 5);
    buf_push(&buf, STR("x"));
    EXPECT_STR("nothing more is taken", buf_str(&buf), STR("56789"));
    assert_null(buf_reserve(&buf, 1));
    buf_clear(&buf);
    EXPECT_TRUE("forgotten", buf_ok(&buf));
    assert_null(buf_reserve(&buf, SIZE_MAX));
    buf_fini(&buf);
}

TEST(the_nth_allocation_fails)
{
    for (uint64_t n = 1; n < 6; n++) {
        struct buf buf;
        buf_init(&buf, 1 << 16);
        mem_fail_nth(n);
        for (unsigned i = 0; i < 2000; i++)
            buf_push(&buf, STR("text"));
        mem_fail_nth(0);
        EXPECT_TRUE("whole pushes only", buf_len(&buf) % 4 == 0);
        EXPECT_INT("all or failed", buf_ok(&buf), buf_len(&buf) == 8000);
        buf_fini(&buf);
    }
}

RUN_TESTS(T(what_is_pushed_comes_out), T(a_stream_through_a_small_buffer),
          T(the_limit_is_exact_and_failure_sticks), T(the_nth_allocation_fails))
