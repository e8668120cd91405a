/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_crons.h - crons of the LangGraph API are schedules
 * (server/schedules), in UTC. Route functions. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_CRONS_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_CRONS_H

struct exchange;

void langgraph_crons_create(struct exchange *exchange);
void langgraph_crons_create_in_thread(struct exchange *exchange);
void langgraph_crons_search(struct exchange *exchange);
void langgraph_crons_count(struct exchange *exchange);
void langgraph_crons_update(struct exchange *exchange);
void langgraph_crons_erase(struct exchange *exchange);

#endif
