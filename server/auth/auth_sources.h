/* SPDX-License-Identifier: MIT */
/* server/auth/auth_sources.h - the keys that issuers publish at an address, fetched and kept.
 *
 * Keys are fetched when an address is first wanted, again in the background when they are ten
 * minutes old, and at once when a key is missing, but no more often than every half minute,
 * whatever strangers ask for. Keys that could not be renewed for a day are not believed any more.
 * Each worker has its own. One loop, one thread. */
#ifndef SERVER_AUTH_AUTH_SOURCES_H
#define SERVER_AUTH_AUTH_SOURCES_H

#include "core/base/log.h"
#include "core/loop/loop.h"
#include "server/auth/auth_jwk.h"

struct auth_sources;

/* log is borrowed. NULL: no memory. */
struct auth_sources *auth_sources_create(struct loop *loop, const struct log *log);
/* Stop fetching, then call on_closed(owner), now or later. */
void auth_sources_close(struct auth_sources *sources, void (*on_closed)(void *owner), void *owner);
/* After on_closed, or when nothing was ever fetched. NULL is fine. */
void auth_sources_destroy(struct auth_sources *sources);

/* Have the keys at url fetched, unless they are there. Without memory they are not, which shows. */
void auth_sources_want(struct auth_sources *sources, const char *url);
/* The keys at url, which was wanted, until the next turn of the loop; NULL: there are none now. */
const struct auth_jwk_set *auth_sources_keys(struct auth_sources *sources, const char *url);
/* A key at url is missing: fetch them now, if that is not too often. Whether they are on the
 * way. */
bool auth_sources_renew(struct auth_sources *sources, const char *url);

#endif
