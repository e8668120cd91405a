/* SPDX-License-Identifier: MIT */
/* server/process/descriptors.c - two for each connection, and some for everything else.
 *
 * Happy path: the limit is raised to what is needed. Failure: where it cannot be, the connections
 * are made fewer. */
#include "server/process/descriptors.h"

#include <inttypes.h>
#include <sys/resource.h>

enum {
    A_CONNECTION = 2, /* the client's, and one to the model */
    A_PROCESS = 64,   /* listening, logs, the stores' files, child processes */
    A_WORKER = 64,    /* its loop, its pools of connections to databases and stores */
};

/* The limit after as much of needed as the hard limit allows; RLIM_INFINITY: it is not known. */
static rlim_t raise_to(rlim_t needed)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return RLIM_INFINITY;
    struct rlimit raised = files;
    raised.rlim_cur = needed < files.rlim_max ? needed : files.rlim_max;
    if (raised.rlim_cur <= files.rlim_cur)
        return files.rlim_cur;
    return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : files.rlim_cur;
}

void descriptors_fit(struct config *config, const struct log *log)
{
    const rlim_t others = A_PROCESS + A_WORKER * (rlim_t)config->workers;
    const rlim_t limit = raise_to(others + A_CONNECTION * (rlim_t)config->max_connections);
    const rlim_t room = limit > others ? (limit - others) / A_CONNECTION : 0;
    if (room >= config->max_connections)
        return;
    LOG(log, INFO, "server.descriptors",
        "limit=%" PRIu64 " connections=%" PRIu64 " configured=%" PRIu64
        " why=\"each takes two descriptors; raise the hard limit (LimitNOFILE, ulimit -Hn), or "
        "lower ASKD_MAX_CONNECTIONS\"",
        (uint64_t)limit, (uint64_t)(room > 0 ? room : 1), config->max_connections);
    config->max_connections = room > 0 ? room : 1;
}
