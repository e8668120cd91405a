/* SPDX-License-Identifier: MIT */
/* The exact bytes of frames, and that our own reader reads them back. */
#include "tests/lib/test.h"

#include "proto/sse_read.h"
#include "proto/sse_write.h"

TEST(frames)
{
    struct buf buf;
    buf_init(&buf, 1 << 10);
    sse_write_ok(&buf);
    sse_write_retry(&buf, 2000);
    sse_write_event(&buf, STR("run_1:1"), STR("{\"a\":1}"));
    sse_write_heartbeat(&buf);
    size_t mark = sse_write_begin(&buf, STR(""));
    buf_push(&buf, STR("{}"));
    sse_write_end(&buf, mark);
    EXPECT_STR("bytes", buf_str(&buf),
               STR(": ok\nretry: 2000\nid: run_1:1\ndata: {\"a\":1}\n\n: hb\ndata: {}\n\n"));
    buf_fini(&buf);
}

TEST(full_buf)
{
    for (size_t limit = 0; limit < 30; limit++) {
        struct buf buf;
        buf_init(&buf, limit);
        sse_write_event(&buf, STR("1:2"), STR("{\"a\":1}"));
        EXPECT_INT("fits", buf_ok(&buf), limit >= 23);
        buf_fini(&buf);
    }
}

static void keep_data(void *owner, const struct sse_event *event)
{
    struct buf *out = owner;
    buf_push(out, event->id);
    buf_push_char(out, ' ');
    buf_push(out, event->data);
}

TEST(read_back)
{
    struct buf buf, out;
    struct sse_read reader;
    buf_init(&buf, 1 << 10);
    buf_init(&out, 1 << 10);
    sse_write_ok(&buf);
    sse_write_event(&buf, STR("r:9"), STR("{\"text\":\" x: y\"}"));
    sse_read_init(&reader, NULL, keep_data, &out);
    EXPECT_INT("feed", sse_read_feed(&reader, buf_str(&buf), NULL), ERR_OK);
    EXPECT_STR("same", buf_str(&out), STR("r:9 {\"text\":\" x: y\"}"));
    sse_read_fini(&reader);
    buf_fini(&buf);
    buf_fini(&out);
}

RUN_TESTS(T(frames), T(full_buf), T(read_back))
