/* SPDX-License-Identifier: MIT */
/* backends/models/llm_openai.h - OpenAI-shaped chat servers over http_client, Azure's dialect
 * included.
 *
 * One attempt per call; llm_steady tries again. Errors (kind "llm.chat"): ERR_NOT_CONFIGURED names
 * the variable; ERR_DENIED the key is refused (401, 403); ERR_REJECTED the model or the request
 * is; ERR_BUSY 429; ERR_UNAVAILABLE 408, 409, 5xx, no connection, or an answer cut short;
 * ERR_TIMEOUT says which deadline; ERR_PROTOCOL not a chat server; ERR_TOO_LARGE. No message ever
 * holds the key. One loop, one thread. */
#ifndef BACKENDS_MODELS_LLM_OPENAI_H
#define BACKENDS_MODELS_LLM_OPENAI_H

#include "backends/http/http_client.h"
#include "backends/llm.h"

struct llm_openai_options {   /* strings are borrowed for the llm's life */
    const char *base_url;     /* "https://api.openai.com/v1"; Azure: the resource's endpoint */
    const char *api_key;      /* NULL or "": not configured, every call ends so */
    const char *key_variable; /* "OPENAI_API_KEY": named in that error */
    const char *model;        /* Azure: the deployment */
    const char *api_version;  /* not NULL: Azure's dialect */
    double temperature;
    unsigned max_output_tokens;
    uint64_t connect_ms, first_token_ms, idle_ms, total_ms; /* one attempt */
    size_t max_answer_bytes;
    bool key_optional; /* a base_url other than OpenAI's may need no key */
};

/* NULL: no memory. client must outlive it. One attempt per call: wrap it in llm_steady. */
struct llm *llm_openai_create(struct loop *loop, struct http_client *client,
                              const struct llm_openai_options *options);

#endif
