/* SPDX-License-Identifier: MIT */
/* backends/models/embed_openai.h - OpenAI-shaped embeddings servers over http_client, Azure's
 * included.
 *
 * Texts go in batches, several at once, each tried again as backoff.h has it. Errors (kind
 * "embed.openai") are llm_http's; ERR_TOO_LARGE: a text is longer than the model takes;
 * ERR_PROTOCOL: also another number of vectors or dimensions than expected. No message ever holds
 * the key. Vectors are made of length 1, whatever the server gives. One loop, one thread. */
#ifndef BACKENDS_MODELS_EMBED_OPENAI_H
#define BACKENDS_MODELS_EMBED_OPENAI_H

#include "backends/embed.h"
#include "backends/http/http_client.h"
#include "core/base/log.h"

struct embed_openai_options {     /* strings are borrowed for the embed's life */
    const char *base_url;         /* "https://api.openai.com/v1"; Azure: the resource's endpoint */
    const char *api_key;          /* NULL or "": not configured, every call ends so */
    const char *key_variable;     /* "OPENAI_API_KEY": named in that error */
    const char *model;            /* Azure: the deployment */
    const char *model_variable;   /* "ASKD_EMBEDDINGS": named when model is empty */
    const char *api_version;      /* not NULL: Azure's dialect */
    size_t dimensions;            /* asked of the model; 0: its own */
    bool key_optional;            /* a base_url other than OpenAI's may need no key */
    size_t batch_texts;           /* of one request; 0: 2048, OpenAI's most */
    size_t batch_bytes;           /* of texts in one request; 0: 900,000, about 300,000 tokens */
    size_t in_flight;             /* requests at once over all calls; 0: 4 */
    unsigned max_attempts;        /* of one request; 0: 3 */
    uint64_t backoff_ms;          /* first bound of the wait between them; 0: 500 */
    uint64_t connect_ms, idle_ms; /* of one attempt; 0: none */
    uint64_t total_ms;            /* of a call that names none; 0: 60,000 */
    const struct log *log;        /* for retries; may be NULL */
};

/* NULL: no memory. client must outlive it. */
struct embed *embed_openai_create(struct loop *loop, struct http_client *client,
                                  const struct embed_openai_options *options);

#endif
