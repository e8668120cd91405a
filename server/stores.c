/* SPDX-License-Identifier: MIT */
/* server/stores.c - the scheme chooses the store.
 *
 * Happy path: sqlite:PATH is an SQLite file, made with its folder when first used. Failure: another
 * scheme is ERR_INVALID, naming the variable; no memory. */
#include "server/stores.h"

#include "backends/text_sqlite.h"
#include "backends/vec_local.h"

static const struct str sqlite_scheme = {"sqlite:", 7};

enum err_code stores_check_url(struct str url, struct err *err)
{
    if (url.len == 0 || (str_starts_with(url, sqlite_scheme) && url.len > sqlite_scheme.len))
        return ERR_OK;
    return err_set(err, ERR_INVALID, "expected sqlite:PATH, or nothing for no store");
}

/* The file a checked url names; NULL: none. */
static const char *file_of(const char *url)
{
    return url[0] == '\0' ? NULL : url + sqlite_scheme.len;
}

static enum err_code check(const char *url, const char *variable, struct err *err)
{
    enum err_code code = stores_check_url(str_of(url), err);
    if (code != ERR_OK)
        err_prefix(err, variable);
    return code;
}

enum err_code stores_share(const struct config *config, struct vec_shared **shared, struct err *err)
{
    *shared = NULL;
    enum err_code code = check(config->vector_url, "ASKD_VECTOR_URL", err);
    const char *path = code == ERR_OK ? file_of(config->vector_url) : NULL;
    if (path == NULL)
        return code;
    *shared = vec_shared_create(path, 0);
    return *shared == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of vectors")
                           : ERR_OK;
}

enum err_code stores_open_vec(struct loop *loop, const struct config *config,
                              struct vec_shared *shared, struct vec **vec, struct err *err)
{
    struct vec_shared *own = NULL;
    enum err_code code = shared == NULL ? stores_share(config, &own, err) : ERR_OK;
    *vec = NULL;
    if (code != ERR_OK || (shared == NULL && own == NULL))
        return code;
    *vec = vec_local_create(loop, shared == NULL ? own : shared);
    vec_shared_unref(own);
    return *vec == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of vectors")
                        : ERR_OK;
}

enum err_code stores_open_text(struct loop *loop, const struct config *config, struct text **text,
                               struct err *err)
{
    *text = NULL;
    enum err_code code = check(config->keyword_url, "ASKD_KEYWORD_URL", err);
    const char *path = code == ERR_OK ? file_of(config->keyword_url) : NULL;
    if (path == NULL)
        return code;
    *text = text_sqlite_create(loop, path);
    return *text == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of words") : ERR_OK;
}
