/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_threads.h - threads, their states and history: conversations
 * as the LangGraph API has them. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_THREADS_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_THREADS_H

#include "server/http/route.h"

route_fn langgraph_threads_create, langgraph_threads_search, langgraph_threads_show,
    langgraph_threads_erase, langgraph_threads_state, langgraph_threads_state_at,
    langgraph_threads_state_of, langgraph_threads_history, langgraph_threads_copy;

#endif
