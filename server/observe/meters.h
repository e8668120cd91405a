/* SPDX-License-Identifier: MIT */
/* server/observe/meters.h - the series of askd by name, over core/observe/metrics.
 *
 * One schema for the process, one set of values per worker. Labels are route patterns, statuses,
 * graphs and outcomes: never ids. */
#ifndef SERVER_OBSERVE_METERS_H
#define SERVER_OBSERVE_METERS_H

#include "agents/registry.h"
#include "backends/sql.h"
#include "core/observe/metrics.h"
#include "server/observe/model_meters.h"
#include "server/observe/node_meters.h"

/* X(KEY, type, name, labels, help) */
#define METERS(X)                                                                                  \
    X(CONNECTIONS, METRIC_GAUGE, "askd_connections", NULL, "Open connections.")                    \
    X(ACCEPTED, METRIC_COUNTER, "askd_connections_total", NULL, "Connections accepted.")           \
    X(SHED, METRIC_COUNTER, "askd_connections_shed_total", NULL, "Connections refused when full.") \
    X(HANDED_OVER, METRIC_COUNTER, "askd_handovers_total", NULL,                                   \
      "Connections given to another worker.")                                                      \
    X(STREAMS, METRIC_GAUGE, "askd_sse_streams_active", NULL, "Open event streams.")               \
    X(HEARTBEATS, METRIC_COUNTER, "askd_sse_heartbeats_total", NULL, "Heartbeats sent.")           \
    X(PAUSES, METRIC_COUNTER, "askd_sse_backpressure_pauses_total", NULL,                          \
      "Times a slow reader stopped its stream.")                                                   \
    X(SSE_BYTES, METRIC_COUNTER, "askd_sse_bytes_sent_total", NULL, "Bytes of event streams.")     \
    X(FIRST_EVENT_SECONDS, METRIC_HISTOGRAM, "askd_sse_time_to_first_event_seconds", NULL,         \
      "From a complete request to the first event of its stream.")                                 \
    X(EVENT_GAP_SECONDS, METRIC_HISTOGRAM, "askd_sse_event_gap_seconds", NULL,                     \
      "Between a stream's writes of events.")                                                      \
    X(RUNS, METRIC_GAUGE, "askd_runs_active", NULL, "Runs going on.")                              \
    X(RUNS_QUEUED, METRIC_GAUGE, "askd_runs_queued", NULL, "Runs that wait.")                      \
    X(RUNS_KEPT, METRIC_GAUGE, "askd_runs_kept", NULL, "Ended runs kept for late readers.")        \
    X(FIRST_TOKEN_SECONDS, METRIC_HISTOGRAM, "askd_sse_time_to_first_token_seconds", NULL,         \
      "From a run's start to its first token for the user.")                                       \
    X(LLM_IN_FLIGHT, METRIC_GAUGE, "askd_llm_inflight", NULL, "Model calls going on, or waiting.") \
    X(LLM_SECONDS, METRIC_HISTOGRAM, "askd_llm_request_duration_seconds", NULL,                    \
      "Model calls, with their retries.")                                                          \
    X(LLM_FIRST_TEXT_SECONDS, METRIC_HISTOGRAM, "askd_llm_time_to_first_token_seconds", NULL,      \
      "From a model call's start to its first text.")                                              \
    X(SCHEDULES_BEGUN, METRIC_COUNTER, "askd_schedule_turns_total", "what=\"begun\"",              \
      "Times at which schedules were due, by what became of them.")                                \
    X(SCHEDULES_MISSED, METRIC_COUNTER, "askd_schedule_turns_total", "what=\"missed\"",            \
      "Times at which schedules were due, by what became of them.")                                \
    X(SCHEDULES_REFUSED, METRIC_COUNTER, "askd_schedule_turns_total", "what=\"refused\"",          \
      "Times at which schedules were due, by what became of them.")                                \
    X(WEBHOOKS_SENT, METRIC_COUNTER, "askd_webhook_deliveries_total", "what=\"sent\"",             \
      "Results for webhooks, by what became of them.")                                             \
    X(WEBHOOKS_GIVEN_UP, METRIC_COUNTER, "askd_webhook_deliveries_total", "what=\"given_up\"",     \
      "Results for webhooks, by what became of them.")                                             \
    X(WEBHOOKS_FAILED, METRIC_COUNTER, "askd_webhook_failures_total", NULL,                        \
      "Attempts to send a result that failed.")                                                    \
    X(SQL_QUERIES, METRIC_COUNTER, "askd_sql_queries_total", NULL, "Statements of ended runs.")    \
    X(EMBED_SECONDS, METRIC_HISTOGRAM, "askd_embeddings_duration_seconds", NULL,                   \
      "Calls for vectors, from start to end.")                                                     \
    X(EMBED_FAILURES, METRIC_COUNTER, "askd_embeddings_failures_total", NULL,                      \
      "Calls for vectors that failed.")                                                            \
    X(EMBED_TEXTS, METRIC_COUNTER, "askd_embeddings_texts_total", "from=\"model\"",                \
      "Texts that got a vector, by where it was from.")                                            \
    X(EMBED_CACHED, METRIC_COUNTER, "askd_embeddings_texts_total", "from=\"cache\"",               \
      "Texts that got a vector, by where it was from.")                                            \
    X(EMBED_HITS, METRIC_COUNTER, "askd_cache_hits_total", "cache=\"embeddings\"",                 \
      "What was found in a cache.")                                                                \
    X(EMBED_MISSES, METRIC_COUNTER, "askd_cache_misses_total", "cache=\"embeddings\"",             \
      "What was not found in a cache.")                                                            \
    X(EMBED_TOKENS, METRIC_COUNTER, "askd_embeddings_tokens_total", NULL,                          \
      "Tokens that a server billed for vectors.")                                                  \
    X(SPANS_SENT, METRIC_COUNTER, "askd_trace_spans_total", "outcome=\"exported\"",                \
      "Spans of traces, by what became of them.")                                                  \
    X(SPANS_DROPPED, METRIC_COUNTER, "askd_trace_spans_total", "outcome=\"dropped\"",              \
      "Spans of traces, by what became of them.")                                                  \
    X(SPANS_FAILURES, METRIC_COUNTER, "askd_trace_export_failures_total", NULL,                    \
      "Requests to the collector of traces that went wrong.")                                      \
    X(AUDIT_RECORDS, METRIC_COUNTER, "askd_audit_records_total", NULL,                             \
      "Records given to the audit stream.")                                                        \
    X(AUDIT_LOST, METRIC_COUNTER, "askd_audit_lost_total", NULL,                                   \
      "Records the audit stream had no room for, since its file could not be written.")            \
    X(LOOP_LAG_SECONDS, METRIC_HISTOGRAM, "askd_loop_lag_seconds", NULL,                           \
      "How long each turn of a worker's loop kept all else waiting.")                              \
    X(LOOP_IDLE, METRIC_RATIO, "askd_loop_idle_ratio", NULL,                                       \
      "Part of the last second that the workers' loops had nothing to do.")                        \
    X(ALLOCATIONS, METRIC_COUNTER, "askd_allocations_total", NULL, "Memory taken, in pieces.")     \
    X(WORK_QUEUED, METRIC_GAUGE, "askd_threadpool_queue_depth", NULL, "Calls on the thread pool.")

