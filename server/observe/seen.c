/* SPDX-License-Identifier: MIT */
/* server/observe/seen.c - two times and a code for each backend.
 *
 * Failure: none. Of two workers that note at once either is the last. */
#include "server/observe/seen.h"

static bool is_answer(enum seen_backend backend, enum err_code code)
{
    switch (code) {
    case ERR_OK:
        return true;
    case ERR_INVALID:
    case ERR_REJECTED:
    case ERR_NOT_FOUND:
    case ERR_CONFLICT:
    case ERR_GONE:
    case ERR_TOO_LARGE:
        return backend == SEEN_DATABASE || backend == SEEN_CONVERSATIONS;
    default:
        return false;
    }
}

void seen_note(struct seen *seen, enum seen_backend backend, uint64_t now_ms, enum err_code code)
{
    struct seen_times *at = &seen->at[backend];
    if (is_answer(backend, code)) {
        atomic_store_explicit(&at->answered_ms, now_ms, memory_order_relaxed);
    } else if (code != ERR_CANCELLED) {
        atomic_store_explicit(&at->failure, (int)code, memory_order_relaxed);
        atomic_store_explicit(&at->failed_ms, now_ms, memory_order_relaxed);
    }
}

struct seen_ends seen_look(const struct seen *seen, enum seen_backend backend)
{
    const struct seen_times *at = &seen->at[backend];
    return (struct seen_ends){
        .answered_ms = atomic_load_explicit(&at->answered_ms, memory_order_relaxed),
        .failed_ms = atomic_load_explicit(&at->failed_ms, memory_order_relaxed),
        .failure = (enum err_code)atomic_load_explicit(&at->failure, memory_order_relaxed),
    };
}
