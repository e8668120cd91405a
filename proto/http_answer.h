/* SPDX-License-Identifier: MIT */
/* proto/http_answer.h - an HTTP/1 answer, cut into its head's lines and the pieces of its body.
 *
 * Told what comes, it gives out one piece after the other, and the caller may stop between any two.
 * It finds where the answer ends (Content-Length, chunked, or the connection's end), and whether
 * the connection may be used again. Only what must be kept is kept: a line that is not whole yet.
 * What other headers mean is the caller's affair. One thread. */
#ifndef PROTO_HTTP_ANSWER_H
#define PROTO_HTTP_ANSWER_H

#include "core/base/buf.h"

enum { HTTP_ANSWER_LINE_BYTES = 64 << 10 };

enum http_answer_state {
    HTTP_ANSWER_START,  /* the status line */
    HTTP_ANSWER_FIELDS, /* a header, or the end of the head */
    HTTP_ANSWER_LENGTH, /* the body, of which left bytes are still to come */
    HTTP_ANSWER_CLOSE,  /* the body, up to the connection's end */
    HTTP_ANSWER_SIZE,   /* a chunk's size */
    HTTP_ANSWER_CHUNK,  /* left bytes of a chunk */
    HTTP_ANSWER_CHUNK_END,
    HTTP_ANSWER_TRAILERS,
    HTTP_ANSWER_OVER,
    HTTP_ANSWER_WRONG,
};

struct http_answer {
    enum http_answer_state state;
    int status;          /* of the last status line */
    bool keeps;          /* once it is over: the connection may carry another request */
    const char *problem; /* static; set when it is wrong */
    /* private */
    int minor;
    bool is_chunked, has_length, says_close, says_keep;
    uint64_t left;
    struct buf line;  /* the beginning of a line */
    bool line_is_out; /* it was given to the caller, and is forgotten next */
};

enum http_answer_piece {
    HTTP_ANSWER_NEEDS_MORE, /* all bytes are taken */
    HTTP_ANSWER_LINE,       /* a line of a head (interim ones, too) or a trailer, with its end */
    HTTP_ANSWER_BODY,       /* of the body, never empty */
    HTTP_ANSWER_ENDED,      /* bytes may be left, which belong to no answer */
    HTTP_ANSWER_FAILED,     /* problem says what is wrong */
};

void http_answer_init(struct http_answer *answer);
void http_answer_fini(struct http_answer *answer);

/* Take the next piece off *bytes. *piece is borrowed from them, or until the next call. */
MUST_USE enum http_answer_piece http_answer_next(struct http_answer *answer, struct str *bytes,
                                                 struct str *piece);
/* The peer has closed the connection. False: the answer is cut short. */
MUST_USE bool http_answer_closed(struct http_answer *answer);

#endif
