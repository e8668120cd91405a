/* SPDX-License-Identifier: MIT */
/* server/stores.c - the scheme chooses the store.
 *
 * Happy path: sqlite:PATH is an SQLite file, made with its folder when first used; chroma:URL a
 * Chroma server; postgresql://... a PostgreSQL server. Failure: another scheme is ERR_INVALID,
 * naming the variable; no memory. */
#include "server/stores.h"

#include "backends/text_pg.h"
#include "backends/text_sqlite.h"
#include "backends/vec_chroma.h"
#include "backends/vec_local.h"
#include "server/database_url.h"

static const struct str sqlite_scheme = {"sqlite:", 7}, chroma_scheme = {"chroma:", 7};

static bool is_chroma(const char *url)
{
    return str_starts_with(str_of(url), chroma_scheme);
}

static bool is_postgres(struct str url)
{
    return str_starts_with(url, STR("postgresql://")) || str_starts_with(url, STR("postgres://"));
}

/* An empty variable is one that is not set, so that no store has a word of its own. */
static bool is_none(struct str url)
{
    return url.len == 0 || str_equal(url, STR("none"));
}

/* Whether url is no store, or a file. */
static bool is_local(struct str url)
{
    return is_none(url) || (str_starts_with(url, sqlite_scheme) && url.len > sqlite_scheme.len);
}

/* The file a checked url names; NULL: none. */
static const char *file_of(const char *url)
{
    return is_none(str_of(url)) ? NULL : url + sqlite_scheme.len;
}

enum err_code stores_check_vector_url(struct str url, struct err *err)
{
    if (is_local(url))
        return ERR_OK;
    if (str_starts_with(url, chroma_scheme))
        return vec_chroma_check_url(url, err);
    return err_set(err, ERR_INVALID,
                   "expected sqlite:PATH, chroma:http://HOST:PORT, or none for no store");
}

enum err_code stores_check_keyword_url(struct str url, struct err *err)
{
    if (is_local(url))
        return ERR_OK;
    if (is_postgres(url))
        return database_url_check(url, err);
    return err_set(err, ERR_INVALID,
                   "expected sqlite:PATH, postgresql://..., or none for no store");
}

static enum err_code check_vectors(const struct config *config, struct err *err)
{
    enum err_code code = stores_check_vector_url(str_of(config->vector_url), err);
    if (code != ERR_OK)
        err_prefix(err, "ASKD_VECTOR_URL");
    return code;
}

enum err_code stores_share(const struct config *config, struct vec_shared **shared, struct err *err)
{
    *shared = NULL;
    enum err_code code = check_vectors(config, err);
    bool is_file = code == ERR_OK && !is_chroma(config->vector_url);
    const char *path = is_file ? file_of(config->vector_url) : NULL;
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
    if (code != ERR_OK || is_none(str_of(config->vector_url)))
        return code;
    if (is_chroma(config->vector_url))
        *vec = vec_chroma_create(loop, str_of(config->vector_url));
    else
        *vec = vec_local_create(loop, shared == NULL ? own : shared);
    vec_shared_unref(own);
    return *vec == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of vectors")
                        : ERR_OK;
}

enum err_code stores_open_text(struct loop *loop, const struct config *config, struct text **text,
                               struct err *err)
{
    *text = NULL;
    enum err_code code = stores_check_keyword_url(str_of(config->keyword_url), err);
    if (code != ERR_OK)
        err_prefix(err, "ASKD_KEYWORD_URL");
    if (code != ERR_OK || is_none(str_of(config->keyword_url)))
        return code;
    if (is_postgres(str_of(config->keyword_url))) {
        *text = text_pg_create(loop, config->keyword_url, err);
        return *text == NULL ? err->code : ERR_OK;
    }
    *text = text_sqlite_create(loop, file_of(config->keyword_url));
    return *text == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of words") : ERR_OK;
}
