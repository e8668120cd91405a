/* SPDX-License-Identifier: MIT */
/* server/http/auth.h - whether a caller's bearer token lets it in.
 *
 * Several keys may be valid at once (rotation). Comparing takes the same time whatever matches.
 * With no key configured only callers on this machine are let in, and of those no page of another
 * site in a browser here: neither by its own origin nor by a name of its own for this address (DNS
 * rebinding). One thread. */
#ifndef SERVER_HTTP_AUTH_H
#define SERVER_HTTP_AUTH_H

#include "core/base/err.h"
#include "core/base/str.h"

struct auth;

/* keys: tokens separated by commas, blanks around them ignored; copied. NULL: no memory. */
struct auth *auth_create(const char *keys);
void auth_destroy(struct auth *auth);
bool auth_has_keys(const struct auth *auth);

struct auth_caller { /* headers, absent where there were none */
    struct str authorization, host, origin;
    struct str api_key; /* X-Api-Key, for clients that know no other way */
    bool is_loopback;
};

/* ERR_REJECTED: 401, no key or a wrong one; ERR_DENIED: 403, while no key is configured somebody
 * from afar or another site's page. */
MUST_USE enum err_code auth_check(const struct auth *auth, const struct auth_caller *caller,
                                  struct err *err);

#endif
