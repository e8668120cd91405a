/* SPDX-License-Identifier: MIT */
/* server/conversations/retention.c - one small batch at a time until a batch finds nothing.
 *
 * Happy path: a call removes some conversations, other work has its turn, the next call follows. A
 * call that took long (large conversations, a slow store) is followed by a smaller one, since the
 * conversations it removes are locked meanwhile, and a store such as Redis does nothing else during
 * a call.
 * Failure: another server holds the lock: the round is left to it; the store fails: logged. */
#include "server/conversations/retention.h"

#include <inttypes.h>

enum {
    BATCH = 64,      /* conversations of one call, at most: each is short */
    LONG_MS = 20,    /* a call that takes longer is too large; one of a quarter of it may grow */
    LOCK_MS = 60000, /* after which another server may take over from one that died */
    /* Pause between calls: longer than the 1, 2, 5 or 10 ms that a writer sleeps which found a
     * SQLite file locked for the 8 ms of a batch, so that it waits for one batch and not for
     * many. */
    BETWEEN_BATCHES_MS = 12,
};

static timer_fn on_due;

static void await(struct retention *retention, uint64_t ms)
{
    if (!retention->stopped)
        timer_start(&retention->timer, retention->store->loop, ms, on_due);
}

static void end_round(struct retention *retention, const struct err *err)
{
    if (err->code == ERR_OK && retention->removed > 0)
        LOG(retention->log, INFO, "retention.removed", "count=%" PRIu64, retention->removed);
    else if (err->code != ERR_OK && err->code != ERR_BUSY && err->code != ERR_CANCELLED)
        LOG(retention->log, WARN, "retention.failed", "removed=%" PRIu64 " code=%s text=\"%s\"",
            retention->removed, err_name(err->code), err->text);
    retention->removed = 0;
    await(retention, retention->every_ms);
}

/* Choose the size of the next batch: half as large, or up to twice as large. */
static void adapt(struct retention *retention, uint64_t took_ms)
{
    uint64_t *limit = &retention->ask.limit;
    if (took_ms > LONG_MS && *limit > 1)
        *limit /= 2;
    else if (took_ms <= LONG_MS / 4 && *limit < BATCH)
        *limit *= 2;
}

static void on_pruned(struct op *op)
{
    struct retention *retention = op_owner(op);
    uint64_t count = retention->call.total;
    struct err err = op->err;
    op_release(op);
    adapt(retention, loop_now_ms(retention->store->loop) - retention->began_ms);
    retention->removed += err.code == ERR_OK ? count : 0;
    if (err.code == ERR_OK && count > 0)
        await(retention, BETWEEN_BATCHES_MS);
    else
        end_round(retention, &err);
}

static void on_due(struct timer *timer)
{
    struct retention *retention = container_of(timer, struct retention, timer);
    retention->began_ms = loop_now_ms(retention->store->loop);
    store_prune_start(&retention->call, retention->store, &retention->ask,
                      (struct op_waiter){.done = on_pruned, .owner = retention});
}

void retention_start(struct retention *retention, struct store *store, uint64_t age_ms,
                     uint64_t every_ms, const struct log *log)
{
    *retention = (struct retention){
        .store = store, .log = log, .every_ms = every_ms, .instance = id_random()};
    retention->ask = (struct store_prune){.age_ms = age_ms,
                                          .limit = BATCH,
                                          .lock_ms = LOCK_MS,
                                          .instance = str_of(retention->instance.text)};
    await(retention, 0);
}

void retention_stop(struct retention *retention)
{
    retention->stopped = true;
    timer_stop(&retention->timer);
}
