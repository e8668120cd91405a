/* SPDX-License-Identifier: MIT */
/* server/api/api_admin.c - answers from what is known without I/O.
 *
 * Failure: readiness names every backend that is missing, and why, and is 503 only when nothing can
 * be answered; a body that does not fit is a 500. */
#include "server/api/api_admin.h"

#include <time.h>

#include "core/store/store.h"
#include "proto/json_write.h"
#include "server/observe/build_info.h"
#include "server/observe/seen.h"
#include "server/http/exchange.h"
#include "server/runs/shard.h"

enum { BODY_BYTES = 1024 * 1024 };

struct backends {
    struct json_write json;
    const struct seen *seen;
    bool is_whole; /* with addresses, names and advice, which are for operators */
    /* what there is */
    bool all, model, database, documents;
    bool is_wrong; /* the database is not away: what is set of it is wrong */
};

void api_admin_health(struct exchange *exchange)
{
    exchange_reply(exchange, 200, "text/plain; charset=utf-8", STR("ok\n"));
}

void api_admin_version(struct exchange *exchange)
{
    struct json_write json;
    struct buf body;
    buf_init(&body, BODY_BYTES);
    json_write_init(&json, &body);
    json_write_object(&json);
    json_write_member_str(&json, STR("name"), STR("askd"));
    json_write_member_str(&json, STR("version"), STR(ASKD_VERSION));
    json_write_member_str(&json, STR("commit"), str_of(build_info_commit()));
    json_write_object_end(&json);
    exchange_reply_json(exchange, 200, &body);
}

static void write_time(struct json_write *json, const char *name, uint64_t wall_ms)
{
    char text[32];
    struct tm parts;
    time_t seconds = (time_t)(wall_ms / 1000);
    if (wall_ms == 0 || gmtime_r(&seconds, &parts) == NULL)
        return;
    json_write_member_str(
        json, str_of(name),
        str_make(text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)));
}

/* How calls of the backend ended. */
static void write_seen(struct backends *to, enum seen_backend backend)
{
    const struct seen_ends ends =
        to->seen == NULL ? (struct seen_ends){0} : seen_look(to->seen, backend);
    write_time(&to->json, "answered_at", ends.answered_ms);
    write_time(&to->json, "failed_at", ends.failed_ms);
    if (ends.failed_ms > 0)
        json_write_member_str(&to->json, STR("failure"), str_of(err_name(ends.failure)));
}

static const char *const names[SEEN_BACKENDS] = {[SEEN_MODEL] = "model",
                                                 [SEEN_EMBEDDINGS] = "embeddings",
                                                 [SEEN_VECTORS] = "vectors",
                                                 [SEEN_KEYWORDS] = "keywords",
                                                 [SEEN_RERANKER] = "reranker",
                                                 [SEEN_DATABASE] = "database",
                                                 [SEEN_CONVERSATIONS] = "conversations"};

/* One backend; false: it is not there. Why, how its last calls ended and what it warns of, is for
 * operators. */
static bool write_backend(struct backends *to, enum seen_backend backend, const char *kind,
                          const struct err *err, struct str warnings)
{
    struct json_write *json = &to->json;
    bool fine = err->code == ERR_OK;
    json_write_key(json, str_of(names[backend]));
    json_write_object(json);
    json_write_member_str(json, STR("status"), fine ? STR("ok") : STR("unavailable"));
    json_write_member_str(json, STR("kind"), str_of(kind));
    if (!fine && to->is_whole) {
        json_write_member_str(json, STR("code"), str_of(err_name(err->code)));
        json_write_member_str(json, STR("detail"), str_of(err->text));
    }
    if (to->is_whole)
        write_seen(to, backend);
    if (warnings.len > 0 && to->is_whole) {
        json_write_key(json, STR("warnings"));
        json_write_array(json);
        while (warnings.len > 0)
            json_write_str(json, str_split(&warnings, '\n'));
        json_write_array_end(json);
    }
    json_write_object_end(json);
    return fine;
}

static void say_unread(const struct lexicon_progress *reading, struct err *err)
{
    unsigned of = reading == NULL ? 0 : reading->of;
    if (of == 0)
        err_set(err, ERR_UNAVAILABLE, "it has not been read yet");
    else
        err_set(err, ERR_UNAVAILABLE,
                "it has not been read yet: the values of %u of %u columns are indexed",
                reading->columns, of);
}

