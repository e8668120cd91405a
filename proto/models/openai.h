/* SPDX-License-Identifier: MIT */
/* proto/models/openai.h - asking for chat completions and embeddings: URL and request body.
 *
 * Two dialects of one wire: OpenAI (and everything compatible with it) and Azure OpenAI. What
 * comes back is openai_answer's and openai_embeddings'. Only bytes; ask buf_ok at the end. One
 * thread. */
#ifndef PROTO_MODELS_OPENAI_H
#define PROTO_MODELS_OPENAI_H

#include "proto/models/model_wire.h"

struct openai_texts { /* to be embedded */
    struct str model; /* left out when empty */
    const struct str *texts;
    size_t count;
    uint64_t dimensions; /* 0: leave it to the model */
    bool base64;         /* a third of the bytes; not every server can */
};

/* The URL to POST to: base + "/chat/completions", or Azure's deployment path with api-version. */
void openai_write_url(struct buf *buf, const struct model_endpoint *endpoint);
/* The URL to POST texts to: as of openai_write_url, with "/embeddings". */
void openai_write_embeddings_url(struct buf *buf, const struct model_endpoint *endpoint);
/* The JSON body. */
void openai_write_chat(struct buf *buf, const struct model_request *chat);
void openai_write_texts(struct buf *buf, const struct openai_texts *texts);

#endif
