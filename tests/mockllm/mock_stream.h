/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_stream.h - a plan's answer as bytes, one token at a time.
 *
 * Knows the wire and the faults within it; knows nothing of sockets and of time. */
#ifndef TESTS_MOCKLLM_MOCK_STREAM_H
#define TESTS_MOCKLLM_MOCK_STREAM_H

#include "core/base/buf.h"
#include "tests/mockllm/mock_plan.h"

enum mock_step {
    MOCK_MORE,  /* another token follows */
    MOCK_END,   /* the answer is complete */
    MOCK_STALL, /* nothing more, the connection stays open */
    MOCK_HOLD,  /* nothing more until is_released */
    MOCK_WAIT,  /* nothing for a while, then on */
    MOCK_CUT,   /* close the connection now */
};

struct mock_stream {
    const struct mock_plan *plan; /* borrowed */
    bool is_stamped;              /* tokens carry their time: "@123456789 " */
    bool is_released;             /* what held it holds it no more */
    uint64_t sent;                /* tokens */
    size_t cursor;                /* into the reply */
    size_t call, call_cursor;     /* which call comes next; into its arguments */
    bool is_empty;                /* no text in this one */
    bool has_begun;
    unsigned preamble; /* chunks before the first token that were sent */
};

/* The next token as a chunk of a chunked body, or the end of the stream. */
enum mock_step mock_stream_next(struct mock_stream *stream, struct buf *out, uint64_t now_ns);
/* The whole answer as one JSON value, not chunked. */
void mock_stream_whole(struct mock_stream *stream, struct buf *out, uint64_t now_ns);

#endif
