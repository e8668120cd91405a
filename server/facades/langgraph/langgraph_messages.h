/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_messages.h - messages of a thread, as the LangGraph API has
 * them. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_MESSAGES_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_MESSAGES_H

#include "core/base/arena.h"
#include "server/runs/runs.h"

struct history;
struct json_write;
struct runs_entry;

/* One message; its id is the run's and its type's. */
void langgraph_messages_write(struct json_write *json, const char *type, struct str run_id,
                              struct str content);
/* What the conversation held when the run began (history NULL: nothing), and the question, as JSON
 * with commas between. Absent: no memory. */
struct str langgraph_messages_said(struct arena *arena, const struct history *history,
                                   struct runs_entry *entry);

#endif
