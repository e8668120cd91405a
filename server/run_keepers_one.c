/* SPDX-License-Identifier: MIT */
/* server/run_keepers_one.c - one run's record, from its begin to its end; a lease in between.
 *
 *   begins -there-> keeps -all is written-> finishes -> over -the run left-> freed
 * Happy path: the record is put, parcels are packed for run_keepers.c, the log may drop what the
 * store has; after the terminal event the record is finished and the keeper goes.
 * Failure paths:
 * - the store cannot be used: begin and finish are tried again after a pause that grows;
 * - the log passed the keeper by, or a parcel is refused: a gap; the rest is not written, the
 *   lease is renewed and the record finished all the same;
 * - the run is another's by now: nothing more is written, and it is asked to stop here; its record
 *   is gone from the store: it goes on without. */
#include "core/base/mem.h"
#include "core/event_bytes.h"
#include "server/run_keepers_internal.h"

enum {
    BATCH_BYTES = 64 * 1024 * 1024, /* the terminal event may be large */
    NAMES_BYTES = 512 * 1024,
    END_POLL_MS = 10, /* and twice as long each time, for a while; 16 s in all */
    SLOWEST_END_POLL = 7,
    MOST_END_POLLS = 18,
};

static void advance(struct run_keeper *keeper);

static struct loop *loop_of(const struct run_keeper *keeper)
{
    return keeper->keepers->options.loop;
}

static struct op_waiter waiter_of(struct run_keeper *keeper, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = keeper};
}

/* ---- the end of a keeper ---- */

static void detach(struct run_keeper *keeper)
{
    if (keeper->log != NULL) {
        event_log_detach(keeper->log, &keeper->reader);
        event_log_show(keeper->log, UINT64_MAX); /* nobody says any more what is stored */
    }
    keeper->log = NULL;
}

static void drop_parcels(struct run_keeper *keeper)
{
    buf_fini(&keeper->sending.bytes);
    buf_fini(&keeper->next.bytes);
    keeper->sending.count = keeper->next.count = 0;
    keeper->keepers->left_bytes -= keeper->left_bytes;
    keeper->left_bytes = 0;
}

void run_keepers_one_consider_free(struct run_keeper *keeper)
{
    if (keeper->state != RUN_KEEPER_OVER || op_is_pending(&keeper->call.op) ||
        op_is_pending(&keeper->renew_call.op) || keeper->is_written)
        return;
    drop_parcels(keeper); /* it may linger with its run */
    if (!keeper->has_left)
        return;
    op_release(&keeper->call.op);
    op_release(&keeper->renew_call.op);
    list_remove(&keeper->link);
    arena_fini(&keeper->arena);
    mem_free(keeper);
}

void run_keepers_one_end(struct run_keeper *keeper)
{
    keeper->state = RUN_KEEPER_OVER;
    detach(keeper);
    timer_stop(&keeper->retry_timer);
    timer_stop(&keeper->renew_timer);
    if (list_is_linked(&keeper->due_link))
        list_remove(&keeper->due_link);
    run_keepers_tell_idle(keeper->keepers);
    run_keepers_one_consider_free(keeper);
}

void run_keepers_one_give_up(struct run_keeper *keeper, const char *what, const struct err *err)
{
    if (keeper->state != RUN_KEEPER_OVER)
        LOG(keeper->keepers->options.log, WARN, "run.not_kept",
            "run=%.*s what=%s code=%s text=\"%s\"", STR_ARG(keeper->fence.run_id), what,
            err_name(err->code), err->text);
    run_keepers_one_end(keeper);
}

/* ---- taking events out of the log ---- */

enum store_status run_keepers_status(const struct event *last)
{
    if (last->kind == EVENT_COMPLETE)
        return event_is_pause(last) ? STORE_PAUSED : STORE_COMPLETE;
    return str_equal(last->name, STR("cancelled")) ? STORE_CANCELLED : STORE_FAILED;
}

/* Encode what is new, about limit bytes of it. False: it is not there any more. */
static bool take_events(struct run_keeper *keeper, size_t limit)
{
    struct run_keepers_parcel *next = &keeper->next;
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
            keeper->status = run_keepers_status(&event);
    }
    return code != ERR_GONE && buf_ok(&next->bytes);
}

/* The rest is not written; how it ends is known when the run leaves. */
static void leave_gap(struct run_keeper *keeper, const char *why)
{
    LOG(keeper->keepers->options.log, WARN, "run.not_kept", "run=%.*s what=events text=\"%s\"",
        STR_ARG(keeper->fence.run_id), why);
    keeper->has_gap = true;
    keeper->next.count = 0;
    buf_fini(&keeper->next.bytes);
    if (keeper->log != NULL) {
        event_log_detach(keeper->log, &keeper->reader);
        event_log_show(keeper->log, UINT64_MAX);
    }
}

