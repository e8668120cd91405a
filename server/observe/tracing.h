/* SPDX-License-Identifier: MIT */
/* server/observe/tracing.h - what a worker's runs do, as spans with OpenTelemetry's GenAI names.
 *
 * One span per run, visit of a node, model call, statement, call for vectors and search of
 * documents. What was said, asked and read goes into them only by opt-in. Without an endpoint there
 * is no tracing at all: callers' trace ids are in the log, and that is it. One loop. */
#ifndef SERVER_OBSERVE_TRACING_H
#define SERVER_OBSERVE_TRACING_H

#include "backends/embed.h"
#include "backends/llm.h"
#include "backends/sql.h"
#include "backends/text.h"
#include "backends/http/trace_otlp.h"
#include "backends/vec.h"
#include "core/run/run.h"
#include "server/config/config.h"

struct tracing;

/* A run's place in a trace: the run's own trace, or its caller's. Zeroed: none. */
struct tracing_run {
    struct trace trace;
    struct trace_place place;
    uint64_t parent_id; /* 0: none */
    uint64_t began_ns;
    bool is_known;   /* it has a trace id: the caller's, or because there is tracing */
    bool is_sampled; /* spans are made of the run */
    char id_text[TRACE_ID_DIGITS + 1], span_text[TRACE_SPAN_DIGITS + 1]; /* for the log */
};

struct tracing_options {
    struct loop *loop;
    const struct config *config;
    const struct log *log;
    struct str instance; /* borrowed */
    trace_otlp_count_fn *on_count;
    void *owner;
};

/* Whether config asks for tracing. */
bool tracing_is_wanted(const struct config *config);
/* NULL: no memory. */
struct tracing *tracing_create(const struct tracing_options *options);
/* Send what waits, then on_closed(owner), once, later. */
void tracing_close(struct tracing *tracing, void (*on_closed)(void *owner), void *owner);

/* Set *run to the place of a run that was asked for with this traceparent header; tracing may be
 * NULL. */
void tracing_begin_run(struct tracing *tracing, struct str traceparent, struct tracing_run *run);
/* run's place, for run_options.trace; NULL: no spans are made of the run. */
const struct trace_place *tracing_place(const struct tracing_run *run);
/* Make the span of a run, of, that has ended; message: what was asked. */
void tracing_end_run(struct tracing *tracing, const struct tracing_run *run, const struct run *of,
                     struct str message);

/* For observers of operations: each makes the span of one that has ended, if that is traced. */
void tracing_chat(struct tracing *tracing, const struct llm_chat *chat, uint64_t took_ns);
void tracing_statement(struct tracing *tracing, const struct sql_query *query, uint64_t took_ns);
void tracing_embedding(struct tracing *tracing, const struct embed_texts *texts, uint64_t took_ns);
void tracing_vector_search(struct tracing *tracing, const struct vec_search *search,
                           uint64_t took_ns);
void tracing_rerank(struct tracing *tracing, const struct rerank_texts *texts, uint64_t took_ns);
void tracing_keyword_search(struct tracing *tracing, const struct text_search *search,
                            uint64_t took_ns);

#endif
