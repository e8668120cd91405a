/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_label.h - PATCH /internal/conversations/{conversation}
 * {"title","pinned"}: a name of the user's own, and a place at the top of the list. */
#ifndef SERVER_API_CONVERSATIONS_API_LABEL_H
#define SERVER_API_CONVERSATIONS_API_LABEL_H

#include "server/api/conversations/conversation_request.h"

void api_label_set(struct exchange *exchange);
/* Forget what the user calls the conversation of request, and its pin; then next. */
void api_label_forget(struct conversation_request *request, conversation_request_fn *next);

#endif
