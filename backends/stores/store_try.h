/* SPDX-License-Identifier: MIT */
/* backends/stores/store_try.h - a call to a store on a server, asked until it is answered: what
 * does not come through is asked again after a short jittered pause, while the deadline lasts.
 *
 * When a call had no answer all that time, and no other call had one, the store is away: calls then
 * end with ERR_UNAVAILABLE at once, but for one now and then, until one is answered. So an outage
 * costs those who are asking when it begins their patience, and nobody who comes later.
 *
 * Embedded in a store's own struct of a call, which is call->impl until it ends. One loop, one
 * thread. */
#ifndef BACKENDS_STORES_STORE_TRY_H
#define BACKENDS_STORES_STORE_TRY_H

#include "core/loop/backoff.h"
#include "core/base/id.h"
#include "core/loop/closing.h"
#include "core/loop/delay.h"
#include "core/store/store.h"

struct store_try;

struct store_tries { /* what the calls of a store have in common; the store's */
    struct loop *loop;
    struct closing *closing;
    struct backoff backoff;
    uint64_t timeout_ms;
    bool is_away;
    uint64_t answered_ms;                /* when a call last was */
    uint64_t probe_ms;                   /* away: when the next call may ask */
    void (*ask)(struct store_try *try);  /* begin an attempt */
    void (*drop)(struct store_try *try); /* give back what the call holds, and free it */
};

struct store_try {
    struct store_call *call;
    struct id token;   /* the same in all attempts */
    unsigned attempts; /* begun */
    bool is_cancelled;
    /* private */
    struct store_tries *tries;
    uint64_t began_ms, due_ms;
    struct delay pause;
};

void store_tries_init(struct store_tries *tries, struct loop *loop, struct closing *closing,
                      uint64_t timeout_ms);

/* Begin on zeroed storage, or NULL: no memory. call's op has begun. False: the call is finished
 * already. */
MUST_USE bool store_try_begin(struct store_try *try, struct store_call *call,
                              struct store_tries *tries);
/* Whether a call that waited is asked; else it was given up, or the store is being closed, and it
 * is finished: ERR_CANCELLED. */
MUST_USE bool store_try_goes_on(struct store_try *try);
/* Ask for the first time, or at once again: the answers of attempts before are dropped. */
void store_try_ask(struct store_try *try);
/* Ask again after a pause, since the last attempt ended with why. False: there is no time left, or
 * the call was given up. */
MUST_USE bool store_try_again(struct store_try *try, enum err_code why);
/* Have ms left at least from now on, for what takes its time once. */
void store_try_extend(struct store_try *try, uint64_t ms);
/* What is left until the deadline; at least 1. */
uint64_t store_try_left_ms(const struct store_try *try);
/* Ask no more; a pause ends soon. The store cancels what it has in flight. */
void store_try_cancel(struct store_try *try);

/* Finish a call that was begun, with drop: the only way such a call ends. */
void store_try_finish(struct store_try *try, const struct err *err);
void store_try_finish_as(struct store_try *try, enum err_code code, const char *text);

#endif
