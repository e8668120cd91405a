/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_oauth_sign.c - head and claims in base64, and OpenSSL's signature of both.
 *
 * Happy path: the key says the algorithm; a signature of ECDSA is written as its two numbers.
 * Failure: no such key; no randomness; no memory. */
#include "backends/remote/remote_oauth_sign.h"

#include <limits.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include "core/base/base64.h"
#include "proto/json_write.h"

enum { GOOD_SECONDS = 300, NUMBER_BYTES = 32, LEAST_RSA_BITS = 2048, MOST_SIGNATURE = 1024 };
enum { CLAIMS_BYTES = 16 * 1024, ID_BYTES = 16, P256_BITS = 256 };

/* base64 of the URL alphabet, without padding. */
static void push_base64(struct buf *out, struct str bytes)
{
    char *room = buf_reserve(out, base64_encoded_bytes(bytes.len));
    if (room == NULL)
        return;
    size_t len = base64_encode(bytes, room);
    while (len > 0 && room[len - 1] == '=')
        len--;
    for (size_t i = 0; i < len; i++)
        room[i] = room[i] == '+' ? '-' : room[i] == '/' ? '_' : room[i];
    buf_commit(out, len);
}

/* NULL: it is no key that can sign here. */
static EVP_PKEY *read_key(struct str pem)
{
    BIO *bio = pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.at, (int)pem.len);
    EVP_PKEY *key =
        bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)(uintptr_t) "");
    BIO_free(bio);
    ERR_clear_error();
    bool is_known =
        key != NULL &&
        ((EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && EVP_PKEY_get_bits(key) == P256_BITS) ||
         (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && EVP_PKEY_get_bits(key) >= LEAST_RSA_BITS));
    if (is_known)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

bool remote_oauth_sign_is_key(struct str pem)
{
    EVP_PKEY *key = read_key(pem);
    EVP_PKEY_free(key);
    return key != NULL;
}

static bool push_claims(struct str id, struct str audience, uint64_t now_s, struct buf *out)
{
    unsigned char random[ID_BYTES];
    struct json_write json;
    struct buf claims, number;
    if (RAND_bytes(random, sizeof random) != 1)
        return false;
    buf_init(&claims, CLAIMS_BYTES);
    buf_init(&number, CLAIMS_BYTES);
    push_base64(&number, str_make((const char *)random, sizeof random));
    json_write_init(&json, &claims);
    json_write_object(&json);
    json_write_member_str(&json, STR("iss"), id);
    json_write_member_str(&json, STR("sub"), id);
    json_write_member_str(&json, STR("aud"), audience);
    json_write_member_str(&json, STR("jti"), buf_str(&number));
    json_write_member_u64(&json, STR("iat"), now_s);
    json_write_member_u64(&json, STR("exp"), now_s + GOOD_SECONDS);
    json_write_object_end(&json);
    bool is_fine = buf_ok(&claims) && buf_ok(&number);
    push_base64(out, buf_str(&claims));
    buf_fini(&claims);
    buf_fini(&number);
    return is_fine;
}

/* The two numbers of a signature of ECDSA in place of how OpenSSL writes them. */
static bool take_numbers(unsigned char *signature, size_t *len)
{
    const unsigned char *at = signature;
    ECDSA_SIG *numbers = d2i_ECDSA_SIG(NULL, &at, (long)*len);
    const BIGNUM *r, *s;
    if (numbers == NULL)
        return false;
    ECDSA_SIG_get0(numbers, &r, &s);
    bool is_fine = BN_bn2binpad(r, signature, NUMBER_BYTES) == NUMBER_BYTES &&
                   BN_bn2binpad(s, signature + NUMBER_BYTES, NUMBER_BYTES) == NUMBER_BYTES;
    ECDSA_SIG_free(numbers);
    *len = 2 * (size_t)NUMBER_BYTES;
    return is_fine;
}

static bool push_signature(EVP_PKEY *key, struct str text, struct buf *out)
{
    unsigned char signature[MOST_SIGNATURE];
    size_t len = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_made =
        context != NULL && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
        EVP_DigestSign(context, signature, &len, (const unsigned char *)text.at, text.len) == 1 &&
        (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA || take_numbers(signature, &len));
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    if (!is_made)
        return false;
    buf_push_char(out, '.');
    push_base64(out, str_make((const char *)signature, len));
    return true;
}

bool remote_oauth_sign(struct str pem, struct str id, struct str audience, uint64_t now_s,
                       struct buf *out)
{
    EVP_PKEY *key = read_key(pem);
    struct buf text;
    if (key == NULL)
        return false;
    buf_init(&text, 2 * CLAIMS_BYTES);
    push_base64(&text, EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
                           ? STR("{\"alg\":\"RS256\",\"typ\":\"JWT\"}")
                           : STR("{\"alg\":\"ES256\",\"typ\":\"JWT\"}"));
    buf_push_char(&text, '.');
    bool is_made = push_claims(id, audience, now_s, &text) && buf_ok(&text);
    if (is_made) {
        buf_push(out, buf_str(&text));
        is_made = push_signature(key, buf_str(&text), out);
    }
    buf_fini(&text);
    EVP_PKEY_free(key);
    return is_made && buf_ok(out);
}
