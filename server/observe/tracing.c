/* SPDX-License-Identifier: MIT */
/* server/observe/tracing.c - one function per kind of span, all through finish_span.
 *
 * Happy path: a run's trace is begun with the request; whatever ends in it becomes a span at once,
 * its beginning reckoned back from now; the exporter takes a copy.
 * Failure: none is seen by a run; errors of operations are named by their code, in words only by
 * opt-in, for an engine's words may quote what somebody asked. */
#include "server/observe/tracing.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/mem.h"
#include "server/observe/tracing_content.h"

enum { URL_BYTES = 2048, LINGER_MS = 2000, VERB_BYTES = 16 };

/* OpenTelemetry's own defaults. */
enum {
    EVERY_MS = 1000,       /* that a finished span waits, so that several go together */
    EXPORT_MS = 10 * 1000, /* one request to the collector may take so long */
    BATCH_SPANS = 512,     /* of one request at most */
    QUEUE_SPANS = 2048     /* waiting at most, each worker; more are dropped and counted */
};

struct tracing {
    struct tracer tracer; /* first: core's view of it */
    struct trace_otlp *otlp;
    const struct config *config;
    char url[URL_BYTES];
    void (*on_closed)(void *owner);
    void *owner;
};

/* ---- life ---- */

static void on_node_ended(struct tracer *tracer, const struct trace_node *node);

bool tracing_is_wanted(const struct config *config)
{
    return config->otlp_endpoint[0] != '\0';
}

static void write_url(const struct config *config, char *url)
{
    struct str base = str_of(config->otlp_endpoint);
    while (str_ends_with(base, STR("/")))
        base.len--;
    snprintf(url, URL_BYTES, "%.*s/v1/traces", STR_ARG(base));
}

struct tracing *tracing_create(const struct tracing_options *options)
{
    const struct config *config = options->config;
    struct tracing *tracing = mem_zalloc(1, sizeof *tracing);
    if (tracing == NULL)
        return NULL;
    tracing->tracer.node_ended = on_node_ended;
    tracing->config = config;
    write_url(config, tracing->url);
    const struct trace_otlp_options otlp = {
        .url = tracing->url,
        .headers = config->otlp_headers,
        .resource = {.service_name = str_of(config->otel_service_name),
                     .version = STR(ASKD_VERSION),
                     .instance = options->instance,
                     .attributes = str_of(config->otel_resource_attributes)},
        .timeout_ms = EXPORT_MS,
        .every_ms = EVERY_MS,
        .batch_spans = BATCH_SPANS,
        .queue_spans = QUEUE_SPANS,
        .log = options->log,
        .on_count = options->on_count,
        .owner = options->owner,
    };
    tracing->otlp = trace_otlp_create(options->loop, &otlp);
    if (tracing->otlp != NULL)
        return tracing;
    mem_free(tracing);
    return NULL;
}

static void on_exporter_closed(void *owner)
{
    struct tracing *tracing = owner;
    void (*on_closed)(void *owner) = tracing->on_closed;
    void *closed_owner = tracing->owner;
    mem_free(tracing);
    on_closed(closed_owner);
}

void tracing_close(struct tracing *tracing, void (*on_closed)(void *owner), void *owner)
{
    tracing->on_closed = on_closed;
    tracing->owner = owner;
    trace_otlp_close(tracing->otlp, LINGER_MS, on_exporter_closed, tracing);
}

/* ---- a run ---- */

/* Whether a trace is sampled: decided by its id, so that all who see the trace decide alike. */
static bool is_drawn(const struct tracing *tracing, const unsigned char *id)
{
    uint64_t low;
    memcpy(&low, id + 8, sizeof low);
    double share = tracing->config->otel_sampler_arg;
    return share >= 1 || (double)(low >> 11) < share * 9007199254740992.0; /* 2 to the 53rd */
}

static bool is_sampled(const struct tracing *tracing, const struct tracing_run *run,
                       const struct trace_parent *parent)
{
    struct str sampler = str_of(tracing->config->otel_sampler);
    if (parent != NULL && str_starts_with(sampler, STR("parentbased_")))
        return parent->is_sampled;
    if (str_ends_with(sampler, STR("traceidratio")))
        return is_drawn(tracing, run->trace.id);
    return str_ends_with(sampler, STR("always_on"));
}

