/* SPDX-License-Identifier: MIT */
/* server/wiring/embedder.h - ASKD_EMBEDDINGS -> what makes vectors of texts. The one place that
 * names implementations of embed, for the server and for commands. */
#ifndef SERVER_WIRING_EMBEDDER_H
#define SERVER_WIRING_EMBEDDER_H

#include "backends/embed.h"
#include "backends/http/http_client.h"
#include "server/config/config.h"

/* Whether the configured embedder speaks HTTP, so that embedder_open needs a client. */
bool embedder_is_remote(const struct config *config);
/* Open the configured embedder, behind a cache when it is remote. client must outlive it; log may
 * be NULL. NULL: no memory. */
struct embed *embedder_open(struct loop *loop, const struct config *config,
                            struct http_client *client, const struct log *log);

#endif
