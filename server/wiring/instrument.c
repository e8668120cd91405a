/* SPDX-License-Identifier: MIT */
/* server/wiring/instrument.c - one observer per kind of backend, into a loop's metrics and traces.
 *
 * Failure: no memory for the traces, at the start. */
#include "server/wiring/instrument.h"

#include "core/base/mem.h"
#include "core/store/store.h"
#include "server/wiring/audit.h"

enum { MILLION = 1000000 };

static void count_connections(struct instrument *observers)
{
    const struct sql *sql = observers->wiring->sql;
    if (sql == NULL || sql->vtable->count == NULL)
        return;
    const struct sql_counts counts = sql->vtable->count(sql);
    meters_connections(observers->meters, observers->metrics, &counts);
}

static void sample_loop(struct instrument *observers)
{
    const uint64_t now_ns = loop_precise_ns(), idle_ns = loop_idle_ns(observers->wiring->loop);
    const uint64_t passed_ns = now_ns - observers->sampled_ns;
    const uint64_t waited_ns = idle_ns - observers->sampled_idle_ns;
    if (observers->sampled_ns != 0 && passed_ns > 0)
        meters_set(observers->meters, observers->metrics, METER_LOOP_IDLE,
                   (int64_t)(size_min(waited_ns, passed_ns) * MILLION / passed_ns));
    meters_set(observers->meters, observers->metrics, METER_WORK_QUEUED,
               (int64_t)loop_work_count(observers->wiring->loop));
    meters_add(observers->meters, observers->metrics, METER_ALLOCATIONS,
               (int64_t)(mem_alloc_count() - observers->sampled_allocations));
    observers->sampled_allocations = mem_alloc_count();
    observers->sampled_ns = now_ns;
    observers->sampled_idle_ns = idle_ns;
}

static void note(const struct instrument *observers, enum seen_backend backend, enum err_code code)
{
    seen_note(observers->seen, backend, loop_wall_ms(observers->wiring->loop), code);
}

/* A store keeps its own times, by the clock of its loop. */
static void note_store(const struct instrument *observers)
{
    const struct store *store = observers->wiring->store;
    const struct loop *loop = observers->wiring->loop;
    const uint64_t off_ms = loop_wall_ms(loop) - loop_now_ms(loop);
    if (store != NULL && store->answered_ms > 0)
        seen_note(observers->seen, SEEN_CONVERSATIONS, off_ms + store->answered_ms, ERR_OK);
    if (store != NULL && store->failed_ms > 0)
        seen_note(observers->seen, SEEN_CONVERSATIONS, off_ms + store->failed_ms, ERR_UNAVAILABLE);
}

void instrument_sample(struct instrument *observers)
{
    note_store(observers);
    count_connections(observers);
    meters_set(observers->meters, observers->metrics, METER_LLM_IN_FLIGHT,
               (int64_t)observers->wiring->llm->in_flight);
    sample_loop(observers);
}

static struct audit audit_of(const struct instrument *observers)
{
    return (struct audit){observers->audit, observers->wiring->config, observers->meters,
                          observers->metrics};
}

static void on_statement(void *owner, const struct sql_query *query, uint64_t took_ns)
{
    struct instrument *observers = owner;
    const struct meters *meters = observers->meters;
    const struct audit audit = audit_of(observers);
    enum err_code code = query->op.err.code;
    uint64_t engine_ns = query->result.duration_us * 1000;
    note(observers, SEEN_DATABASE, code);
    meters_backend(meters, observers->metrics, query->sql->vtable->name, METERS_QUERY, code,
                   engine_ns);
    if (code == ERR_OK)
        meters_pool_wait(meters, observers->metrics, took_ns > engine_ns ? took_ns - engine_ns : 0);
    tracing_statement(observers->tracing, query, took_ns);
    audit_statement(&audit, query, took_ns);
    count_connections(observers);
}

static void on_texts_embedded(void *owner, const struct embed_texts *texts, uint64_t took_ns)
{
    const struct instrument *observers = owner;
    const struct meters *meters = observers->meters;
    struct metrics *values = observers->metrics;
    bool is_fine = texts->op.err.code == ERR_OK;
    if (!is_fine || texts->cached < texts->request->count)
        note(observers, SEEN_EMBEDDINGS, texts->op.err.code);
    tracing_embedding(observers->tracing, texts, took_ns);
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
    const struct instrument *observers = owner;
    note(observers, SEEN_VECTORS, search->op.err.code);
    meters_backend(observers->meters, observers->metrics, search->vec->vtable->name, METERS_VECTORS,
                   search->op.err.code, took_ns);
    tracing_vector_search(observers->tracing, search, took_ns);
}

