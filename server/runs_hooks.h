/* SPDX-License-Identifier: MIT */
/* server/runs_hooks.h - what run_keepers call; the owner of a run is its entry. */
#ifndef SERVER_RUNS_HOOKS_H
#define SERVER_RUNS_HOOKS_H

#include "server/runs.h"

/* The hooks of run_keepers: cancel the run of this owner, and forget what was said; end it here
 * only, since another goes on with it: who reads it is sent there; hold it while that may be. */
void runs_stop_run(void *run_owner, bool forget);
void runs_lose_run(void *run_owner);
void runs_doubt_run(void *run_owner, bool doubts);

#endif
