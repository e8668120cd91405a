/* SPDX-License-Identifier: MIT */
/* core/base/buf.h - a growing byte buffer with a hard limit and a sticky failure.
 *
 * After an append that did not fit or found no memory, all further appends do nothing; ask
 * buf_ok once at the end. Bytes can be consumed from the front without moving the rest at once.
 * Storage is the caller's; one thread. */
#ifndef CORE_BASE_BUF_H
#define CORE_BASE_BUF_H

#include <string.h>

#include "core/base/str.h"

struct buf {
    char *at; /* first unread byte lies at at + start */
    size_t start, end, cap;
    size_t limit; /* most bytes it may hold unread */
    bool failed;
};

/* An empty buffer that holds at most limit bytes. Allocates nothing yet. */
void buf_init(struct buf *buf, size_t limit);
/* Free the bytes and leave it as after buf_init. */
void buf_fini(struct buf *buf);
/* Forget the bytes and the failure, keep the memory. */
void buf_clear(struct buf *buf);

static inline bool buf_ok(const struct buf *buf)
{
    return !buf->failed;
}

static inline size_t buf_len(const struct buf *buf)
{
    return buf->end - buf->start;
}

/* The unread bytes, borrowed until the next append, reserve or fini. */
static inline struct str buf_str(const struct buf *buf)
{
    return str_make(buf->at == NULL ? "" : buf->at + buf->start, buf->end - buf->start);
}

/* Push bytes for which the buf must grow, or cannot: use buf_push. */
void buf_push_growing(struct buf *buf, struct str bytes);

/* Whether size more bytes are there without growing: most pushes are short, and many. */
static inline bool buf_has_room(const struct buf *buf, size_t size)
{
    return size <= buf->cap - buf->end && size <= buf->limit - buf_len(buf) && !buf->failed;
}

static inline void buf_push(struct buf *buf, struct str bytes)
{
    if (bytes.len == 0)
        return;
    if (!buf_has_room(buf, bytes.len)) {
        buf_push_growing(buf, bytes);
        return;
    }
    memcpy(buf->at + buf->end, bytes.at, bytes.len);
    buf->end += bytes.len;
}

static inline void buf_push_char(struct buf *buf, char c)
{
    if (buf_has_room(buf, 1))
        buf->at[buf->end++] = c;
    else
        buf_push_growing(buf, str_make(&c, 1));
}

void buf_push_u64(struct buf *buf, uint64_t value);
void buf_push_i64(struct buf *buf, int64_t value);
void buf_printf(struct buf *buf, const char *fmt, ...) PRINTF(2, 3);

/* Room for size more bytes at the returned place, to be followed by buf_commit; NULL: it failed. */
MUST_USE char *buf_reserve(struct buf *buf, size_t size);
void buf_commit(struct buf *buf, size_t size);
/* Drop len (at most buf_len) bytes from the front, or keep only the first len. */
void buf_consume(struct buf *buf, size_t len);
void buf_truncate(struct buf *buf, size_t len);

#endif