bool run_keepers_one_pack(struct run_keeper *keeper)
{
    if (keeper->state != RUN_KEEPER_KEEPS)
        return false;
    if (keeper->sending.count > 0) /* once more */
        return true;
    if (keeper->log != NULL && !keeper->has_gap && !take_events(keeper, RUN_KEEPERS_FLUSH_BYTES))
        leave_gap(keeper, "the events are no longer in memory");
    if (keeper->next.count == 0) {
        advance(keeper);
        return false;
    }
    struct run_keepers_parcel empty = keeper->sending;
    keeper->sending = keeper->next;
    keeper->next = empty;
    event_bytes_end(&keeper->sending.bytes);
    return true;
}

static void on_grown(struct event_reader *reader)
{
    struct run_keeper *keeper = reader->owner;
    if (keeper->state == RUN_KEEPER_KEEPS && !keeper->is_written)
        run_keepers_add_due(keeper);
}

/* ---- after a write ---- */

static void on_found(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    const struct err lost = {ERR_CONFLICT, "the run has ended or is another instance's"};
    bool is_gone = op->err.code == ERR_NOT_FOUND;
    op_release(op);
    if (keeper->state == RUN_KEEPER_OVER) {
        run_keepers_one_consider_free(keeper);
        return;
    }
    if (!is_gone && keeper->run_owner != NULL) /* before its log shows what is not stored */
        keeper->keepers->options.on_lost(keeper->run_owner);
    run_keepers_one_give_up(keeper, is_gone ? "record" : "lease", &lost);
}

/* The store says it is not ours: another's, or nobody's since there is no record any more. */
void run_keepers_one_lose(struct run_keeper *keeper)
{
    keeper->sending.count = 0;
    keeper->state = RUN_KEEPER_FINISHES;
    timer_stop(&keeper->retry_timer);
    keeper->find = (struct store_find){.run_id = keeper->fence.run_id};
    op_release(&keeper->call.op);
    store_find_start(&keeper->call, keeper->keepers->options.store, &keeper->find,
                     waiter_of(keeper, on_found));
}

void run_keepers_one_written(struct run_keeper *keeper, const struct store_verdict *verdict)
{
    struct run_keepers_parcel *sent = &keeper->sending;
    if (keeper->state == RUN_KEEPER_OVER) {
        run_keepers_one_consider_free(keeper);
        return;
    }
    if (!verdict->is_kept) {
        run_keepers_one_lose(keeper);
        return;
    }
    if (keeper->log != NULL && !keeper->has_gap)
        event_log_advance(keeper->log, &keeper->reader, sent->first + sent->count - 1);
    if (keeper->log != NULL)
        event_log_show(keeper->log, sent->first + sent->count - 1);
    sent->count = 0;
    buf_clear(&sent->bytes);
    if (verdict->cancel_asked && keeper->status == STORE_RUNNING)
        run_keepers_lease_stop(keeper, verdict->forget_asked);
    advance(keeper);
}

void run_keepers_one_refused(struct run_keeper *keeper, const struct err *err)
{
    keeper->sending.count = 0;
    buf_clear(&keeper->sending.bytes);
    if (keeper->state == RUN_KEEPER_OVER) {
        run_keepers_one_consider_free(keeper);
        return;
    }
    if (!keeper->has_gap)
        leave_gap(keeper, err->text);
    advance(keeper);
}

/* ---- the end of the record ---- */

static void on_retry_end(struct timer *timer);

static void on_finished(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    struct err err = op->err;
    if (keeper->state == RUN_KEEPER_OVER)
        run_keepers_one_consider_free(keeper);
    else if (err.code == ERR_OK)
        run_keepers_one_end(keeper);
    else if (run_keepers_may_pass(err.code))
        timer_start(&keeper->retry_timer, loop_of(keeper), run_keepers_pause_ms(++keeper->failures),
                    on_retry_end);
    else
        run_keepers_one_give_up(keeper, "end", &err);
}

/* Once what its conversation keeps is stored: who then begins there finds it. When that takes too
 * long nobody is kept waiting any more. */
