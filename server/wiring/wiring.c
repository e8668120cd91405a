/* SPDX-License-Identifier: MIT */
/* server/wiring/wiring.c - the one place that names implementations (database.c: those of SQL,
 * models.c: those of models over HTTP).
 *
 * Happy path: the model is one over HTTP, or several, or the offline engine, or the latter behind
 * the former; hashed embeddings; the engine of the database's url when there is one. Closing goes
 * from the top down, the client last. Failure: no memory; what was opened is closed by
 * wiring_close. */
#include "server/wiring/wiring.h"

#include <string.h>
#include <time.h>

#include "agents/memory/history.h"
#include "agents/offline/model.h"
#include "backends/models/llm_steady.h"
#include "backends/models/rerank_http.h"
#include "backends/remote/remote_tools.h"
#include "server/language/sentences.h"
#include "server/wiring/database.h"
#include "server/wiring/embedder.h"
#include "server/wiring/checkpoint_stores.h"
#include "server/wiring/document_stores.h"
#include "server/wiring/models.h"

enum {
    HISTORY_BYTES = 64 * 1024 * 1024, /* conversations in memory, over all workers: some thousands
                                         in front of the store, or all there are without one */
    STAND_IN_MS = 5000 /* how much longer than the deadline of the model a call may take, so that
                          the fallback can still answer */
};

static bool today(void *owner, int *year, int *month, int *day)
{
    const struct wiring *wiring = owner;
    time_t now = (time_t)(loop_wall_ms(wiring->loop) / 1000);
    struct tm local;
    if (config_today(wiring->config, year, month, day))
        return true;
    if (localtime_r(&now, &local) == NULL)
        return false;
    *year = local.tm_year + 1900;
    *month = local.tm_mon + 1;
    *day = local.tm_mday;
    return true;
}

static void ignore_closed(void *owner)
{
    (void)owner;
}

/* Make one client for all that speak HTTP. False: no memory. */
static bool open_client(struct wiring *wiring)
{
    if (wiring->client == NULL)
        wiring->client = http_client_create(wiring->loop, NULL);
    return wiring->client != NULL;
}

static struct llm *open_offline(struct wiring *wiring)
{
    const struct config *config = wiring->config;
    static const struct offline_words words = {sentences_is_option, sentences_read_question};
    const struct offline_options options = {
        .today = today,
        .today_owner = wiring,
        .words = &words,
        .joining = join_finder_options_of(config->confidence, (unsigned)config->max_hops)};
    wiring->offline = offline_model_create(wiring->loop, &options);
    return wiring->offline;
}

/* Make the model, and the offline engine where it is the fallback. */
static struct llm *open_degradable(struct wiring *wiring, const struct log *log)
{
    struct llm *model = models_open(wiring->loop, wiring->config, wiring->client, log),
               *offline = open_offline(wiring);
    const struct llm_steady_options options = {.max_attempts = 1,
                                               .total_ms = wiring->config->llm_ms,
                                               .fallback = offline,
                                               .fallback_ms = STAND_IN_MS,
                                               .log = log};
    struct llm *both =
        model == NULL || offline == NULL ? NULL : llm_steady_create(wiring->loop, model, &options);
    if (both != NULL)
        return both;
    if (model != NULL)
        llm_close(model, ignore_closed, NULL);
    if (offline != NULL)
        llm_close(offline, ignore_closed, NULL);
    wiring->offline = NULL;
    return NULL;
}

static struct llm *open_llm(struct wiring *wiring, const struct log *log)
{
    const struct config *config = wiring->config;
    if (strcmp(config->model, "offline") == 0)
        return open_offline(wiring);
    if (!open_client(wiring))
        return NULL;
    return strcmp(config->model_fallback, "offline") == 0
               ? open_degradable(wiring, log)
               : models_open(wiring->loop, wiring->config, wiring->client, log);
}

static struct embed *open_embed(struct wiring *wiring, const struct log *log)
{
    if (embedder_is_remote(wiring->config) && !open_client(wiring))
        return NULL;
    return embedder_open(wiring->loop, wiring->config, wiring->client, log);
}

/* Open the reranker where one is configured. False: no memory. */
static bool open_rerank(struct wiring *wiring, const struct log *log)
{
    const struct config *config = wiring->config;
    const struct rerank_http_options options = {.base_url = config->rerank_url,
                                                .api_key = config->rerank_key,
                                                .model = config->rerank_model,
                                                .log = log};
    if (config->rerank_url[0] == '\0')
        return true;
    if (open_client(wiring))
        wiring->rerank = rerank_http_create(wiring->loop, wiring->client, &options);
    return wiring->rerank != NULL;
}

enum err_code wiring_open_sql(struct wiring *wiring, struct loop *loop, const struct config *config,
                              struct err *err)
{
    const struct database_options options = database_options_of(config);
    wiring->loop = loop;
    wiring->config = config;
    if (config->database_url[0] == '\0')
        return ERR_OK;
    wiring->sql = database_open(loop, str_of(config->database_url), &options, err);
    if (wiring->sql != NULL)
        return ERR_OK;
    err_prefix(err, "ASKD_DATABASE_URL");
    return err->code;
}

