/* SPDX-License-Identifier: MIT */
/* server/auth/auth.c - a key is looked up, a token is verified, a neighbour is looked at.
 *
 * Happy path of a token: its issuer is in the book, its signature fits a key of that issuer's, it
 * is meant for us and now, and its claims name company and user.
 * Failure paths:
 * - no token, another scheme, no key that equals it; a token of which anything does not fit: the
 *   text says what, and never holds the token;
 * - a key id that is not known: the issuer's keys are fetched anew (auth_sources), and meanwhile
 * the caller is told to try again. */
#include "server/auth/auth.h"

#include <string.h>

#include "core/base/mem.h"
#include "server/auth/auth_jwt.h"
#include "server/auth/auth_sources.h"

struct auth {
    struct loop *loop;
    struct auth_book *book;
    struct auth_sources *sources;
};

struct auth *auth_create(struct loop *loop, const struct log *log, struct auth_book *book)
{
    struct auth *auth = mem_zalloc(1, sizeof *auth);
    if (auth == NULL)
        return NULL;
    auth->loop = loop;
    auth->sources = auth_sources_create(loop, log);
    if (auth->sources == NULL) {
        mem_free(auth);
        return NULL;
    }
    auth_use_book(auth, book);
    return auth;
}

void auth_use_book(struct auth *auth, struct auth_book *book)
{
    auth_book_unref(auth->book);
    auth->book = auth_book_ref(book);
    for (size_t i = 0; i < book->issuer_count; i++)
        if (book->issuers[i].jwks_url != NULL)
            auth_sources_want(auth->sources, book->issuers[i].jwks_url);
}

void auth_close(struct auth *auth, void (*on_closed)(void *owner), void *owner)
{
    auth_sources_close(auth->sources, on_closed, owner);
}

void auth_destroy(struct auth *auth)
{
    if (auth == NULL)
        return;
    auth_sources_destroy(auth->sources);
    auth_book_unref(auth->book);
    mem_free(auth);
}

const struct auth_book *auth_book(const struct auth *auth)
{
    return auth->book;
}

/* ---- without keys ---- */

/* Whether host may be another site's name for this address: one with a dot that is no number. */
static bool is_domain(struct str host)
{
    if (host.len > 0 && host.at[0] == '[')
        return false;
    struct str name = str_split(&host, ':');
    bool is_number = true;
    for (size_t i = 0; i < name.len; i++)
        is_number &= str_is_digit(name.at[i]) || name.at[i] == '.';
    return !is_number && str_find_char(name, '.') != STR_NONE;
}

/* Whether origin is what a browser sends for a page that came from host itself. */
static bool is_origin_of(struct str origin, struct str host)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < countof(schemes); i++)
        if (str_starts_with(origin, str_of(schemes[i])) &&
            str_equal_nocase(str_from(origin, strlen(schemes[i])), host))
            return true;
    return false;
}

enum err_code auth_check_host(const struct auth *auth, struct str host, struct err *err)
{
    if (auth_book_has_doors(auth->book) || str_is_absent(host) || !is_domain(host))
        return ERR_OK;
    return err_set(err, ERR_DENIED,
                   "Host: no key is configured, so expected an address or a name without a dot, "
                   "got '%.*s'; set ASKD_API_KEYS or ASKD_AUTH_FILE",
                   STR_ARG(str_utf8_prefix(host, 64)));
}

static enum err_code check_without_keys(const struct auth *auth, const struct auth_caller *caller,
                                        struct err *err)
{
    if (!caller->is_loopback)
        return err_set(err, ERR_DENIED,
                       "no key is configured, so only callers on this machine may in; set "
                       "ASKD_API_KEYS or ASKD_AUTH_FILE");
    if (!str_is_absent(caller->proxy))
        return err_set(err, ERR_DENIED,
                       "%.*s: no key is configured, so nobody may in through a proxy, which would "
                       "let everybody in; set ASKD_API_KEYS or ASKD_AUTH_FILE",
                       STR_ARG(str_utf8_prefix(caller->proxy, 64)));
    if (auth_check_host(auth, caller->host, err) != ERR_OK)
        return err->code;
    if (!str_is_absent(caller->origin) && !caller->is_known_origin &&
        !is_origin_of(caller->origin, caller->host))
        return err_set(err, ERR_DENIED,
                       "Origin: no key is configured, so pages of other sites may not in; got "
                       "'%.*s'",
                       STR_ARG(str_utf8_prefix(caller->origin, 64)));
    return ERR_OK;
}

/* ---- keys ---- */

static enum err_code check_key(const struct auth *auth, const struct auth_key *key,
                               struct auth_grant *grant, struct err *err)
{
    if (key == NULL)
        return err_set(err, ERR_REJECTED, "the bearer key is not valid");
    if (key->expires_s != 0 && loop_wall_ms(auth->loop) / 1000 >= key->expires_s)
        return err_set(err, ERR_REJECTED, "the key '%.*s' has expired",
                       STR_ARG(str_utf8_prefix(key->name, 64)));
    grant->name = key->name;
    grant->scopes = key->scopes;
    grant->companies = key->companies;
    grant->company_count = key->company_count;
    return ERR_OK;
}

