/* SPDX-License-Identifier: MIT */
/* server/http/auth.c - every key is compared, every byte of the token looked at.
 *
 * Failure: no token, another scheme, no key that equals it. The text never holds the token. */
#include "server/http/auth.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/mem.h"

enum { ARENA_BYTES = 256 * 1024 };

struct auth_key {
    struct str text;
    struct auth_key *next;
};

struct auth {
    struct arena arena;
    struct auth_key *keys;
};

struct auth *auth_create(const char *keys)
{
    struct auth *auth = mem_zalloc(1, sizeof *auth);
    if (auth == NULL)
        return NULL;
    arena_init(&auth->arena, ARENA_BYTES);
    struct str rest = arena_str(&auth->arena, str_of(keys));
    while (!str_is_absent(rest)) {
        struct str text = str_trim(str_split(&rest, ','));
        struct auth_key *key = text.len == 0 ? NULL : arena_alloc(&auth->arena, sizeof *key);
        if (key == NULL)
            continue;
        *key = (struct auth_key){text, auth->keys};
        auth->keys = key;
    }
    if (arena_ok(&auth->arena))
        return auth;
    auth_destroy(auth);
    return NULL;
}

void auth_destroy(struct auth *auth)
{
    if (auth == NULL)
        return;
    arena_fini(&auth->arena);
    mem_free(auth);
}

bool auth_has_keys(const struct auth *auth)
{
    return auth->keys != NULL;
}

/* Takes as long as token is, whatever key is. */
static unsigned differs(struct str token, struct str key)
{
    volatile unsigned difference = token.len != key.len;
    for (size_t i = 0; i < token.len; i++)
        difference |= (unsigned char)token.at[i] ^ (unsigned)(unsigned char)key.at[i % key.len];
    return difference;
}

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

static enum err_code check_without_keys(const struct auth_caller *caller, struct err *err)
{
    if (!caller->is_loopback)
        return err_set(err, ERR_DENIED,
                       "no key is configured, so only callers on this machine may in; set "
                       "ASKD_API_KEYS");
    if (!str_is_absent(caller->host) && is_domain(caller->host))
        return err_set(
            err, ERR_DENIED,
            "Host: no key is configured, so expected an address or a name without a dot, got "
            "'%.*s'; set ASKD_API_KEYS",
            STR_ARG(str_utf8_prefix(caller->host, 64)));
    if (!str_is_absent(caller->origin) && !is_origin_of(caller->origin, caller->host))
        return err_set(err, ERR_DENIED,
                       "Origin: no key is configured, so pages of other sites may not in; got "
                       "'%.*s'",
                       STR_ARG(str_utf8_prefix(caller->origin, 64)));
    return ERR_OK;
}

enum err_code auth_check(const struct auth *auth, const struct auth_caller *caller, struct err *err)
{
    struct str authorization = caller->authorization;
    unsigned found = 0;
    if (auth->keys == NULL)
        return check_without_keys(caller, err);
    bool has_bearer =
        authorization.len >= 7 && str_equal_nocase(str_slice(authorization, 0, 7), STR("Bearer "));
    if (!has_bearer && caller->api_key.len == 0)
        return err_set(err, ERR_REJECTED, "expected the header Authorization: Bearer <key>");
    struct str token = str_trim(has_bearer ? str_from(authorization, 7) : caller->api_key);
    for (const struct auth_key *key = auth->keys; key != NULL; key = key->next)
        found |= differs(token, key->text) == 0;
    return found ? ERR_OK : err_set(err, ERR_REJECTED, "the bearer key is not valid");
}
