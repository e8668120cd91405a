/* SPDX-License-Identifier: MIT */
/* server/run_keepers.c - a reader, a timer and one call in flight per run.
 *
 * Happy path: the record is put, each flush encodes what the log has beyond the last one, the store
 * acknowledges, the log may drop it; after the terminal event the record is finished and the keeper
 * goes.
 * Failure paths:
 * - the store fails: logged, the keeper writes no more (another instance will end the record);
 * - the run is another instance's by now: the same, and the run is asked to stop here;
 * - the log passed the keeper by: the same. */
#include "server/run_keepers.h"

#include "core/base/mem.h"
#include "core/event_bytes.h"
#include "core/timer.h"

enum {
    FLUSH_MS = 20,
    FLUSH_BYTES = 64 * 1024,
    BATCH_BYTES = 64 * 1024 * 1024, /* the terminal event may be large */
    RENEWALS = 3,                   /* of a lease while it lasts */
    NAMES_BYTES = 512 * 1024,
};

struct run_keepers {
    struct run_keepers_options options;
    struct list keepers;
    struct loop_task idle_task;
};

/* Events on their way to the store. */
struct parcel {
    struct buf bytes;
    uint64_t first, count;
};

struct run_keeper {
    struct list link;
    struct run_keepers *keepers;
    void *run_owner;
    struct event_log *log; /* NULL: all of it is taken */
    struct event_reader reader;
    struct timer timer, renew_timer;
    struct arena arena; /* of the record's texts */
    struct store_fence fence;
    struct store_begin begin;
    struct store_append append;
    struct store_finish finish;
    struct store_renew renew;
    struct store_call call, renew_call;
    struct parcel sending, next;
    uint64_t taken; /* the last event encoded */
    enum store_status status;
    bool begun, over, writes; /* over: nothing more is to be written; writes: call is */
    bool has_left;            /* the run is gone */
};

static void pump(struct run_keeper *keeper);

/* ---- the end of a keeper ---- */

static void tell_idle(struct loop_task *task)
{
    struct run_keepers *keepers = container_of(task, struct run_keepers, idle_task);
    if (run_keepers_count(keepers) == 0)
        keepers->options.on_idle(keepers->options.owner);
}

static void detach(struct run_keeper *keeper)
{
    if (keeper->log != NULL)
        event_log_detach(keeper->log, &keeper->reader);
    keeper->log = NULL;
    timer_stop(&keeper->timer);
}

/* When nothing holds it any more. */
static void consider_free(struct run_keeper *keeper)
{
    if (!keeper->over || !keeper->has_left || op_is_pending(&keeper->call.op) ||
        op_is_pending(&keeper->renew_call.op))
        return;
    op_release(&keeper->call.op);
    op_release(&keeper->renew_call.op);
    list_remove(&keeper->link);
    buf_fini(&keeper->sending.bytes);
    buf_fini(&keeper->next.bytes);
    arena_fini(&keeper->arena);
    mem_free(keeper);
}

static void end(struct run_keeper *keeper)
{
    keeper->over = true;
    detach(keeper);
    timer_stop(&keeper->renew_timer);
    if (!op_is_pending(&keeper->call.op)) { /* it may linger with its run */
        buf_fini(&keeper->sending.bytes);
        buf_fini(&keeper->next.bytes);
    }
    loop_post(keeper->keepers->options.loop, &keeper->keepers->idle_task, tell_idle);
    consider_free(keeper);
}

static void give_up(struct run_keeper *keeper, const char *what, const struct err *err)
{
    if (!keeper->over)
        LOG(keeper->keepers->options.log, WARN, "run.not_kept",
            "run=%.*s what=%s code=%s text=\"%s\"", STR_ARG(keeper->fence.run_id), what,
            err_name(err->code), err->text);
    end(keeper);
}

/* ---- taking events out of the log ---- */

static enum store_status status_of(const struct event *last)
{
    if (last->kind == EVENT_COMPLETE)
        return event_is_pause(last) ? STORE_PAUSED : STORE_COMPLETE;
    return str_equal(last->name, STR("cancelled")) ? STORE_CANCELLED : STORE_FAILED;
}

