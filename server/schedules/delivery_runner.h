/* SPDX-License-Identifier: MIT */
/* server/schedules/delivery_runner.h - sends the results of ended runs to their webhooks, one after
 * the other, until each was taken or its attempts are over.
 *
 * At least once: of all servers one sends a delivery at a time, for a lease; each attempt has the
 * same webhook-id, so that whoever got it twice knows. One loop. */
#ifndef SERVER_SCHEDULES_DELIVERY_RUNNER_H
#define SERVER_SCHEDULES_DELIVERY_RUNNER_H

#include "backends/http/http_client.h"
#include "core/loop/timer.h"
#include "server/records/stored_run.h"
#include "server/runs/shard.h"
#include "server/schedules/delivery.h"
#include "server/schedules/schedule.h"

struct delivery_runner { /* zeroed: stopped */
    /* private */
    struct shard *shard;
    struct store *store;
    struct timer timer;
    bool is_stopped, has_schedule;
    struct arena arena; /* of the delivery that is taken */
    struct store_take take;
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

/* Begin to look. shard has a store of runs and a client of HTTP, and outlives it. */
void delivery_runner_start(struct delivery_runner *runner, struct shard *shard);
/* Stop, before the store and the client are closed, which ends what is in flight. Idempotent. */
void delivery_runner_stop(struct delivery_runner *runner);

#endif
