/* SPDX-License-Identifier: MIT */
/* backends/pool/strikes.h - callers whose statements ran into their deadline again and again, and
 * who therefore wait a while.
 *
 * A caller is a user of a company. STRIKES_MOST late statements within STRIKES_WINDOW_MS close the
 * database to that caller for STRIKES_PAUSE_MS, and to nobody else. Callers without a name are
 * never closed out: they would be everybody. Remembers the STRIKES_CALLERS latest; zeroed before
 * use. One thread; no allocation. */
#ifndef BACKENDS_POOL_STRIKES_H
#define BACKENDS_POOL_STRIKES_H

#include "core/base/identity.h"

enum { STRIKES_CALLERS = 64, STRIKES_NAME_BYTES = 96 };
enum { STRIKES_MOST = 5, STRIKES_WINDOW_MS = 60000, STRIKES_PAUSE_MS = 30000 };

struct strikes {
    /* private */
    struct strikes_caller {
        char company[STRIKES_NAME_BYTES], user[STRIKES_NAME_BYTES]; /* as much as fits */
        size_t company_bytes, user_bytes;                           /* 0, 0: free */
        unsigned count;
        uint64_t first_ms, last_ms, closed_until_ms;
    } callers[STRIKES_CALLERS];
};

/* One more statement of caller was late. */
void strikes_add(struct strikes *strikes, const struct identity *caller, uint64_t now_ms);
/* Whether a statement of caller was late within the last STRIKES_WINDOW_MS. */
bool strikes_was_late(const struct strikes *strikes, const struct identity *caller,
                      uint64_t now_ms);
/* How long caller still has to wait; 0: not at all. */
uint64_t strikes_wait_ms(const struct strikes *strikes, const struct identity *caller,
                         uint64_t now_ms);

#endif
