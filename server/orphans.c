/* SPDX-License-Identifier: MIT */
/* server/orphans.c - claim, append one error event, finish; and again until there is none.
 *
 * Failure: the store's, or somebody else was faster: looked at again later. */
#include "server/orphans.h"

#include "core/event_bytes.h"

enum { EVERY_MS = 3000, LEASE_MS = 10000, BATCH_BYTES = 4096 };

static timer_fn on_due;

static void await(struct orphans *orphans, uint64_t ms)
{
    op_release(&orphans->claimed.op);
    if (orphans->stopped)
        buf_fini(&orphans->batch);
    else
        timer_start(&orphans->timer, orphans->store->loop, ms, on_due);
}

static void on_finished(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    bool fine = op->err.code == ERR_OK;
    if (fine)
        LOG(orphans->log, WARN, "run.orphan", "run=%.*s events=%llu",
            STR_ARG(orphans->finish.fence.run_id),
            (unsigned long long)orphans->append.batch.first_id);
    op_release(op);
    await(orphans, fine ? 0 : EVERY_MS);
}

static void on_appended(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    bool fine = op->err.code == ERR_OK;
    op_release(op);
    if (!fine) {
        await(orphans, EVERY_MS);
        return;
    }
    orphans->finish = (struct store_finish){orphans->append.fence, STORE_FAILED};
    store_finish_start(&orphans->call, orphans->store, &orphans->finish,
                       (struct op_waiter){.done = on_finished, .owner = orphans});
}

/* The one event that is missing. */
static void write_end(struct orphans *orphans, const struct store_run *run)
{
    struct buf more;
    buf_init(&more, BATCH_BYTES);
    buf_printf(&more, "\"run_id\":\"%.*s\"", STR_ARG(run->run_id));
    const struct event event = {
        .kind = EVENT_ERROR,
        .name = STR("server_shutdown"),
        .text = STR("the server that answered is gone; ask again"),
        .number = 1,
        .more = buf_str(&more),
    };
    buf_clear(&orphans->batch);
    event_bytes_begin(&orphans->batch);
    event_bytes_push(&orphans->batch, &event);
    event_bytes_end(&orphans->batch);
    buf_fini(&more);
}

static void on_claimed(struct op *op)
{
    struct orphans *orphans = op_owner(op);
    if (op->err.code != ERR_OK || orphans->claimed.run_count == 0) {
        if (op->err.code != ERR_NOT_FOUND && op->err.code != ERR_CANCELLED)
            LOG(orphans->log, WARN, "run.orphans", "code=%s text=\"%s\"", err_name(op->err.code),
                op->err.text);
        await(orphans, EVERY_MS);
        return;
    }
    const struct store_run *run = orphans->claimed.runs;
    write_end(orphans, run);
    if (!buf_ok(&orphans->batch)) {
        await(orphans, EVERY_MS);
        return;
    }
    orphans->append = (struct store_append){
        {run->run_id, orphans->instance, run->epoch},
        {run->last_event_id + 1, 1, buf_str(&orphans->batch)},
    };
    store_append_start(&orphans->call, orphans->store, &orphans->append,
                       (struct op_waiter){.done = on_appended, .owner = orphans});
}

static void on_due(struct timer *timer)
{
    struct orphans *orphans = container_of(timer, struct orphans, timer);
    orphans->claim = (struct store_claim){.instance = orphans->instance, .lease_ms = LEASE_MS};
    store_claim_start(&orphans->claimed, orphans->store, &orphans->claim,
                      (struct op_waiter){.done = on_claimed, .owner = orphans});
}

void orphans_start(struct orphans *orphans, struct store *store, struct str instance,
                   const struct log *log)
{
    *orphans = (struct orphans){.store = store, .instance = instance, .log = log};
    buf_init(&orphans->batch, BATCH_BYTES);
    await(orphans, 0);
}

void orphans_stop(struct orphans *orphans)
{
    orphans->stopped = true;
    timer_stop(&orphans->timer);
    if (!op_is_pending(&orphans->call.op) && !op_is_pending(&orphans->claimed.op))
        buf_fini(&orphans->batch);
}
