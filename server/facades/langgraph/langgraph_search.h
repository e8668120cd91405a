/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_search.h - threads of the caller by what they are: their
 * status, their ids, their metadata. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_SEARCH_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_SEARCH_H

#include "server/http/route.h"

route_fn langgraph_search;

#endif
