/* SPDX-License-Identifier: MIT */
/* server/http/exchange_wait.c - the only place that writes whom an exchange tells.
 *
 * Happy path: the wait is whom the exchange tells, until it is taken.
 * Failure: the client leaves first: the wait loses the exchange, and its owner hears of it. */
#include "server/http/exchange_wait.h"

#include "core/base/defs.h"

static void on_drained(void *client)
{
    struct exchange_wait *wait = client;
    if (wait->on_drained != NULL)
        wait->on_drained(wait);
}

static void on_gone(void *client)
{
    struct exchange_wait *wait = client;
    wait->exchange = NULL;
    if (wait->on_gone != NULL)
        wait->on_gone(wait);
}

void exchange_wait_begin(struct exchange_wait *wait, struct exchange *exchange,
                         exchange_wait_fn *gone)
{
    CHECK(exchange->client == NULL);
    *wait = (struct exchange_wait){.exchange = exchange, .on_gone = gone};
    exchange->client = wait;
    exchange->on_drained = on_drained;
    exchange->on_gone = on_gone;
}

struct exchange *exchange_wait_take(struct exchange_wait *wait)
{
    struct exchange *exchange = wait->exchange;
    if (exchange == NULL)
        return NULL;
    wait->exchange = NULL;
    exchange->client = NULL;
    exchange->on_drained = exchange->on_gone = NULL;
    return exchange;
}
