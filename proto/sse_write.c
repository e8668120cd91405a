/* SPDX-License-Identifier: MIT */
/* proto/sse_write.c - frames are a few literals around the caller's bytes.
 *
 * Happy path: id line, data line, empty line, appended.
 * Failure paths: the buf is full (its own affair); a line end inside id or data (CHECK: it would
 * be two events, and JSON never holds one). */
#include "proto/sse_write.h"

#include <string.h>

static bool is_one_line(struct str s)
{
    return s.len == 0 || (memchr(s.at, '\n', s.len) == NULL && memchr(s.at, '\r', s.len) == NULL);
}

void sse_write_event(struct buf *buf, struct str id, struct str data)
{
    size_t mark = sse_write_begin(buf, id);
    buf_push(buf, data);
    sse_write_end(buf, mark);
}

size_t sse_write_begin(struct buf *buf, struct str id)
{
    if (id.len > 0) {
        CHECK(is_one_line(id) && memchr(id.at, '\0', id.len) == NULL);
        buf_push(buf, STR("id: "));
        buf_push(buf, id);
        buf_push_char(buf, '\n');
    }
    buf_push(buf, STR("data: "));
    return buf_len(buf);
}

void sse_write_end(struct buf *buf, size_t mark)
{
    if (!buf_ok(buf))
        return;
    CHECK(is_one_line(str_from(buf_str(buf), mark)));
    buf_push(buf, STR("\n\n"));
}

void sse_write_retry(struct buf *buf, uint64_t retry_ms)
{
    buf_push(buf, STR("retry: "));
    buf_push_u64(buf, retry_ms);
    buf_push_char(buf, '\n');
}

void sse_write_ok(struct buf *buf)
{
    buf_push(buf, STR(": ok\n"));
}

void sse_write_heartbeat(struct buf *buf)
{
    buf_push(buf, STR(": hb\n"));
}
