/* SPDX-License-Identifier: MIT */
/* backends/models/rerank_http.h - a reranker behind POST /rerank, as Cohere v2, Jina and TEI speak
 * it (proto/models/rerank_wire.h).
 *
 * A call is tried once: who asks has a ranking already, and goes on with it. A server that failed
 * several times in a row is left alone for a while (core/loop/breaker.h): calls then end at once
 * with ERR_UNAVAILABLE. No message ever holds the key. One loop, one thread. */
#ifndef BACKENDS_MODELS_RERANK_HTTP_H
#define BACKENDS_MODELS_RERANK_HTTP_H

#include "backends/http/http_client.h"
#include "backends/rerank.h"
#include "core/base/log.h"

struct rerank_http_options {   /* strings are borrowed for the rerank's life */
    const char *base_url;      /* "https://api.cohere.com/v2", "http://127.0.0.1:8090" */
    const char *api_key;       /* "": none is shown */
    const char *model;         /* "": the server has one, and is TEI */
    unsigned breaker_failures; /* so many in a row open the breaker; 0: 5 */
    uint64_t breaker_open_ms;  /* 0: 30,000 */
    uint64_t total_ms;         /* of a call that names none; 0: 10,000 */
    const struct log *log;     /* of the breaker's moves; may be NULL */
};

/* NULL: no memory. client must outlive it. */
struct rerank *rerank_http_create(struct loop *loop, struct http_client *client,
                                  const struct rerank_http_options *options);

#endif
