/* SPDX-License-Identifier: MIT */
/* proto/sse_read.h - bytes -> Server-Sent Events, as the WHATWG standard reads them.
 *
 * Incremental: any split of the input gives the same events. LF, CR and CRLF end lines; a BOM,
 * comments and unknown fields are skipped; an event without data is dropped, and so is one that
 * the end of the input cuts. An event whose one data line lies whole in the input is reported
 * without a copy; others go through bufs that keep their memory. One thread. */
#ifndef PROTO_SSE_READ_H
#define PROTO_SSE_READ_H

#include "core/base/buf.h"
#include "core/base/err.h"

/* Borrowed for the call. */
struct sse_event {
    struct str event; /* its type; "message" when none was given */
    struct str data;  /* lines joined by LF */
    struct str id;    /* the last id seen, maybe in an earlier event */
};

typedef void sse_event_fn(void *owner, const struct sse_event *event);

struct sse_limits {
    size_t line_bytes;  /* 0: 1 MiB */
    size_t event_bytes; /* 0: 1 MiB; all data of one event */
};

struct sse_read {
    uint64_t retry_ms; /* the last retry: line; 0: none */
    /* private */
    sse_event_fn *on_event;
    void *owner;
    struct sse_limits limits;
    struct buf line;      /* a line that began in an earlier input */
    struct buf data_copy; /* data that could not be borrowed */
    struct buf type, id;
    struct str data; /* borrowed from the input, or of data_copy */
    bool has_data, data_is_copy;
    bool skip_lf, past_first_line;
    enum err_code failure; /* ERR_OK: none */
    const char *failed_what;
    size_t failed_limit;
};

/* Make it ready; limits are copied, NULL: defaults. No allocation. on_event is called from inside
 * sse_read_feed and must not feed, reset or end the reader. */
void sse_read_init(struct sse_read *reader, const struct sse_limits *limits, sse_event_fn *on_event,
                   void *owner);
void sse_read_fini(struct sse_read *reader);
/* Forget everything, keep the memory: for the next stream. */
void sse_read_reset(struct sse_read *reader);

/* Take all bytes, reporting the events that end in them. ERR_TOO_LARGE: a limit;
 * ERR_NO_MEMORY. A failure is final until reset. */
MUST_USE enum err_code sse_read_feed(struct sse_read *reader, struct str bytes, struct err *err);

#endif
