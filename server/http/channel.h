/* SPDX-License-Identifier: MIT */
/* server/http/channel.h - what a request came by and its answer goes by.
 *
 * One vtable a kind: an HTTP/1 connection, a stream of an HTTP/2 one, or such a stream of another
 * worker. Who answers (exchange, and who writes events into it) knows channels only. An answer is
 * begin_head, header lines, end_head, body, done, all appended to out; flush sends what is there.
 * Backpressure: is_high says that the writer should stop, and the site's on_drained that it may go
 * on. No function calls back from inside. One loop; only a channel that left crosses to another. */
#ifndef SERVER_HTTP_CHANNEL_H
#define SERVER_HTTP_CHANNEL_H

#include "core/base/buf.h"
#include "proto/http_request.h"
#include "server/http/peer.h"

struct channel_kind;
struct channel_site;
struct inbox;

struct channel { /* embedded in each kind's own */
    const struct channel_kind *kind;
    const struct http_request *request; /* lives until done, abort or on_gone */
    const struct peer *peer;
    struct buf *out; /* where the answer is appended */
    void *user;      /* the caller's own object that answers the request */
    bool is_chunked; /* the body goes in chunks (RFC 9112, 7.1) */
    bool takes_file; /* the request's body may be as long as a file; said in on_head */
};

/* Called once, from inside channel_leave or later, with a channel that belongs to no loop. */
typedef void channel_left_fn(struct channel *channel, void *owner);

struct channel_kind {
    void (*begin_head)(struct channel *channel, int status);
    void (*end_head)(struct channel *channel, bool is_stream);
    void (*flush)(struct channel *channel);
    bool (*is_high)(struct channel *channel);
    uint64_t (*count)(const struct channel *channel);
    void (*turn_away)(struct channel *channel);
    void (*done)(struct channel *channel);
    void (*abort)(struct channel *channel);
    void (*take_body)(struct channel *channel, struct buf *body);
    bool (*leave)(struct channel *channel, struct inbox *to, channel_left_fn *on_left, void *owner);
    enum err_code (*arrive)(struct channel *channel, struct channel_site *site);
    void (*discard)(struct channel *channel);
};

/* Begin the answer; header lines "Name: value", CR, LF are appended to out then. */
static inline void channel_begin_head(struct channel *channel, int status)
{
    channel->kind->begin_head(channel, status);
}

/* The head is complete. is_stream: the body has no length, and will take long: a client that
 * closes its side has left. */
static inline void channel_end_head(struct channel *channel, bool is_stream)
{
    channel->kind->end_head(channel, is_stream);
}

/* Send what is in out, as far as the client takes it. */
static inline void channel_flush(struct channel *channel)
{
    channel->kind->flush(channel);
}

/* Whether the writer of a stream should stop; if so, on_drained comes. */
static inline bool channel_is_high(struct channel *channel)
{
    return channel->kind->is_high(channel);
}

/* Bytes sent, or about to be, since the channel exists. */
static inline uint64_t channel_count(const struct channel *channel)
{
    return channel->kind->count(channel);
}

/* From on_head only: answer the request without its body. */
static inline void channel_turn_away(struct channel *channel)
{
    channel->kind->turn_away(channel);
}

/* The answer is complete in out. The channel and its request are not the caller's any more. */
static inline void channel_done(struct channel *channel)
{
    channel->kind->done(channel);
}

/* End without completing the answer: the client sees a cut. on_gone does not come. The channel and
 * its request are not the caller's any more. */
static inline void channel_abort(struct channel *channel)
{
    channel->kind->abort(channel);
}

/* Move the request's body into body, without a copy: it is the caller's from here on, and counted
 * here no more. */
static inline void channel_take_body(struct channel *channel, struct buf *body)
{
    channel->kind->take_body(channel, body);
}

/* Give a channel away, to the loop of inbox to, whose request is complete and whose answer is not
 * begun. False: it cannot be given away, answer its request here. */
MUST_USE static inline bool channel_leave(struct channel *channel, struct inbox *to,
                                          channel_left_fn *on_left, void *owner)
{
    return channel->kind->leave(channel, to, on_left, owner);
}

/* Take a channel that left another loop into site: on_request is called from inside.
 * ERR_UNAVAILABLE: the channel is gone. */
MUST_USE static inline enum err_code channel_arrive(struct channel *channel,
                                                    struct channel_site *site)
{
    return channel->kind->arrive(channel, site);
}

/* Close a channel that left its loop and that nobody can take. */
static inline void channel_discard(struct channel *channel)
{
    channel->kind->discard(channel);
}

#endif
