/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_steps.h - where a run of a conversation was at each of its
 * checkpoints.
 *
 * The store of runs keeps those of a run that goes on, that waits for a person, or that was the
 * last of its conversation to end. One loop. */
#ifndef SERVER_API_CONVERSATIONS_CONVERSATION_STEPS_H
#define SERVER_API_CONVERSATIONS_CONVERSATION_STEPS_H

#include "core/run/run.h"
#include "server/api/conversations/conversation_request.h"

/* List the checkpoints of request's run, or, when it names none, of the last run of its
 * conversation, in request->second, oldest first and without bytes; then next. Nothing is listed
 * without a store of runs. */
void conversation_steps_list(struct conversation_request *request, conversation_request_fn *next);
/* Read the checkpoints up to request's version into request->past; then next. It is answered 404
 * when there is no such run or checkpoint of the conversation. */
void conversation_steps_read(struct conversation_request *request, conversation_request_fn *next);
/* A run that is where the first count checkpoints of past say; never to be started: run_destroy it.
 * NULL: ERR_GONE: they are damaged, or of a graph that is not there any more; ERR_NO_MEMORY. */
struct run *conversation_steps_open(const struct shard *shard, const struct stored_run *past,
                                    size_t count, struct err *err);

#endif
