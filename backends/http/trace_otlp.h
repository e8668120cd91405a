/* SPDX-License-Identifier: MIT */
/* backends/http/trace_otlp.h - finished spans to a collector: OTLP over HTTP, as JSON.
 *
 * Spans are gathered in batches of bytes, one of which is on its way at a time; what finds no room
 * is dropped and counted. A collector that is away, slow or broken costs nothing but its spans. One
 * loop, one thread. */
#ifndef BACKENDS_HTTP_TRACE_OTLP_H
#define BACKENDS_HTTP_TRACE_OTLP_H

#include "core/base/log.h"
#include "core/loop/loop.h"
#include "proto/otlp.h"

struct trace_otlp;

enum trace_otlp_count {
    TRACE_OTLP_SENT,    /* spans that the collector took */
    TRACE_OTLP_DROPPED, /* spans without room, or that it did not take */
    TRACE_OTLP_FAILED,  /* requests that went wrong */
};
typedef void trace_otlp_count_fn(void *owner, enum trace_otlp_count what, uint64_t count);

struct trace_otlp_options {
    const char *url;     /* ".../v1/traces"; this and what follows is borrowed for its life */
    const char *headers; /* "name=value,name=value"; "": none */
    struct otlp_resource resource;
    uint64_t timeout_ms;  /* of one request */
    uint64_t every_ms;    /* a batch waits so long for more spans */
    unsigned batch_spans; /* a batch of so many goes at once */
    unsigned queue_spans; /* most that wait, the batch on its way included */
    const struct log *log;
    trace_otlp_count_fn *on_count; /* may be NULL */
    void *owner;
};

/* NULL: no memory. */
struct trace_otlp *trace_otlp_create(struct loop *loop, const struct trace_otlp_options *options);
/* A copy of span is sent some time. Never blocks, cannot fail. */
void trace_otlp_put(struct trace_otlp *otlp, const struct otlp_span *span);
/* Send what waits, within the time a request has but at most linger_ms, then free and call
 * on_closed(owner), once, later. */
void trace_otlp_close(struct trace_otlp *otlp, uint64_t linger_ms, void (*on_closed)(void *owner),
                      void *owner);

#endif
