/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_auth_book.c - any bytes as the file of keys and issuers: refused with a reason,
 * or a book in which every door has a lock. */
#include "server/auth/auth_book.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 64 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {0};
    if (size > MOST_BYTES)
        return 0;
    struct auth_book *book =
        auth_book_make("a,b", str_make(size == 0 ? "" : (const char *)data, size), &err);
    if (book == NULL) {
        CHECK(err.text[0] != '\0' && str_is_utf8(str_of(err.text)));
        return 0;
    }
    CHECK(auth_book_has_doors(book) && book->is_of_file && book->key_count >= 2);
    for (size_t i = 0; i < book->key_count; i++)
        CHECK(book->keys[i].digest_count > 0 && book->keys[i].scopes != 0 &&
              (book->keys[i].company_count == 0) == (book->keys[i].companies == NULL));
    for (size_t i = 0; i < book->issuer_count; i++) {
        const struct auth_issuer *issuer = &book->issuers[i];
        CHECK(issuer->audience_count > 0 && issuer->name.len > 0 && issuer->user_claim != NULL);
        CHECK((issuer->jwks_url == NULL) != (issuer->jwks_file == NULL));
        CHECK((issuer->company_claim == NULL) != str_is_absent(issuer->company));
        CHECK(auth_book_find_issuer(book, issuer->name) == issuer);
    }
    auth_book_unref(book);
    return 0;
}
