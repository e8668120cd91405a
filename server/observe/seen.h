/* SPDX-License-Identifier: MIT */
/* server/observe/seen.h - when each backend last answered, when it last did not, and how.
 *
 * Readiness guesses what the next call would come to; this is what calls came to. Shared by all
 * workers: each notes its own calls, anybody reads. Times are wall-clock milliseconds since 1970.
 */
#ifndef SERVER_OBSERVE_SEEN_H
#define SERVER_OBSERVE_SEEN_H

#include <stdatomic.h>

#include "core/base/err.h"

enum seen_backend {
    SEEN_MODEL,
    SEEN_EMBEDDINGS,
    SEEN_VECTORS,
    SEEN_KEYWORDS,
    SEEN_RERANKER,
    SEEN_CONVERSATIONS,
    SEEN_DATABASE,
    SEEN_BACKENDS
};

struct seen { /* zeroed: nothing was asked yet */
    /* private */
    struct seen_times {
        _Atomic uint64_t answered_ms, failed_ms;
        _Atomic int failure; /* an err_code */
    } at[SEEN_BACKENDS];
};

/* How the last calls of a backend ended; 0: none ended so. */
struct seen_ends {
    uint64_t answered_ms, failed_ms;
    enum err_code failure;
};

/* Note that a call of the backend ended at now_ms with code. Of a database and of stores a refusal
 * is an answer: the request was wrong, and the backend is there. What is cancelled says nothing. */
void seen_note(struct seen *seen, enum seen_backend backend, uint64_t now_ms, enum err_code code);
struct seen_ends seen_look(const struct seen *seen, enum seen_backend backend);

#endif
