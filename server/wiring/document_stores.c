/* SPDX-License-Identifier: MIT */
/* server/wiring/document_stores.c - the scheme chooses the store.
 *
 * Happy path: sqlite:PATH is an SQLite file, made with its folder when first used; chroma:URL a
 * Chroma server; qdrant:URL a Qdrant server; postgresql://... a PostgreSQL server. Failure: another
 * scheme is ERR_INVALID, naming the variable; no memory. */
#include "server/wiring/document_stores.h"

#include <unistd.h>

#include "backends/passages/ledger_pg.h"
#include "backends/sqlite/sqlite_ledger.h"
#include "backends/words/text_pg.h"
#include "backends/words/text_sqlite.h"
#include "backends/vectors/vec_chroma.h"
#include "backends/vectors/vec_local.h"
#include "backends/vectors/vec_pg.h"
#include "backends/vectors/vec_qdrant.h"
#include "core/base/file.h"
#include "server/config/store_urls.h"

/* A server that holds vectors. */
struct vec_server {
    struct str scheme;
    struct vec *(*create)(struct loop *loop, struct str url); /* url was checked */
};

static struct vec *create_pg(struct loop *loop, struct str url)
{
    struct err err;
    return vec_pg_create(loop, url.at,
                         &err); /* urls end with a NUL: they are texts of the configuration */
}

static const struct vec_server vec_servers[] = {
    {{"chroma:", 7}, vec_chroma_create},
    {{"qdrant:", 7}, vec_qdrant_create},
    {{"postgresql://", 13}, create_pg},
    {{"postgres://", 11}, create_pg},
};

/* The server that url names; NULL: none. */
static const struct vec_server *find_vec_server(struct str url)
{
    for (size_t i = 0; i < countof(vec_servers); i++)
        if (str_starts_with(url, vec_servers[i].scheme))
            return &vec_servers[i];
    return NULL;
}

/* The file that a checked url names; NULL: none. */
static const char *file_of(const char *url)
{
    return store_urls_is_none(str_of(url)) ? NULL : url + STR("sqlite:").len;
}

static enum err_code check_vectors(const struct config *config, struct err *err)
{
    enum err_code code = store_urls_check_vectors(str_of(config->vector_url), err);
    if (code != ERR_OK)
        err_prefix(err, "ASKD_VECTOR_URL");
    return code;
}

enum err_code document_stores_share(const struct config *config, struct vec_shared **shared,
                                    struct err *err)
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

enum err_code document_stores_open_vec(struct loop *loop, const struct config *config,
                                       struct vec_shared *shared, struct vec **vec, struct err *err)
{
    struct vec_shared *own = NULL;
    enum err_code code = shared == NULL ? document_stores_share(config, &own, err) : ERR_OK;
    *vec = NULL;
    if (code != ERR_OK || store_urls_is_none(str_of(config->vector_url)))
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

enum err_code document_stores_open_text(struct loop *loop, const struct config *config,
                                        struct text **text, struct err *err)
{
    *text = NULL;
    enum err_code code = store_urls_check_words(str_of(config->keyword_url), err);
    if (code != ERR_OK)
        err_prefix(err, "ASKD_KEYWORD_URL");
    if (code != ERR_OK || store_urls_is_none(str_of(config->keyword_url)))
        return code;
    if (store_urls_is_postgres(str_of(config->keyword_url))) {
        *text = text_pg_create(loop, config->keyword_url, err);
        return *text == NULL ? err->code : ERR_OK;
    }
    *text = text_sqlite_create(loop, file_of(config->keyword_url));
    return *text == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for the store of words") : ERR_OK;
}

struct ledger *document_stores_open_ledger(struct loop *loop, const struct config *config,
                                           struct err *err)
{
    struct err ignored;
    if (store_urls_is_postgres(str_of(config->ledger)))
        return ledger_pg_create(loop, config->ledger, err);
    (void)!file_make_folders(config->ledger, 0777, &ignored);
    struct ledger *ledger = sqlite_ledger_create(loop, config->ledger);
    if (ledger == NULL)
        err_set(err, ERR_NO_MEMORY, "no memory for the ledger of documents");
    return ledger;
}

bool document_stores_has_ledger(const struct config *config)
{
    return store_urls_is_postgres(str_of(config->ledger)) || access(config->ledger, F_OK) == 0;
}
