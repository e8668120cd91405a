/* SPDX-License-Identifier: MIT */
/* proto/models/rerank_wire.h - what servers speak that judge how well texts answer a question.
 *
 * Two requests and two answers, of which each kind of server has one:
 *   Cohere v2, Jina    {"model","query","documents","top_n"}   {"results":[{"index",
 *                                                              "relevance_score"}]}
 *   TEI                {"query","texts","truncate"}            [{"index","score"}]
 * TEI serves one model and is not told its name: without a name the request is TEI's. Only bytes
 * and values; any thread. */
#ifndef PROTO_MODELS_RERANK_WIRE_H
#define PROTO_MODELS_RERANK_WIRE_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "proto/models/model_wire.h"

struct rerank_wire_request {
    struct str model; /* empty: TEI's form */
    struct str query;
    const struct str *texts; /* each is cut to text_bytes */
    size_t count, text_bytes;
};

/* The endpoint's base and "/rerank", unless it ends so. */
void rerank_wire_write_url(struct buf *buf, const struct model_endpoint *endpoint);
void rerank_wire_write(struct buf *buf, const struct rerank_wire_request *request);
/* Read the scores of count texts into scores, in the order of the texts; higher is better. Scratch
 * memory is arena's. ERR_PROTOCOL: another form, a text without a score or with two, one that
 * nobody asked for; ERR_NO_MEMORY. */
MUST_USE enum err_code rerank_wire_read(struct arena *arena, struct str answer, double *scores,
                                        size_t count, struct err *err);

#endif
