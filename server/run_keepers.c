/* SPDX-License-Identifier: MIT */
/* server/run_keepers.c - what many runs said, in one write every 20 ms, one in flight.
 *
 * Happy path: a keeper whose run said something is due; when the timer fires all that are due pack
 * a parcel, the store judges each, and what was said meanwhile goes with the next write.
 * Failure paths:
 * - the store cannot be used: the same parcels again after a pause that grows; meanwhile what runs
 *   say stays in their logs, which are bounded, and parcels of runs that are gone are, too;
 * - it refuses the write for what is in it: one by one, and who is refused alone has a gap;
 * - a run is another's by now: its keeper gives up. */
#include "server/run_keepers.h"

#include "core/base/mem.h"
#include "server/run_keepers_internal.h"

enum {
    FLUSH_MS = 20,
    MOST_RUNS = STORE_MAX_ROWS,         /* of one write */
    MOST_BYTES = 4 * 1024 * 1024,       /* so too, but for one that alone is larger */
    MOST_LEFT_BYTES = 32 * 1024 * 1024, /* of runs that are gone, while the store is */
    MOST_WAITING_BYTES = 128 * 1024,    /* of one that writes at its end only */
    FIRST_PAUSE_MS = 100,
    MOST_PAUSE_MS = 2000,
};

uint64_t run_keepers_pause_ms(unsigned failures)
{
    uint64_t ms = FIRST_PAUSE_MS;
    for (unsigned i = 1; i < failures && ms < MOST_PAUSE_MS; i++)
        ms *= 2;
    return ms < MOST_PAUSE_MS ? ms : MOST_PAUSE_MS;
}

bool run_keepers_may_pass(enum err_code code)
{
    return code == ERR_UNAVAILABLE || code == ERR_TIMEOUT || code == ERR_BUSY ||
           code == ERR_NO_MEMORY;
}

static void tell_idle(struct loop_task *task)
{
    struct run_keepers *keepers = container_of(task, struct run_keepers, idle_task);
    if (run_keepers_count(keepers) == 0)
        keepers->options.on_idle(keepers->options.owner);
}

void run_keepers_tell_idle(struct run_keepers *keepers)
{
    loop_post(keepers->options.loop, &keepers->idle_task, tell_idle);
}

/* ---- writing ---- */

static void on_flush(struct timer *timer);

static void await_flush(struct run_keepers *keepers)
{
    uint64_t now_ms = loop_now_ms(keepers->options.loop), wait_ms = FLUSH_MS;
    if (list_is_empty(&keepers->due) || op_is_pending(&keepers->write_call.op) ||
        timer_is_running(&keepers->flush_timer))
        return;
    if (keepers->options.durability == RUN_KEEPERS_SYNC)
        wait_ms = 0;
    if (keepers->failures > 0)
        wait_ms = run_keepers_pause_ms(keepers->failures);
    else if (wait_ms > 0 && now_ms > keepers->flushed_ms)
        wait_ms -= now_ms - keepers->flushed_ms < FLUSH_MS ? now_ms - keepers->flushed_ms : 0;
    timer_start(&keepers->flush_timer, keepers->options.loop, wait_ms, on_flush);
}

/* At the run's end only, unless its log has no room for so much. */
static bool may_wait(const struct run_keeper *keeper)
{
    return keeper->keepers->options.durability == RUN_KEEPERS_EXIT && keeper->log != NULL &&
           !event_log_is_closed(keeper->log) && event_log_bytes(keeper->log) < MOST_WAITING_BYTES;
}

void run_keepers_add_due(struct run_keeper *keeper)
{
    struct run_keepers *keepers = keeper->keepers;
    if (may_wait(keeper))
        return;
    if (!list_is_linked(&keeper->due_link))
        list_push(&keepers->due, &keeper->due_link);
    await_flush(keepers);
}

static void judge(struct run_keepers *keepers, const struct store_verdict *verdicts, size_t count)
{
    for (size_t i = 0; i < count; i++) { /* none of them is freed before its turn */
        keepers->writers[i]->is_written = false;
        run_keepers_one_written(keepers->writers[i], &verdicts[i]);
    }
}

/* All stay due, or the one that is refused does not. */
static void fail(struct run_keepers *keepers, const struct err *err)
{
    size_t count = keepers->write.count;
    bool may_pass = run_keepers_may_pass(err->code);
    for (size_t i = 0; i < count; i++) {
        struct run_keeper *keeper = keepers->writers[i];
        keeper->is_written = false;
        if (err->code == ERR_CANCELLED)
            run_keepers_one_give_up(keeper, "events", err);
        else if (!may_pass && count == 1)
            run_keepers_one_refused(keeper, err);
        else if (keeper->state == RUN_KEEPER_OVER)
            run_keepers_one_consider_free(keeper);
        else
            run_keepers_add_due(keeper);
    }
    keepers->one_by_one = !may_pass && count > 1;
    if (!may_pass)
        return;
    if (keepers->failures++ == 0)
        LOG(keepers->options.log, WARN, "store.lost", "code=%s text=\"%s\"", err_name(err->code),
            err->text);
    timer_stop(&keepers->flush_timer); /* that was set before it was known how long */
}

