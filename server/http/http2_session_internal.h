/* SPDX-License-Identifier: MIT */
/* server/http/http2_session_internal.h - a session and its streams, for http2_session*.c only. */
#ifndef SERVER_HTTP_HTTP2_SESSION_INTERNAL_H
#define SERVER_HTTP_HTTP2_SESSION_INTERNAL_H

#include <nghttp2/nghttp2.h>

#include "core/loop/timer.h"
#include "proto/http2_head.h"
#include "server/http/http2_budget.h"
#include "server/http/http2_session.h"

enum http2_wait { /* what the session's deadline is for */
                  HTTP2_WAIT_NOTHING,
                  HTTP2_WAIT_GREETING,
                  HTTP2_WAIT_HEAD,
                  HTTP2_WAIT_REQUEST
};

struct http2_session {
    struct http2_session_options options;
    struct nghttp2_session *frames;
    struct http2_budget budget;
    struct list streams;
    struct list drained; /* high streams that may go on when the session is not full */
    size_t pending;      /* bytes in the outputs of all streams */
    size_t begun;        /* requests begun in this feed */
    struct timer deadline, pace, goodbye;
    struct loop_task send_task;
    uint64_t sent_ms;
    enum http2_wait wait;
    bool is_greeted, is_head_coming, is_draining, is_ending, is_closed, is_lost;
};

enum http2_stream_state {
    HTTP2_STREAM_READING,   /* its request is coming */
    HTTP2_STREAM_ANSWERING, /* the site has it */
    HTTP2_STREAM_AWAY,      /* another worker's site has it: see relay */
    HTTP2_STREAM_DONE       /* what is to be sent is in out */
};

struct http2_relay;

struct http2_stream {
    struct channel channel;
    struct http2_relay *relay; /* while it is away */
    struct http2_session *session;
    struct list link;    /* in the session's streams */
    struct list go_link; /* in its drained */
    int32_t id;
    enum http2_stream_state state;
    struct http2_head head;
    struct buf body, out;
    size_t counted;   /* of the body, in the site's body_bytes */
    size_t accounted; /* of out, in the session's pending */
    size_t head_len;  /* header lines, in out until they are submitted */
    size_t trailer_bytes;
    int status;
    uint64_t sent;                /* bytes of the answer's body */
    uint64_t sent_before;         /* when the deadline for progress was set */
    struct timer deadline;        /* body, then write progress */
    bool is_received;             /* the request is complete */
    bool is_headed, is_submitted; /* header lines are complete; are with nghttp2 */
    bool is_deferred, is_high;
};

/* A part of an answer that another worker made. */
struct http2_answer {
    int status; /* 0: no head, else bytes begin with head_len bytes of header lines */
    size_t head_len;
    struct str bytes;
    bool is_last, is_cut;
};

/* Frames are to be sent: at the end of this turn, or a millisecond after those before. */
void http2_session_schedule(struct http2_session *session);
/* End the connection because of its client: reason, a literal, goes out with GOAWAY. */
void http2_session_calm(struct http2_session *session, const char *reason);

/* A stream whose first HEADERS frame begins; NULL: no memory. */
struct http2_stream *http2_session_stream_open(struct http2_session *session, int32_t id);
/* nghttp2 has forgotten the stream, or never knew it; is_cut: on_gone if it is being answered. */
void http2_session_stream_free(struct http2_stream *stream, bool is_cut);
/* Its fields are complete. */
void http2_session_stream_head(struct http2_stream *stream, bool is_whole);
void http2_session_stream_data(struct http2_stream *stream, struct str bytes);
/* Its request is complete. */
void http2_session_stream_received(struct http2_stream *stream);
/* Tell who writes into a stream which was high that it may go on. */
void http2_session_stream_go(struct http2_stream *stream);
/* Append an answer that came from another worker; is_high is set when the next one should wait. */
void http2_session_stream_take(struct http2_stream *stream, const struct http2_answer *answer);

/* The request of stream as a channel for the worker of inbox to; stream->relay is set. NULL: no
 * memory, or no inbox to come back to. */
struct channel *http2_session_relay_open(struct http2_stream *stream, struct inbox *to);
/* The stream has room: the next part may come. */
void http2_session_relay_go(struct http2_relay *relay);
/* The stream is gone; the relay is not its any more. */
void http2_session_relay_gone(struct http2_relay *relay);

#endif