static void write_documents(const struct services *services, struct backends *to)
{
    struct err err = {0};
    to->documents = false;
    if (services->vec != NULL) {
        err.code = vec_ready(services->vec, &err);
        to->documents |=
            write_backend(to, SEEN_VECTORS, services->vec->vtable->name, &err, STR(""));
        to->all &= err.code == ERR_OK;
    }
    if (services->text != NULL) {
        err = (struct err){0};
        err.code = text_ready(services->text, &err);
        to->documents |=
            write_backend(to, SEEN_KEYWORDS, services->text->vtable->name, &err, STR(""));
        to->all &= err.code == ERR_OK;
    }
}

/* While it is away passages come in the order in which they were found. */
static void write_reranker(const struct services *services, struct backends *to)
{
    struct err err = {0};
    if (services->rerank == NULL)
        return;
    err.code = rerank_ready(services->rerank, &err);
    to->all &= write_backend(to, SEEN_RERANKER, services->rerank->vtable->name, &err, STR(""));
}

static void write_database(struct shard *shard, struct backends *to)
{
    const struct services *services = shard->services;
    struct err err = {0};
    if (shard->pin == NULL)
        say_unread(shard->group->reading, &err);
    else if (shard->pin->set->knows.catalog == NULL)
        err = shard->pin->set->knows.catalog_err;
    else
        err.code = sql_ready(services->sql, &err);
    struct str warnings = shard->pin == NULL ? STR("") : buf_str(&shard->pin->set->warnings);
    to->database = write_backend(to, SEEN_DATABASE, services->sql->vtable->name, &err, warnings);
    to->all &= to->database;
    to->is_wrong = shard->pin != NULL && shard->pin->set->knows.catalog == NULL &&
                   err.code != ERR_UNAVAILABLE && err.code != ERR_TIMEOUT;
}

static void write_backends(struct shard *shard, struct backends *to)
{
    const struct services *services = shard->services;
    const struct config *config = shard->group->config;
    struct err err = {0};
    err.code = llm_ready(services->llm, &err);
    to->model = to->all = write_backend(to, SEEN_MODEL, config->model, &err, STR(""));
    err = (struct err){0};
    err.code = embed_ready(services->embed, &err);
    to->all &= write_backend(to, SEEN_EMBEDDINGS, config->embeddings, &err, STR(""));
    write_documents(services, to);
    write_reranker(services, to);
    if (services->store != NULL) { /* while it is away questions are answered all the same */
        err = (struct err){0};
        err.code = store_ready(services->store, &err);
        (void)write_backend(to, SEEN_CONVERSATIONS, services->store->vtable->name, &err, STR(""));
    }
    if (services->sql != NULL)
        write_database(shard, to);
}

/* Whether some questions can be answered: a model is there, and the data or the documents. A server
 * whose settings are wrong must not take the place of one that works, whatever else it could do. */
static bool answers_some(const struct shard *shard, const struct backends *to)
{
    const struct services *services = shard->services;
    const bool is_bare = services->sql == NULL && services->vec == NULL && services->text == NULL;
    return to->model && !to->is_wrong && (to->database || to->documents || is_bare);
}

static const char *status_of(const struct shard *shard, const struct backends *to)
{
    if (shard->draining)
        return "draining";
    if (shard->pin == NULL) /* runs are answered 503 */
        return "starting";
    return to->all ? "ready" : answers_some(shard, to) ? "degraded" : "not_ready";
}

void api_admin_ready(struct exchange *exchange)
{
    struct shard *shard = exchange->shard;
    struct backends told = {.seen = shard->group->seen,
                            .is_whole = exchange_is_by_operator(exchange)};
    struct json_write json;
    struct buf body, backends;
    buf_init(&body, BODY_BYTES);
    buf_init(&backends, BODY_BYTES);
    json_write_init(&told.json, &backends);
    json_write_object(&told.json);
    write_backends(shard, &told);
    json_write_object_end(&told.json);
    json_write_init(&json, &body);
    json_write_object(&json);
    json_write_member_str(&json, STR("status"), str_of(status_of(shard, &told)));
    json_write_member_raw(&json, STR("backends"), buf_str(&backends));
    json_write_object_end(&json);
    if (!buf_ok(&backends))
        body.failed = true;
    buf_fini(&backends);
    bool takes_runs = answers_some(shard, &told) && !shard->draining && shard->pin != NULL;
    exchange_reply_json(exchange, takes_runs ? 200 : 503, &body);
}
