/* SPDX-License-Identifier: MIT */
/* server/facades/openai/completions.h - POST /v1/chat/completions, for OpenAI's clients and all
 * that speak like them: a graph is a model. */
#ifndef SERVER_FACADES_OPENAI_COMPLETIONS_H
#define SERVER_FACADES_OPENAI_COMPLETIONS_H

#include "server/http/route.h"
#include "server/http/exchange.h"
#include "server/runs/runs.h"

struct completions_request {
    struct runs_request run;
    struct str resumes; /* the run that waits for results of the client's tools; absent: none */
    struct str results; /* as the run that goes on takes them */
    const struct json_value *schema; /* of response_format; NULL: text */
    bool is_stream, wants_usage;
};

/* Read the body. False: problem. */
MUST_USE bool completions_read(struct exchange *exchange, struct completions_request *request,
                               struct problem *problem);

struct completions_said { /* for the encoder, which keeps copies of all but the name */
    const char *model;    /* a graph's name */
    uint64_t created;     /* Unix seconds */
    bool wants_usage;
    const struct json_value
        *schema; /* of the form of the answer, in the exchange's arena; or NULL */
};
/* The exchange's encoder from now on. NULL: answered, no memory. */
struct encoder *completions_encoder(struct exchange *exchange, const struct completions_said *said);

route_fn completions_create;

#endif
