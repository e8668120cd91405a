/* SPDX-License-Identifier: MIT */
/* server/config/run_limits.h - the memory and time that one run may take.
 *
 * One place for the runs of the server, those of `askd ask`, and stored runs that are restored only
 * to be shown. All runs together are bounded by ASKD_MAX_RUNS and ASKD_MEMORY_LIMIT. Any thread. */
#ifndef SERVER_CONFIG_RUN_LIMITS_H
#define SERVER_CONFIG_RUN_LIMITS_H

#include "core/run/run.h"
#include "server/config/config.h"

enum {
    RUN_LIMITS_ARENA_BYTES = 64 * 1024 * 1024, /* a schema of thousands of tables, twice over */
    RUN_LIMITS_LOG_BYTES = 32 * 1024 * 1024,   /* events until their readers or the store have them:
                                                  five times the largest answer */
    RUN_LIMITS_MEMBERS_BYTES = CONFIG_ROWS_BYTES + 768 * 1024, /* JSON members of the last event:
                                                  what stands beside the rows finds room */
    RUN_LIMITS_KEY_MS = 600 * 1000 /* an Idempotency-Key finds its run so long after the end:
                                      clients try again for minutes, not for hours */
};

/* The limits of a run that answers a question. */
static inline struct run_limits run_limits_of(const struct config *config)
{
    return (struct run_limits){.arena_bytes = RUN_LIMITS_ARENA_BYTES,
                               .log_bytes = RUN_LIMITS_LOG_BYTES,
                               .members_bytes = RUN_LIMITS_MEMBERS_BYTES,
                               .deadline_ms = config->run_ms};
}

#endif
