/* SPDX-License-Identifier: MIT */
/* server/config/secret_box.c - "sealed:1:KEY:BOX". KEY is the beginning of its key's SHA-256, by
 * which it is found among several; BOX is base64 of a random nonce, what was encrypted, and its
 * tag, which covers the owner, too.
 *
 * Failure: another key, another owner, a byte that was changed: nothing of the secret comes out. */
#include "server/config/secret_box.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#include "core/base/base64.h"

#define MARK "sealed:1:"

enum { KEY_BYTES = 32, KEY_TEXT = 64, NAME_BYTES = 4, NAME_TEXT = 2 * NAME_BYTES + 1 };
enum { NONCE_BYTES = 12, TAG_BYTES = 16, MORE_BYTES = NONCE_BYTES + TAG_BYTES };
enum { BOX_BYTES = SECRET_BOX_BYTES + MORE_BYTES };

struct key {
    unsigned char bytes[KEY_BYTES];
    char name[NAME_TEXT];
};

/* ---- keys ---- */

static bool read_key(struct str text, struct key *key)
{
    unsigned char bytes[KEY_TEXT], digest[EVP_MAX_MD_SIZE];
    size_t len;
    unsigned digest_len;
    if (base64_decoded_bytes(text) > sizeof bytes || !base64_decode(text, bytes, &len) ||
        len != KEY_BYTES || EVP_Digest(bytes, len, digest, &digest_len, EVP_sha256(), NULL) != 1)
        return false;
    memcpy(key->bytes, bytes, KEY_BYTES);
    for (size_t i = 0; i < NAME_BYTES; i++)
        (void)snprintf(key->name + 2 * i, 3, "%02x", digest[i]);
    return true;
}

/* The next of keys. False: there is none, or it is no key. */
static bool next_key(struct str *keys, struct key *key)
{
    return keys->len > 0 && read_key(str_trim(str_split(keys, ',')), key);
}

bool secret_box_are_keys(struct str keys)
{
    struct str rest = keys;
    struct key key;
    while (rest.len > 0)
        if (!next_key(&rest, &key))
            return false;
    return true;
}

/* ---- boxes ---- */

bool secret_box_is_sealed(struct str text)
{
    return str_starts_with(text, STR(MARK));
}

bool secret_box_is_fresh(struct str keys, struct str text)
{
    struct key key;
    struct str rest = keys, box = str_from(text, secret_box_is_sealed(text) ? sizeof MARK - 1 : 0);
    return secret_box_is_sealed(text) && next_key(&rest, &key) &&
           str_equal(str_split(&box, ':'), str_of(key.name));
}

static bool encrypt(const struct key *key, struct str owner, struct str text,
                    unsigned char box[BOX_BYTES])
{
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int len = 0;
    unsigned char *body = box + NONCE_BYTES;
    bool is_done =
        cipher != NULL && RAND_bytes(box, NONCE_BYTES) == 1 &&
        EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, box) == 1 &&
        EVP_EncryptUpdate(cipher, NULL, &len, (const unsigned char *)owner.at, (int)owner.len) ==
            1 &&
        EVP_EncryptUpdate(cipher, body, &len, (const unsigned char *)text.at, (int)text.len) == 1 &&
        EVP_EncryptFinal_ex(cipher, body + text.len, &len) == 1 &&
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, TAG_BYTES, body + text.len) == 1;
    EVP_CIPHER_CTX_free(cipher);
    return is_done;
}

static bool decrypt(const struct key *key, struct str owner, unsigned char *box, size_t box_len,
                    unsigned char text[BOX_BYTES])
{
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int len = 0;
    size_t text_len = box_len - MORE_BYTES;
    unsigned char *body = box + NONCE_BYTES;
    bool is_done =
        cipher != NULL &&
        EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, box) == 1 &&
        EVP_DecryptUpdate(cipher, NULL, &len, (const unsigned char *)owner.at, (int)owner.len) ==
            1 &&
        EVP_DecryptUpdate(cipher, text, &len, body, (int)text_len) == 1 &&
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, TAG_BYTES, body + text_len) == 1 &&
        EVP_DecryptFinal_ex(cipher, text + text_len, &len) == 1;
    EVP_CIPHER_CTX_free(cipher);
    return is_done;
}

struct str secret_box_seal(struct str keys, struct str owner, struct str text, struct arena *arena)
{
    unsigned char box[BOX_BYTES];
    char encoded[BOX_BYTES * 2];
    struct str rest = keys;
    struct key key;
    if (text.len > SECRET_BOX_BYTES || !next_key(&rest, &key) || !encrypt(&key, owner, text, box))
        return (struct str){NULL, 0};
    size_t len = base64_encode(str_make((const char *)box, text.len + MORE_BYTES), encoded);
    return arena_printf(arena, MARK "%s:%.*s", key.name, (int)len, encoded);
}

enum err_code secret_box_open(struct str keys, struct str owner, struct str sealed,
                              struct arena *arena, struct str *text, struct err *err)
{
    unsigned char box[BOX_BYTES * 2], opened[BOX_BYTES];
    struct str rest = keys, encoded = str_from(sealed, sizeof MARK - 1);
    struct key key;
    size_t len = 0;
    *text = sealed;
    if (!secret_box_is_sealed(sealed))
        return ERR_OK;
    struct str name = str_split(&encoded, ':');
    bool is_box = encoded.len > 0 && base64_decoded_bytes(encoded) <= sizeof box &&
                  base64_decode(encoded, box, &len) && len >= MORE_BYTES && len <= BOX_BYTES;
    while (is_box && next_key(&rest, &key)) {
        if (!str_equal(name, str_of(key.name)) || !decrypt(&key, owner, box, len, opened))
            continue;
        *text = arena_str(arena, str_make((const char *)opened, len - MORE_BYTES));
        return str_is_absent(*text) ? err_set(err, ERR_NO_MEMORY, "no memory for a secret")
                                    : ERR_OK;
    }
    *text = (struct str){NULL, 0};
    return err_set(err, ERR_DENIED,
                   "the secret cannot be opened: ASKD_SECRETS_KEY has not the key that sealed it");
}
