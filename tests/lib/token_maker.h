/* SPDX-License-Identifier: MIT */
/* tests/lib/token_maker.h - keys of an issuer, made by OpenSSL for one test, and tokens that they
 * sign. */
#ifndef TESTS_LIB_TOKEN_MAKER_H
#define TESTS_LIB_TOKEN_MAKER_H

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/base64.h"
#include "core/base/buf.h"
#include "tests/lib/test.h"

enum { TOKEN_BYTES = 8192 };

struct token_maker {
    EVP_PKEY *rsa, *weak_rsa, *p256, *ed25519;
};

static inline void token_maker_init(struct token_maker *maker)
{
    *maker = (struct token_maker){EVP_RSA_gen(2048), EVP_RSA_gen(1024), EVP_EC_gen("P-256"),
                                  EVP_PKEY_Q_keygen(NULL, NULL, "ED25519")};
    assert_true(maker->rsa != NULL && maker->weak_rsa != NULL && maker->p256 != NULL &&
                maker->ed25519 != NULL);
}

static inline void token_maker_fini(struct token_maker *maker)
{
    EVP_PKEY_free(maker->rsa);
    EVP_PKEY_free(maker->weak_rsa);
    EVP_PKEY_free(maker->p256);
    EVP_PKEY_free(maker->ed25519);
}

/* Append bytes in base64url without padding. */
static inline void token_maker_encode(struct buf *out, const void *bytes, size_t len)
{
    char room[TOKEN_BYTES];
    assert_true(base64_encoded_bytes(len) <= sizeof room);
    size_t end = base64_encode(str_make(bytes, len), room);
    for (size_t i = 0; i < end && room[i] != '='; i++)
        buf_push_char(out, room[i] == '+' ? '-' : room[i] == '/' ? '_' : room[i]);
}

static inline void token_maker_number(struct buf *out, EVP_PKEY *key, const char *name)
{
    unsigned char bytes[1024];
    BIGNUM *number = NULL;
    assert_int_equal(EVP_PKEY_get_bn_param(key, name, &number), 1);
    bool is_coordinate =
        strcmp(name, OSSL_PKEY_PARAM_EC_PUB_X) == 0 || strcmp(name, OSSL_PKEY_PARAM_EC_PUB_Y) == 0;
    int len = is_coordinate ? BN_bn2binpad(number, bytes, 32) : BN_bn2bin(number, bytes);
    token_maker_encode(out, bytes, (size_t)len);
    BN_free(number);
}

/* Append the public part of key as a JWK, with more members (with a comma before them) or "". */
static inline void token_maker_jwk(struct buf *out, EVP_PKEY *key, const char *more)
{
    unsigned char raw[64];
    size_t len = sizeof raw;
    if (EVP_PKEY_is_a(key, "RSA")) {
        buf_push(out, STR("{\"kty\":\"RSA\",\"n\":\""));
        token_maker_number(out, key, OSSL_PKEY_PARAM_RSA_N);
        buf_push(out, STR("\",\"e\":\""));
        token_maker_number(out, key, OSSL_PKEY_PARAM_RSA_E);
    } else if (EVP_PKEY_is_a(key, "EC")) {
        buf_push(out, STR("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\""));
        token_maker_number(out, key, OSSL_PKEY_PARAM_EC_PUB_X);
        buf_push(out, STR("\",\"y\":\""));
        token_maker_number(out, key, OSSL_PKEY_PARAM_EC_PUB_Y);
    } else {
        assert_int_equal(EVP_PKEY_get_raw_public_key(key, raw, &len), 1);
        buf_push(out, STR("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\""));
        token_maker_encode(out, raw, len);
    }
    buf_printf(out, "\"%s}", more);
}

/* The 64 bytes that JWS wants in place of ECDSA's DER. */
static inline void token_maker_push_p256(struct buf *out, const unsigned char *der, size_t len)
{
    unsigned char pair[64];
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)len);
    assert_non_null(signature);
    assert_int_equal(BN_bn2binpad(ECDSA_SIG_get0_r(signature), pair, 32), 32);
    assert_int_equal(BN_bn2binpad(ECDSA_SIG_get0_s(signature), pair + 32, 32), 32);
    ECDSA_SIG_free(signature);
    token_maker_encode(out, pair, sizeof pair);
}

/* A token of header and claims, signed with key; NULL: with nothing. To be freed by free(). */
static inline char *token_maker_sign(EVP_PKEY *key, const char *header, const char *claims)
{
    struct buf out;
    unsigned char signature[1024];
    size_t len = sizeof signature;
    buf_init(&out, TOKEN_BYTES);
    token_maker_encode(&out, header, strlen(header));
    buf_push_char(&out, '.');
    token_maker_encode(&out, claims, strlen(claims));
    if (key != NULL) {
        struct str text = buf_str(&out);
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        const EVP_MD *digest = EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256();
        assert_int_equal(EVP_DigestSignInit(context, NULL, digest, NULL, key), 1);
        assert_int_equal(
            EVP_DigestSign(context, signature, &len, (const unsigned char *)text.at, text.len), 1);
        EVP_MD_CTX_free(context);
    }
    buf_push_char(&out, '.');
    if (key != NULL && EVP_PKEY_is_a(key, "EC"))
        token_maker_push_p256(&out, signature, len);
    else if (key != NULL)
        token_maker_encode(&out, signature, len);
    assert_true(buf_ok(&out));
    char *token = malloc(buf_len(&out) + 1);
    assert_non_null(token);
    memcpy(token, buf_str(&out).at, buf_len(&out));
    token[buf_len(&out)] = '\0';
    buf_fini(&out);
    return token;
}

#endif
