/* SPDX-License-Identifier: MIT */
/* server/auth/auth_book.h - the keys and issuers that are let in: ASKD_API_KEYS and the file of
 * ASKD_AUTH_FILE (docs/access.md has its members).
 *
 * Of a key only its SHA-256 is kept. Immutable and shared by all workers; the last one that lets go
 * frees it. Any thread. */
#ifndef SERVER_AUTH_AUTH_BOOK_H
#define SERVER_AUTH_AUTH_BOOK_H

#include "core/base/arena.h"
#include "server/auth/auth_grant.h"
#include "server/auth/auth_jwk.h"

enum { AUTH_BOOK_DIGEST_BYTES = 32, AUTH_BOOK_DIGESTS = 2 };

struct auth_key {
    struct str name;
    unsigned char digests[AUTH_BOOK_DIGESTS][AUTH_BOOK_DIGEST_BYTES]; /* SHA-256 of the key */
    size_t digest_count; /* two while a new one replaces an old one */
    unsigned scopes;     /* AUTH_... */
    const struct str *companies;
    size_t company_count; /* 0: any */
    uint64_t expires_s;   /* since 1970; 0: never */
};

struct auth_issuer {
    struct str name;             /* "iss" */
    const char *jwks_url;        /* where its keys are; NULL: they are in keys */
    const char *jwks_file;       /* where keys are from; NULL: jwks_url */
    struct auth_jwk_set *keys;   /* owned */
    const struct str *audiences; /* one of them is "aud" */
    size_t audience_count;
    bool algorithms[AUTH_ALGORITHM_COUNT]; /* which of them its tokens may have */
    unsigned scopes;
    uint64_t leeway_s;
    /* JSON pointers of the claims that name the caller. A company that is not absent is everybody's
     * of this issuer. role_claim NULL: tokens have no role. */
    const char *company_claim, *user_claim, *role_claim;
    struct str company;
};

struct auth_book {
    const struct auth_key *keys;
    size_t key_count;
    struct auth_issuer *issuers;
    size_t issuer_count;
    bool is_of_file;     /* a file says who has which scope */
    struct str resource; /* this server's own address (RFC 9728), without a slash at its end;
                            absent: not known */
    /* private */
    struct arena arena;
    _Atomic unsigned refs;
};

/* Make the book of api_keys, separated by commas, and of the file at path, if that is not "". Reads
 * files: at start and on reload only. NULL: err says what is wrong and where, by JSON pointer. The
 * caller has one reference. */
struct auth_book *auth_book_load(const char *api_keys, const char *path, struct err *err);
/* As auth_book_load, of text in place of a file (absent: none), without opening the files that it
 * names. */
struct auth_book *auth_book_make(const char *api_keys, struct str text, struct err *err);
struct auth_book *auth_book_ref(struct auth_book *book);
/* NULL is fine. */
void auth_book_unref(struct auth_book *book);

/* Whether anybody is let in by a key or a token. If not, only this machine is. */
bool auth_book_has_doors(const struct auth_book *book);
/* The key that token is. Takes as long whichever it is. NULL: none. */
const struct auth_key *auth_book_find_key(const struct auth_book *book, struct str token);
/* The issuer called name; NULL: none. */
const struct auth_issuer *auth_book_find_issuer(const struct auth_book *book, struct str name);

#endif
