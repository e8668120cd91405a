/* SPDX-License-Identifier: MIT */
/* server/auth/auth_grant.h - what a caller may do, and for whom it may speak.
 *
 * Made by auth_check from a key or a token, let go by auth_release; every request has one. Any
 * thread. */
#ifndef SERVER_AUTH_AUTH_GRANT_H
#define SERVER_AUTH_AUTH_GRANT_H

#include "core/base/err.h"
#include "core/base/identity.h"

struct auth_book;

enum { AUTH_NAME_BYTES = 128 }; /* of a company, user or role, as everywhere */

enum auth_scope {
    AUTH_ASK = 1u << 0,     /* questions, conversations, runs of the caller's own */
    AUTH_ADMIN = 1u << 1,   /* the runs of everybody */
    AUTH_METRICS = 1u << 2, /* /metrics */
    AUTH_ALL = AUTH_ASK | AUTH_ADMIN | AUTH_METRICS
};

struct auth_grant {
    unsigned scopes; /* AUTH_... */
    struct str name; /* of the key or issuer, for logs; absent: no key was asked for */
    /* Whom a token names; company and user are then never absent. */
    bool is_token;
    struct str company, user, role;
    /* For whom a key may speak; company_count 0: for anybody. */
    const struct str *companies;
    size_t company_count;
    /* private */
    struct auth_book *book; /* what the views are of; held */
};

/* Make caller, as the request names it, one that grant may speak for: a token's names are put in
 * where the request has none, and a key for one company names that company. ERR_DENIED: the request
 * names somebody else, or nobody where grant has several companies. */
MUST_USE enum err_code auth_grant_settle(const struct auth_grant *grant, struct identity *caller,
                                         struct err *err);
/* Whether grant may speak for caller's company and user, as they are. */
bool auth_grant_covers(const struct auth_grant *grant, const struct identity *caller);
/* "ask", "admin" or "metrics"; static. */
const char *auth_grant_scope_name(enum auth_scope scope);

#endif
