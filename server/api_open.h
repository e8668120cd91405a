/* SPDX-License-Identifier: MIT */
/* server/api_open.h - a request waits until what its conversation said is in memory. */
#ifndef SERVER_API_OPEN_H
#define SERVER_API_OPEN_H

#include "server/exchange.h"
#include "server/runs.h"

/* Goes on with a request whose conversation is up to date and not somebody else's. */
typedef void api_open_fn(struct exchange *exchange, struct runs_request *request);

/* Call go_on, at once when there is nothing to wait for, or answer: 404, somebody else's. */
void api_open_conversation(struct exchange *exchange, const struct runs_request *request,
                           api_open_fn *go_on);

#endif
