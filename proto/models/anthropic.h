/* SPDX-License-Identifier: MIT */
/* proto/models/anthropic.h - asking by Anthropic's Messages API: URL and request body.
 *
 * Only bytes; ask buf_ok at the end. One thread. */
#ifndef PROTO_MODELS_ANTHROPIC_H
#define PROTO_MODELS_ANTHROPIC_H

#include "proto/models/model_wire.h"

/* The header that every request has: the version of the interface. */
#define ANTHROPIC_VERSION_NAME STR("anthropic-version")
#define ANTHROPIC_VERSION      STR("2023-06-01")

/* The URL to POST to: base + "/v1/messages"; a base that ends in "/v1" gets "/messages" alone. */
void anthropic_write_url(struct buf *buf, const struct model_endpoint *endpoint);
/* The JSON body. System messages become "system", whose first block is marked to be cached; empty
 * messages are left out, neighbours of one role are joined, and the first is the user's, as the
 * interface asks for. */
void anthropic_write_chat(struct buf *buf, const struct model_request *request);

#endif
