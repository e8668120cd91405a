/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_head.h - a run that names a checkpoint begins at its thread's
 * last one, or is refused: threads do not branch. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_HEAD_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_HEAD_H

#include "core/store/store_records.h"
#include "server/http/exchange.h"

typedef void langgraph_head_fn(struct exchange *exchange, void *owner);

struct langgraph_head_options { /* views live as long as the exchange's */
    struct identity key;        /* of the thread */
    struct str checkpoint_id;
    langgraph_head_fn *go_on;
    void *owner;
};

/* Call go_on(exchange, owner) when the checkpoint is the last one, or waits for a person; else it
 * is answered 501, or handed over to the thread's worker. */
void langgraph_head_check(struct exchange *exchange, const struct langgraph_head_options *options);

#endif
