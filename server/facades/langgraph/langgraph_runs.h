/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_runs.h - runs as the LangGraph API has them: begun, streamed,
 * waited for, joined, listed, cancelled. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_RUNS_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_RUNS_H

#include "server/http/route.h"

/* With a thread (the path's first parameter) or without one. */
route_fn langgraph_runs_stream, langgraph_runs_wait, langgraph_runs_create;
route_fn langgraph_runs_stream_alone, langgraph_runs_wait_alone, langgraph_runs_create_alone;
/* For runs that exist. */
route_fn langgraph_runs_list, langgraph_runs_show, langgraph_runs_join, langgraph_runs_cancel,
    langgraph_runs_join_stream, langgraph_runs_join_stream_alone;

#endif
