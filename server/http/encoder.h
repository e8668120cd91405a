/* SPDX-License-Identifier: MIT */
/* server/http/encoder.h - how one kind of client is answered: what a run says -> its bytes.
 *
 * One vtable a kind of client. A door makes an encoder in its exchange's arena before anything is
 * answered and puts it into exchange->encoder; sse_stream, replay_stream and invocation drive it
 * and know nothing of what it writes. Pure: state and bytes, no sockets, no waiting; one loop.
 * Rejoining: events the client has had already go through event, too, and what that wrote is
 * dropped, so an encoder needs no other way to know where it stands. */
#ifndef SERVER_HTTP_ENCODER_H
#define SERVER_HTTP_ENCODER_H

#include "core/base/buf.h"
#include "core/store/event.h"

struct encoder_kind;
struct exchange;
struct problem;
struct runs_entry;

struct encoder { /* the first member of each kind's own */
    const struct encoder_kind *kind;
};

struct encoder_kind {
    /* More header lines of a stream, with their CRLF; may be empty. */
    struct str headers;
    /* Header lines of a stream or a whole answer that depend on the run. NULL: none. */
    void (*head)(struct encoder *encoder, struct str run_id, struct buf *out);
    /* The head is out: once, before all else; run_id stays put. */
    void (*begin)(struct encoder *encoder, struct str run_id, struct buf *out);
    /* In order, the terminal one last. */
    void (*event)(struct encoder *encoder, const struct event *event, struct buf *out);
    void (*heartbeat)(struct buf *out);
    /* Instead of the terminal event: the stream ends for a reason of its own, and asking or
     * rejoining again may help. */
    void (*error)(struct encoder *encoder, const char *code, const char *message, struct buf *out);
    /* After the terminal event or error. NULL: nothing follows them. */
    void (*finish)(struct encoder *encoder, struct buf *out);
    /* One JSON instead of a stream, of a run that is over; the status that goes with it. NULL: this
     * kind only streams. */
    int (*answer)(struct encoder *encoder, struct runs_entry *entry, struct buf *out);
    /* What is refused before there is a run, in this protocol: the body, and its status. NULL: as
     * the route says. */
    int (*refuse)(struct encoder *encoder, const struct problem *problem, struct buf *out);
    /* To go on in the middle it must have seen all from the first event, not just the last. */
    bool needs_all;
};

/* The exchange's, made the native one if it has none yet. NULL: no memory. */
struct encoder *encoder_of(struct exchange *exchange);

#endif
