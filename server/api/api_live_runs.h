/* SPDX-License-Identifier: MIT */
/* server/api/api_live_runs.h - runs that exist: list, rejoin a stream, cancel. */
#ifndef SERVER_API_API_LIVE_RUNS_H
#define SERVER_API_API_LIVE_RUNS_H

#include "server/http/route.h"

/* The caller (server/api/caller.h, or the query's company_id and user_id) must be who began the
 * run: for another one it does not exist. A caller who names no company or no user is nobody, whose
 * runs are those that nobody began. */

/* The caller's runs on all workers. */
void api_live_runs_list(struct exchange *exchange);
/* Events after Last-Event-ID; 204 when the client has the last one. */
void api_live_runs_stream(struct exchange *exchange);
/* Go on with a run that paused for a person: {"resume": any JSON value}. Streamed as a new run. */
void api_live_runs_resume(struct exchange *exchange);
/* Ask a run to end. */
void api_live_runs_cancel(struct exchange *exchange);

/* For operators: everybody's runs, and ask any of them to end. */
void api_live_runs_list_all(struct exchange *exchange);
void api_live_runs_cancel_any(struct exchange *exchange);

#endif
