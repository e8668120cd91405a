/* SPDX-License-Identifier: MIT */
/* backends/embed_openai_lane.h - one lane of a call of embed_openai: batch after batch.
 *
 * For embed_openai.c only, which owns the call. One loop, one thread. */
#ifndef BACKENDS_EMBED_OPENAI_LANE_H
#define BACKENDS_EMBED_OPENAI_LANE_H

#include "backends/backoff.h"
#include "backends/embed_openai.h"
#include "backends/openai_peer.h"
#include "core/gate.h"
#include "proto/openai_embeddings.h"

struct embed_openai {
    struct embed embed;
    struct http_client *client;
    struct embed_openai_options options;
    struct openai_peer peer;
    struct backoff backoff;
    struct gate gate;
    struct list calls;
    size_t dimensions; /* of every vector; 0: none came yet and none were asked for */
    bool no_base64;    /* the server refused it */
    bool closing;
    void (*on_closed)(void *owner);
    void *closed_owner;
    struct loop_task closed_task;
    char model[160]; /* with the dimensions asked for */
};

struct embed_openai_call;

struct embed_openai_lane {
    struct embed_openai_call *call;
    struct gate_ticket ticket;
    struct http_call http;
    struct delay delay;
    size_t from, count; /* the batch: of call->order */
    size_t given;       /* vectors that came for it */
    unsigned attempts;
    bool is_stopped; /* given up from within, for err */
    struct err err;
    struct buf body, refusal; /* the request; an answer that is not 200 */
    struct openai_embeddings reader;
};

struct embed_openai_call { /* from start to release */
    struct list link;
    struct embed_openai *openai;
    struct embed_texts *texts;
    const struct embed_request *request;
    uint64_t deadline_ms;
    uint32_t *order; /* texts to ask for */
    size_t order_count, next;
    float *vectors; /* made with the first one */
    bool *is_given; /* a row came */
    struct err err; /* the first failure */
    size_t lane_count, active;
    struct embed_openai_lane *lanes;
};

/* Begin on the call's next batch, if there is one; call->active counts the lanes that did. */
void embed_openai_lane_start(struct embed_openai_lane *lane);
/* Give up; the lane ends on a later turn. */
void embed_openai_lane_cancel(struct embed_openai_lane *lane);

/* Whether text gets the zero vector without being asked for. */
static inline bool embed_openai_lane_is_empty(struct str text)
{
    return str_is_empty(str_trim(text));
}

/* In embed_openai.c: no lane is active any more. */
void embed_openai_call_over(struct embed_openai_call *call);

#endif