void tracing_begin_run(struct tracing *tracing, struct str traceparent, struct tracing_run *run)
{
    struct trace_parent parent;
    bool has_parent = trace_parent_read(traceparent, &parent);
    *run = (struct tracing_run){.is_known = has_parent || tracing != NULL};
    if (!run->is_known)
        return;
    if (has_parent) {
        memcpy(run->trace.id, parent.id, sizeof parent.id);
        run->parent_id = parent.span_id;
    } else {
        trace_make_id(run->trace.id);
    }
    run->place = trace_child(&(struct trace_place){.trace = &run->trace});
    run->began_ns = loop_precise_ns();
    if (tracing != NULL && is_sampled(tracing, run, has_parent ? &parent : NULL)) {
        run->is_sampled = true;
        run->trace.tracer = &tracing->tracer;
    }
    trace_write_id(run->trace.id, run->id_text);
    trace_write_span(run->place.span_id, run->span_text);
}

const struct trace_place *tracing_place(const struct tracing_run *run)
{
    return run->is_sampled ? &run->place : NULL;
}

/* ---- spans ---- */

struct made { /* a span, with room for its ids */
    struct otlp_span span;
    char trace_id[TRACE_ID_DIGITS + 1], span_id[TRACE_SPAN_DIGITS + 1];
    char parent_id[TRACE_SPAN_DIGITS + 1];
};

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* parent_id 0: a root. */
static void begin_span(struct made *made, const struct trace_place *place, uint64_t parent_id,
                       enum otlp_kind kind, uint64_t took_ns)
{
    *made = (struct made){.span = {.kind = kind}};
    trace_write_id(place->trace->id, made->trace_id);
    trace_write_span(place->span_id, made->span_id);
    trace_write_span(parent_id, made->parent_id);
    made->span.trace_id = made->trace_id;
    made->span.span_id = made->span_id;
    made->span.parent_id = parent_id == 0 ? NULL : made->parent_id;
    made->span.ended_ns = wall_ns();
    made->span.began_ns = made->span.ended_ns - took_ns;
}

/* begin_span for an operation whose span is nobody's parent. */
static void begin_leaf(struct made *made, const struct op *op, uint64_t took_ns)
{
    const struct trace_place *parent = op->waiter.trace;
    const struct trace_place place = trace_child(parent);
    begin_span(made, &place, parent->span_id, OTLP_CLIENT, took_ns);
}

static void name_span(struct made *made, const char *what, struct str of)
{
    of = str_utf8_prefix(of, sizeof made->span.name / 2);
    snprintf(made->span.name, sizeof made->span.name, "%s%s%.*s", what, of.len > 0 ? " " : "",
             STR_ARG(of));
}

static void put_error(const struct tracing *tracing, struct made *made, const struct err *err)
{
    if (err->code == ERR_OK)
        return;
    made->span.is_error = true;
    otlp_put_text(&made->span, "error.type", str_of(err_name(err->code)));
    if (tracing->config->otel_content)
        made->span.message = str_of(err->text);
}

static void finish_span(struct tracing *tracing, struct made *made)
{
    trace_otlp_put(tracing->otlp, &made->span);
}

static struct str non_empty(struct str text)
{
    return text.len > 0 ? text : (struct str){NULL, 0};
}

static void on_node_ended(struct tracer *tracer, const struct trace_node *node)
{
    struct tracing *tracing = container_of(tracer, struct tracing, tracer);
    struct made made;
    begin_span(&made, node->place, node->parent->span_id, OTLP_INTERNAL, node->took_ns);
    name_span(&made, "invoke_agent", str_of(node->path));
    otlp_put_text(&made.span, "gen_ai.operation.name", STR("invoke_agent"));
    otlp_put_text(&made.span, "gen_ai.agent.name", str_of(node->path));
    otlp_put_text(&made.span, "askd.graph", str_of(node->graph));
    if (node->retries > 0)
        otlp_put_int(&made.span, "askd.node.retries", node->retries);
    if (node->failed != NULL) {
        made.span.is_error = true;
        otlp_put_text(&made.span, "error.type", str_of(node->failed));
    }
    finish_span(tracing, &made);
}

static void put_usage(struct made *made, uint64_t input, uint64_t output)
{
    otlp_put_int(&made->span, "gen_ai.usage.input_tokens", (int64_t)input);
    otlp_put_int(&made->span, "gen_ai.usage.output_tokens", (int64_t)output);
}

