/* SPDX-License-Identifier: MIT */
/* core/loop/breaker.h - a circuit breaker: a server that failed again and again is left alone for a
 * while, and then asked once.
 *
 * Counts failures of weather (backoff_is_weather) in a row; so many open it. Open, it admits nobody
 * until open_ms have passed, then one probe, whose end closes it or opens it again. Other errors
 * say nothing about the server's health, and close it. One thread; no allocation. */
#ifndef CORE_LOOP_BREAKER_H
#define CORE_LOOP_BREAKER_H

#include "core/base/err.h"
#include "core/base/log.h"

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_PROBING };

struct breaker {            /* zeroed, but for: */
    unsigned most_failures; /* so many in a row open it; 0: it never opens */
    uint64_t open_ms;       /* after this time one probe is let through */
    const char *event;      /* "llm.breaker": how the log calls its moves */
    const struct log *log;  /* NULL: nothing is logged */
    /* private, but may be read */
    enum breaker_state state;
    unsigned failures; /* of weather, in a row */
    uint64_t probe_ms; /* open: when a probe may go */
};

/* Whether a call may go to the server now; *is_probe: it is the one that finds out. */
MUST_USE bool breaker_admits(struct breaker *breaker, uint64_t now_ms, bool *is_probe);
/* A call that was admitted has ended with code; is_probe as breaker_admits set it. A cancelled one
 * says nothing: the next call probes. */
void breaker_tell(struct breaker *breaker, uint64_t now_ms, enum err_code code, bool is_probe);

#endif
