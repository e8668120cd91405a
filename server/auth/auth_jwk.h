/* SPDX-License-Identifier: MIT */
/* server/auth/auth_jwk.h - public keys of an issuer of tokens (RFC 7517), and what they sign.
 *
 * A key signs by one algorithm, which its kind says: RSA of 2048 bits or more RS256, P-256 ES256,
 * Ed25519 EdDSA. Nothing else is a key here, so neither "none" nor a shared secret can be asked
 * for. Immutable; any thread. */
#ifndef SERVER_AUTH_AUTH_JWK_H
#define SERVER_AUTH_AUTH_JWK_H

#include "core/base/err.h"
#include "core/base/str.h"

enum auth_algorithm { AUTH_RS256, AUTH_ES256, AUTH_EDDSA, AUTH_ALGORITHM_COUNT };

/* False: a name that is none of the three. */
MUST_USE bool auth_jwk_algorithm(struct str name, enum auth_algorithm *algorithm);

struct auth_jwk_set;

/* Read {"keys":[...]}. Keys of other kinds, and for encryption, are passed over. NULL: err says
 * what is wrong with the text, or that no key is left. */
struct auth_jwk_set *auth_jwk_set_create(struct str text, struct err *err);
void auth_jwk_set_destroy(struct auth_jwk_set *set);
size_t auth_jwk_set_count(const struct auth_jwk_set *set);

/* Check signature of text with the key called id, or, where id is absent, with the only key that
 * signs by algorithm. ERR_NOT_FOUND: there is no such key. ERR_REJECTED: the key signs by another
 * algorithm, or did not sign this. */
MUST_USE enum err_code auth_jwk_verify(const struct auth_jwk_set *set, struct str id,
                                       enum auth_algorithm algorithm, struct str text,
                                       struct str signature);

#endif
