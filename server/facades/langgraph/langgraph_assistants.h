/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_assistants.h - graphs as the LangGraph API has them; and what
 * of that API is not built. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_ASSISTANTS_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_ASSISTANTS_H

#include "server/http/route.h"

route_fn langgraph_assistants_search, langgraph_assistants_count, langgraph_assistants_show,
    langgraph_assistants_graph, langgraph_assistants_schemas;

#endif