/* Encode what is new, about limit bytes of it. False: it is not there any more. */
static bool take_events(struct run_keeper *keeper, size_t limit)
{
    struct parcel *next = &keeper->next;
    struct event event;
    enum err_code code = ERR_OK;
    while (buf_len(&next->bytes) < limit &&
           (code = event_log_after(keeper->log, keeper->taken, &event)) == ERR_OK) {
        if (next->count++ == 0) {
            next->first = event.id;
            event_bytes_begin(&next->bytes);
        }
        event_bytes_push(&next->bytes, &event);
        keeper->taken = event.id;
        if (event_is_terminal(event.kind))
            keeper->status = status_of(&event);
    }
    return code != ERR_GONE && buf_ok(&next->bytes);
}

/* The log is closed and all of it is encoded: the run is needed no more. */
static bool is_whole(const struct run_keeper *keeper)
{
    return keeper->status != STORE_RUNNING;
}

static void take_and_write(struct run_keeper *keeper)
{
    const struct err gone = {ERR_GONE, "the events are no longer in memory"};
    if (keeper->writes || keeper->log == NULL)
        return; /* goes on when it is written */
    if (!take_events(keeper, FLUSH_BYTES)) {
        give_up(keeper, "events", &gone);
        return;
    }
    pump(keeper);
}

static void on_flush(struct timer *timer)
{
    take_and_write(container_of(timer, struct run_keeper, timer));
}

static void on_grown(struct event_reader *reader)
{
    struct run_keeper *keeper = reader->owner;
    if (!timer_is_running(&keeper->timer) && !keeper->writes)
        timer_start(&keeper->timer, keeper->keepers->options.loop, FLUSH_MS, on_flush);
}

/* ---- writing ---- */

static struct op_waiter waiter_of(struct run_keeper *keeper, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = keeper};
}

static void on_finished(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    struct err err = op->err;
    keeper->writes = false;
    if (err.code == ERR_OK)
        end(keeper);
    else
        give_up(keeper, "end", &err);
}

static void on_appended(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    struct err err = op->err;
    keeper->writes = false;
    if (err.code != ERR_OK || keeper->over) {
        give_up(keeper, "events", &err);
        return;
    }
    if (keeper->log != NULL)
        event_log_advance(keeper->log, &keeper->reader,
                          keeper->sending.first + keeper->sending.count - 1);
    if (keeper->log != NULL && keeper->taken < event_log_last_id(keeper->log))
        timer_start(&keeper->timer, keeper->keepers->options.loop, FLUSH_MS, on_flush);
    pump(keeper);
}

static void pump(struct run_keeper *keeper)
{
    struct store *store = keeper->keepers->options.store;
    if (!keeper->begun || keeper->writes || keeper->over)
        return;
    if (keeper->next.count > 0) {
        struct parcel sent = keeper->sending;
        keeper->writes = true;
        keeper->sending = keeper->next;
        keeper->next = sent;
        keeper->next.count = 0;
        buf_clear(&keeper->next.bytes);
        event_bytes_end(&keeper->sending.bytes);
        keeper->append = (struct store_append){
            keeper->fence,
            {keeper->sending.first, keeper->sending.count, buf_str(&keeper->sending.bytes)}};
        store_append_start(&keeper->call, store, &keeper->append, waiter_of(keeper, on_appended));
    } else if (is_whole(keeper)) {
        keeper->writes = true;
        detach(keeper);
        timer_stop(&keeper->renew_timer);
        keeper->finish = (struct store_finish){keeper->fence, keeper->status};
        store_finish_start(&keeper->call, store, &keeper->finish, waiter_of(keeper, on_finished));
    }
}

/* ---- the lease ---- */

static timer_fn on_renew_due;

static void await_renewal(struct run_keeper *keeper)
{
    const struct run_keepers_options *o = &keeper->keepers->options;
    timer_start(&keeper->renew_timer, o->loop, o->lease_ms / RENEWALS, on_renew_due);
}

static void on_renewed(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    const struct run_keepers_options *o = &keeper->keepers->options;
    bool asked = op->err.code == ERR_OK && keeper->renew_call.runs[0].cancel_asked;
    bool lost = op->err.code == ERR_CONFLICT;
    void *stops = (asked || lost) && !keeper->has_left ? keeper->run_owner : NULL;
    struct err err = op->err;
    op_release(op);
    if (lost && !is_whole(keeper))
        give_up(keeper, "lease", &err);
    else if (keeper->over)
        consider_free(keeper);
    else
        await_renewal(keeper);
    if (stops != NULL)
        o->on_stop(stops);
}

