/* SPDX-License-Identifier: MIT */
/* server/api/api_chat.h - POST /internal/chat/stream and POST /ask: a person's question, streamed
 * or whole. */
#ifndef SERVER_API_API_CHAT_H
#define SERVER_API_API_CHAT_H

#include "server/http/route.h"

/* Seed 004's request; with Last-Event-ID or a known Idempotency-Key it rejoins. */
void api_chat_stream(struct exchange *exchange);
/* Seed 000's request and its five keys, whatever happens. */
void api_chat_ask(struct exchange *exchange);

#endif