/* ---- tokens ---- */

static enum err_code verify(struct auth *auth, const struct auth_issuer *issuer,
                            const struct auth_jwt *jwt, struct err *err)
{
    const struct auth_jwk_set *keys = issuer->keys;
    enum err_code code = ERR_NOT_FOUND;
    if (issuer->jwks_url != NULL)
        keys = auth_sources_keys(auth->sources, issuer->jwks_url);
    if (keys != NULL)
        code = auth_jwk_verify(keys, jwt->key_id, jwt->algorithm, jwt->text, jwt->signature);
    if (code == ERR_NOT_FOUND && issuer->jwks_url != NULL &&
        auth_sources_renew(auth->sources, issuer->jwks_url))
        return err_set(err, ERR_UNAVAILABLE,
                       "the keys of the token's issuer are being fetched; try again");
    if (code == ERR_NOT_FOUND && keys == NULL)
        return err_set(err, ERR_UNAVAILABLE, "the keys of the token's issuer cannot be fetched");
    if (code == ERR_NOT_FOUND)
        return err_set(err, ERR_REJECTED, "the token's key is not one of its issuer's");
    return code == ERR_OK ? ERR_OK
                          : err_set(err, ERR_REJECTED, "the token's signature does not fit");
}

/* The claims of a verified token, in arena. */
static enum err_code take_claims(const struct auth_issuer *issuer, const struct auth_jwt *jwt,
                                 struct auth_grant *grant, struct err *err)
{
    grant->is_token = true;
    grant->name = issuer->name;
    grant->scopes = issuer->scopes;
    grant->company = issuer->company;
    if (issuer->company_claim != NULL)
        grant->company = auth_jwt_claim(jwt, issuer->company_claim);
    grant->user = auth_jwt_claim(jwt, issuer->user_claim);
    grant->role = STR("");
    if (issuer->role_claim != NULL)
        grant->role = auth_jwt_claim(jwt, issuer->role_claim);
    const struct {
        struct str text;
        const char *pointer;
        size_t least;
    } claims[] = {{grant->company, issuer->company_claim, 1},
                  {grant->user, issuer->user_claim, 1},
                  {grant->role, issuer->role_claim, 0}};
    for (size_t i = 0; i < countof(claims); i++)
        if (str_is_absent(claims[i].text) || claims[i].text.len < claims[i].least ||
            claims[i].text.len > AUTH_NAME_BYTES)
            return err_set(err, ERR_REJECTED, "the token's claim %s: expected %zu to %d bytes",
                           claims[i].pointer == NULL ? "company" : claims[i].pointer,
                           claims[i].least, AUTH_NAME_BYTES);
    return ERR_OK;
}

static enum err_code check_token(struct auth *auth, struct str token, struct arena *arena,
                                 struct auth_grant *grant, struct err *err)
{
    struct auth_jwt jwt;
    if (auth_jwt_read(arena, token, &jwt, err) != ERR_OK)
        return err->code;
    const struct auth_issuer *issuer = auth_book_find_issuer(auth->book, jwt.issuer);
    if (issuer == NULL)
        return err_set(err, ERR_REJECTED, "the token's iss is no issuer that is trusted here");
    if (!issuer->algorithms[jwt.algorithm])
        return err_set(err, ERR_REJECTED, "the token's alg is not one of its issuer's");
    if (verify(auth, issuer, &jwt, err) != ERR_OK)
        return err->code;
    if (!auth_jwt_is_for(&jwt, issuer->audiences, issuer->audience_count))
        return err_set(err, ERR_REJECTED, "the token's aud is not this server");
    if (auth_jwt_check_times(&jwt, loop_wall_ms(auth->loop) / 1000, issuer->leeway_s, err) !=
        ERR_OK)
        return err->code;
    return take_claims(issuer, &jwt, grant, err);
}

enum err_code auth_check(struct auth *auth, const struct auth_caller *caller, struct arena *arena,
                         struct auth_grant *grant, struct err *err)
{
    struct str authorization = caller->authorization;
    *grant = (struct auth_grant){.book = auth_book_ref(auth->book), .scopes = AUTH_ALL};
    if (!auth_book_has_doors(auth->book))
        return check_without_keys(auth, caller, err);
    grant->scopes = 0;
    bool has_bearer =
        authorization.len >= 7 && str_equal_nocase(str_slice(authorization, 0, 7), STR("Bearer "));
    if (!has_bearer && caller->api_key.len == 0)
        return err_set(err, ERR_REJECTED, "expected the header Authorization: Bearer <key>");
    struct str token = str_trim(has_bearer ? str_from(authorization, 7) : caller->api_key);
    const struct auth_key *key = auth_book_find_key(auth->book, token);
    if (key == NULL && auth->book->issuer_count > 0 && auth_jwt_is_like(token))
        return check_token(auth, token, arena, grant, err);
    return check_key(auth, key, grant, err);
}

void auth_release(struct auth_grant *grant)
{
    auth_book_unref(grant->book);
    *grant = (struct auth_grant){0};
}
