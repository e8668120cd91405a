/* SPDX-License-Identifier: MIT */
/* backends/http/http_client_deadline.h - which of a call's four deadlines comes next, or has
 * passed.
 *
 * Pure arithmetic on milliseconds of one clock; the timer is http_client's. A limit of 0 is none.
 * Private to http_client. */
#ifndef BACKENDS_HTTP_HTTP_CLIENT_DEADLINE_H
#define BACKENDS_HTTP_HTTP_CLIENT_DEADLINE_H

#include "core/base/err.h"

struct http_client_deadline {
    uint64_t connect_ms, first_byte_ms, idle_ms, total_ms; /* limits */
    uint64_t started_ms, waiting_ms; /* waiting_ms: the first byte is awaited from then on */
    uint64_t last_byte_ms;           /* once has_begun */
    bool is_connected, has_begun;
};

/* When to look again; UINT64_MAX: never. */
uint64_t http_client_deadline_next(const struct http_client_deadline *deadline);
/* Set err to ERR_TIMEOUT and say which passed; ERR_OK: none has. */
enum err_code http_client_deadline_check(const struct http_client_deadline *deadline,
                                         uint64_t now_ms, struct err *err);

#endif
