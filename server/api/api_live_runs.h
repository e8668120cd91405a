/* SPDX-License-Identifier: MIT */
/* server/api/api_live_runs.h - runs that exist: list, rejoin a stream, cancel. */
#ifndef SERVER_API_API_LIVE_RUNS_H
#define SERVER_API_API_LIVE_RUNS_H

#include "server/http/route.h"

/* The query's company_id and user_id, where given, must be the run's: for another caller the run
 * does not exist. */

/* The runs of all workers. */
void api_live_runs_list(struct exchange *exchange);
/* Events after Last-Event-ID; 204 when the client has the last one. */
void api_live_runs_stream(struct exchange *exchange);
/* Go on with a run that paused for a person: {"resume": any JSON value}. Streamed as a new run. */
void api_live_runs_resume(struct exchange *exchange);
/* Ask a run to end. */
void api_live_runs_cancel(struct exchange *exchange);

#endif
