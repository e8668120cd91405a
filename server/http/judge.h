/* SPDX-License-Identifier: MIT */
/* server/http/judge.h - whether a request may be answered, by its head alone.
 *
 * Asked before a byte of the body is kept, and again when the request is complete, since that may
 * be on another loop. One loop. */
#ifndef SERVER_HTTP_JUDGE_H
#define SERVER_HTTP_JUDGE_H

#include "server/http/exchange.h"

/* Fill exchange's match and grant. False: *problem says why it may not: 400 for a header that came
 * twice, 404, 405, 501, 401, 403, 415 for a body that is not JSON, 503 while an issuer's keys are
 * being fetched. */
MUST_USE bool judge_request(struct exchange *exchange, struct problem *problem);

#endif
