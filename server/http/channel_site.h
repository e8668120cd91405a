/* SPDX-License-Identifier: MIT */
/* server/http/channel_site.h - what all connections and channels of one loop share: their limits,
 * and who answers.
 *
 * Filled by their owner, opened and closed by conn_site_open and conn_site_close. One loop. */
#ifndef SERVER_HTTP_CHANNEL_SITE_H
#define SERVER_HTTP_CHANNEL_SITE_H

#include "core/base/err.h"
#include "core/base/log.h"
#include "core/loop/loop.h"
#include "server/http/channel.h"

enum { CONN_SCRATCH_BYTES = 64 * 1024 }; /* most that one read brings */

struct channel_limits {
    struct http_limits http; /* of bodies: those of files, which are the longest */
    size_t body_bytes;       /* of a body that is no file; 0: as of a file */
    uint64_t header_ms, body_ms, file_ms, idle_ms, write_ms;
    size_t high_bytes;   /* unsent output at which writers stop */
    size_t limit_bytes;  /* unsent output that breaks the connection */
    size_t bodies_bytes; /* memory of the bodies of all requests of the site; 0: no limit */
};

/* All connections of one loop and who answers them. owner is passed to every hook. Hooks are called
 * from the loop, on_request also from inside channel_arrive. */
struct channel_site {
    struct loop *loop;
    const struct log *log;
    struct channel_limits limits;
    struct inbox *inbox; /* for answers from other workers; NULL: there are none */
    void *owner;
    /* A request is complete: answer now or later, once. */
    void (*on_request)(struct channel *channel, void *owner);
    /* The head of a request is complete, and its body is not. Whether the body is wanted; if not,
     * channel_turn_away was called and the answer is written. */
    bool (*on_head)(struct channel *channel, void *owner);
    /* The bytes that came are no request we take: write the answer to them; channel_done closes
     * then. */
    void (*on_refused)(struct channel *channel, int status, const struct err *err, void *owner);
    /* After channel_is_high there is room again: writers may go on. */
    void (*on_drained)(struct channel *channel, void *owner);
    /* The client left before channel_done: drop what answers; the channel is closing. */
    void (*on_gone)(struct channel *channel, void *owner);
    /* Whether no place is left for another stream of a connection; NULL: there always is. */
    bool (*is_full)(void *owner);
    /* A connection's memory is freed: for counting places, and the end of a drain. */
    void (*on_closed)(void *owner);
    /* private */
    struct list conns;
    size_t body_bytes;          /* memory of bodies now */
    size_t shed_count;          /* connections told that the server is full, not closed yet */
    size_t count, stream_count; /* connections; streams of those of HTTP/2 */
    char *scratch;              /* what one read brings */
    bool draining;
};

#endif
