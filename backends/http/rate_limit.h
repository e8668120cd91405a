/* SPDX-License-Identifier: MIT */
/* backends/http/rate_limit.h - how long a server wants to be left alone, by the headers with which
 * it counts what a caller has left.
 *
 * x-ratelimit-remaining-requests and -reset-requests, the same of tokens and of nothing named,
 * anthropic-ratelimit-tokens-remaining and -reset, and what else is built so. Pure; private to
 * http_client. */
#ifndef BACKENDS_HTTP_RATE_LIMIT_H
#define BACKENDS_HTTP_RATE_LIMIT_H

#include "core/base/str.h"

enum { RATE_LIMIT_KINDS = 6 }; /* more kinds of one answer are not heard */

struct rate_limit {
    struct {
        uint64_t kind;     /* a hash of "requests", "tokens", ... */
        bool is_spent;     /* nothing remains */
        uint64_t reset_ms; /* until there is more; 0: not said */
    } kinds[RATE_LIMIT_KINDS];
    size_t count;
};

/* Take a header, whichever it is. wall_ms: now, for dates. */
void rate_limit_hear(struct rate_limit *limit, struct str name, struct str value, uint64_t wall_ms);
/* Milliseconds until all that is spent is there again; 0: nothing is spent, or it is not known. */
uint64_t rate_limit_pause_ms(const struct rate_limit *limit);

#endif
