/* SPDX-License-Identifier: MIT */
/* server/schedules/webhook_sign.c - the key is what the secret's base64 says.
 *
 * Failure: a secret that is none; no randomness. */
#include "server/schedules/webhook_sign.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>

#include "core/base/base64.h"

#define PREFIX "whsec_"

enum { KEY_BYTES = 32, KEY_LEAST = 24, KEY_MOST = 64, KEY_TEXT = 96, HEAD_BYTES = 256 };

bool webhook_sign_make(char secret[WEBHOOK_SIGN_SECRET])
{
    unsigned char key[KEY_BYTES];
    if (RAND_bytes(key, sizeof key) != 1)
        return false;
    memcpy(secret, PREFIX, sizeof PREFIX - 1);
    size_t len = base64_encode(str_make((const char *)key, sizeof key), secret + sizeof PREFIX - 1);
    secret[sizeof PREFIX - 1 + len] = '\0';
    return true;
}

/* The key of secret; false: it is none. */
static bool read_key(struct str secret, unsigned char key[KEY_TEXT], size_t *len)
{
    if (!str_starts_with(secret, STR(PREFIX)))
        return false;
    struct str text = str_from(secret, sizeof PREFIX - 1);
    return text.len > 0 && base64_decoded_bytes(text) <= KEY_TEXT &&
           base64_decode(text, key, len) && *len >= KEY_LEAST && *len <= KEY_MOST;
}

bool webhook_sign_is_secret(struct str text)
{
    unsigned char key[KEY_TEXT];
    size_t len;
    return read_key(text, key, &len);
}

bool webhook_sign_push(struct str secret, struct str id, int64_t timestamp_s, struct str body,
                       struct buf *out)
{
    unsigned char key[KEY_TEXT], digest[EVP_MAX_MD_SIZE];
    char encoded[EVP_MAX_MD_SIZE * 2];
    unsigned digest_len = 0;
    size_t key_len;
    struct buf content;
    if (!read_key(secret, key, &key_len))
        return false;
    buf_init(&content, HEAD_BYTES + id.len + body.len);
    buf_printf(&content, "%.*s.%" PRId64 ".", STR_ARG(id), timestamp_s);
    buf_push(&content, body);
    struct str text = buf_str(&content);
    bool is_done =
        buf_ok(&content) && HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)text.at,
                                 text.len, digest, &digest_len) != NULL;
    buf_fini(&content);
    if (!is_done)
        return false;
    size_t len = base64_encode(str_make((const char *)digest, digest_len), encoded);
    buf_printf(out, "%sv1,%.*s", buf_len(out) > 0 ? " " : "", (int)len, encoded);
    return buf_ok(out);
}
