/* SPDX-License-Identifier: MIT */
/* server/wiring/models.c - models over HTTP, each inside llm_steady.
 *
 * Happy path: without models.json one model, and perhaps a second one behind it; with it all of its
 * models behind a router, whose routes are the file's tasks: a task's own, else that of its group,
 * else that of all others. Failure: no memory; what was made is closed again. */
#include "server/wiring/models.h"

#include <string.h>

#include "backends/models/llm_http.h"
#include "backends/models/llm_router.h"
#include "backends/models/llm_steady.h"

enum {
    BACKOFF_BASE_MS = 250,
    BACKOFF_CAP_MS = 8000,
    MAX_ANSWER_BYTES = 1024 * 1024,
    CONNECT_MS = 5000,      /* to a model's server: the next attempt is better than a longer wait */
    QUEUED_CALLS = 1024,    /* calls waiting for a place, each worker; ASKD_MAX_RUNS bounds them
                               first */
    BREAKER_FAILURES = 10,  /* failures in a row: too many for a single run to open the breaker */
    BREAKER_OPEN_MS = 10000 /* then one call tries whether the server is back */
};

struct maker {
    struct loop *loop;
    const struct config *config;
    struct http_client *client;
    const struct log *log;
};

static struct llm *open_http(const struct maker *maker, struct llm_http_options options)
{
    const struct config *config = maker->config;
    options.temperature = config->temperature;
    options.max_output_tokens = (unsigned)config->output_tokens;
    options.connect_ms = CONNECT_MS;
    options.first_token_ms = config->llm_first_token_ms;
    options.idle_ms = config->llm_first_token_ms / 2;
    options.total_ms = config->llm_ms;
    options.max_answer_bytes = MAX_ANSWER_BYTES;
    return llm_http_create(maker->loop, maker->client, &options);
}

/* Nobody encrypts what stays in the house: servers there have no keys to show. */
static bool is_plain_http(const char *url)
{
    return str_starts_with(str_of(url), STR("http://"));
}

static struct llm *open_configured(const struct maker *maker, const char *model)
{
    const struct config *config = maker->config;
    bool azure = strcmp(config->model, "azure") == 0;
    return open_http(maker,
                     (struct llm_http_options){
                         .wire = azure ? MODEL_WIRE_AZURE : MODEL_WIRE_OPENAI,
                         .url_variable = azure ? "AZURE_OPENAI_ENDPOINT" : "OPENAI_BASE_URL",
                         .base_url = azure ? config->azure_endpoint : config->openai_base_url,
                         .api_key = azure ? config->azure_key : config->openai_key,
                         .key_variable = azure ? "AZURE_OPENAI_API_KEY" : "OPENAI_API_KEY",
                         .key_optional = !azure && is_plain_http(config->openai_base_url),
                         .model = azure ? config->azure_deployment : model,
                         .api_version = CONFIG_AZURE_API_VERSION,
                     });
}

static void ignore_closed(void *owner)
{
    (void)owner;
}

static void close_if_any(struct llm *llm)
{
    if (llm != NULL)
        llm_close(llm, ignore_closed, NULL);
}

/* Put inner, and what follows it, inside of a steady one; they are closed when there is no memory.
 */
static struct llm *make_steady(const struct maker *maker, struct llm *inner, struct llm *fallback)
{
    const struct config *config = maker->config;
    const struct llm_steady_options options = {
        .max_attempts = (unsigned)config->llm_attempts,
        .base_ms = BACKOFF_BASE_MS,
        .cap_ms = BACKOFF_CAP_MS,
        .total_ms = config->llm_ms,
        .breaker_failures = BREAKER_FAILURES,
        .breaker_open_ms = BREAKER_OPEN_MS,
        .fallback = fallback,
        .max_in_flight = config->llm_in_flight,
        .company_in_flight = (config->llm_in_flight * config->company_share + 99) / 100,
        .max_queued = QUEUED_CALLS,
        .log = maker->log,
    };
    struct llm *steady = inner == NULL ? NULL : llm_steady_create(maker->loop, inner, &options);
    if (steady == NULL) {
        close_if_any(fallback);
        close_if_any(inner);
    }
    return steady;
}

static struct llm *open_one(const struct maker *maker)
{
    const struct config *config = maker->config;
    struct llm *fallback = NULL;
    struct llm *inner = open_configured(maker, config->openai_model);
    if (inner == NULL || config->fallback_model[0] == '\0')
        return make_steady(maker, inner, NULL);
    fallback = open_configured(maker, config->fallback_model);
    if (fallback != NULL)
        return make_steady(maker, inner, fallback);
    close_if_any(inner);
    return NULL;
}

/* ---- models.json ---- */

static struct llm *open_named(const struct maker *maker, const struct models_file_model *model)
{
    struct llm *inner =
        open_http(maker, (struct llm_http_options){
                             .wire = model->wire,
                             .base_url = model->url,
                             .url_variable = model->place,
                             .api_key = model->key,
                             .key_variable = model->key_variable,
                             .key_optional = model->key_variable[0] == '\0',
                             .model = model->model,
                             .api_version = model->api_version,
                             .reasoning_effort = model->reasoning_effort,
                             .most_output_tokens = (unsigned)model->max_output_tokens,
                             .traits = model->traits,
                             .prices = model->prices,
                         });
    return make_steady(maker, inner, NULL);
}

static void add_route(struct llm_router_options *options, const char *task,
                      const struct models_file_task *from)
{
    struct llm_route *route = &options->routes[options->route_count++];
    _Static_assert(sizeof route->models == sizeof from->models, "as many models");
    route->task = task;
    route->count = from->count;
    memcpy(route->models, from->models, sizeof route->models);
}

/* A route for each task that has one of its own, by itself or by its group. */
static void make_routes(const struct models_file *file, struct llm_router_options *options)
{
    const char *task;
    add_route(options, NULL, &file->tasks[0]);
    for (size_t i = 0; (task = models_file_task_at(i)) != NULL; i++) {
        const struct models_file_task *own = models_file_task_for(file, task);
        if (own != &file->tasks[0])
            add_route(options, task, own);
    }
}

static struct llm *open_all(const struct maker *maker)
{
    const struct models_file *file = maker->config->models;
    struct llm_router_options options = {.total_ms = maker->config->llm_ms, .log = maker->log};
    struct llm *router = NULL;
    bool is_whole = true;
    for (size_t i = 0; is_whole && i < file->model_count; i++) {
        options.models[i] = open_named(maker, &file->models[i]);
        is_whole = options.models[i] != NULL;
        options.model_count += is_whole;
    }
    make_routes(file, &options);
    if (is_whole)
        router = llm_router_create(maker->loop, &options);
    for (size_t i = 0; router == NULL && i < options.model_count; i++)
        close_if_any(options.models[i]);
    return router;
}

struct llm *models_open(struct loop *loop, const struct config *config, struct http_client *client,
                        const struct log *log)
{
    const struct maker maker = {loop, config, client, log};
    return config->models != NULL ? open_all(&maker) : open_one(&maker);
}
