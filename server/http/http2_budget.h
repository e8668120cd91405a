/* SPDX-License-Identifier: MIT */
/* server/http/http2_budget.h - how much of an HTTP/2 connection's frames may be no work.
 *
 * Two allowances, each with a burst, a rate, and what work earns. Frames that ask for nothing
 * (PING, SETTINGS, PRIORITY, WINDOW_UPDATE, CONTINUATION, empty DATA, unknown ones) cost one of the
 * first; data that we send, and requests, earn some. Streams that end by a reset, whoever sends it,
 * cost one of the second; answers that were read to their end earn some. So an honest client may
 * update windows and give up requests as it likes, and one that does nothing else is told to be
 * calm: rapid reset (CVE-2023-44487), floods of control frames (CVE-2019-9512, 9513, 9515, 9518)
 * and of continuations. Pure; the clock is the caller's. */
#ifndef SERVER_HTTP_HTTP2_BUDGET_H
#define SERVER_HTTP_HTTP2_BUDGET_H

#include "core/base/defs.h"

struct http2_budget {
    /* private */
    struct http2_allowance {
        uint64_t left, at_ms; /* in thousandths of a frame; until when the rate is paid out */
    } frames, resets;
};

void http2_budget_init(struct http2_budget *budget, uint64_t now_ms);
/* A frame came that is no work. False: there were too many. */
MUST_USE bool http2_budget_frame(struct http2_budget *budget, uint64_t now_ms);
/* A stream ended by a reset. False: there were too many. */
MUST_USE bool http2_budget_reset(struct http2_budget *budget, uint64_t now_ms);
/* A request came, or a frame of data was sent. */
void http2_budget_work(struct http2_budget *budget);
/* An answer was read to its end. */
void http2_budget_answer(struct http2_budget *budget);

#endif
