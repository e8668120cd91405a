/* SPDX-License-Identifier: MIT */
/* server/api/api_admin.c - answers from what is known without I/O.
 *
 * Failure: readiness names every backend that is missing, and why; a body that does not fit is a
 * 500. */
#include "server/api/api_admin.h"

#include "core/store/store.h"
#include "proto/json_write.h"
#include "server/observe/build_info.h"
#include "server/http/exchange.h"
#include "server/runs/shard.h"

enum { BODY_BYTES = 1024 * 1024 };

struct backends {
    struct json_write json;
    bool is_whole; /* with addresses, names and advice, which are for operators */
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

/* One backend; false: it is not there. Why, and what it warns of, is for operators. */
static bool write_backend(struct backends *to, const char *name, const char *kind,
                          const struct err *err, struct str warnings)
{
    struct json_write *json = &to->json;
    bool fine = err->code == ERR_OK;
    json_write_key(json, str_of(name));
    json_write_object(json);
    json_write_member_str(json, STR("status"), fine ? STR("ok") : STR("unavailable"));
    json_write_member_str(json, STR("kind"), str_of(kind));
    if (!fine && to->is_whole) {
        json_write_member_str(json, STR("code"), str_of(err_name(err->code)));
        json_write_member_str(json, STR("detail"), str_of(err->text));
    }
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

static bool write_backends(struct shard *shard, struct backends *json)
{
    const struct services *services = shard->services;
    struct err err = {0};
    bool fine = true;
    err.code = llm_ready(services->llm, &err);
    fine &= write_backend(json, "model", shard->group->config->model, &err, STR(""));
    err = (struct err){0};
    err.code = embed_ready(services->embed, &err);
    fine &= write_backend(json, "embeddings", shard->group->config->embeddings, &err, STR(""));
    if (services->vec != NULL) {
        err = (struct err){0};
        err.code = vec_ready(services->vec, &err);
        fine &= write_backend(json, "vectors", services->vec->vtable->name, &err, STR(""));
    }
    if (services->text != NULL) {
        err = (struct err){0};
        err.code = text_ready(services->text, &err);
        fine &= write_backend(json, "keywords", services->text->vtable->name, &err, STR(""));
    }
    if (services->store != NULL) { /* while it is away questions are answered all the same */
        err = (struct err){0};
        err.code = store_ready(services->store, &err);
        (void)write_backend(json, "conversations", services->store->vtable->name, &err, STR(""));
    }
    err = (struct err){0};
    if (services->sql == NULL)
        return fine; /* none configured: nothing to wait for */
    if (shard->pin == NULL)
        say_unread(shard->group->reading, &err);
    else if (shard->pin->set->knows.catalog == NULL)
        err = shard->pin->set->knows.catalog_err;
    else
        err.code = sql_ready(services->sql, &err);
    struct str warnings = shard->pin == NULL ? STR("") : buf_str(&shard->pin->set->warnings);
    return fine & write_backend(json, "database", services->sql->vtable->name, &err, warnings);
}

static struct str status_of(const struct shard *shard, bool fine)
{
    if (shard->draining)
        return STR("draining");
    if (shard->pin == NULL) /* runs are answered 503 */
        return STR("starting");
    return fine ? STR("ready") : STR("not_ready");
}

void api_admin_ready(struct exchange *exchange)
{
    struct shard *shard = exchange->shard;
    struct backends told = {.is_whole = exchange_is_by_operator(exchange)};
    struct json_write json;
    struct buf body, backends;
    buf_init(&body, BODY_BYTES);
    buf_init(&backends, BODY_BYTES);
    json_write_init(&told.json, &backends);
    json_write_object(&told.json);
    bool fine = write_backends(shard, &told);
    json_write_object_end(&told.json);
    json_write_init(&json, &body);
    json_write_object(&json);
    json_write_member_str(&json, STR("status"), status_of(shard, fine));
    json_write_member_raw(&json, STR("backends"), buf_str(&backends));
    json_write_object_end(&json);
    if (!buf_ok(&backends))
        body.failed = true;
    buf_fini(&backends);
    bool takes_runs = fine && !shard->draining && shard->pin != NULL;
    exchange_reply_json(exchange, takes_runs ? 200 : 503, &body);
}