static void finish_record(struct run_keeper *keeper)
{
    const struct run_keepers_options *o = &keeper->keepers->options;
    if (o->may_end != NULL && keeper->polls < MOST_END_POLLS &&
        !o->may_end(o->owner, &keeper->begin.run)) {
        keeper->polls++;
        timer_start(&keeper->retry_timer, o->loop,
                    (uint64_t)END_POLL_MS << size_min(keeper->polls, SLOWEST_END_POLL),
                    on_retry_end);
        return;
    }
    keeper->finish = (struct store_finish){keeper->fence, keeper->status};
    op_release(&keeper->call.op);
    store_finish_start(&keeper->call, o->store, &keeper->finish, waiter_of(keeper, on_finished));
}

static void on_retry_end(struct timer *timer)
{
    finish_record(container_of(timer, struct run_keeper, retry_timer));
}

/* Go on after something was written or taken: with what is left, or with the end. */
static void advance(struct run_keeper *keeper)
{
    if (keeper->state != RUN_KEEPER_KEEPS || keeper->sending.count > 0)
        return;
    bool has_more = keeper->next.count > 0 || (keeper->log != NULL && !keeper->has_gap &&
                                               keeper->taken < event_log_last_id(keeper->log));
    if (has_more) {
        run_keepers_add_due(keeper);
    } else if (keeper->status != STORE_RUNNING) { /* its log is closed, and all of it is there */
        keeper->state = RUN_KEEPER_FINISHES;
        keeper->failures = 0;
        detach(keeper);
        finish_record(keeper);
    }
}

/* ---- the beginning ---- */

static void on_begun(struct op *op);

static void begin_record(struct run_keeper *keeper)
{
    struct store *store = keeper->keepers->options.store;
    op_release(&keeper->call.op);
    keeper->resume.begin = keeper->begin;
    if (str_is_empty(keeper->resume.paused_id))
        store_begin_start(&keeper->call, store, &keeper->begin, waiter_of(keeper, on_begun));
    else
        store_resume_start(&keeper->call, store, &keeper->resume, waiter_of(keeper, on_begun));
}

static void on_retry_begin(struct timer *timer)
{
    begin_record(container_of(timer, struct run_keeper, retry_timer));
}

void run_keeper_retry(struct run_keeper *keeper, uint64_t ms, enum run_keeper_retry how)
{
    if (how == RUN_KEEPER_BESIDE)
        keeper->begin.alone = false;
    if (how == RUN_KEEPER_WITHOUT_KEY)
        keeper->begin.run.idempotency_key = STR("");
    if (keeper->state == RUN_KEEPER_BEGINS && !op_is_pending(&keeper->call.op))
        timer_start(&keeper->retry_timer, loop_of(keeper), ms, on_retry_begin);
}

/* Tell the run's owner, once, who may leave then. */
static void tell_begun(struct run_keeper *keeper, enum err_code code)
{
    void (*on_begun_hook)(void *, enum err_code, const struct store_run *) = keeper->on_begun;
    const struct store_run *rival = code == ERR_CONFLICT ? keeper->call.runs : NULL;
    if (code != ERR_CONFLICT)
        keeper->on_begun = NULL;
    if (on_begun_hook != NULL && keeper->run_owner != NULL)
        on_begun_hook(keeper->run_owner, code, rival);
}

static void on_begun(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    struct run_keepers *keepers = keeper->keepers;
    struct err err = op->err;
    bool has_rival = err.code == ERR_CONFLICT && keeper->call.run_count > 0;
    if (keeper->state == RUN_KEEPER_OVER) {
        run_keepers_one_consider_free(keeper);
    } else if (err.code == ERR_OK) {
        keepers->failures = 0;
        keeper->state = RUN_KEEPER_KEEPS;
        run_keepers_lease_await(keeper);
        advance(keeper);
        tell_begun(keeper, ERR_OK);
    } else if (has_rival && keeper->on_begun != NULL && keeper->run_owner != NULL) {
        tell_begun(keeper, ERR_CONFLICT);
    } else if (run_keepers_may_pass(err.code) && str_is_empty(keeper->resume.paused_id)) {
        if (keepers->failures++ == 0)
            LOG(keepers->options.log, WARN, "store.lost", "code=%s text=\"%s\"", err_name(err.code),
                err.text);
        keeper->begin.alone = false; /* it runs, whoever else does */
        timer_start(&keeper->retry_timer, loop_of(keeper), run_keepers_pause_ms(++keeper->failures),
                    on_retry_begin);
        tell_begun(keeper, err.code);
    } else {
        void (*hook)(void *, enum err_code, const struct store_run *) = keeper->on_begun;
        void *owner = keeper->run_owner;
        keeper->on_begun = NULL;
        run_keepers_one_give_up(keeper, "begin", &err);
        if (hook != NULL && owner != NULL)
            hook(owner, err.code == ERR_CONFLICT ? ERR_UNAVAILABLE : err.code, NULL);
    }
}