static void on_renew_due(struct timer *timer)
{
    struct run_keeper *keeper = container_of(timer, struct run_keeper, renew_timer);
    keeper->renew = (struct store_renew){keeper->fence, keeper->keepers->options.lease_ms};
    store_renew_start(&keeper->renew_call, keeper->keepers->options.store, &keeper->renew,
                      waiter_of(keeper, on_renewed));
}

/* ---- the beginning ---- */

static void on_begun(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    struct err err = op->err;
    op_release(op);
    keeper->writes = false;
    if (err.code != ERR_OK || keeper->over) {
        give_up(keeper, "begin", &err);
        return;
    }
    keeper->begun = true;
    await_renewal(keeper);
    if (keeper->log != NULL)
        take_and_write(keeper);
    else
        pump(keeper);
}

static struct run_keeper *make_keeper(struct run_keepers *keepers, struct run *run,
                                      const struct store_key *key, struct str input)
{
    struct run_keeper *keeper = mem_zalloc(1, sizeof *keeper);
    if (keeper == NULL)
        return NULL;
    struct arena *arena = &keeper->arena;
    arena_init(arena, NAMES_BYTES);
    buf_init(&keeper->sending.bytes, BATCH_BYTES);
    buf_init(&keeper->next.bytes, BATCH_BYTES);
    keeper->keepers = keepers;
    keeper->run_owner = run_owner(run);
    keeper->status = STORE_RUNNING;
    keeper->fence =
        (struct store_fence){arena_str(arena, str_of(run_id(run))), keepers->options.instance, 1};
    keeper->begin.lease_ms = keepers->options.lease_ms;
    keeper->begin.run = (struct store_run){
        .key = {arena_str(arena, key->conversation_id), arena_str(arena, key->company_id),
                arena_str(arena, key->user_id)},
        .run_id = keeper->fence.run_id,
        .graph = str_of(graph_def(run_graph(run))->name),
        .input = arena_str(arena, input),
        .instance = keepers->options.instance,
    };
    if (arena_ok(arena))
        return keeper;
    arena_fini(arena);
    mem_free(keeper);
    return NULL;
}

struct run_keeper *run_keeper_begin(struct run_keepers *keepers, struct run *run,
                                    const struct store_key *key, struct str input)
{
    struct run_keeper *keeper = make_keeper(keepers, run, key, input);
    if (keeper == NULL)
        return NULL;
    list_push(&keepers->keepers, &keeper->link);
    keeper->log = run_log(run);
    keeper->reader.on_grown = on_grown;
    keeper->reader.owner = keeper;
    CHECK(event_log_attach(keeper->log, &keeper->reader, 0) == ERR_OK);
    keeper->writes = true;
    store_begin_start(&keeper->call, keepers->options.store, &keeper->begin,
                      waiter_of(keeper, on_begun));
    return keeper;
}

void run_keeper_leave(struct run_keeper *keeper)
{
    const struct err gone = {ERR_GONE, "the last events are no longer in memory"};
    if (keeper == NULL)
        return;
    keeper->has_left = true;
    if (keeper->log != NULL && !keeper->over) {
        bool fine = take_events(keeper, BATCH_BYTES);
        detach(keeper);
        if (!fine) {
            give_up(keeper, "events", &gone);
            return;
        }
        pump(keeper);
    }
    consider_free(keeper);
}

/* ---- all of them ---- */

struct run_keepers *run_keepers_create(const struct run_keepers_options *options)
{
    struct run_keepers *keepers = mem_zalloc(1, sizeof *keepers);
    if (keepers == NULL)
        return NULL;
    keepers->options = *options;
    list_init(&keepers->keepers);
    return keepers;
}

void run_keepers_destroy(struct run_keepers *keepers)
{
    if (keepers == NULL)
        return;
    CHECK(list_is_empty(&keepers->keepers));
    loop_unpost(&keepers->idle_task);
    mem_free(keepers);
}

size_t run_keepers_count(const struct run_keepers *keepers)
{
    size_t count = 0;
    LIST_EACH(link, &keepers->keepers)
        count += !list_item(link, struct run_keeper, link)->over;
    return count;
}
