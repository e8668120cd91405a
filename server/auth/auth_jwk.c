/* SPDX-License-Identifier: MIT */
/* server/auth/auth_jwk.c - JSON -> EVP_PKEY, and EVP_DigestVerify.
 *
 * Happy path: the members of a key are decoded and handed to OpenSSL, which judges them.
 * Failure paths: a key that cannot be used here is passed over; a set without a key is refused;
 * OpenSSL's errors are dropped, since the caller is told no more than that it did not fit. */
#include "server/auth/auth_jwk.h"

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "core/base/base64.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum {
    ARENA_BYTES = 4 * 1024 * 1024,
    MOST_KEYS = 100,
    NUMBER_BYTES = 1024, /* of a modulus: 8192 bits, beyond which verifying takes too long */
    LEAST_RSA_BITS = 2048,
    P256_BYTES = 32,
    ED25519_BYTES = 32
};

struct key {
    EVP_PKEY *pkey;
    struct str id; /* absent: none */
    enum auth_algorithm algorithm;
};

struct auth_jwk_set {
    struct arena arena;
    struct key keys[MOST_KEYS];
    size_t count;
};

static const char *const names[AUTH_ALGORITHM_COUNT] = {
    [AUTH_RS256] = "RS256", [AUTH_ES256] = "ES256", [AUTH_EDDSA] = "EdDSA"};

bool auth_jwk_algorithm(struct str name, enum auth_algorithm *algorithm)
{
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(name, str_of(names[i]))) {
            *algorithm = (enum auth_algorithm)i;
            return true;
        }
    return false;
}

/* ---- a key ---- */

struct number {
    unsigned char bytes[NUMBER_BYTES + 3];
    size_t len;
};

static struct str text_of(const struct json_value *key, const char *name)
{
    const struct json_value *value = json_value_member(key, str_of(name));
    return value != NULL && value->type == JSON_STRING ? value->text : (struct str){NULL, 0};
}

static bool read_number(const struct json_value *key, const char *name, struct number *number)
{
    struct str text = text_of(key, name);
    return text.len > 0 && base64_decoded_bytes(text) <= sizeof number->bytes &&
           base64_decode(text, number->bytes, &number->len) && number->len > 0;
}

/* NULL: OpenSSL does not take params for a public key. params is freed. */
static EVP_PKEY *make_pkey(const char *kind, OSSL_PARAM *params)
{
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    if (context == NULL || params == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, params) != 1)
        pkey = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return pkey;
}

static EVP_PKEY *read_rsa(const struct json_value *key)
{
    struct number n, e;
    if (!read_number(key, "n", &n) || !read_number(key, "e", &e) || e.len > sizeof(uint64_t))
        return NULL;
    BIGNUM *modulus = BN_bin2bn(n.bytes, (int)n.len, NULL);
    BIGNUM *exponent = BN_bin2bn(e.bytes, (int)e.len, NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    bool is_fine = modulus != NULL && exponent != NULL && build != NULL &&
                   BN_num_bits(modulus) >= LEAST_RSA_BITS && BN_is_odd(exponent) &&
                   !BN_is_one(exponent) &&
                   OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
                   OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_RSA_E, exponent) == 1;
    if (is_fine)
        params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY *pkey = make_pkey("RSA", params);
    OSSL_PARAM_BLD_free(build);
    BN_free(modulus);
    BN_free(exponent);
    return pkey;
}

static EVP_PKEY *read_p256(const struct json_value *key)
{
    struct number x, y;
    unsigned char point[1 + 2 * P256_BYTES] = {POINT_CONVERSION_UNCOMPRESSED};
    if (!str_equal(text_of(key, "crv"), STR("P-256")) || !read_number(key, "x", &x) ||
        !read_number(key, "y", &y) || x.len != P256_BYTES || y.len != P256_BYTES)
        return NULL;
    memcpy(point + 1, x.bytes, P256_BYTES);
    memcpy(point + 1 + P256_BYTES, y.bytes, P256_BYTES);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    if (build != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point) == 1)
        params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY *pkey = make_pkey("EC", params);
    OSSL_PARAM_BLD_free(build);
    return pkey;
}

static EVP_PKEY *read_ed25519(const struct json_value *key)
{
    struct number x;
    if (!str_equal(text_of(key, "crv"), STR("Ed25519")) || !read_number(key, "x", &x) ||
        x.len != ED25519_BYTES)
        return NULL;
    return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, x.bytes, x.len);
}

static const struct {
    const char *kind; /* "kty" */
    EVP_PKEY *(*read)(const struct json_value *key);
    enum auth_algorithm algorithm;
} kinds[] = {{"RSA", read_rsa, AUTH_RS256},
             {"EC", read_p256, AUTH_ES256},
             {"OKP", read_ed25519, AUTH_EDDSA}};

