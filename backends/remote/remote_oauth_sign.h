/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_oauth_sign.h - the assertion by which a client with a private key says who
 * it is (RFC 7523): a JSON Web Token, signed by ES256 or RS256, good for minutes. Any thread. */
#ifndef BACKENDS_REMOTE_REMOTE_OAUTH_SIGN_H
#define BACKENDS_REMOTE_REMOTE_OAUTH_SIGN_H

#include "core/base/buf.h"

/* Whether pem is a private key that can sign: of the curve P-256, or RSA of 2,048 bits or more. */
bool remote_oauth_sign_is_key(struct str pem);
/* Append an assertion of id for audience, made at now_s (Unix time). False: pem is no such key, no
 * randomness, or no memory; out may hold a part. */
MUST_USE bool remote_oauth_sign(struct str pem, struct str id, struct str audience, uint64_t now_s,
                                struct buf *out);

#endif
