/* SPDX-License-Identifier: MIT */
/* server/schedules/delivery_runner.h - sends the results of ended runs to their webhooks, a few at
 * a time, until each was taken or its attempts are over.
 *
 * One receiver has no more than DELIVERY_RUNNER_PER_HOST of them at a time, so that one that is
 * slow leaves room for others. At least once: of all servers one sends a delivery at a time, for a
 * lease; each attempt has the same webhook-id, so that whoever got it twice knows. One loop. */
#ifndef SERVER_SCHEDULES_DELIVERY_RUNNER_H
#define SERVER_SCHEDULES_DELIVERY_RUNNER_H

#include "backends/http/http_client.h"
#include "core/loop/timer.h"
#include "server/records/stored_run.h"
#include "server/runs/shard.h"
#include "server/schedules/delivery.h"
#include "server/schedules/schedule.h"

enum { DELIVERY_RUNNER_LANES = 8, DELIVERY_RUNNER_PER_HOST = 2 };

struct delivery_runner;

struct delivery_lane { /* one delivery that is taken */
    /* private */
    struct delivery_runner *runner;
    struct shard *shard;
    struct store *store;
    bool is_busy, has_schedule;
    struct arena arena;
    struct str host; /* it sends to; absent: it does not send yet */
    struct store_jobs sought;
    struct store_find find;
    struct store_put put;
    struct store_drop drop;
    struct store_call taken, scheduled, call;
    struct delivery delivery;
    struct schedule schedule;
    struct stored_run past;
    struct http_call http;
    struct buf body, signature, bytes;
};

struct delivery_runner { /* zeroed: stopped */
    /* private */
    struct shard *shard;
    struct timer timer; /* until it looks for a delivery that is due */
    uint64_t look_ms;   /* when that is; 0: it does not run */
    bool is_stopped, is_taking;
    struct store_take take;
    struct delivery_lane lanes[DELIVERY_RUNNER_LANES];
};

/* Begin to look. shard has a store of runs and a client of HTTP, and outlives it. */
void delivery_runner_start(struct delivery_runner *runner, struct shard *shard);
/* Stop, before the store and the client are closed, which ends what is in flight. Idempotent. */
void delivery_runner_stop(struct delivery_runner *runner);

#endif
