/* SPDX-License-Identifier: MIT */
/* server/auth/auth_jwt.h - a signed token (RFC 7519 in the compact form of RFC 7515), taken apart.
 *
 * Reading it proves nothing: the signature is checked by auth_jwk_verify, then the claims may be
 * believed. Pure; any thread. */
#ifndef SERVER_AUTH_AUTH_JWT_H
#define SERVER_AUTH_AUTH_JWT_H

#include "proto/json_value.h"
#include "server/auth/auth_jwk.h"

struct auth_jwt {
    enum auth_algorithm algorithm;
    struct str key_id; /* absent: none */
    struct str text;   /* what is signed; a view of the token */
    struct str signature;
    const struct json_value *claims; /* an object */
    struct str issuer;
};

/* Whether token has the outer form of one: three parts with dots between them. */
bool auth_jwt_is_like(struct str token);
/* Take token apart; everything is in arena, or a view of token. ERR_REJECTED: it is no token, asks
 * for an algorithm other than the three, for an extension ("crit"), or names no issuer. err never
 * quotes the token. */
MUST_USE enum err_code auth_jwt_read(struct arena *arena, struct str token, struct auth_jwt *jwt,
                                     struct err *err);
/* Judge "exp", which must be there, and "nbf", with leeway_s seconds for clocks that differ.
 * ERR_REJECTED. */
MUST_USE enum err_code auth_jwt_check_times(const struct auth_jwt *jwt, uint64_t now_s,
                                            uint64_t leeway_s, struct err *err);
/* Whether "aud" is, or has, one of audiences. */
bool auth_jwt_is_for(const struct auth_jwt *jwt, const struct str *audiences, size_t count);
/* The text at pointer (RFC 6901) in the claims, or of an array of one text there; absent: none. */
struct str auth_jwt_claim(const struct auth_jwt *jwt, const char *pointer);

#endif
