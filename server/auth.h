/* SPDX-License-Identifier: MIT */
/* server/auth.h - a bearer token -> may this caller in?
 *
 * Several keys may be valid at once (rotation). Comparing takes the same time whatever matches.
 * With no key configured only callers on this machine may in. One thread. */
#ifndef SERVER_AUTH_H
#define SERVER_AUTH_H

#include "core/base/err.h"
#include "core/base/str.h"

struct auth;

/* keys: tokens separated by commas, blanks around them ignored; copied. NULL: no memory. */
struct auth *auth_create(const char *keys);
void auth_destroy(struct auth *auth);
bool auth_has_keys(const struct auth *auth);

/* authorization: the header's value, or absent. ERR_REJECTED: 401, no key or a wrong one;
 * ERR_DENIED: 403, nobody from afar may in while no key is configured. */
MUST_USE enum err_code auth_check(const struct auth *auth, struct str authorization,
                                  bool is_loopback, struct err *err);

#endif
