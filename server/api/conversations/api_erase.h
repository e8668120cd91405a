/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_erase.h - a request has its conversation, or all that is its user's,
 * erased. One loop. */
#ifndef SERVER_API_CONVERSATIONS_API_ERASE_H
#define SERVER_API_CONVERSATIONS_API_ERASE_H

#include "server/api/conversations/conversation_request.h"

/* Answer request with 204 once the conversation, or all of the user, is gone from every store, and
 * from memory. ERR_CONFLICT: a run of the conversation goes on, on whichever server; all of a user
 * is erased all the same. */
void api_erase_start(struct conversation_request *request);

#endif
