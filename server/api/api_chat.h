/* SPDX-License-Identifier: MIT */
/* server/api/api_chat.h - POST /internal/chat/stream and POST /ask: a person's question, streamed
 * or whole. */
#ifndef SERVER_API_API_CHAT_H
#define SERVER_API_API_CHAT_H

#include "server/http/route.h"

/* POST /internal/chat/stream: a question of a conversation, streamed; with Last-Event-ID or a known
 * Idempotency-Key the request rejoins its run. */
void api_chat_stream(struct exchange *exchange);
/* POST /ask: {"query": text}, answered by one JSON object with the same five keys, whatever
 * happens. */
void api_chat_ask(struct exchange *exchange);

#endif
