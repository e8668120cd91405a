/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_threads.h - threads, their states and history: conversations
 * as the LangGraph API has them. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_THREADS_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_THREADS_H

#include "proto/json_value.h"
#include "server/api/conversations/conversation_request.h"
#include "server/http/problem.h"
#include "server/http/route.h"

route_fn langgraph_threads_create, langgraph_threads_show, langgraph_threads_erase,
    langgraph_threads_state, langgraph_threads_state_at, langgraph_threads_state_of,
    langgraph_threads_history, langgraph_threads_copy;

/* ---- for the search ---- */

/* At the thread's worker, for its caller. thread_id absent: the path's; empty: none. NULL:
 * answered, or handed over. */
struct conversation_request *langgraph_threads_open(struct exchange *exchange,
                                                    struct str thread_id);
/* The metadata, as JSON, of the thread that was loaded; absent: none. */
struct str langgraph_threads_metadata(const struct store_call *call);
/* A number up to most at pointer, which keeps its value where there is none. False: problem. */
bool langgraph_threads_number(const struct json_value *root, const char *pointer, uint64_t most,
                              uint64_t *value, struct problem *problem);

#endif
