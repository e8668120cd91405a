/* SPDX-License-Identifier: MIT */
/* proto/openai.h - asking for chat completions and embeddings: URL, authentication, request body.
 *
 * Two dialects of one wire: OpenAI (and everything compatible with it) and Azure OpenAI. What
 * comes back is openai_answer's and openai_embeddings'. Only bytes; ask buf_ok at the end. One
 * thread. */
#ifndef PROTO_OPENAI_H
#define PROTO_OPENAI_H

#include "core/base/buf.h"

enum openai_dialect { OPENAI_PLAIN, OPENAI_AZURE };

struct openai_endpoint {
    enum openai_dialect dialect;
    struct str base_url;    /* "https://api.openai.com/v1"; Azure: "https://x.openai.azure.com" */
    struct str key;         /* empty: no authentication header */
    struct str deployment;  /* Azure only */
    struct str api_version; /* Azure only */
};

struct openai_message {
    struct str role; /* "system", "user", "assistant" */
    struct str content;
};

/* Zero means: leave it to the server. */
struct openai_chat {
    struct str model; /* left out when empty */
    const struct openai_message *messages;
    size_t message_count;
    bool has_temperature; /* some models refuse any temperature */
    double temperature;
    uint64_t max_tokens;
    bool uses_max_completion_tokens; /* the newer name of max_tokens */
    bool stream;                     /* with usage in the last chunk */
    const struct str *stop;
    size_t stop_count;
    bool json_only; /* response_format json_object */
};

struct openai_texts { /* to be embedded */
    struct str model; /* left out when empty */
    const struct str *texts;
    size_t count;
    uint64_t dimensions; /* 0: leave it to the model */
    bool base64;         /* a third of the bytes; not every server can */
};

/* The URL to POST to: base + "/chat/completions", or Azure's deployment path with api-version. */
void openai_write_url(struct buf *buf, const struct openai_endpoint *endpoint);
/* The URL to POST texts to: as of openai_write_url, with "/embeddings". */
void openai_write_embeddings_url(struct buf *buf, const struct openai_endpoint *endpoint);
/* The authentication header: its name, "Authorization" or Azure's "api-key" (absent when the key is
 * empty), and its value, "Bearer <key>" or the key. */
struct str openai_auth_name(const struct openai_endpoint *endpoint);
void openai_write_auth(struct buf *buf, const struct openai_endpoint *endpoint);
/* The JSON body. */
void openai_write_chat(struct buf *buf, const struct openai_chat *chat);
void openai_write_texts(struct buf *buf, const struct openai_texts *texts);

#endif
