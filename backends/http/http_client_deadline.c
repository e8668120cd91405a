/* SPDX-License-Identifier: MIT */
/* backends/http/http_client_deadline.c - four limits, each with the time it counts from.
 *
 * Connecting and the total count from the start, the first byte from the start or from when the
 * server was last known to be at work, silence from the last byte. Sums cannot overflow: limits are
 * configuration, checked to be days at most. */
#include "backends/http/http_client_deadline.h"

#include <inttypes.h>

enum { LIMITS = 4 };

struct limit {
    uint64_t from_ms, limit_ms;
    bool applies;
    const char *what;
};

static void list_limits(const struct http_client_deadline *deadline, struct limit limits[LIMITS])
{
    uint64_t started_ms = deadline->started_ms;
    limits[0] = (struct limit){started_ms, deadline->total_ms, true, "the answer was not complete"};
    limits[1] = (struct limit){started_ms, deadline->connect_ms, !deadline->is_connected,
                               "there was no connection"};
    limits[2] = (struct limit){deadline->waiting_ms, deadline->first_byte_ms, !deadline->has_begun,
                               "there was no answer"};
    limits[3] = (struct limit){deadline->last_byte_ms, deadline->idle_ms, deadline->has_begun,
                               "nothing more came of the answer"};
}

uint64_t http_client_deadline_next(const struct http_client_deadline *deadline)
{
    struct limit limits[LIMITS];
    uint64_t next_ms = UINT64_MAX;
    list_limits(deadline, limits);
    for (size_t i = 0; i < LIMITS; i++) {
        uint64_t due_ms = limits[i].from_ms + limits[i].limit_ms;
        if (limits[i].applies && limits[i].limit_ms != 0 && due_ms < next_ms)
            next_ms = due_ms;
    }
    return next_ms;
}

enum err_code http_client_deadline_check(const struct http_client_deadline *deadline,
                                         uint64_t now_ms, struct err *err)
{
    struct limit limits[LIMITS];
    list_limits(deadline, limits);
    for (size_t i = 0; i < LIMITS; i++)
        if (limits[i].applies && limits[i].limit_ms != 0 &&
            now_ms >= limits[i].from_ms + limits[i].limit_ms)
            return err_set(err, ERR_TIMEOUT, "%s after %" PRIu64 " ms", limits[i].what,
                           limits[i].limit_ms);
    return ERR_OK;
}