/* How a run ended. */
enum meters_outcome { METERS_COMPLETE, METERS_ERROR, METERS_CANCELLED, METERS_OUTCOME_COUNT };
/* How an event stream ended; its names are meters_end_name's. */
enum meters_end {
    METERS_END_COMPLETE,
    METERS_END_ERROR,
    METERS_END_GONE,    /* the client left */
    METERS_END_LAGGED,  /* it read too slowly */
    METERS_END_DRAINED, /* the server stopped */
    METERS_END_COUNT
};
/* What a backend was asked for. */
enum meters_op { METERS_QUERY, METERS_VECTORS, METERS_KEYWORDS, METERS_OP_COUNT };

enum meter {
#define METER_ENUM(key, type, name, labels, help) METER_##key,
    METERS(METER_ENUM)
#undef METER_ENUM
        METER_COUNT
};

struct meters; /* the schema, with an index per meter, per route and status, per graph and end */

struct meters_route {
    const char *method, *pattern; /* labels */
};

struct meters_options {
    const struct meters_route *routes; /* each has series; borrowed until made */
    size_t route_count;
    const struct registry *registry; /* borrowed: its graphs have series */
    const char *engine;              /* of the database, as sql_vtable.name; NULL: there is none */
    struct model_meters_names models;
};

/* NULL: no memory. */
struct meters *meters_create(const struct meters_options *options);
void meters_destroy(struct meters *meters);
const struct metrics_schema *meters_schema(const struct meters *meters);
/* When this process created meters, Unix seconds. */
uint64_t meters_began(const struct meters *meters);

/* values was made from meters' schema; its owner's thread only. */
void meters_add(const struct meters *meters, struct metrics *values, enum meter meter,
                int64_t amount);
void meters_set(const struct meters *meters, struct metrics *values, enum meter meter,
                int64_t value);
void meters_observe_ns(const struct meters *meters, struct metrics *values, enum meter meter,
                       uint64_t ns);
void meters_observe_ms(const struct meters *meters, struct metrics *values, enum meter meter,
                       uint64_t ms);
/* A counter's or gauge's value, how often a histogram was observed. Any thread. */
int64_t meters_get(const struct meters *meters, const struct metrics *values, enum meter meter);
/* One run of the graph called name that ended; route: what it decided, absent: nothing. */
void meters_run(const struct meters *meters, struct metrics *values, const char *name,
                struct str route, enum meters_outcome outcome, uint64_t took_ms);
/* One event stream of a route (as in meters_request) that ended. */
void meters_stream(const struct meters *meters, struct metrics *values, size_t route,
                   enum meters_end end);
const char *meters_end_name(enum meters_end end);
/* One statement that the guard refused under rule. */
void meters_rejected(const struct meters *meters, struct metrics *values, const char *rule);
/* The meters of the graphs' nodes, and those of the models. */
const struct node_meters *meters_nodes(const struct meters *meters);
const struct model_meters *meters_models(const struct meters *meters);
/* One call of the backend called name that ended with code, and how long the backend took;
 * pool_wait: what a statement took besides, waiting for a connection and on the way. */
void meters_backend(const struct meters *meters, struct metrics *values, const char *name,
                    enum meters_op op, enum err_code code, uint64_t took_ns);
void meters_pool_wait(const struct meters *meters, struct metrics *values, uint64_t ns);
/* How many connections to the database there are; only with an engine. */
void meters_connections(const struct meters *meters, struct metrics *values,
                        const struct sql_counts *counts);
/* One answered request; route: its place in the options, or route_count for none. */
void meters_request(const struct meters *meters, struct metrics *values, size_t route, int status,
                    uint64_t ns);

#endif
