/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_conversations.h - what conversations said: list and search, history,
 * checkpoints, fork, erase. The query names the caller, company_id and user_id; what is not the
 * caller's is not there (404). */
#ifndef SERVER_API_CONVERSATIONS_API_CONVERSATIONS_H
#define SERVER_API_CONVERSATIONS_API_CONVERSATIONS_H

#include "server/http/route.h"

/* GET /internal/conversations: the caller's; with search=TEXT: their turns that hold it. */
route_fn api_conversations_list;
/* GET /internal/conversations/{conversation}: its messages, limit and before (a turn) for pages. */
route_fn api_conversations_show;
/* GET .../checkpoints: limit and before (a version) for pages, and the supersteps of its last run;
 * with run_id=RUN: that run's; with version=N: that one, with the state it holds. */
route_fn api_conversations_checkpoints;
/* POST .../fork?to=ID[&version=N]: a new conversation that begins as this one was; with run_id=RUN,
 * too: where the run was, and goes on from there. */
route_fn api_conversations_fork;
/* DELETE: erase the conversation, or all that is the user's, from every store. */
route_fn api_conversations_erase, api_conversations_erase_user;

#endif