/* Add key to set if it can be used here: for signatures, by the algorithm of its kind. */
static void add_key(struct auth_jwk_set *set, const struct json_value *key)
{
    struct str kind = text_of(key, "kty"), use = text_of(key, "use"), named = text_of(key, "alg");
    struct str id = text_of(key, "kid");
    for (size_t i = 0; i < countof(kinds) && set->count < MOST_KEYS; i++) {
        bool is_wanted =
            str_equal(kind, str_of(kinds[i].kind)) &&
            (str_is_absent(use) || str_equal(use, STR("sig"))) &&
            (str_is_absent(named) || str_equal(named, str_of(names[kinds[i].algorithm])));
        EVP_PKEY *pkey = is_wanted ? kinds[i].read(key) : NULL;
        if (pkey == NULL)
            continue;
        set->keys[set->count++] =
            (struct key){pkey, arena_str(&set->arena, id), kinds[i].algorithm};
    }
    ERR_clear_error();
}

struct auth_jwk_set *auth_jwk_set_create(struct str text, struct err *err)
{
    struct arena scratch;
    const struct json_value *keys = NULL;
    struct auth_jwk_set *set = mem_zalloc(1, sizeof *set);
    if (set == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for an issuer's keys");
        return NULL;
    }
    arena_init(&set->arena, ARENA_BYTES);
    arena_init(&scratch, ARENA_BYTES);
    const struct json_value *root = json_value_parse(&scratch, text, NULL, err);
    bool is_read = root != NULL && json_value_array(root, "/keys", &keys, err) == ERR_OK;
    if (is_read)
        JSON_EACH(key, keys)
            add_key(set, key);
    if (is_read && set->count == 0)
        err_set(err, ERR_INVALID,
                "/keys: expected a key for RS256 (2048 bits or more), ES256 or EdDSA (Ed25519)");
    arena_fini(&scratch);
    if (set->count > 0 && arena_ok(&set->arena))
        return set;
    auth_jwk_set_destroy(set);
    return NULL;
}

void auth_jwk_set_destroy(struct auth_jwk_set *set)
{
    if (set == NULL)
        return;
    for (size_t i = 0; i < set->count; i++)
        EVP_PKEY_free(set->keys[i].pkey);
    arena_fini(&set->arena);
    mem_free(set);
}

size_t auth_jwk_set_count(const struct auth_jwk_set *set)
{
    return set->count;
}

/* ---- signatures ---- */

/* By its id and algorithm, else by its id; without an id by the algorithm, where one key has it. */
static const struct key *find_key(const struct auth_jwk_set *set, struct str id,
                                  enum auth_algorithm algorithm)
{
    const struct key *by_both = NULL, *by_id = NULL;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct key *key = &set->keys[i];
        bool is_called = str_is_absent(id) || str_equal(key->id, id);
        if (is_called && !str_is_absent(id))
            by_id = key;
        if (!is_called || key->algorithm != algorithm)
            continue;
        by_both = key;
        count++;
    }
    if (str_is_absent(id) && count > 1)
        return NULL;
    return by_both != NULL ? by_both : by_id;
}

/* The two numbers of an ECDSA signature as DER, in *der, to be freed by OPENSSL_free. Its length;
 * 0: not such a signature. */
static int write_der(struct str signature, unsigned char **der)
{
    const unsigned char *at = (const unsigned char *)signature.at;
    int len = 0;
    ECDSA_SIG *pair = signature.len == 2 * P256_BYTES ? ECDSA_SIG_new() : NULL;
    BIGNUM *r = pair == NULL ? NULL : BN_bin2bn(at, P256_BYTES, NULL);
    BIGNUM *s = pair == NULL ? NULL : BN_bin2bn(at + P256_BYTES, P256_BYTES, NULL);
    if (r != NULL && s != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
        len = i2d_ECDSA_SIG(pair, der); /* r and s are the pair's from here on */
    } else {
        BN_free(r);
        BN_free(s);
    }
    ECDSA_SIG_free(pair);
    return len > 0 ? len : 0;
}

static bool is_signed(const struct key *key, struct str text, struct str signature)
{
    const EVP_MD *digest = key->algorithm == AUTH_EDDSA ? NULL : EVP_sha256();
    unsigned char *der = NULL;
    if (key->algorithm == AUTH_ES256)
        signature.len = (size_t)write_der(signature, &der);
    const unsigned char *at = der != NULL ? der : (const unsigned char *)signature.at;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool fits =
        context != NULL && signature.len > 0 &&
        EVP_DigestVerifyInit(context, NULL, digest, NULL, key->pkey) == 1 &&
        EVP_DigestVerify(context, at, signature.len, (const unsigned char *)text.at, text.len) == 1;
    EVP_MD_CTX_free(context);
    OPENSSL_free(der);
    ERR_clear_error();
    return fits;
}

enum err_code auth_jwk_verify(const struct auth_jwk_set *set, struct str id,
                              enum auth_algorithm algorithm, struct str text, struct str signature)
{
    const struct key *key = find_key(set, id, algorithm);
    if (key == NULL)
        return ERR_NOT_FOUND;
    return key->algorithm == algorithm && is_signed(key, text, signature) ? ERR_OK : ERR_REJECTED;
}
