/* SPDX-License-Identifier: MIT */
/* server/streams/invocation.h - one JSON answer to a run: waits for its end. */
#ifndef SERVER_STREAMS_INVOCATION_H
#define SERVER_STREAMS_INVOCATION_H

#include "server/http/exchange.h"
#include "server/runs/runs.h"

/* Answer exchange when entry has ended. ERR_NO_MEMORY: exchange is still the caller's. */
MUST_USE enum err_code invocation_start(struct exchange *exchange, struct runs_entry *entry,
                                        struct err *err);
/* The answer of an ended run: the graph's own, or every slot by name with error, ids and stats. */
void invocation_write(const struct registry_entry *registry, struct run *run, struct buf *out);
struct invocation_end {
    const struct state *state;
    bool failed;
    struct str code, message; /* when it failed: why */
    struct str members;       /* JSON: ids, route, stats */
};
/* The answer of an ended run that is not in this server's memory. */
void invocation_write_state(const struct registry_entry *registry, const struct invocation_end *end,
                            struct buf *out);
/* Have the JSON of an answer in out say what is the program's in language; code and message of a
 * run that failed; message absent: it did not. */
void invocation_say(enum language language, struct str code, struct str message, struct buf *out);

#endif
