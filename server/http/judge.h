/* SPDX-License-Identifier: MIT */
/* server/http/judge.h - whether a request may be answered, by its head alone.
 *
 * Asked before a byte of the body is kept, and again when the request is complete, since that may
 * be on another loop. One loop. */
#ifndef SERVER_HTTP_JUDGE_H
#define SERVER_HTTP_JUDGE_H

#include "server/auth/auth.h"
#include "server/http/problem.h"
#include "server/http/route.h"

struct judge_options {
    const struct route_table *routes;
    struct auth *auth;
    const char *cors_origins; /* as server/http/cors.h has them */
    bool is_for_operators;    /* only their routes are there */
    const struct http_request *request;
    bool is_loopback;    /* it came from this machine */
    struct arena *arena; /* for views in the verdict */
};

struct judge_verdict {
    struct route_match match;
    struct auth_grant grant; /* to be let go by auth_release, also when the request is refused */
};

/* Fill *verdict, which is zeroed. False: *problem says why the request may not be answered: 400 for
 * a header that came twice, 404, 405, 501, 401, 403, 415 for a body that is neither JSON nor a
 * file's, 503 while an issuer's keys are being fetched. */
MUST_USE bool judge_request(const struct judge_options *options, struct judge_verdict *verdict,
                            struct problem *problem);

/* Whether the caller of the request has the scope admin, whatever its route asks for. */
bool judge_is_by_operator(const struct judge_options *options);

#endif
