/* SPDX-License-Identifier: MIT */
/* server/facades/openai/responses.h - /v1/responses, for OpenAI's clients: a graph is a model, a
 * chain of responses a conversation.
 *
 * A response's id is "resp_<run id>", and ".<conversation id>" where one is kept. */
#ifndef SERVER_FACADES_OPENAI_RESPONSES_H
#define SERVER_FACADES_OPENAI_RESPONSES_H

#include "server/facades/openai/responses_chain.h"

enum { RESPONSES_ID_BYTES = 192 };

struct responses_said {      /* what answers repeat of the request; views of the exchange's */
    const char *model;       /* a graph's name */
    uint64_t created;        /* Unix seconds */
    struct str conversation; /* empty: nothing is kept */
    struct str previous;     /* absent: none */
    struct str metadata;     /* JSON, an object */
    struct str tools;        /* JSON, as they came; absent: none */
    struct str tool_choice;  /* JSON, as it came; absent: auto */
    struct str text;         /* JSON, as it came; absent: text */
    const struct json_value *schema; /* of text.format; NULL: text */
    bool is_serial;                  /* one call of a tool at a time */
    bool is_named;                   /* the request named its conversation */
    bool is_background;
    bool skips; /* the client has the events up to this number */
    uint64_t skips_to;
};

struct responses_request {
    struct runs_request run;
    struct responses_said said;
    struct responses_chain chain; /* its previous_run_id absent: it begins */
    struct str resumes; /* the run that waits for results of the client's tools, or absent */
    struct str results; /* as the run that goes on takes them */
    bool is_stream;
};

/* Read the body. False: problem. */
MUST_USE bool responses_read(struct exchange *exchange, struct responses_request *request,
                             struct problem *problem);
/* The exchange's encoder from now on. NULL: answered, no memory. */
struct encoder *responses_encoder(struct exchange *exchange, const struct responses_said *said);

/* Name the conversation of the response, before anything is told of it; kept. */
void responses_set_conversation(struct encoder *encoder, struct str conversation);
/* One response as it is after the events taken so far, which end with end; NULL: it goes on. */
void responses_write(struct encoder *encoder, const struct event *end, struct buf *out);
/* "resp_<run id>.<conversation id>". False: it is no such id, or nothing was kept. */
MUST_USE bool responses_split_id(struct str response, struct str *run_id, struct str *conversation);

route_fn responses_create, responses_retrieve;

#endif
