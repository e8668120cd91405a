/* SPDX-License-Identifier: MIT */
/* server/facades/openai/responses_chain.h - a response goes on from an earlier one: in its
 * conversation when that ended with it, else in a new one that begins as it was then. */
#ifndef SERVER_FACADES_OPENAI_RESPONSES_CHAIN_H
#define SERVER_FACADES_OPENAI_RESPONSES_CHAIN_H

#include "server/http/exchange.h"
#include "server/runs/runs.h"

/* The run's conversation is known: in run->conversation_id. */
typedef void responses_chain_fn(struct exchange *exchange, void *owner);

struct responses_chain {      /* lives as long as the exchange */
    struct runs_request *run; /* its conversation: that of the earlier response */
    struct str previous_run_id;
    responses_chain_fn *go_on;
    void *owner;
    /* private */
    bool is_followed; /* another run of the conversation goes on, at whatever server */
};

/* Call chain's go_on once the conversation is known that its run goes on in. Or it is answered:
 * 400, there is no such response; 409; 501; or handed over to the conversation's worker. */
void responses_chain_find(struct exchange *exchange, struct responses_chain *chain);

#endif
