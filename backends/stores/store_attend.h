/* SPDX-License-Identifier: MIT */
/* backends/stores/store_attend.h - shows a server that an instance lives, over a connection of its
 * own that ends with the process.
 *
 * What is shown holds as long as the connection does. It is shown again at once when the connection
 * is known to be lost, before the store says that the instance is gone (GONE_MS in its scripts),
 * and now and then in case nobody said so. What makes a run waits for the first time, so that no
 * run is there whose server could end unseen. A store gives up what is in flight when it closes.
 * One loop, one thread. */
#ifndef BACKENDS_STORES_STORE_ATTEND_H
#define BACKENDS_STORES_STORE_ATTEND_H

#include "core/base/id.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"
#include "core/store/store.h"

enum { STORE_ATTEND_TIMEOUT_MS = 30000 }; /* of showing: a slow server keeps the connection */

struct store_attend {        /* zeroed: nobody attends; the store's */
    struct id instance;      /* as its text */
    struct closing *closing; /* the store's: what is in flight is out */
    bool is_coming;          /* it is being shown for the first time */
    /* private */
    struct loop *loop;
    struct timer timer;
    struct list waiting;
    void (*show)(struct store_attend *attend);
};

struct store_attend_wait { /* in a call; zeroed */
    struct list link;
    void (*go)(struct store_attend_wait *wait);
};

/* Call show now. show starts an operation, whose done calls store_attend_again, once. */
void store_attend_start(struct store_attend *attend, struct loop *loop, struct closing *closing,
                        struct str instance, void (*show)(struct store_attend *attend));
/* What show started has ended; show is called again after a while, unless the store closes. */
void store_attend_again(struct store_attend *attend, bool is_shown);
/* The connection was lost while nothing was in flight on it: show is called soon. */
void store_attend_lost(struct store_attend *attend);
/* Whether a call of verb has to wait: it makes a run, and the first time is not over. go is then
 * called once, when it is, well or badly; unless the owner takes wait out of its list. */
MUST_USE bool store_attend_await(struct store_attend *attend, enum store_verb verb,
                                 struct store_attend_wait *wait,
                                 void (*go)(struct store_attend_wait *wait));
/* The store closes. */
void store_attend_stop(struct store_attend *attend);

#endif
