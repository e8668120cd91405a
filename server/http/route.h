/* SPDX-License-Identifier: MIT */
/* server/http/route.h - which function answers a method and a path, by a table of the program's.
 *
 * Patterns are segments; "{x}" stands for one non-empty segment, still escaped. HEAD finds what GET
 * finds. Pure; any thread. */
#ifndef SERVER_HTTP_ROUTE_H
#define SERVER_HTTP_ROUTE_H

#include "core/base/err.h"
#include "proto/http_request.h"

struct exchange;
struct problem_style;
/* Answers, now or later. */
typedef void route_fn(struct exchange *exchange);

enum { ROUTE_MAX_PARAMS = 2, ROUTE_MAX_SEGMENTS = 8 };

enum route_access {
    ROUTE_KEY,   /* for callers with a key, or without keys for this machine */
    ROUTE_OPEN,  /* without a key, but not by a name of another site while there are no keys */
    ROUTE_ALWAYS /* for everybody: it says no more than that we live */
};

struct route {
    enum http_method method;
    const char *pattern; /* "/internal/graphs/{graph}"; also the label in metrics */
    route_fn *answer;
    enum route_access access;
    unsigned scope; /* AUTH_... that a key must have; 0: AUTH_ASK. On a route without a key: needed
                       where ASKD_AUTH_FILE says who has it */
    bool is_for_operators; /* also on the port of ASKD_ADMIN_PORT */
    bool takes_file; /* its body is a file, of any type: not by POST, which pages of other sites may
                        send without asking */
    bool is_resource;                     /* has OAuth metadata of its own (RFC 9728) */
    const struct problem_style *problems; /* NULL: RFC 9457 */
};

struct route_match {
    const struct route *route;
    struct str params[ROUTE_MAX_PARAMS];  /* views into the path */
    const char *allow;                    /* with ERR_REJECTED: the methods there are; static */
    const struct problem_style *problems; /* the route's; on failure, those of its protocol */
    const char *feature; /* on failure, when another server has it: what is not built; static */
};

/* What clients of a protocol spoken here may ask for, and is not built. */
struct route_absent {
    enum http_method method;
    const char *pattern;
    const char *feature; /* "... not supported here", with its verb: "files are" */
};

struct route_table {
    const struct route *routes;
    size_t count;
    const struct route_absent *absent;
    size_t absent_count;
    /* Paths below prefix have these problems also where there is no route. NULL: none have. */
    const char *prefix;
    const struct problem_style *prefix_problems;
};

/* ERR_NOT_FOUND: no such path. ERR_REJECTED: not with this method. */
MUST_USE enum err_code route_find(const struct route_table *table, enum http_method method,
                                  struct str path, struct route_match *match);
/* A route's place in the table; of NULL, which stands for no route, the table's count. */
size_t route_index(const struct route_table *table, const struct route *route);

#endif
