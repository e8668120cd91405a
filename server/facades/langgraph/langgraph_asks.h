/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_asks.h - what a run waits for as LangGraph's interrupts, and
 * what a client resumes with as the answer that the run takes.
 *
 * A call of the client's tools is an interrupt of its own, {"type":"tool","toolCall":{"id","name",
 * "args"}}, as LangChain's headless tools are; anything else that is asked is one as it stands. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_ASKS_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_ASKS_H

#include "core/store/event.h"
#include "proto/json_write.h"
#include "server/records/stored_run.h"

/* Write the interrupts of event, of run run_id, {"id","value"} each, into the open array of json,
 * which writes to out. */
void langgraph_asks_write(struct str run_id, const struct event *event, struct json_write *json,
                          struct buf *out);
/* What past takes as the answer when its client resumes with resume, JSON: values by the ids of
 * interrupts or of tools' calls, or the value of the only one. In arena; absent: it answers nothing
 * that past asks, or there is no memory. */
struct str langgraph_asks_answer(const struct stored_run *past, struct str resume,
                                 struct arena *arena);

#endif
