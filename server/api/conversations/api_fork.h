/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_fork.h - another conversation that begins as one was: at a version
 * of it, or, with a run that goes on from there, at a checkpoint of one of its runs. One loop. */
#ifndef SERVER_API_CONVERSATIONS_API_FORK_H
#define SERVER_API_CONVERSATIONS_API_FORK_H

#include "server/api/conversations/conversation_request.h"

/* Answers request: 201 with the new conversation, whose id is in request->to, and its run, if
 * request names one. 404: no such conversation, version, run or checkpoint of the caller's; 409:
 * there is a conversation of that name; 410: the checkpoint is damaged; else as stores fail and
 * runs are refused. */
void api_fork_start(struct conversation_request *request);

#endif
