/* SPDX-License-Identifier: MIT */
/* server/http/http2_session_relay.c - a stream whose request another worker answers.
 *
 * A stream cannot leave its connection, so its request goes, and the answer comes back in parcels.
 * The relay is a channel on the other loop. Happy path: what was written goes into the parcel,
 * which is sent home, to the stream's loop; home appends it to the stream and sends the parcel back
 * when the stream has room; what was written meanwhile goes next, and the last parcel stays at
 * home. Memory is counted: by the side that answers, by the stream, and by each message on its way;
 * the last of them frees it. So no message is sent to a worker that may be gone: one that answers
 * waits for its relays, and home sends nothing once it has said that the stream is gone. Failure
 * paths: the stream is gone: home says so; on_gone. The other worker takes nothing any more: the
 * relay is discarded, the stream reset. */
#include <stdatomic.h>

#include "core/base/mem.h"
#include "core/loop/inbox.h"
#include "server/http/http2_session_internal.h"

struct http2_relay {
    struct channel channel;
    struct http2_head head;
    struct buf body, out;
    struct peer peer;
    struct channel_site *site;   /* of the other loop, once it is there */
    struct inbox *home, *there;  /* the stream's loop; the one that answers */
    struct http2_stream *stream; /* home's; NULL: gone, or its answer is complete */
    struct inbox_message gone;
    atomic_int refs;
    atomic_bool is_gone; /* home has said so */
    uint64_t sent;
    size_t counted; /* of the body, in site's body_bytes */
    int status;
    size_t head_len;
    bool is_headed, is_told;   /* header lines are complete; were sent */
    bool is_away, is_high;     /* the parcel is not here */
    bool is_ended, is_cut_off; /* the answer is complete, or given up */
    bool is_over;              /* and there is nothing left to send */
    bool is_held;              /* home's: it has the parcel */
    struct http2_parcel {
        struct inbox_message message;
        struct buf bytes;
        int status; /* of a head, header lines first in bytes; 0: none */
        size_t head_len;
        bool is_last, is_cut;
    } parcel;
};

static const struct channel_kind relay_kind;

static struct http2_relay *relay_of(const struct channel *channel)
{
    return container_of((struct channel *)(uintptr_t)channel, struct http2_relay, channel);
}

static void ref(struct http2_relay *relay)
{
    atomic_fetch_add(&relay->refs, 1);
}

static void unref(struct http2_relay *relay)
{
    if (atomic_fetch_sub(&relay->refs, 1) > 1)
        return;
    http2_head_fini(&relay->head);
    buf_fini(&relay->body);
    buf_fini(&relay->out);
    buf_fini(&relay->parcel.bytes);
    mem_free(relay);
}

/* ---- the other loop ---- */

static void open_at_home(struct inbox_message *message, void *receiver);

/* Nothing more is sent from here. */
static void end_here(struct http2_relay *relay)
{
    struct channel_site *site = relay->site;
    relay->is_over = true;
    if (site != NULL) {
        site->body_bytes -= relay->counted;
        site->stream_count--;
        site->on_closed(site->owner);
    }
    unref(relay);
}

static void send_parcel(struct http2_relay *relay)
{
    struct http2_parcel *parcel = &relay->parcel;
    struct buf spare = parcel->bytes;
    if (relay->is_away)
        return;
    relay->is_away = true;
    relay->sent += buf_len(&relay->out);
    parcel->bytes = relay->out;
    relay->out = spare;
    buf_clear(&relay->out);
    parcel->status = relay->is_headed && !relay->is_told ? relay->status : 0;
    parcel->head_len = relay->head_len;
    relay->is_told |= relay->is_headed;
    parcel->is_last = relay->is_ended;
    parcel->is_cut = relay->is_cut_off || !buf_ok(&parcel->bytes);
    ref(relay);
    inbox_send(relay->home, &parcel->message, open_at_home);
    if (relay->is_ended)
        end_here(relay);
}

static void open_returned(struct inbox_message *message, void *receiver)
{
    struct http2_relay *relay = container_of(message, struct http2_relay, parcel.message);
    (void)receiver;
    relay->is_away = false;
    if (!relay->is_over) {
        bool was_high = relay->is_high && !relay->is_ended;
        relay->is_high = false;
        if (buf_len(&relay->out) > 0 || relay->is_ended)
            send_parcel(relay);
        if (was_high)
            relay->site->on_drained(&relay->channel, relay->site->owner);
    }
    unref(relay);
}

static void open_gone(struct inbox_message *message, void *receiver)
{
    struct http2_relay *relay = container_of(message, struct http2_relay, gone);
    bool was_ended = relay->is_ended;
    (void)receiver;
    if (!relay->is_over) {
        relay->is_ended = true;
        if (!was_ended)
            relay->site->on_gone(&relay->channel, relay->site->owner);
        end_here(relay);
    }
    unref(relay);
}

static void begin_head(struct channel *channel, int status)
{
    relay_of(channel)->status = status;
}

static void end_head(struct channel *channel, bool is_stream)
{
    struct http2_relay *relay = relay_of(channel);
    (void)is_stream;
    relay->head_len = buf_len(channel->out);
    relay->is_headed = true;
}

