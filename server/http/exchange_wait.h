/* SPDX-License-Identifier: MIT */
/* server/http/exchange_wait.h - one way to wait with an exchange, and to hear that its client left.
 *
 * Embedded in whoever answers an exchange later than in the route's own call. Invariant: at most
 * one wait holds an exchange, and a wait whose exchange is not NULL holds one that can be answered.
 * The wait stays put until the exchange was taken or the client left. One loop. */
#ifndef SERVER_HTTP_EXCHANGE_WAIT_H
#define SERVER_HTTP_EXCHANGE_WAIT_H

#include "server/http/exchange.h"

struct exchange_wait;
/* Called back about a wait, which the function may free. */
typedef void exchange_wait_fn(struct exchange_wait *wait);

struct exchange_wait {
    struct exchange *exchange;    /* NULL: the client left, or the exchange was taken */
    exchange_wait_fn *on_drained; /* of a stream: the connection has room again; may be NULL */
    /* private */
    exchange_wait_fn *on_gone;
};

/* Wait with an exchange that no other wait holds; its fields are overwritten. When the client
 * leaves, wait->exchange becomes NULL, then gone is called, once; the exchange is freed
 * after it. gone NULL: nothing is to be stopped or freed then. */
void exchange_wait_begin(struct exchange_wait *wait, struct exchange *exchange,
                         exchange_wait_fn *gone);

/* End the wait and return the exchange, which the caller answers or gives to another wait; neither
 * function of the wait is called any more. NULL: the client left, or the exchange was taken. */
struct exchange *exchange_wait_take(struct exchange_wait *wait);

#endif
