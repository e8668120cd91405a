/* SPDX-License-Identifier: MIT */
/* Heads and chunks byte for byte, and that no value can split a response. */
#include "tests/lib/test.h"

#include "proto/http_response.h"

TEST(head)
{
    struct buf buf;
    buf_init(&buf, 1 << 12);
    http_response_continue(&buf);
    http_response_begin(&buf, 200, 1);
    EXPECT_INT("header", http_response_header(&buf, STR("X-A"), STR("b\tc \xC3\xA9")), ERR_OK);
    http_response_header_u64(&buf, STR("Content-Length"), 42);
    http_response_date(&buf, 784111777);
    http_response_end_head(&buf);
    http_response_begin(&buf, 599, 0);
    EXPECT_STR("bytes", buf_str(&buf),
               STR("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\tc \xC3\xA9\r\n"
                   "Content-Length: 42\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"
                   "HTTP/1.0 599 Unknown\r\n"));
    buf_fini(&buf);
}

TEST(dates)
{
    static const struct {
        uint64_t seconds;
        const char *want;
    } cases[] = {
        {0, "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"},
        {951782400, "Date: Tue, 29 Feb 2000 00:00:00 GMT\r\n"},
        {253402300799, "Date: Fri, 31 Dec 9999 23:59:59 GMT\r\n"},
    };
    struct buf buf;
    buf_init(&buf, 1 << 12);
    TEST_EACH(c, cases) {
        buf_clear(&buf);
        http_response_date(&buf, c->seconds);
        EXPECT_STR(c->want, buf_str(&buf), str_of(c->want));
    }
    buf_fini(&buf);
}

TEST(values_that_would_split)
{
    static const struct str values[] = {STR("a\r\nSet-Cookie: b"),
                                        STR("a\nb"),
                                        STR("a\rb"),
                                        STR("a\0b"),
                                        STR("\x1b[0m"),
                                        STR("\x7f")};
    struct buf buf;
    buf_init(&buf, 1 << 12);
    for (size_t i = 0; i < countof(values); i++)
        EXPECT_INT("refused", http_response_header(&buf, STR("X"), values[i]), ERR_INVALID);
    EXPECT_INT("nothing written", buf_len(&buf), 0);
    buf_fini(&buf);
}

TEST(chunks)
{
    struct buf buf;
    buf_init(&buf, 1 << 12);
    buf_push(&buf, STR("xx"));
    buf_consume(&buf, 1); /* marks count from the unread bytes */
    size_t mark = http_response_chunk_begin(&buf);
    buf_push(&buf, STR("hello world, sixteen"));
    http_response_chunk_commit(&buf, mark);
    http_response_chunk_commit(&buf, http_response_chunk_begin(&buf));
    mark = http_response_chunk_begin(&buf);
    for (int i = 0; i < 0x2ab; i++)
        buf_push_char(&buf, 'y');
    http_response_chunk_commit(&buf, mark);
    http_response_last_chunk(&buf);
    struct str got = buf_str(&buf);
    EXPECT_STR("first", str_slice(got, 0, 33), STR("x00000014\r\nhello world, sixteen\r\n"));
    EXPECT_STR("second", str_slice(got, 33, 44), STR("000002ab\r\ny"));
    EXPECT_STR("last", str_from(got, got.len - 8), STR("y\r\n0\r\n\r\n"));
    buf_fini(&buf);
}

TEST(full_buf)
{
    for (size_t limit = 0; limit < 20; limit++) {
        struct buf buf;
        buf_init(&buf, limit);
        size_t mark = http_response_chunk_begin(&buf);
        buf_push(&buf, STR("hello"));
        http_response_chunk_commit(&buf, mark);
        EXPECT_INT("fits", buf_ok(&buf), limit >= 17);
        buf_fini(&buf);
    }
}

RUN_TESTS(T(head), T(dates), T(values_that_would_split), T(chunks), T(full_buf))
