/* SPDX-License-Identifier: MIT */
/* server/wiring/checkpoint_stores.c - the scheme of a url chooses the store.
 *
 * Happy path: sqlite:PATH, or a path without a scheme in CONVERSATION_DB_PATH, is an SQLite file;
 * postgresql://... and redis://... are servers. Failure: another scheme, or a malformed url, is
 * ERR_INVALID, naming the variable. A store that cannot be reached when the program starts keeps it
 * from starting; later, runs go on without the store. */
#include "server/wiring/checkpoint_stores.h"

#include "backends/stores/store_pg.h"
#include "backends/stores/store_redis.h"
#include "backends/stores/store_sqlite.h"
#include "server/config/store_urls.h"

static struct store *open_sqlite(struct loop *loop, const struct config *config, struct str url,
                                 struct err *err UNUSED)
{
    const struct store_sqlite_options options = {
        .path = url.len == 0 ? config->conversation_path : url.at + STR("sqlite:").len,
        .attempts = (unsigned)config->conversation_attempts,
        .retry_ms = config->conversation_retry_ms,
    };
    return store_sqlite_create(loop, &options);
}

static struct store *open_postgres(struct loop *loop, const struct config *config UNUSED,
                                   struct str url, struct err *err)
{
    return store_pg_create(loop, &(struct store_pg_options){.url = url.at}, err);
}

static struct store *open_redis(struct loop *loop, const struct config *config UNUSED,
                                struct str url, struct err *err)
{
    return store_redis_create(loop, &(struct store_redis_options){.url = url}, err);
}

static const struct {
    struct str scheme;
    struct store *(*open)(struct loop *loop, const struct config *config, struct str url,
                          struct err *err); /* url ends with a terminator */
} schemes[] = {
    {{"sqlite:", 7}, open_sqlite},
    {{"postgresql://", 13}, open_postgres},
    {{"postgres://", 11}, open_postgres},
    {{"redis://", 8}, open_redis},
};

/* Index into schemes for a checked url; for an empty one, the index of a file. */
static size_t scheme_of(struct str url)
{
    size_t i = 0;
    while (i < countof(schemes) && url.len > 0 && !str_starts_with(url, schemes[i].scheme))
        i++;
    CHECK(i < countof(schemes));
    return i;
}

/* variable: the name of the setting that url is from, for err. */
static enum err_code open_store(struct loop *loop, const struct config *config, struct str url,
                                const char *variable, struct store **store, struct err *err)
{
    *store = NULL;
    enum err_code code = store_urls_check_runs(url, err);
    if (code != ERR_OK)
        err_prefix(err, variable);
    if (code != ERR_OK || str_equal(url, STR("none")))
        return code;
    *store = schemes[scheme_of(url)].open(loop, config, url, err);
    return *store == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of %s", variable)
                          : ERR_OK;
}

/* The setting that names the store of conversations: without a URL it is the path of a file. */
static const char *checkpoint_setting(const struct config *config)
{
    return config->checkpoint_url[0] == '\0' ? "CONVERSATION_DB_PATH" : "ASKD_CHECKPOINT_URL";
}

/* Whether events have a store of their own. */
static bool are_apart(const struct config *config)
{
    struct str url = str_of(config->events_url);
    return url.len > 0 && !str_equal(url, str_of(config->checkpoint_url));
}

enum err_code checkpoint_stores_open(struct loop *loop, const struct config *config,
                                     struct store **store, struct store **events, struct err *err)
{
    enum err_code code = open_store(loop, config, str_of(config->checkpoint_url),
                                    checkpoint_setting(config), store, err);
    *events = *store;
    if (code == ERR_OK && are_apart(config))
        code = open_store(loop, config, str_of(config->events_url), "ASKD_EVENTS_URL", events, err);
    return code;
}

static void on_tried(struct op *op)
{
    struct err *err = op_owner(op);
    struct store_call *call = container_of(op, struct store_call, op);
    *err = op->err;
    op_release(op);
    store_close(call->store, NULL, NULL);
}

static enum err_code try_store(struct loop *loop, struct store *store, const char *variable,
                               struct err *err)
{
    static const struct store_runs any = {.limit = 1};
    struct store_call call = {.verb = STORE_RUNS};
    if (store == NULL)
        return ERR_OK;
    store_runs_start(&call, store, &any, (struct op_waiter){.done = on_tried, .owner = err});
    loop_run(loop);
    if (err->code != ERR_OK)
        err_prefix(err, variable);
    return err->code;
}

enum err_code checkpoint_stores_try(const struct config *config, struct err *err)
{
    struct loop *loop = loop_create();
    struct store *store = NULL, *events = NULL;
    if (loop == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a loop");
    enum err_code code = open_store(loop, config, str_of(config->checkpoint_url),
                                    checkpoint_setting(config), &store, err);
    if (code == ERR_OK)
        code = try_store(loop, store, checkpoint_setting(config), err);
    if (code == ERR_OK && are_apart(config))
        code =
            open_store(loop, config, str_of(config->events_url), "ASKD_EVENTS_URL", &events, err);
    if (code == ERR_OK)
        code = try_store(loop, events, "ASKD_EVENTS_URL", err);
    loop_destroy(loop);
    return code;
}
