/* SPDX-License-Identifier: MIT */
/* core/store/store_job_asks.h - what a store is asked about jobs, as core/store/store_asks.h.
 *
 * A job that is due is one server's for a lease: who takes it moves its due time on, so that
 * another takes it when the first one is gone. Every change is judged by the version that its maker
 * knew: of two, one is refused. */
#ifndef CORE_STORE_STORE_JOB_ASKS_H
#define CORE_STORE_STORE_JOB_ASKS_H

#include "core/store/store_records.h"

/* Put a job; with expected_version 0 a new one. What it holds is replaced, but for whose it is, its
 * id and when it began. -> jobs[0], as stored. ERR_CONFLICT: its version is another by now, or a
 * new one's id is there; ERR_NOT_FOUND: it is gone, or somebody else's; ERR_BUSY: the user has most
 * of the kind already (most 0: any number). */
struct store_put {
    struct store_job job;
    uint64_t expected_version, most;
};
/* Take the job of the kind that is due for longest; it is due again in lease_ms. -> jobs[0], as
 * stored then. ERR_NOT_FOUND: none is due. */
struct store_take {
    struct str kind;
    uint64_t lease_ms;
};
/* -> jobs of the kind that fit key and id (empty texts fit any), last begun first. */
struct store_jobs {
    struct identity key;
    struct str kind, job_id;
    uint64_t limit;
};
/* Remove a job. ERR_NOT_FOUND: none of this id fits key; ERR_CONFLICT: its version is not
 * expected_version (0: any). */
struct store_drop {
    struct identity key;
    struct str kind, job_id;
    uint64_t expected_version;
};

#endif
