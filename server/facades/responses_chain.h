/* SPDX-License-Identifier: MIT */
/* server/facades/responses_chain.h - a response goes on from an earlier one: in its conversation
 * when that ended with it, else in a new one that begins as it was then. */
#ifndef SERVER_FACADES_RESPONSES_CHAIN_H
#define SERVER_FACADES_RESPONSES_CHAIN_H

#include "server/facades/responses.h"

typedef void responses_chain_fn(struct exchange *exchange, struct responses_request *request);

/* Call go_on once request's conversation is known; request->previous_run_id says where from.
 * request lives as long as the exchange. Answered: 400, there is no such response; 409; 501; or
 * handed over to the conversation's worker. */
void responses_chain_find(struct exchange *exchange, struct responses_request *request,
                          responses_chain_fn *go_on);
/* A new conversation that this worker is home to: no other need be asked. False: no memory. */
MUST_USE bool responses_chain_begin(struct exchange *exchange, struct str *conversation);

#endif
