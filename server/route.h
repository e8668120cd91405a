/* SPDX-License-Identifier: MIT */
/* server/route.h - const table: method, path pattern -> handler.
 *
 * Patterns are segments; "{x}" stands for one non-empty segment, still escaped. HEAD finds what GET
 * finds. Pure; any thread. */
#ifndef SERVER_ROUTE_H
#define SERVER_ROUTE_H

#include "core/base/err.h"
#include "proto/http_request.h"

struct exchange;
struct problem_style;
/* Answers, now or later. */
typedef void route_fn(struct exchange *exchange);

enum { ROUTE_MAX_PARAMS = 2, ROUTE_MAX_SEGMENTS = 8 };

struct route {
    enum http_method method;
    const char *pattern; /* "/internal/graphs/{graph}"; also the label in metrics */
    route_fn *answer;
    bool is_open;                         /* without a key: operations */
    const struct problem_style *problems; /* NULL: RFC 9457 */
};

struct route_match {
    const struct route *route;
    struct str params[ROUTE_MAX_PARAMS];  /* views into the path */
    const char *allow;                    /* with ERR_REJECTED: the methods there are; static */
    const struct problem_style *problems; /* the route's; on failure, those of its protocol */
    const char *feature; /* on failure, when another server has it: what is not built; static */
};

extern const struct route route_table[];
extern const size_t route_table_count;

/* ERR_NOT_FOUND: no such path. ERR_REJECTED: not with this method. */
MUST_USE enum err_code route_find(enum http_method method, struct str path,
                                  struct route_match *match);
/* Its place in the table. */
size_t route_index(const struct route *route);

#endif
