/* SPDX-License-Identifier: MIT */
/* server/http/exchange.h - one request and its answer, between a channel and the routes'
 * functions.
 *
 * Made when a request is complete, or its head is refused: finds the route, checks the key, calls
 * the route; freed when the answer is complete or the client left. An answer is either whole
 * (exchange_reply, exchange_problem) or an event stream. Logs and counts each. One loop. */
#ifndef SERVER_HTTP_EXCHANGE_H
#define SERVER_HTTP_EXCHANGE_H

#include "core/base/arena.h"
#include "server/auth/auth.h"
#include "server/http/conn.h"
#include "server/http/encoder.h"
#include "core/loop/inbox.h"
#include "server/observe/meters.h"
#include "server/http/problem.h"
#include "server/http/route.h"
#include "server/language/language.h"
#include "server/observe/tracing.h"

struct shard;

enum { EXCHANGE_ID_BYTES = 64, EXCHANGE_NAME_BYTES = 128 };

/* All exchanges of one loop: whose connections they come from, and what they are checked against
 * and counted in. Filled before the first connection, except for auth, which may change. */
struct exchange_site {
    struct channel_site
        conns; /* owned; its owner is this site, its hooks but on_closed those below */
    const struct route_table *routes;
    struct auth *auth;
    const char *cors_origins; /* pages of these may read answers, separated by commas; "": none */
    bool is_for_operators;    /* only routes for operators are there */
    enum language language;   /* of readers who name none */
    const struct meters *meters;
    struct metrics *metrics;
    struct inbox *inbox;                /* for connections from other sites */
    struct exchange_site *const *peers; /* of all loops, this one among them */
    struct shard *shard;                /* what the routes' functions answer from */
    bool is_closed;                     /* connections that arrive from peers are closed */
};

struct exchange {
    struct exchange_site *site;
    struct shard *shard; /* the site's */
    struct channel *channel;
    const struct http_request *request;
    struct route_match match;
    struct auth_grant grant; /* what the caller may */
    struct arena arena;      /* for decoding; lives as long as the exchange */
    char request_id[EXCHANGE_ID_BYTES + 1];
    enum language language; /* of whoever reads the answer: as Accept-Language, or the body, says */
    struct encoder *encoder; /* what the answer looks like, in the arena; NULL: the native one */
    char traceparent[TRACE_PARENT_BYTES + 1]; /* of the run it began; "": none */
    /* Ids of the run that the exchange is about, for the log, where they fit; "": none. */
    char run_id[EXCHANGE_ID_BYTES + 1], conversation_id[EXCHANGE_NAME_BYTES + 1];
    /* Who answers later, written by exchange_wait alone: on_drained tells client that there is room
     * again, on_gone that the peer left (the exchange is freed after that). NULL: nobody. */
    void *client;
    void (*on_drained)(void *client);
    void (*on_gone)(void *client);
    /* private */
    uint64_t began_ns, bytes_before, first_byte_ns;
    uint64_t event_count, events_ms; /* events of the stream; when the last one came */
    uint64_t first_token_ns;         /* when the stream's first token came; 0: none yet */
    enum meters_end end;             /* how the stream ended if it ended now */
    int status;
    bool streams;
    struct buf words; /* of the event that was told last */
    struct event told;
};

/* The hooks of a site's channels; owner is the exchange_site. */
void exchange_on_request(struct channel *channel, void *owner);
bool exchange_on_head(struct channel *channel, void *owner);
void exchange_on_refused(struct channel *channel, int status, const struct err *err, void *owner);
void exchange_on_drained(struct channel *channel, void *owner);
void exchange_on_gone(struct channel *channel, void *owner);

/* Have the answer of exchange name the run's place in a trace, where there is one. */
void exchange_trace(struct exchange *exchange, const struct tracing_run *run);

/* Note that exchange is about a run of this conversation ("": of none): its line in the log says
 * so. */
void exchange_about(struct exchange *exchange, struct str run_id, struct str conversation_id);

/* Whether the caller may see what is for operators: it showed a key with the scope admin, or, where
 * no key is configured, it calls from this machine. */
bool exchange_is_by_operator(struct exchange *exchange);

/* Answer with a whole body of type and end. */
void exchange_reply(struct exchange *exchange, int status, const char *type, struct str body);
/* exchange_reply with what body holds, which is freed; a body that is not whole (buf_ok) becomes a
 * problem. exchange_reply_json: the type is "application/json". */
void exchange_reply_buf(struct exchange *exchange, int status, const char *type, struct buf *body);
void exchange_reply_json(struct exchange *exchange, int status, struct buf *body);
/* exchange_reply about a run, its id as X-Run-Id. is_busy: with Retry-After; other failures tell
 * clients that try again by themselves not to, since the work was done once. */
void exchange_reply_run(struct exchange *exchange, int status, struct str body, const char *run_id,
                        bool is_busy);
/* exchange_reply with head, header lines of ours with their CRLF, in place of Content-Type and
 * Cache-Control. A 304 goes without the body. */
void exchange_reply_with(struct exchange *exchange, int status, struct str head, struct str body);
void exchange_problem(struct exchange *exchange, const struct problem *problem);
/* exchange_fail for an error of the store: what it says of itself (its address, its files) is
 * logged, and the caller is told that the store is unavailable. Other errors are told as they are.
 */
void exchange_fail_stored(struct exchange *exchange, const struct err *err);
/* Answer with the problem that err is: its code's status, overload with Retry-After. */
void exchange_fail(struct exchange *exchange, const struct err *err);
/* exchange_fail, with retry_s seconds as Retry-After of an overload. */
void exchange_fail_later(struct exchange *exchange, const struct err *err, unsigned retry_s);

/* Begin an event stream, with the encoder's headers: the head leaves with the first frames. */
void exchange_stream(struct exchange *exchange, struct str run_id);
/* Append frames between exchange_frames_begin and exchange_frames_end, which sends them; mark: what
 * begin returned. */
size_t exchange_frames_begin(struct exchange *exchange);
void exchange_frames_end(struct exchange *exchange, size_t mark);
/* event in the exchange's language, for its encoder; as long as event, and until the next call. */
const struct event *exchange_tell(struct exchange *exchange, const struct event *event);
/* message, of an error of that code, in the exchange's language; as long as message, and until the
 * next call of either. */
const char *exchange_tell_error(struct exchange *exchange, const char *code, const char *message);
/* Note that event is among the frames: the first token is timed, the terminal event is how the
 * stream ends. */
void exchange_note(struct exchange *exchange, const struct event *event);
/* Note that count events were among the frames; count > 0. */
void exchange_count_events(struct exchange *exchange, uint64_t count);
/* The stream is complete, or was given up when no terminal event was noted; frees the exchange. */
void exchange_stream_end(struct exchange *exchange);

/* Begin an answer of unknown length: head as in exchange_reply_with. Its bytes are appended to the
 * channel's output between exchange_frames_begin and exchange_frames_end. */
void exchange_pieces(struct exchange *exchange, struct str head);
/* The answer is complete; frees the exchange. */
void exchange_pieces_end(struct exchange *exchange);
/* End in the middle of an answer, so that its client sees that it is not whole; frees the exchange.
 */
void exchange_cut(struct exchange *exchange);

/* Give the channel to the site's peer of that index, where the request begins anew; frees the
 * exchange. */
void exchange_hand_over(struct exchange *exchange, size_t peer);

#endif
