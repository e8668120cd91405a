/* SPDX-License-Identifier: MIT */
/* server/http/encoder.h - how one kind of client is answered: what a run says -> its bytes.
 *
 * One vtable a kind of client. A route's function makes an encoder in its exchange's arena before
 * anything is answered and puts it into exchange->encoder; sse_stream, replay_stream and invocation
 * drive it and know nothing of what it writes. Pure: state and bytes, no sockets, no waiting; one
 * loop. Rejoining: events the client has had already go through event, too, and what that wrote is
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
    /* The head is out: called once, before event, heartbeat and error; run_id stays put. */
    void (*begin)(struct encoder *encoder, struct str run_id, struct buf *out);
    /* One event of the run: all come in order, the terminal one last. */
    void (*event)(struct encoder *encoder, const struct event *event, struct buf *out);
    void (*heartbeat)(struct buf *out);
    /* Instead of the terminal event: the stream ends for a reason of its own, and asking or
     * rejoining again may help. */
    void (*error)(struct encoder *encoder, const char *code, const char *message, struct buf *out);
    /* After the terminal event or error. NULL: nothing follows them. */
    void (*finish)(struct encoder *encoder, struct buf *out);
    /* Write one JSON instead of a stream, for a run that is over, and return its status. NULL: this
     * kind only streams. */
    int (*answer)(struct encoder *encoder, struct runs_entry *entry, struct buf *out);
    /* Write the body of a refusal before there is a run, in this protocol, and return its status.
     * NULL: as the route says. */
    int (*refuse)(struct encoder *encoder, const struct problem *problem, struct buf *out);
    /* To go on in the middle of a run the encoder must have seen all events from the first one, not
     * just the last. */
    bool needs_all;
};

/* The exchange's encoder, made the native one if there is none yet. NULL: no memory. */
struct encoder *encoder_of(struct exchange *exchange);

#endif