void tracing_end_run(struct tracing *tracing, const struct tracing_run *run, const struct run *of,
                     struct str message)
{
    struct made made;
    struct str code, text, graph = str_of(graph_def(run_graph(of))->name);
    const struct run_stats *stats = run_stats(of);
    if (!run->is_sampled)
        return;
    begin_span(&made, &run->place, run->parent_id, OTLP_SERVER, loop_precise_ns() - run->began_ns);
    name_span(&made, "invoke_workflow", graph);
    otlp_put_text(&made.span, "gen_ai.operation.name", STR("invoke_workflow"));
    otlp_put_text(&made.span, "gen_ai.workflow.name", graph);
    otlp_put_text(&made.span, "gen_ai.conversation.id", non_empty(run_conversation_id(of)));
    otlp_put_text(&made.span, "askd.run.id", str_of(run_id(of)));
    otlp_put_text(&made.span, "askd.route", run_route(of));
    put_usage(&made, stats->prompt_tokens, stats->completion_tokens);
    if (stats->ttft_ms > 0)
        otlp_put_real(&made.span, "gen_ai.response.time_to_first_chunk",
                      (double)stats->ttft_ms / 1000);
    if (run_result(of, &code, &text) != ERR_OK) {
        made.span.is_error = true;
        otlp_put_text(&made.span, "error.type", code);
    }
    if (tracing->config->otel_content) {
        otlp_put_text(&made.span, "askd.question", tracing_content_cut(message));
        made.span.message = made.span.is_error ? text : (struct str){NULL, 0};
    }
    finish_span(tracing, &made);
}

/* ---- operations ---- */

/* The provider of the model that was asked: the offline engine may stand in for another. */
static struct str provider_of(const struct tracing *tracing, struct str asked)
{
    struct str provider = str_of(config_provider(tracing->config, asked));
    return str_equal(provider, STR("azure")) ? STR("azure.ai.openai") : provider;
}

void tracing_chat(struct tracing *tracing, const struct llm_chat *chat, uint64_t took_ns)
{
    struct made made;
    const struct trace_place *parent = chat->op.waiter.trace;
    struct tracing_content content;
    if (tracing == NULL || parent == NULL)
        return;
    begin_span(&made, &chat->place, parent->span_id, OTLP_CLIENT, took_ns);
    struct str model = non_empty(chat->model);
    name_span(&made, "chat", chat->asked.len > 0 ? chat->asked : model);
    otlp_put_text(&made.span, "gen_ai.operation.name", STR("chat"));
    otlp_put_text(&made.span, "gen_ai.provider.name", provider_of(tracing, chat->asked));
    otlp_put_text(&made.span, "gen_ai.request.model", non_empty(chat->asked));
    otlp_put_text(&made.span, "gen_ai.response.model", model);
    otlp_put_text(&made.span, "gen_ai.output.type", STR("text"));
    otlp_put_text(&made.span, "askd.task", str_of(chat->prompt->task));
    if (chat->prompt->temperature >= 0)
        otlp_put_real(&made.span, "gen_ai.request.temperature", chat->prompt->temperature);
    otlp_put_int(&made.span, "gen_ai.request.max_tokens", chat->prompt->max_output_tokens);
    otlp_put_bool(&made.span, "gen_ai.request.stream", true);
    if (chat->attempts > 1)
        otlp_put_int(&made.span, "askd.attempts", chat->attempts);
    put_usage(&made, chat->usage.prompt_tokens, chat->usage.completion_tokens);
    if (chat->op.err.code == ERR_OK)
        otlp_put_texts(&made.span, "gen_ai.response.finish_reasons",
                       str_of(llm_finish_name(chat->finish)));
    if (chat->first_text_ns != 0)
        otlp_put_real(&made.span, "gen_ai.response.time_to_first_chunk",
                      (double)(chat->first_text_ns - chat->began_ns) / 1e9);
    put_error(tracing, &made, &chat->op.err);
    tracing_content_init(&content);
    if (tracing->config->otel_content) {
        otlp_put_text(&made.span, "gen_ai.input.messages",
                      tracing_content_input(&content, chat->prompt));
        otlp_put_text(&made.span, "gen_ai.output.messages", tracing_content_output(&content, chat));
    }
    finish_span(tracing, &made);
    tracing_content_fini(&content);
}

/* "SELECT", "EXPLAIN": the statement's first word, in capitals. */
static struct str verb_of(struct str text, char *room)
{
    size_t len = 0;
    text = str_trim(text);
    while (len < text.len && len < VERB_BYTES && str_is_alpha(text.at[len])) {
        room[len] = (char)(str_lower(text.at[len]) - 'a' + 'A');
        len++;
    }
    return non_empty(str_make(room, len));
}

