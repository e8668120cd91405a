/* SPDX-License-Identifier: MIT */
/* server/api/api_await_claim.h - a request waits until the store has said whether its run may
 * begin.
 *
 * 409 is a status: it cannot follow the head of a stream, so a request that may be refused waits,
 * for as long as a call to the store may take and another second at most. */
#ifndef SERVER_API_API_AWAIT_CLAIM_H
#define SERVER_API_API_AWAIT_CLAIM_H

#include "core/store/store_records.h"
#include "server/http/exchange.h"
#include "server/runs/runs.h"

struct api_await_claim_rival {
    struct str run_id;
    struct identity key;
    bool is_same; /* it has the same message and graph, too */
};

struct api_await_claim_hooks { /* one of them is called, once, later, unless the client leaves */
    void (*go_on)(struct exchange *exchange, struct runs_entry *entry);
    void (*refuse)(struct exchange *exchange, const struct err *err);
    void (*follow)(struct exchange *exchange, const struct api_await_claim_rival *rival);
};

/* Whether the status of the answer depends on what the store says. */
bool api_await_claim_must_wait(const struct runs_entry *entry, const struct runs_request *request);
/* hooks: copied. */
void api_await_claim_start(struct exchange *exchange, struct runs_entry *entry,
                           const struct api_await_claim_hooks *hooks);

#endif
