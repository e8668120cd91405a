/* SPDX-License-Identifier: MIT */
/* backends/models/llm_http.h - chat servers over http_client: OpenAI's wire and what is compatible
 * with it, Azure's dialect, Anthropic's messages.
 *
 * One attempt per call; llm_steady tries again. Within an attempt the request may be sent anew:
 * when the server refuses a parameter (model_traits; it is remembered for the llm's life), and once
 * when the answer has no text, with more room where the tokens went into thoughts. When the server
 * said that nothing remains for us, the next call waits for that, some seconds at most.
 *
 * Errors (kind "llm.chat"): ERR_NOT_CONFIGURED names the variable; ERR_DENIED the key is refused
 * (401, 403); ERR_REJECTED the model or the request is, finish LLM_FINISH_FILTER where a filter
 * took offence; ERR_BUSY 429; ERR_UNAVAILABLE 408, 409, 5xx, no connection, or an answer cut short;
 * ERR_TIMEOUT says which deadline; ERR_PROTOCOL not a chat server; ERR_TOO_LARGE. No message ever
 * holds the key. One loop, one thread. */
#ifndef BACKENDS_MODELS_LLM_HTTP_H
#define BACKENDS_MODELS_LLM_HTTP_H

#include "backends/http/http_client.h"
#include "backends/llm.h"
#include "proto/models/model_traits.h"

struct llm_http_options { /* strings are borrowed for the llm's life */
    enum model_wire wire;
    const char *base_url;     /* "https://api.openai.com/v1"; Azure: the resource's endpoint */
    const char *url_variable; /* "OPENAI_BASE_URL": named in errors */
    const char *api_key;      /* NULL or "": not configured, every call ends so */
    const char *key_variable; /* "OPENAI_API_KEY": named in that error */
    const char *model;        /* Azure: the deployment */
    const char *api_version;  /* Azure only */
    double temperature;
    const char *reasoning_effort; /* NULL or "": not sent */
    unsigned max_output_tokens;   /* of a prompt that names none */
    unsigned most_output_tokens;  /* of any prompt; 0: as it names them */
    struct model_traits traits;   /* as configured; more is learned */
    struct llm_prices prices;
    /* of one attempt; first_token_ms counts to the first text, also from when the model is known to
     * think; idle_ms from then on */
    uint64_t connect_ms, first_token_ms, idle_ms, total_ms;
    size_t max_answer_bytes;
    bool key_optional; /* a local server may need no key */
};

/* NULL: no memory. client must outlive it. One attempt per call: wrap it in llm_steady. */
struct llm *llm_http_create(struct loop *loop, struct http_client *client,
                            const struct llm_http_options *options);

#endif