void tracing_statement(struct tracing *tracing, const struct sql_query *query, uint64_t took_ns)
{
    struct made made;
    char room[VERB_BYTES];
    if (tracing == NULL || query->op.waiter.trace == NULL)
        return;
    struct str system = str_of(query->sql->vtable->name);
    struct str verb = verb_of(query->statement->text, room);
    begin_leaf(&made, &query->op, took_ns);
    if (str_is_absent(verb))
        name_span(&made, "statement", system);
    else
        snprintf(made.span.name, sizeof made.span.name, "%.*s %.*s", STR_ARG(verb),
                 STR_ARG(system));
    otlp_put_text(&made.span, "db.system.name", system);
    otlp_put_text(&made.span, "db.operation.name", verb);
    otlp_put_text(&made.span, "db.response.status_code", non_empty(str_of(query->sqlstate)));
    if (query->op.err.code == ERR_OK)
        otlp_put_int(&made.span, "db.response.returned_rows", (int64_t)query->result.row_count);
    put_error(tracing, &made, &query->op.err);
    if (tracing->config->otel_content)
        otlp_put_text(&made.span, "db.query.text", tracing_content_cut(query->statement->text));
    finish_span(tracing, &made);
}

void tracing_embedding(struct tracing *tracing, const struct embed_texts *texts, uint64_t took_ns)
{
    struct made made;
    if (tracing == NULL || texts->op.waiter.trace == NULL)
        return;
    begin_leaf(&made, &texts->op, took_ns);
    name_span(&made, "embeddings", embed_model(texts->embed));
    otlp_put_text(&made.span, "gen_ai.operation.name", STR("embeddings"));
    otlp_put_text(&made.span, "gen_ai.provider.name", str_of(tracing->config->embeddings));
    otlp_put_text(&made.span, "gen_ai.request.model", embed_model(texts->embed));
    otlp_put_int(&made.span, "gen_ai.embeddings.dimension.count", (int64_t)texts->dimensions);
    otlp_put_int(&made.span, "gen_ai.usage.input_tokens", (int64_t)texts->tokens);
    otlp_put_int(&made.span, "askd.texts", (int64_t)texts->request->count);
    otlp_put_int(&made.span, "askd.texts.cached", (int64_t)texts->cached);
    put_error(tracing, &made, &texts->op.err);
    finish_span(tracing, &made);
}

void tracing_rerank(struct tracing *tracing, const struct rerank_texts *texts, uint64_t took_ns)
{
    struct made made;
    if (tracing == NULL || texts->op.waiter.trace == NULL)
        return;
    begin_leaf(&made, &texts->op, took_ns);
    name_span(&made, "rerank", str_of(tracing->config->rerank_model));
    otlp_put_text(&made.span, "gen_ai.operation.name", STR("rerank"));
    otlp_put_text(&made.span, "gen_ai.request.model",
                  non_empty(str_of(tracing->config->rerank_model)));
    otlp_put_int(&made.span, "askd.texts", (int64_t)texts->request->count);
    put_error(tracing, &made, &texts->op.err);
    finish_span(tracing, &made);
}

/* A search of the collection in the store called system: so many hits. */
static void begin_search(struct made *made, const struct op *op, uint64_t took_ns,
                         struct str collection, const char *system, const char *kind,
                         size_t hit_count)
{
    begin_leaf(made, op, took_ns);
    name_span(made, "retrieval", collection);
    otlp_put_text(&made->span, "gen_ai.operation.name", STR("retrieval"));
    otlp_put_text(&made->span, "gen_ai.data_source.id", collection);
    otlp_put_text(&made->span, "db.system.name", str_of(system));
    otlp_put_text(&made->span, "askd.search.kind", str_of(kind));
    if (op->err.code == ERR_OK)
        otlp_put_int(&made->span, "askd.search.hits", (int64_t)hit_count);
}

void tracing_vector_search(struct tracing *tracing, const struct vec_search *search,
                           uint64_t took_ns)
{
    struct made made;
    if (tracing == NULL || search->op.waiter.trace == NULL)
        return;
    begin_search(&made, &search->op, took_ns, search->query->collection, search->vec->vtable->name,
                 "vectors", search->hit_count);
    put_error(tracing, &made, &search->op.err);
    finish_span(tracing, &made);
}

void tracing_keyword_search(struct tracing *tracing, const struct text_search *search,
                            uint64_t took_ns)
{
    struct made made;
    if (tracing == NULL || search->op.waiter.trace == NULL)
        return;
    begin_search(&made, &search->op, took_ns, search->query->collection, search->text->vtable->name,
                 "keywords", search->hit_count);
    put_error(tracing, &made, &search->op.err);
    if (tracing->config->otel_content)
        otlp_put_text(&made.span, "gen_ai.retrieval.query.text",
                      tracing_content_cut(search->query->words));
    finish_span(tracing, &made);
}
