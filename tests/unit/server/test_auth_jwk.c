/* SPDX-License-Identifier: MIT */
/* Keys of an issuer and what they sign: three algorithms, each by its own kind of key alone. */
#include "server/auth/auth_jwk.h"
#include "tests/lib/token_maker.h"

enum { SET_BYTES = 64 * 1024, SETS = 8 };

static struct token_maker maker;

/* {"keys":[...]} of keys with what is said besides. */
static struct auth_jwk_set *set_of(EVP_PKEY *const *keys, const char *const *more, size_t count)
{
    struct buf text;
    struct err err = {0};
    buf_init(&text, SET_BYTES);
    buf_push(&text, STR("{\"keys\":["));
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push_char(&text, ',');
        token_maker_jwk(&text, keys[i], more[i]);
    }
    buf_push(&text, STR("]}"));
    struct auth_jwk_set *set = auth_jwk_set_create(buf_str(&text), &err);
    buf_fini(&text);
    return set;
}

/* What auth_jwk_verify says of a token of key, as if its header asked for algorithm and id. */
static enum err_code verify(const struct auth_jwk_set *set, EVP_PKEY *key, const char *id,
                            enum auth_algorithm algorithm)
{
    unsigned char signature[1024];
    size_t len = 0;
    char *token = token_maker_sign(key, "{}", "{\"a\":1}");
    struct str rest = str_of(token);
    (void)str_split(&rest, '.');
    (void)str_split(&rest, '.');
    struct str text = str_make(token, (size_t)(rest.at - token) - 1);
    assert_true(base64_decode(rest, signature, &len));
    enum err_code code =
        auth_jwk_verify(set, str_of(id), algorithm, text, str_make((const char *)signature, len));
    text.len--; /* and of one byte less it is not */
    if (code == ERR_OK)
        EXPECT_INT("another text",
                   auth_jwk_verify(set, str_of(id), algorithm, text,
                                   str_make((const char *)signature, len)),
                   ERR_REJECTED);
    free(token);
    return code;
}

TEST(what_keys_sign)
{
    token_maker_init(&maker);
    EVP_PKEY *const keys[] = {maker.rsa, maker.p256, maker.ed25519};
    const char *const ids[] = {",\"kid\":\"r\"", ",\"kid\":\"e\",\"use\":\"sig\"",
                               ",\"kid\":\"o\",\"alg\":\"EdDSA\""};
    const struct {
        const char *name, *id;
        EVP_PKEY *key;
        enum auth_algorithm algorithm;
        enum err_code want;
    } cases[] = {
        {"RS256", "r", maker.rsa, AUTH_RS256, ERR_OK},
        {"ES256", "e", maker.p256, AUTH_ES256, ERR_OK},
        {"EdDSA", "o", maker.ed25519, AUTH_EDDSA, ERR_OK},
        {"without an id", NULL, maker.p256, AUTH_ES256, ERR_OK},
        {"an RSA key is no key for ES256", "r", maker.rsa, AUTH_ES256, ERR_REJECTED},
        {"nor P-256 for RS256", "e", maker.p256, AUTH_RS256, ERR_REJECTED},
        {"nor Ed25519 for RS256", "o", maker.ed25519, AUTH_RS256, ERR_REJECTED},
        {"another key's id", "e", maker.ed25519, AUTH_EDDSA, ERR_REJECTED},
        {"an unknown id", "x", maker.rsa, AUTH_RS256, ERR_NOT_FOUND},
        {"a stranger's key", "r", maker.weak_rsa, AUTH_RS256, ERR_REJECTED},
    };
    struct auth_jwk_set *set = set_of(keys, ids, countof(keys));
    assert_non_null(set);
    EXPECT_INT("all are keys", auth_jwk_set_count(set), 3);
    TEST_EACH(c, cases)
        EXPECT_INT(c->name, verify(set, c->key, c->id, c->algorithm), c->want);
    EXPECT_INT("an empty signature", auth_jwk_verify(set, STR("e"), AUTH_ES256, STR("a"), STR("")),
               ERR_REJECTED);
    auth_jwk_set_destroy(set);
    token_maker_fini(&maker);
}

TEST(which_keys_are_taken)
{
    token_maker_init(&maker);
    const struct {
        const char *name, *more;
        EVP_PKEY *key;
        bool want;
    } cases[] = {
        {"plain", "", maker.rsa, true},
        {"for signatures", ",\"use\":\"sig\"", maker.rsa, true},
        {"for encryption", ",\"use\":\"enc\"", maker.rsa, false},
        {"its algorithm", ",\"alg\":\"ES256\"", maker.p256, true},
        {"another algorithm", ",\"alg\":\"RS512\"", maker.rsa, false},
        {"an algorithm of secrets", ",\"alg\":\"HS256\"", maker.rsa, false},
        {"a short modulus", "", maker.weak_rsa, false},
    };
    TEST_EACH(c, cases) {
        struct auth_jwk_set *set = set_of(&c->key, &c->more, 1);
        EXPECT_INT(c->name, set != NULL, c->want);
        auth_jwk_set_destroy(set);
    }
    EVP_PKEY *const two[] = {maker.rsa, maker.rsa};
    const char *const ids[] = {",\"kid\":\"a\"", ",\"kid\":\"b\""};
    struct auth_jwk_set *set = set_of(two, ids, 2);
    EXPECT_INT("two of a kind, and no id", verify(set, maker.rsa, NULL, AUTH_RS256), ERR_NOT_FOUND);
    EXPECT_INT("by their ids", verify(set, maker.rsa, "b", AUTH_RS256), ERR_OK);
    auth_jwk_set_destroy(set);
    token_maker_fini(&maker);
}

TEST(texts_that_are_no_sets)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"keys\":1}",
        "{\"keys\":[]}",
        "{\"keys\":[1,null,\"x\"]}",
        "{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0\"}]}",
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"}]}",
        ("{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\","
         "\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\","
         "\"y\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}]}"),
        ("{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"X25519\","
         "\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}]}"),
    };
    TEST_EACH(text, texts) {
        struct err err = {0};
        struct auth_jwk_set *set = auth_jwk_set_create(str_of(*text), &err);
        EXPECT_TRUE(*text, set == NULL && err.text[0] != '\0');
    }
}

RUN_TESTS(T(what_keys_sign), T(which_keys_are_taken), T(texts_that_are_no_sets))
