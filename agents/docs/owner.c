/* SPDX-License-Identifier: MIT */
/* agents/docs/owner.c - digests each id, then both digests: the border between the two ids cannot
 * be mistaken. Cannot fail. */
#include "agents/docs/owner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <openssl/sha.h>

#include "core/base/base64.h"

enum { NAME_DIGEST_BYTES = 16, ENCODED_BYTES = 24, DIGITS = 16 };

struct str docs_owner_name(struct str company_id, struct str user_id, char to[DOCS_OWNER_BYTES])
{
    unsigned char both[2 * SHA256_DIGEST_LENGTH], digest[SHA256_DIGEST_LENGTH];
    char first[NAME_DIGEST_BYTES], text[ENCODED_BYTES];
    SHA256((const unsigned char *)company_id.at, company_id.len, both);
    SHA256((const unsigned char *)user_id.at, user_id.len, both + SHA256_DIGEST_LENGTH);
    SHA256(both, sizeof both, digest);
    memcpy(first, digest, sizeof first);
    base64_encode(str_make(first, sizeof first), text);
    for (size_t i = 0; i < DOCS_OWNER_BYTES; i++)
        to[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    return str_make(to, DOCS_OWNER_BYTES);
}

struct str docs_owner_name_before(struct str company_id, struct str user_id,
                                  char to[DOCS_OWNER_BYTES])
{
    char digits[DIGITS + 1];
    snprintf(digits, sizeof digits, "%016" PRIx64, str_hash(company_id) * 31 + str_hash(user_id));
    memcpy(to, digits, DIGITS);
    return str_make(to, DIGITS);
}
