/* SPDX-License-Identifier: MIT */
/* backends/models/llm_steady.h - an llm around an llm: retries with backoff and jitter,
 * Retry-After, a circuit breaker, a fallback llm, a bound on calls in flight. A call is never tried
 * again after one of its tokens was relayed. */
#ifndef BACKENDS_MODELS_LLM_STEADY_H
#define BACKENDS_MODELS_LLM_STEADY_H

#include "backends/llm.h"
#include "core/base/log.h"
#include "core/loop/gate.h"

struct llm_steady_options {
    unsigned max_attempts;            /* 0: 3 */
    uint64_t base_ms, cap_ms;         /* full jitter: random(0, min(cap, base * 2^n)) */
    uint64_t total_ms;                /* deadline of a call when the prompt names none */
    unsigned breaker_failures;        /* so many in a row open the breaker; 0: none */
    uint64_t breaker_open_ms;         /* after this time one probe is let through */
    struct llm *fallback;             /* after the last attempt or an open breaker; or NULL */
    uint64_t fallback_ms;             /* least time of the fallback, past the call's deadline too */
    size_t max_in_flight, max_queued; /* 0: no bound */
    size_t company_in_flight;         /* of one company; 0: no bound but the other */
    const struct log *log;            /* borrowed */
};

/* Takes over inner and fallback: closing it closes them. NULL: no memory (both stay the caller's).
 */
struct llm *llm_steady_create(struct loop *loop, struct llm *inner,
                              const struct llm_steady_options *options);

#endif