static void on_keyword_search(void *owner, const struct text_search *search, uint64_t took_ns)
{
    const struct instrument *observers = owner;
    note(observers, SEEN_KEYWORDS, search->op.err.code);
    meters_backend(observers->meters, observers->metrics, search->text->vtable->name,
                   METERS_KEYWORDS, search->op.err.code, took_ns);
    tracing_keyword_search(observers->tracing, search, took_ns);
}

static void on_reranked(void *owner, const struct rerank_texts *texts, uint64_t took_ns)
{
    const struct instrument *observers = owner;
    note(observers, SEEN_RERANKER, texts->op.err.code);
    meters_backend(observers->meters, observers->metrics, texts->rerank->vtable->name,
                   METERS_RERANK, texts->op.err.code, took_ns);
    tracing_rerank(observers->tracing, texts, took_ns);
}

/* An answer that the offline engine stood in for is no answer of the model. */
static void note_model(const struct instrument *observers, const struct llm_chat *chat)
{
    const struct wiring *wiring = observers->wiring;
    const bool is_stand_in = wiring->offline != NULL && wiring->llm != wiring->offline &&
                             str_equal(chat->model, STR("offline"));
    note(observers, SEEN_MODEL,
         is_stand_in && chat->op.err.code == ERR_OK ? ERR_UNAVAILABLE : chat->op.err.code);
}

static void on_chat(void *owner, const struct llm_chat *chat, uint64_t took_ns)
{
    const struct instrument *observers = owner;
    const struct meters *meters = observers->meters;
    note_model(observers, chat);
    model_meters_count(meters_models(meters), observers->metrics, chat);
    meters_observe_ns(meters, observers->metrics, METER_LLM_SECONDS, took_ns);
    meters_set(meters, observers->metrics, METER_LLM_IN_FLIGHT, (int64_t)chat->llm->in_flight);
    if (chat->first_text_ns != 0)
        meters_observe_ns(meters, observers->metrics, METER_LLM_FIRST_TEXT_SECONDS,
                          chat->first_text_ns - chat->began_ns);
    tracing_chat(observers->tracing, chat, took_ns);
}

static void count_spans(void *owner, enum trace_otlp_count what, uint64_t count)
{
    const struct instrument *observers = owner;
    static const enum meter meters[] = {[TRACE_OTLP_SENT] = METER_SPANS_SENT,
                                        [TRACE_OTLP_DROPPED] = METER_SPANS_DROPPED,
                                        [TRACE_OTLP_FAILED] = METER_SPANS_FAILURES};
    meters_add(observers->meters, observers->metrics, meters[what], (int64_t)count);
}

static void on_rejected(void *owner, const struct session *session,
                        const struct sql_verdict *verdict, struct str sql)
{
    const struct instrument *observers = owner;
    const struct audit audit = audit_of(observers);
    meters_rejected(observers->meters, observers->metrics,
                    verdict->rule == NULL ? "" : verdict->rule);
    audit_refusal(&audit, session, verdict, sql);
}

/* False: no memory. */
static bool open_tracing(struct instrument *observers, const struct log *log, struct str instance)
{
    const struct config *config = observers->wiring->config;
    const struct tracing_options options = {
        .loop = observers->wiring->loop,
        .config = config,
        .log = log,
        .instance = instance,
        .on_count = count_spans,
        .owner = observers,
    };
    if (!tracing_is_wanted(config))
        return true;
    observers->tracing = tracing_create(&options);
    return observers->tracing != NULL;
}

bool instrument_open(struct instrument *observers, struct services *services, const struct log *log,
                     struct str instance)
{
    const struct wiring *wiring = observers->wiring;
    if (wiring->sql != NULL) {
        wiring->sql->observe = on_statement;
        wiring->sql->observer = observers;
    }
    wiring->embed->observe = on_texts_embedded;
    wiring->embed->observer = observers;
    wiring->llm->observe = on_chat;
    wiring->llm->observer = observers;
    if (wiring->vec != NULL) {
        wiring->vec->observe = on_vector_search;
        wiring->vec->observer = observers;
    }
    if (wiring->text != NULL) {
        wiring->text->observe = on_keyword_search;
        wiring->text->observer = observers;
    }
    if (wiring->rerank != NULL) {
        wiring->rerank->observe = on_reranked;
        wiring->rerank->observer = observers;
    }
    services->on_rejected = on_rejected;
    services->rejected_owner = observers;
    return open_tracing(observers, log, instance);
}
