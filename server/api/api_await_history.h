/* SPDX-License-Identifier: MIT */
/* server/api/api_await_history.h - a request waits until the history of its conversation is in
 * memory. */
#ifndef SERVER_API_API_AWAIT_HISTORY_H
#define SERVER_API_API_AWAIT_HISTORY_H

#include "server/http/exchange.h"
#include "server/runs/runs.h"

/* Goes on with a request whose conversation is up to date in memory. */
typedef void api_await_history_fn(struct exchange *exchange, struct runs_request *request);

/* Call go_on, at once when there is nothing to wait for; or refuse the request. */
void api_await_history_conversation(struct exchange *exchange, const struct runs_request *request,
                                    api_await_history_fn *go_on);

#endif
