/* SPDX-License-Identifier: MIT */
/* core/base/buf.c - grows by doubling; moves the unread bytes to the front only when it would
 * otherwise grow. */
#include "core/base/buf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"

enum { FIRST_CAP = 256 };

void buf_init(struct buf *buf, size_t limit)
{
    *buf = (struct buf){.limit = limit};
}

void buf_fini(struct buf *buf)
{
    mem_free(buf->at);
    buf_init(buf, buf->limit);
}

void buf_clear(struct buf *buf)
{
    buf->start = buf->end = 0;
    buf->failed = false;
}

static bool grow(struct buf *buf, size_t need)
{
    size_t cap = size_max(buf->cap, FIRST_CAP);
    while (cap < need && cap <= SIZE_MAX / 2)
        cap *= 2;
    cap = size_max(size_min(cap, buf->limit), need);
    char *at = mem_resize(buf->at, cap);
    if (at == NULL)
        return false;
    buf->at = at;
    buf->cap = cap;
    return true;
}

char *buf_reserve(struct buf *buf, size_t size)
{
    size_t need;
    if (buf->failed)
        return NULL;
    if (!size_add(buf_len(buf), size, &need) || need > buf->limit) {
        buf->failed = true;
        return NULL;
    }
    if (size > buf->cap - buf->end && buf->start > 0) {
        memmove(buf->at, buf->at + buf->start, buf_len(buf));
        buf->end -= buf->start;
        buf->start = 0;
    }
    if (size > buf->cap - buf->end && !grow(buf, need)) {
        buf->failed = true;
        return NULL;
    }
    return buf->at == NULL ? (grow(buf, 1) ? buf->at : NULL) : buf->at + buf->end;
}

void buf_commit(struct buf *buf, size_t size)
{
    CHECK(size <= buf->cap - buf->end);
    buf->end += size;
}

void buf_push_growing(struct buf *buf, struct str bytes)
{
    char *to = buf_reserve(buf, bytes.len);
    if (to == NULL)
        return;
    memcpy(to, bytes.at, bytes.len);
    buf->end += bytes.len;
}

void buf_push_u64(struct buf *buf, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    buf_push(buf, str_make(digits + at, sizeof digits - at));
}

void buf_push_i64(struct buf *buf, int64_t value)
{
    if (value < 0)
        buf_push_char(buf, '-');
    buf_push_u64(buf, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void buf_printf(struct buf *buf, const char *fmt, ...)
{
    char small[512]; /* so that text which exactly fills the limit needs no room for a NUL */
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(small, sizeof small, fmt, args);
    if (len >= 0 && (size_t)len < sizeof small) {
        buf_push(buf, str_make(small, (size_t)len));
    } else {
        char *to = len < 0 ? NULL : buf_reserve(buf, (size_t)len + 1);
        if (to != NULL) {
            vsnprintf(to, (size_t)len + 1, fmt, again);
            buf_commit(buf, (size_t)len);
        } else {
            buf->failed = true;
        }
    }
    va_end(again);
    va_end(args);
}

void buf_consume(struct buf *buf, size_t len)
{
    CHECK(len <= buf_len(buf));
    buf->start += len;
    if (buf->start == buf->end)
        buf->start = buf->end = 0;
}

void buf_truncate(struct buf *buf, size_t len)
{
    CHECK(len <= buf_len(buf));
    buf->end = buf->start + len;
}