static void on_written(struct op *op)
{
    struct run_keepers *keepers = op_owner(op);
    const struct store_call *call = &keepers->write_call;
    struct err err = op->err;
    if (err.code == ERR_OK && call->verdict_count != keepers->write.count)
        err_set(&err, ERR_PROTOCOL, "the store judged %zu of %zu", call->verdict_count,
                keepers->write.count);
    if (err.code == ERR_OK && keepers->failures > 0)
        LOG(keepers->options.log, INFO, "store.found", "failures=%u", keepers->failures);
    if (err.code == ERR_OK)
        keepers->failures = 0;
    if (err.code == ERR_OK)
        judge(keepers, call->verdicts, call->verdict_count);
    else
        fail(keepers, &err);
    op_release(op);
    await_flush(keepers);
    if (list_is_empty(&keepers->due)) /* it may have been the last thing that was waited for */
        run_keepers_tell_idle(keepers);
}

static void on_flush(struct timer *timer)
{
    struct run_keepers *keepers = container_of(timer, struct run_keepers, flush_timer);
    size_t count = 0, bytes = 0, most = keepers->one_by_one ? 1 : MOST_RUNS;
    LIST_EACH_SAFE(link, &keepers->due) {
        struct run_keeper *keeper = list_item(link, struct run_keeper, due_link);
        if (count == most || bytes >= MOST_BYTES)
            break;
        list_remove(link);
        if (!run_keepers_one_pack(keeper))
            continue;
        const struct run_keepers_parcel *parcel = &keeper->sending;
        keeper->is_written = true;
        keepers->writers[count] = keeper;
        keepers->appends[count++] = (struct store_append){
            keeper->fence, {parcel->first, parcel->count, buf_str(&parcel->bytes)}};
        bytes += buf_len(&parcel->bytes);
    }
    keepers->flushed_ms = loop_now_ms(keepers->options.loop);
    if (list_is_empty(&keepers->due))
        keepers->one_by_one = false;
    if (count == 0)
        return;
    keepers->write = (struct store_write){keepers->appends, count};
    store_write_start(&keepers->write_call, keepers->options.store, &keepers->write,
                      (struct op_waiter){.done = on_written, .owner = keepers});
}

/* ---- life ---- */

struct run_keepers *run_keepers_create(const struct run_keepers_options *options)
{
    struct run_keepers *keepers = mem_zalloc(1, sizeof *keepers);
    if (keepers == NULL)
        return NULL;
    keepers->options = *options;
    list_init(&keepers->keepers);
    list_init(&keepers->due);
    keepers->appends = mem_zalloc(MOST_RUNS, sizeof *keepers->appends);
    keepers->writers = mem_zalloc(MOST_RUNS, sizeof(struct run_keeper *));
    if (keepers->appends != NULL && keepers->writers != NULL)
        return keepers;
    run_keepers_destroy(keepers);
    return NULL;
}

void run_keepers_destroy(struct run_keepers *keepers)
{
    if (keepers == NULL)
        return;
    CHECK(list_is_empty(&keepers->keepers) && !op_is_pending(&keepers->write_call.op));
    timer_stop(&keepers->flush_timer);
    loop_unpost(&keepers->idle_task);
    mem_free(keepers->appends);
    mem_free(keepers->writers);
    mem_free(keepers);
}

size_t run_keepers_count(const struct run_keepers *keepers)
{
    size_t count = op_is_pending(&keepers->write_call.op);
    LIST_EACH(link, &keepers->keepers)
        count += list_item(link, struct run_keeper, link)->state != RUN_KEEPER_OVER;
    return count;
}

void run_keepers_abandon(struct run_keepers *keepers)
{
    const struct err stopping = {ERR_CANCELLED, "the server stops before the store can be used"};
    op_cancel(&keepers->write_call.op);
    LIST_EACH_SAFE(link, &keepers->keepers) {
        struct run_keeper *keeper = list_item(link, struct run_keeper, link);
        if (keeper->state != RUN_KEEPER_OVER)
            run_keepers_one_give_up(keeper, "stop", &stopping);
    }
}

bool run_keepers_has_room(const struct run_keepers *keepers)
{
    return keepers->left_bytes < MOST_LEFT_BYTES;
}

bool run_keepers_is_lost(const struct run_keepers *keepers)
{
    return keepers->failures > 0;
}

struct store *run_keepers_store(const struct run_keepers *keepers)
{
    return keepers->options.store;
}

bool run_keepers_is_ours(const struct run_keepers *keepers, struct str instance)
{
    return str_equal(keepers->options.instance, instance);
}
