/* SPDX-License-Identifier: MIT */
/* server/observe/meters_table.h - the series of server/observe/meters.h, in one list. */
#ifndef SERVER_OBSERVE_METERS_TABLE_H
#define SERVER_OBSERVE_METERS_TABLE_H

#include "core/observe/metrics.h"

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

#endif
