/* SPDX-License-Identifier: MIT */
/* server/observers.c - one observer per kind of backend, into the worker's metrics and traces.
 *
 * Failure: no memory for the traces, at the start. */
#include "server/observers.h"

#include "server/database.h"

enum { MILLION = 1000000 };

struct meters *observers_meters(const struct config *config, const struct registry *registry)
{
    const struct meters_options options = {
        .registry = registry,
        .engine = database_engine(config),
        .models = {.provider = config->model,
                   .models = {config->openai_model, config->azure_deployment,
                              config->fallback_model}},
    };
    return meters_create(&options);
}

static void count_connections(struct worker *worker)
{
    const struct sql *sql = worker->wiring.sql;
    if (sql == NULL || sql->vtable->count == NULL)
        return;
    const struct sql_counts counts = sql->vtable->count(sql);
    meters_connections(worker->crew->meters, worker->metrics, &counts);
}

static void sample_loop(struct worker *worker)
{
    const uint64_t now_ns = loop_precise_ns(), idle_ns = loop_idle_ns(worker->loop);
    const uint64_t passed_ns = now_ns - worker->sampled_ns;
    const uint64_t waited_ns = idle_ns - worker->sampled_idle_ns;
    if (worker->sampled_ns != 0 && passed_ns > 0)
        meters_set(worker->crew->meters, worker->metrics, METER_LOOP_IDLE,
                   (int64_t)(size_min(waited_ns, passed_ns) * MILLION / passed_ns));
    meters_set(worker->crew->meters, worker->metrics, METER_WORK_QUEUED,
               (int64_t)loop_work_count(worker->loop));
    worker->sampled_ns = now_ns;
    worker->sampled_idle_ns = idle_ns;
}

void observers_sample(struct worker *worker)
{
    count_connections(worker);
    meters_set(worker->crew->meters, worker->metrics, METER_LLM_IN_FLIGHT,
               (int64_t)worker->wiring.llm->in_flight);
    sample_loop(worker);
}

static void on_statement(void *owner, const struct sql_query *query, uint64_t took_ns)
{
    struct worker *worker = owner;
    const struct meters *meters = worker->crew->meters;
    enum err_code code = query->op.err.code;
    uint64_t engine_ns = query->result.duration_us * 1000;
    meters_backend(meters, worker->metrics, query->sql->vtable->name, METERS_QUERY, code,
                   engine_ns);
    if (code == ERR_OK)
        meters_pool_wait(meters, worker->metrics, took_ns > engine_ns ? took_ns - engine_ns : 0);
    tracing_statement(worker->tracing, query, took_ns);
    count_connections(worker);
}

static void on_texts_embedded(void *owner, const struct embed_texts *texts, uint64_t took_ns)
{
    const struct worker *worker = owner;
    const struct meters *meters = worker->crew->meters;
    struct metrics *values = worker->metrics;
    bool is_fine = texts->op.err.code == ERR_OK;
    tracing_embedding(worker->tracing, texts, took_ns);
    meters_observe_ns(meters, values, METER_EMBED_SECONDS, took_ns);
    meters_add(meters, values, METER_EMBED_FAILURES, !is_fine);
    meters_add(meters, values, METER_EMBED_TOKENS, (int64_t)texts->tokens);
    if (!is_fine)
        return;
    meters_add(meters, values, METER_EMBED_CACHED, (int64_t)texts->cached);
    meters_add(meters, values, METER_EMBED_TEXTS, (int64_t)(texts->request->count - texts->cached));
    meters_add(meters, values, METER_EMBED_HITS, (int64_t)texts->cached);
    meters_add(meters, values, METER_EMBED_MISSES,
               (int64_t)(texts->request->count - texts->cached));
}

static void on_vector_search(void *owner, const struct vec_search *search, uint64_t took_ns)
{
    const struct worker *worker = owner;
    meters_backend(worker->crew->meters, worker->metrics, search->vec->vtable->name, METERS_VECTORS,
                   search->op.err.code, took_ns);
    tracing_vector_search(worker->tracing, search, took_ns);
}

static void on_keyword_search(void *owner, const struct text_search *search, uint64_t took_ns)
{
    const struct worker *worker = owner;
    meters_backend(worker->crew->meters, worker->metrics, search->text->vtable->name,
                   METERS_KEYWORDS, search->op.err.code, took_ns);
    tracing_keyword_search(worker->tracing, search, took_ns);
}

static void on_chat(void *owner, const struct llm_chat *chat, uint64_t took_ns)
{
    const struct worker *worker = owner;
    const struct meters *meters = worker->crew->meters;
    model_meters_count(meters_models(meters), worker->metrics, chat);
    meters_observe_ns(meters, worker->metrics, METER_LLM_SECONDS, took_ns);
    meters_set(meters, worker->metrics, METER_LLM_IN_FLIGHT, (int64_t)chat->llm->in_flight);
    if (chat->first_text_ns != 0)
        meters_observe_ns(meters, worker->metrics, METER_LLM_FIRST_TEXT_SECONDS,
                          chat->first_text_ns - chat->began_ns);
    tracing_chat(worker->tracing, chat, took_ns);
}

static void count_spans(void *owner, enum trace_otlp_count what, uint64_t count)
{
    static const enum meter meters[] = {[TRACE_OTLP_SENT] = METER_SPANS_SENT,
                                        [TRACE_OTLP_DROPPED] = METER_SPANS_DROPPED,
                                        [TRACE_OTLP_FAILED] = METER_SPANS_FAILURES};
    worker_count(owner, meters[what], (int64_t)count);
}

static void on_rejected(void *owner, const char *rule)
{
    const struct worker *worker = owner;
    meters_rejected(worker->crew->meters, worker->metrics, rule);
}

/* False: no memory. */
static bool open_tracing(struct worker *worker)
{
    const struct tracing_options options = {
        .loop = worker->loop,
        .config = worker->crew->config,
        .log = &worker->log,
        .instance = str_of(worker->instance.text),
        .on_count = count_spans,
        .owner = worker,
    };
    if (tracing_is_wanted(worker->crew->config))
        worker->tracing = tracing_create(&options);
    return worker->tracing != NULL || !tracing_is_wanted(worker->crew->config);
}

bool observers_open(struct worker *worker)
{
    struct wiring *wiring = &worker->wiring;
    if (wiring->sql != NULL) {
        wiring->sql->observe = on_statement;
        wiring->sql->observer = worker;
    }
    wiring->embed->observe = on_texts_embedded;
    wiring->embed->observer = worker;
    wiring->llm->observe = on_chat;
    wiring->llm->observer = worker;
    if (wiring->vec != NULL) {
        wiring->vec->observe = on_vector_search;
        wiring->vec->observer = worker;
    }
    if (wiring->text != NULL) {
        wiring->text->observe = on_keyword_search;
        wiring->text->observer = worker;
    }
    worker->services.on_rejected = on_rejected;
    worker->services.rejected_owner = worker;
    return open_tracing(worker);
}
