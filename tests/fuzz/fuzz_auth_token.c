/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_auth_token.c - any bytes as a token and as a set of keys: refused, or taken apart
 * into views that hold. No set of keys that the bytes bring may crash the checking of a signature.
 */
#include "server/auth/auth_jwt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 16 * 1024, ARENA_BYTES = 4 << 20 };

static void try_token(struct arena *arena, struct str text)
{
    static const struct str audience = STR("askd");
    struct auth_jwt jwt;
    struct err err = {0};
    if (auth_jwt_read(arena, text, &jwt, &err) != ERR_OK) {
        CHECK(err.text[0] != '\0' && str_is_utf8(str_of(err.text)));
        return;
    }
    CHECK(auth_jwt_is_like(text) && jwt.issuer.len > 0 && jwt.text.len < text.len);
    (void)auth_jwt_is_for(&jwt, &audience, 1);
    (void)auth_jwt_claim(&jwt, "/sub");
    if (auth_jwt_check_times(&jwt, 1700000000, 30, &err) == ERR_OK)
        CHECK(auth_jwt_check_times(&jwt, UINT64_C(1) << 62, 30, &err) != ERR_OK ||
              json_value_find(jwt.claims, "/exp") != NULL);
}

static void try_keys(struct str text)
{
    struct err err = {0};
    struct auth_jwk_set *set = auth_jwk_set_create(text, &err);
    if (set == NULL) {
        CHECK(err.text[0] != '\0');
        return;
    }
    CHECK(auth_jwk_set_count(set) > 0);
    for (enum auth_algorithm i = AUTH_RS256; i < AUTH_ALGORITHM_COUNT; i++)
        CHECK(auth_jwk_verify(set, (struct str){NULL, 0}, i, STR("text"),
                              str_make("0123456789012345678901234567890123456789012345678901234567"
                                       "890123",
                                       64)) != ERR_OK);
    auth_jwk_set_destroy(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct str text = str_make((const char *)data, size);
    if (size > MOST_BYTES)
        return 0;
    arena_init(&arena, ARENA_BYTES);
    try_token(&arena, text);
    try_keys(text);
    arena_fini(&arena);
    return 0;
}
