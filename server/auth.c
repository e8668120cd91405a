/* SPDX-License-Identifier: MIT */
/* server/auth.c - every key is compared, every byte of the token looked at.
 *
 * Failure: no token, another scheme, no key that equals it. The text never holds the token. */
#include "server/auth.h"

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

enum err_code auth_check(const struct auth *auth, struct str authorization, bool is_loopback,
                         struct err *err)
{
    unsigned found = 0;
    if (auth->keys == NULL)
        return is_loopback ? ERR_OK
                           : err_set(err, ERR_DENIED,
                                     "no key is configured, so only callers on "
                                     "this machine may in; set ASKD_API_KEYS");
    if (authorization.len < 7 || !str_equal_nocase(str_slice(authorization, 0, 7), STR("Bearer ")))
        return err_set(err, ERR_REJECTED, "expected the header Authorization: Bearer <key>");
    struct str token = str_trim(str_from(authorization, 7));
    for (const struct auth_key *key = auth->keys; key != NULL; key = key->next)
        found |= differs(token, key->text) == 0;
    return found ? ERR_OK : err_set(err, ERR_REJECTED, "the bearer key is not valid");
}
