/* SPDX-License-Identifier: MIT */
/* server/stores.c - the scheme chooses the store.
 *
 * Happy path: sqlite:PATH is an SQLite file, made with its folder when first used; chroma:URL a
 * Chroma server; qdrant:URL a Qdrant server; postgresql://... a PostgreSQL server. Failure: another
 * scheme is ERR_INVALID, naming the variable; no memory. */
#include "server/stores.h"

#include "backends/text_pg.h"
#include "backends/text_sqlite.h"
#include "backends/vec_chroma.h"
#include "backends/vec_local.h"
#include "backends/vec_pg.h"
#include "backends/vec_qdrant.h"
#include "server/database_url.h"

/* A server that holds vectors. */
struct vec_server {
    struct str scheme;
    enum err_code (*check)(struct str url, struct err *err);
    struct vec *(*create)(struct loop *loop, struct str url); /* of a url that is fine */
};

static struct vec *create_pg(struct loop *loop, struct str url)
{
    struct err err;
    return vec_pg_create(loop, url.at,
                         &err); /* urls are terminated: they are the configuration's */
}

static const struct str sqlite_scheme = {"sqlite:", 7};
static const struct vec_server vec_servers[] = {
    {{"chroma:", 7}, vec_chroma_check_url, vec_chroma_create},
    {{"qdrant:", 7}, vec_qdrant_check_url, vec_qdrant_create},
    {{"postgresql://", 13}, database_url_check, create_pg},
    {{"postgres://", 11}, database_url_check, create_pg},
};

/* The server that url names; NULL: none. */
static const struct vec_server *find_vec_server(struct str url)
{
    for (size_t i = 0; i < countof(vec_servers); i++)
        if (str_starts_with(url, vec_servers[i].scheme))
            return &vec_servers[i];
    return NULL;
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
    const struct vec_server *vec_server = find_vec_server(url);
    if (is_local(url))
        return ERR_OK;
    if (vec_server != NULL)
        return vec_server->check(url, err);
    return err_set(
        err, ERR_INVALID,
        "expected sqlite:PATH, chroma:http://HOST:PORT, qdrant:http://HOST:PORT, or none "
        "for no store");
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
    bool is_file = code == ERR_OK && find_vec_server(str_of(config->vector_url)) == NULL;
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
    const struct vec_server *vec_server = find_vec_server(str_of(config->vector_url));
    if (vec_server != NULL)
        *vec = vec_server->create(loop, str_of(config->vector_url));
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
