/* SPDX-License-Identifier: MIT */
/* server/run_stores.c - the scheme chooses the store.
 *
 * Happy path: sqlite:PATH, or the seeds' path without a scheme, is an SQLite file. Failure: another
 * scheme is ERR_INVALID, naming the variable; a store that cannot be reached when the program
 * starts is why it does not (later, runs go on without it). */
#include "server/run_stores.h"

#include "backends/store_sqlite.h"

static const struct str sqlite_scheme = {"sqlite:", 7};

enum err_code run_stores_check_url(struct str url, struct err *err)
{
    if (url.len == 0 || str_equal(url, STR("none")) ||
        (str_starts_with(url, sqlite_scheme) && url.len > sqlite_scheme.len))
        return ERR_OK;
    return err_set(err, ERR_INVALID, "expected sqlite:PATH, or none for no store");
}

static struct store *open_sqlite(struct loop *loop, const struct config *config)
{
    const char *url = config->checkpoint_url;
    const struct store_sqlite_options options = {
        .path = url[0] == '\0' ? config->conversation_path : url + sqlite_scheme.len,
        .attempts = (unsigned)config->conversation_attempts,
        .retry_ms = config->conversation_retry_ms,
    };
    return store_sqlite_create(loop, &options);
}

enum err_code run_stores_open(struct loop *loop, const struct config *config, struct store **store,
                              struct err *err)
{
    struct str url = str_of(config->checkpoint_url);
    *store = NULL;
    enum err_code code = run_stores_check_url(url, err);
    if (code != ERR_OK)
        err_prefix(err, "ASKD_CHECKPOINT_URL");
    if (code != ERR_OK || str_equal(url, STR("none")))
        return code;
    *store = open_sqlite(loop, config);
    return *store == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of conversations")
                          : ERR_OK;
}

static void on_tried(struct op *op)
{
    struct err *err = op_owner(op);
    struct store_call *call = container_of(op, struct store_call, op);
    *err = op->err;
    op_release(op);
    store_close(call->store, NULL, NULL);
}

enum err_code run_stores_try(const struct config *config, struct err *err)
{
    static const struct store_runs any = {.limit = 1};
    struct loop *loop = loop_create();
    struct store_call call = {.verb = STORE_RUNS};
    struct store *store;
    if (loop == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a loop");
    enum err_code code = run_stores_open(loop, config, &store, err);
    if (store != NULL) {
        store_runs_start(&call, store, &any, (struct op_waiter){.done = on_tried, .owner = err});
        loop_run(loop);
        code = err->code;
        if (code != ERR_OK)
            err_prefix(err, "ASKD_CHECKPOINT_URL");
    }
    loop_destroy(loop);
    return code;
}