enum err_code wiring_open(struct wiring *wiring, struct loop *loop, const struct config *config,
                          const struct log *log, const struct wiring_share *share, struct err *err)
{
    *wiring = (struct wiring){0};
    enum err_code code = wiring_open_sql(wiring, loop, config, err);
    if (code != ERR_OK)
        return code;
    wiring->history = history_create(HISTORY_BYTES / share->workers);
    wiring->llm = open_llm(wiring, log);
    wiring->embed = open_embed(wiring, log);
    if (wiring->history == NULL || wiring->llm == NULL || wiring->embed == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the model or the conversations");
    if (!open_rerank(wiring, log))
        return err_set(err, ERR_NO_MEMORY, "no memory for the reranker");
    if (config->tools != NULL && open_client(wiring))
        wiring->remote = remote_tools_create(loop, wiring->client, config->tools, log);
    if (config->tools != NULL && wiring->remote == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the tools of ASKD_TOOLS");
    if (config->webhooks[0] != '\0' && !open_client(wiring))
        return err_set(err, ERR_NO_MEMORY, "no memory for webhooks");
    code = document_stores_open_vec(loop, config, share->vectors, &wiring->vec, err);
    if (code == ERR_OK)
        code = document_stores_open_text(loop, config, &wiring->text, err);
    if (code == ERR_OK && share->with_store)
        code = checkpoint_stores_open(loop, config, &wiring->store, &wiring->events, err);
    return code;
}

enum err_code wiring_use_tools(struct wiring *wiring, struct remote_file *file)
{
    return wiring->remote == NULL ? ERR_OK : remote_tools_use(wiring->remote, file);
}

/* ---- closing: model and database at once, then the client, then tell ---- */

static void tell_closed(struct loop_task *task)
{
    struct wiring *wiring = container_of(task, struct wiring, closed_task);
    history_destroy(wiring->history);
    wiring->history = NULL;
    wiring->on_closed(wiring->owner);
}

static void on_client_closed(void *owner)
{
    struct wiring *wiring = owner;
    loop_post(wiring->loop, &wiring->closed_task, tell_closed);
}

static void on_part_closed(void *owner)
{
    struct wiring *wiring = owner;
    struct http_client *client = wiring->client;
    if (--wiring->closing > 0)
        return;
    wiring->client = NULL;
    if (client != NULL)
        http_client_close(client, on_client_closed, wiring);
    else
        on_client_closed(wiring);
}

void wiring_close(struct wiring *wiring, void (*on_closed)(void *owner), void *owner)
{
    struct llm *llm = wiring->llm;
    struct embed *embed = wiring->embed;
    struct sql *sql = wiring->sql;
    struct vec *vec = wiring->vec;
    struct text *text = wiring->text;
    struct rerank *rerank = wiring->rerank;
    struct remote *remote = wiring->remote;
    struct store *store = wiring->store;
    struct store *events = wiring->events == store ? NULL : wiring->events;
    wiring->on_closed = on_closed;
    wiring->owner = owner;
    wiring->llm = wiring->offline = NULL;
    wiring->embed = NULL;
    wiring->sql = NULL;
    wiring->vec = NULL;
    wiring->text = NULL;
    wiring->rerank = NULL;
    wiring->remote = NULL;
    wiring->store = wiring->events = NULL;
    wiring->closing = 1;
    services_drop_kept(&wiring->kept);
    if (llm != NULL) {
        wiring->closing++;
        llm_close(llm, on_part_closed, wiring);
    }
    if (embed != NULL) {
        wiring->closing++;
        embed_close(embed, on_part_closed, wiring);
    }
    if (sql != NULL) {
        wiring->closing++;
        sql_close(sql, on_part_closed, wiring);
    }
    if (vec != NULL) {
        wiring->closing++;
        vec_close(vec, on_part_closed, wiring);
    }
    if (text != NULL) {
        wiring->closing++;
        text_close(text, on_part_closed, wiring);
    }
    if (rerank != NULL) {
        wiring->closing++;
        rerank_close(rerank, on_part_closed, wiring);
    }
    if (remote != NULL) {
        wiring->closing++;
        remote_close(remote, on_part_closed, wiring);
    }
    if (store != NULL) {
        wiring->closing++;
        store_close(store, on_part_closed, wiring);
    }
    if (events != NULL) {
        wiring->closing++;
        store_close(events, on_part_closed, wiring);
    }
    on_part_closed(wiring);
}

struct services wiring_services(struct wiring *wiring, const struct limits *limits,
                                const struct log *log)
{
    return (struct services){
        .loop = wiring->loop,
        .llm = wiring->llm,
        .sql = wiring->sql,
        .embed = wiring->embed,
        .vec = wiring->vec,
        .text = wiring->text,
        .rerank = wiring->rerank,
        .remote = wiring->remote,
        .history = wiring->history,
        .store = wiring->store,
        .kept = &wiring->kept,
        .limits = limits,
        .log = log,
        .encrypt_key = str_of(wiring->config->encrypt_key),
        .today = today,
        .today_owner = wiring,
        .today_is_set = wiring->config->today[0] != '\0',
    };
}

void wiring_know(struct wiring *wiring, const struct knowledge *knows)
{
    services_drop_kept(&wiring->kept);
    if (wiring->offline != NULL && knows->catalog != NULL)
        offline_model_know(wiring->offline, knows->catalog, knows->lexicon, knows->joins,
                           knows->dialect);
}

bool wiring_is_blind(const struct wiring *wiring, const struct knowledge *knows)
{
    return wiring->offline != NULL && wiring->llm == wiring->offline && knows->catalog == NULL;
}
