/* SPDX-License-Identifier: MIT */
/* server/auth/auth.h - who a caller is: by a key, by a token of an issuer, or by being on this
 * machine.
 *
 * Where the book has no key and no issuer only callers on this machine are let in, and of those
 * neither a page of another site in a browser here (by its origin, or by a name of its own for this
 * address: DNS rebinding) nor anybody behind a proxy. Keys of issuers are fetched in the background
 * and kept. One loop, one thread; the book is shared. */
#ifndef SERVER_AUTH_AUTH_H
#define SERVER_AUTH_AUTH_H

#include "core/base/log.h"
#include "core/loop/loop.h"
#include "server/auth/auth_book.h"

struct auth;

/* log is borrowed; book is kept (a reference is taken). NULL: no memory. */
struct auth *auth_create(struct loop *loop, const struct log *log, struct auth_book *book);
/* From now on judge by book, of which a reference is taken. Fetched keys of issuers that are still
 * in it stay. */
void auth_use_book(struct auth *auth, struct auth_book *book);
/* Stop fetching, then call on_closed(owner), now or later. */
void auth_close(struct auth *auth, void (*on_closed)(void *owner), void *owner);
/* After on_closed, or when the loop never ran. NULL is fine. */
void auth_destroy(struct auth *auth);

const struct auth_book *auth_book(const struct auth *auth);

struct auth_caller { /* headers, absent where there were none */
    struct str authorization, host, origin;
    struct str api_key; /* X-Api-Key, for clients that know no other way */
    struct str proxy;   /* the name of a header that only proxies send */
    bool is_loopback;
    bool is_known_origin; /* a page of this origin may in */
};

/* Fill *grant, which auth_release lets go, also after a failure; its views live until then, or as
 * long as arena. ERR_REJECTED: 401, no key or token, or a wrong one. ERR_DENIED: 403, where there
 * are no keys somebody from afar or another site's page. ERR_UNAVAILABLE: the issuer's keys are
 * being fetched. */
MUST_USE enum err_code auth_check(struct auth *auth, const struct auth_caller *caller,
                                  struct arena *arena, struct auth_grant *grant, struct err *err);
/* Let go of what grant holds. A zeroed grant is fine. */
void auth_release(struct auth_grant *grant);
/* Whether a request for what needs no key may be answered: where there are no keys, not to a name
 * of another site. ERR_DENIED. */
MUST_USE enum err_code auth_check_host(const struct auth *auth, struct str host, struct err *err);

#endif