static bool fill(struct run_keeper *keeper, struct run *run,
                 const struct run_keeper_options *options)
{
    const struct run_keepers_options *o = &keeper->keepers->options;
    const struct store_key *key = &options->key;
    struct arena *arena = &keeper->arena;
    keeper->fence = (struct store_fence){arena_str(arena, str_of(run_id(run))), o->instance,
                                         options->epoch == 0 ? 1 : options->epoch};
    keeper->begin.lease_ms = o->lease_ms;
    keeper->begin.alone = options->alone;
    keeper->begin.run = (struct store_run){
        .key = {arena_str(arena, key->conversation_id), arena_str(arena, key->company_id),
                arena_str(arena, key->user_id)},
        .run_id = keeper->fence.run_id,
        .graph = str_of(graph_def(run_graph(run))->name),
        .input = arena_str(arena, options->input),
        .idempotency_key = arena_str(arena, options->idempotency_key),
        .instance = o->instance,
    };
    keeper->resume = (struct store_resume){
        .paused_id = arena_str(arena, options->paused_id),
        .checkpoint = {.step = options->checkpoint.step,
                       .bytes = arena_str(arena, options->checkpoint.bytes)},
    };
    return arena_ok(arena);
}

struct run_keeper *run_keeper_begin(struct run_keepers *keepers, struct run *run,
                                    const struct run_keeper_options *options)
{
    struct run_keeper *keeper = mem_zalloc(1, sizeof *keeper);
    if (keeper == NULL)
        return NULL;
    keeper->keepers = keepers;
    keeper->run_owner = run_owner(run);
    keeper->on_begun = options->on_begun;
    keeper->status = STORE_RUNNING;
    keeper->state = options->epoch == 0 ? RUN_KEEPER_BEGINS : RUN_KEEPER_KEEPS;
    arena_init(&keeper->arena, NAMES_BYTES + options->input.len + options->checkpoint.bytes.len);
    buf_init(&keeper->sending.bytes, BATCH_BYTES);
    buf_init(&keeper->next.bytes, BATCH_BYTES);
    if (!fill(keeper, run, options)) {
        arena_fini(&keeper->arena);
        mem_free(keeper);
        return NULL;
    }
    list_push(&keepers->keepers, &keeper->link);
    keeper->log = run_log(run);
    keeper->reader = (struct event_reader){.on_grown = on_grown, .owner = keeper};
    keeper->taken = options->stored_id;
    CHECK(event_log_attach(keeper->log, &keeper->reader, keeper->taken) == ERR_OK);
    if (options->epoch == 0)
        begin_record(keeper);
    else
        run_keepers_lease_await(keeper);
    return keeper;
}

/* ---- the run leaves ---- */

/* What is left of the log goes into the next parcel; how it ended is known. */
static void take_rest(struct run_keeper *keeper)
{
    struct event last;
    uint64_t last_id = event_log_last_id(keeper->log);
    if (!keeper->has_gap && !take_events(keeper, BATCH_BYTES))
        leave_gap(keeper, "the last events are no longer in memory");
    if (keeper->has_gap && last_id > 0 &&
        event_log_after(keeper->log, last_id - 1, &last) == ERR_OK && event_is_terminal(last.kind))
        keeper->status = run_keepers_status(&last);
    if (keeper->status == STORE_RUNNING) /* it never began */
        keeper->status = STORE_CANCELLED;
    detach(keeper);
    keeper->left_bytes =
        sizeof *keeper + buf_len(&keeper->sending.bytes) + buf_len(&keeper->next.bytes);
    keeper->keepers->left_bytes += keeper->left_bytes;
}

void run_keeper_leave(struct run_keeper *keeper)
{
    const struct err full = {ERR_NO_MEMORY, "too much waits for the store"};
    if (keeper == NULL)
        return;
    keeper->has_left = true;
    keeper->run_owner = NULL;
    if (keeper->state == RUN_KEEPER_BEGINS && keeper->on_begun != NULL &&
        !op_is_pending(&keeper->call.op)) {
        run_keepers_one_end(keeper); /* it rests after a conflict: there is no record */
        return;
    }
    if (keeper->log != NULL && keeper->state != RUN_KEEPER_OVER) {
        take_rest(keeper);
        if (!run_keepers_has_room(keeper->keepers)) {
            run_keepers_one_give_up(keeper, "events", &full);
            return;
        }
        if (!keeper->is_written)
            advance(keeper);
    }
    run_keepers_one_consider_free(keeper);
}