static void flush(struct channel *channel)
{
    struct http2_relay *relay = relay_of(channel);
    if (!relay->is_ended && (buf_len(&relay->out) > 0 || !buf_ok(&relay->out)))
        send_parcel(relay);
}

static bool is_high(struct channel *channel)
{
    struct http2_relay *relay = relay_of(channel);
    if (!relay->is_away || buf_len(&relay->out) < relay->site->limits.high_bytes)
        return false;
    relay->is_high = true;
    return true;
}

static uint64_t count(const struct channel *channel)
{
    const struct http2_relay *relay = relay_of(channel);
    return relay->sent + buf_len(&relay->out);
}

static void turn_away(struct channel *channel)
{
    (void)channel; /* its head was judged at home */
    CHECK(false);
}

static void done(struct channel *channel)
{
    struct http2_relay *relay = relay_of(channel);
    channel->user = NULL;
    if (relay->is_ended)
        return;
    relay->is_ended = true;
    send_parcel(relay); /* if it is away: when it is back */
}

static void cut_off(struct channel *channel)
{
    relay_of(channel)->is_cut_off = true;
    done(channel);
}

static bool leave(struct channel *channel, struct inbox *to, channel_left_fn *on_left, void *owner)
{
    (void)channel; /* a request moves once: the worker that it went to is its run's */
    (void)to;
    (void)on_left;
    (void)owner;
    return false;
}

static enum err_code arrive(struct channel *channel, struct channel_site *site)
{
    struct http2_relay *relay = relay_of(channel);
    relay->site = site;
    site->stream_count++;
    relay->counted = relay->body.cap;
    site->body_bytes += relay->counted;
    site->on_request(channel, site->owner);
    return ERR_OK;
}

static void discard(struct channel *channel)
{
    struct http2_relay *relay = relay_of(channel);
    relay->is_ended = relay->is_cut_off = true;
    if (atomic_load(&relay->is_gone))
        end_here(relay);
    else
        send_parcel(relay);
}

static void take_body(struct channel *channel, struct buf *body)
{
    struct http2_relay *relay = relay_of(channel);
    *body = relay->body;
    buf_init(&relay->body, 0);
    relay->head.request.body = STR("");
    relay->site->body_bytes -= relay->counted;
    relay->counted = 0;
}

static const struct channel_kind relay_kind = {
    .begin_head = begin_head,
    .end_head = end_head,
    .flush = flush,
    .is_high = is_high,
    .count = count,
    .turn_away = turn_away,
    .done = done,
    .abort = cut_off,
    .take_body = take_body,
    .leave = leave,
    .arrive = arrive,
    .discard = discard,
};

/* ---- at home ---- */

static void send_back(struct http2_relay *relay)
{
    relay->is_held = false;
    inbox_send(relay->there, &relay->parcel.message, open_returned);
}

static void open_at_home(struct inbox_message *message, void *receiver)
{
    struct http2_relay *relay = container_of(message, struct http2_relay, parcel.message);
    struct http2_stream *stream = relay->stream;
    const struct http2_parcel *parcel = &relay->parcel;
    const struct http2_answer answer = {parcel->status, parcel->head_len, buf_str(&parcel->bytes),
                                        parcel->is_last, parcel->is_cut};
    (void)receiver;
    if (stream == NULL) {
        unref(relay);
        return;
    }
    if (parcel->is_last) {
        stream->relay = NULL;
        relay->stream = NULL;
        http2_session_stream_take(stream, &answer);
        unref(relay); /* the stream's */
        unref(relay); /* the parcel's */
        return;
    }
    ref(relay); /* the stream may end */
    relay->is_held = true;
    http2_session_stream_take(stream, &answer);
    if (relay->is_held && !stream->is_high)
        send_back(relay);
    unref(relay);
}

void http2_session_relay_go(struct http2_relay *relay)
{
    if (relay->is_held)
        send_back(relay);
}

void http2_session_relay_gone(struct http2_relay *relay)
{
    const bool is_held = relay->is_held;
    relay->stream = NULL;
    relay->is_held = false;
    atomic_store(&relay->is_gone, true);
    ref(relay);
    inbox_send(relay->there, &relay->gone, open_gone);
    if (is_held)
        unref(relay); /* the parcel's */
    unref(relay);     /* the stream's */
}

struct channel *http2_session_relay_open(struct http2_stream *stream, struct inbox *to)
{
    const struct channel_site *site = stream->session->options.site;
    struct http2_relay *relay = site->inbox == NULL ? NULL : mem_zalloc(1, sizeof *relay);
    if (relay == NULL)
        return NULL;
    relay->head = stream->head;
    relay->body = stream->body;
    buf_init(&relay->out, site->limits.limit_bytes);
    buf_init(&relay->parcel.bytes, site->limits.limit_bytes);
    relay->peer = *stream->channel.peer;
    relay->home = site->inbox;
    relay->there = to;
    relay->stream = stream;
    atomic_init(&relay->refs, 2); /* the stream's, and that of the side that answers */
    relay->channel = (struct channel){.kind = &relay_kind,
                                      .request = &relay->head.request,
                                      .peer = &relay->peer,
                                      .out = &relay->out};
    http2_head_init(&stream->head, &site->limits.http);
    buf_init(&stream->body, site->limits.http.body_bytes);
    stream->relay = relay;
    return &relay->channel;
}
