/* SPDX-License-Identifier: MIT */
/* Waits with an exchange, without a connection: what it would tell its client is told here. */
#include "server/http/exchange_wait.h"
#include "tests/lib/test.h"

struct waiter {
    int drained_count, gone_count;
    bool had_exchange; /* when it heard that the client left */
    struct exchange_wait wait;
};

static struct waiter *waiter_of(struct exchange_wait *wait)
{
    return container_of(wait, struct waiter, wait);
}

static void on_drained(struct exchange_wait *wait)
{
    waiter_of(wait)->drained_count++;
}

static void on_gone(struct exchange_wait *wait)
{
    waiter_of(wait)->gone_count++;
    waiter_of(wait)->had_exchange = wait->exchange != NULL;
}

static void on_gone_free(struct exchange_wait *wait)
{
    mem_free(waiter_of(wait));
}

/* What server/http/exchange.c does with its fields. */
static void drain(struct exchange *exchange)
{
    if (exchange->on_drained != NULL)
        exchange->on_drained(exchange->client);
}

static void leave(struct exchange *exchange)
{
    if (exchange->on_gone != NULL)
        exchange->on_gone(exchange->client);
}

/* b: begin; s: begin as a stream; q: begin without on_gone; t: take, which gives the exchange;
 * n: take, which gives nothing; d: there is room again; g: the client leaves. */
static const struct {
    const char *steps;
    int drained_count, gone_count;
    bool holds;
} cases[] = {
    {"n", 0, 0, false},    {"b", 0, 0, true},     {"bt", 0, 0, false},  {"btn", 0, 0, false},
    {"bg", 0, 1, false},   {"bgn", 0, 1, false},  {"btg", 0, 0, false}, {"btbg", 0, 1, false},
    {"btbt", 0, 0, false}, {"q", 0, 0, true},     {"qg", 0, 0, false},  {"qgn", 0, 0, false},
    {"qt", 0, 0, false},   {"bd", 0, 0, true},    {"qd", 0, 0, true},   {"sd", 1, 0, true},
    {"sddg", 2, 1, false}, {"sdtd", 1, 0, false}, {"stbd", 0, 0, true},
};

static void step(const char *name, char what, struct exchange *exchange, struct waiter *waiter)
{
    if (what == 'd') {
        drain(exchange);
    } else if (what == 'g') {
        leave(exchange);
    } else if (what == 't' || what == 'n') {
        struct exchange *taken = exchange_wait_take(&waiter->wait);
        EXPECT_TRUE(name, taken == (what == 't' ? exchange : NULL));
    } else {
        exchange_wait_begin(&waiter->wait, exchange, what == 'q' ? NULL : on_gone);
        if (what == 's')
            waiter->wait.on_drained = on_drained;
    }
}

TEST(steps)
{
    TEST_EACH(c, cases) {
        struct exchange exchange = {0};
        struct waiter waiter = {0};
        for (const char *at = c->steps; *at != '\0'; at++)
            step(c->steps, *at, &exchange, &waiter);
        EXPECT_INT(c->steps, waiter.drained_count, c->drained_count);
        EXPECT_INT(c->steps, waiter.gone_count, c->gone_count);
        EXPECT_TRUE(c->steps, !waiter.had_exchange);
        EXPECT_TRUE(c->steps, waiter.wait.exchange == (c->holds ? &exchange : NULL));
    }
}

TEST(a_taken_exchange_tells_nobody)
{
    struct exchange exchange = {0};
    struct waiter waiter = {0};
    exchange_wait_begin(&waiter.wait, &exchange, on_gone);
    EXPECT_TRUE("taken", exchange_wait_take(&waiter.wait) == &exchange);
    EXPECT_TRUE("client", exchange.client == NULL);
    EXPECT_TRUE("on_gone", exchange.on_gone == NULL);
    EXPECT_TRUE("on_drained", exchange.on_drained == NULL);
}

TEST(an_exchange_goes_from_wait_to_wait)
{
    struct exchange exchange = {0};
    struct waiter first = {0}, second = {0};
    exchange_wait_begin(&first.wait, &exchange, on_gone);
    exchange_wait_begin(&second.wait, exchange_wait_take(&first.wait), on_gone);
    EXPECT_TRUE("the first gives nothing", exchange_wait_take(&first.wait) == NULL);
    EXPECT_TRUE("the second holds it", second.wait.exchange == &exchange);
    leave(&exchange);
    EXPECT_INT("the first", first.gone_count, 0);
    EXPECT_INT("the second", second.gone_count, 1);
}

TEST(who_hears_of_it_may_free_the_wait)
{
    struct exchange exchange = {0};
    struct waiter *waiter = mem_zalloc(1, sizeof *waiter);
    assert_non_null(waiter);
    exchange_wait_begin(&waiter->wait, &exchange, on_gone_free);
    leave(&exchange);
}

RUN_TESTS(T(steps), T(a_taken_exchange_tells_nobody), T(an_exchange_goes_from_wait_to_wait),
          T(who_hears_of_it_may_free_the_wait))
