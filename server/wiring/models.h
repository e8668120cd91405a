/* SPDX-License-Identifier: MIT */
/* server/wiring/models.h - configuration -> the chat models of one loop, over HTTP. */
#ifndef SERVER_WIRING_MODELS_H
#define SERVER_WIRING_MODELS_H

#include "backends/http/http_client.h"
#include "backends/llm.h"
#include "server/config/config.h"

/* Make the model, or a router over those of models.json. config, client and log are borrowed until
 * it is closed. NULL: no memory. */
struct llm *models_open(struct loop *loop, const struct config *config, struct http_client *client,
                        const struct log *log);

#endif
