/* SPDX-License-Identifier: MIT */
/* server/config/store_urls.c - the scheme of a url chooses the check of the rest.
 *
 * Failure: another scheme, nothing behind it, or the error of its check. */
#include "server/config/store_urls.h"

#include "backends/redis/redis_url.h"
#include "backends/vectors/vec_chroma.h"
#include "backends/vectors/vec_qdrant.h"
#include "server/config/database_url.h"

typedef enum err_code check_fn(struct str url, struct err *err);

static enum err_code check_redis(struct str url, struct err *err)
{
    struct redis_url parsed;
    enum err_code code = redis_url_parse(&parsed, url, err);
    redis_url_fini(&parsed);
    return code;
}

struct scheme {
    struct str name;
    check_fn *check;  /* checks the whole url; NULL: anything may follow the scheme */
    bool checks_bare; /* also checks the scheme alone, which is else no url */
};

static const struct scheme of_vectors[] = {
    {{"sqlite:", 7}, NULL},
    {{"chroma:", 7}, vec_chroma_check_url, true},
    {{"qdrant:", 7}, vec_qdrant_check_url, true},
    {{"postgresql://", 13}, database_url_check, true},
    {{"postgres://", 11}, database_url_check, true},
};

static const struct scheme of_words[] = {
    {{"sqlite:", 7}, NULL},
    {{"postgresql://", 13}, database_url_check, true},
    {{"postgres://", 11}, database_url_check, true},
};

static const struct scheme of_runs[] = {
    {{"sqlite:", 7}, NULL},
    {{"postgresql://", 13}, database_url_check},
    {{"postgres://", 11}, database_url_check},
    {{"redis://", 8}, check_redis},
    {{"rediss://", 9}, check_redis}, /* the check refuses it, and says why */
};

bool store_urls_is_none(struct str url)
{
    return url.len == 0 || str_equal(url, STR("none"));
}

bool store_urls_is_postgres(struct str url)
{
    return str_starts_with(url, STR("postgresql://")) || str_starts_with(url, STR("postgres://"));
}

static enum err_code check(const struct scheme *schemes, size_t count, struct str url,
                           const char *expected, struct err *err)
{
    if (store_urls_is_none(url))
        return ERR_OK;
    for (size_t i = 0; i < count; i++) {
        const struct scheme *scheme = &schemes[i];
        if (str_starts_with(url, scheme->name) &&
            (url.len > scheme->name.len || scheme->checks_bare))
            return scheme->check == NULL ? ERR_OK : scheme->check(url, err);
    }
    return err_set(err, ERR_INVALID, "expected %s, or none for no store", expected);
}

enum err_code store_urls_check_vectors(struct str url, struct err *err)
{
    return check(of_vectors, countof(of_vectors), url,
                 "sqlite:PATH, chroma:http://HOST:PORT, qdrant:http://HOST:PORT", err);
}

enum err_code store_urls_check_words(struct str url, struct err *err)
{
    return check(of_words, countof(of_words), url, "sqlite:PATH, postgresql://...", err);
}

enum err_code store_urls_check_runs(struct str url, struct err *err)
{
    return check(of_runs, countof(of_runs), url, "sqlite:PATH, postgresql://..., redis://...", err);
}
