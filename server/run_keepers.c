/* SPDX-License-Identifier: MIT */
/* server/run_keepers.c - what runs said, in one write every 20 ms, one in flight; and one record
 * with a lease for each run, from its begin to its end.
 *
 *   begins -there-> keeps -all is written-> finishes -> over -the run left-> freed
 * Happy path: the record is put; a keeper whose run said something is due; when the timer fires all
 * that are due pack a parcel, the store judges each, and the log may drop what the store has; what
 * was said meanwhile goes with the next write; the lease is renewed three times while it lasts, and
 * the answer says whether somebody asked the run to stop; after the terminal event the record is
 * finished and the keeper goes.
 * Failure paths:
 * - the store cannot be used: the same parcels, begins and ends again after a pause that grows;
 *   meanwhile what runs say stays in their logs, which are bounded, and parcels of runs that are
 *   gone are, too;
 * - it refuses the write for what is in it: one by one, and who is refused alone has a gap;
 * - the log passed the keeper by: a gap; the rest is not written, the lease is renewed and the
 *   record finished all the same;
 * - the run is another's by now: nothing more is written, and it is asked to stop here; its record
 *   is gone from the store: it goes on without;
 * - the process slept: the run is held until the store has said whether the lease is still ours. */
#include "server/run_keepers.h"

#include "core/base/mem.h"
#include "core/event_bytes.h"
#include "core/timer.h"

enum {
    FLUSH_MS = 20,
    FLUSH_BYTES = 64 * 1024,            /* of one run in one write, about */
    MOST_RUNS = STORE_MAX_ROWS,         /* of one write */
    MOST_BYTES = 4 * 1024 * 1024,       /* of one write, but for one run that alone has more */
    MOST_LEFT_BYTES = 32 * 1024 * 1024, /* of runs that are gone, while the store is */
    MOST_WAITING_BYTES = 128 * 1024,    /* of one that writes at its end only */
    FIRST_PAUSE_MS = 100,
    MOST_PAUSE_MS = 2000,
    RENEWALS = 3,                   /* of a lease while it lasts */
    BATCH_BYTES = 64 * 1024 * 1024, /* the terminal event may be large */
    NAMES_BYTES = 512 * 1024,
    END_POLL_MS = 10, /* and twice as long each time, for a while; 16 s in all */
    SLOWEST_END_POLL = 7,
    MOST_END_POLLS = 18,
};

struct run_keepers {
    struct run_keepers_options options;
    struct list keepers;
    struct list due;   /* of those, who has something to write */
    size_t left_bytes; /* encoded, of runs that are gone */
    struct timer flush_timer;
    uint64_t flushed_ms; /* when the last write began */
    struct store_call write_call;
    struct store_write write;
    struct store_append *appends; /* of the write in flight, and whose they are */
    struct run_keeper **writers;
    unsigned failures; /* of writes, one after the other */
    bool one_by_one;   /* together they could not be written */
    struct loop_task idle_task;
};

/* Events on their way to the store. */
struct parcel {
    struct buf bytes;
    uint64_t first, count;
};

enum keeper_state {
    KEEPER_BEGINS,   /* its record is not there yet */
    KEEPER_KEEPS,    /* what the run says is written, and its lease renewed */
    KEEPER_FINISHES, /* its record gets its end */
    KEEPER_OVER,     /* it waits for the run to leave */
    KEEPER_STATE_COUNT
};

struct run_keeper {
    struct list link, due_link;
    struct run_keepers *keepers;
    void *run_owner;       /* NULL: the run is gone */
    struct event_log *log; /* NULL: nothing more is taken from it */
    struct event_reader reader;
    struct timer retry_timer, renew_timer;
    struct arena arena; /* of the record's texts */
    struct store_fence fence;
    void (*on_begun)(void *run_owner, enum err_code code, const struct store_run *rival);
    struct store_begin begin;
    struct store_resume resume; /* with a paused_id: instead */
    struct store_find find;
    struct store_finish finish;
    struct store_renew renew;
    struct store_call call, renew_call;
    struct parcel sending, next; /* sending: until the store has it */
    uint64_t taken;              /* the last event encoded */
    uint64_t renew_at_ms;        /* when the renewal was due */
    size_t left_bytes;           /* counted into the keepers' */
    enum store_status status;
    enum keeper_state state; /* written by set_state only */
    unsigned failures;       /* to begin, or to finish, one after the other */
    unsigned polls;          /* whether the record may end */
    bool has_gap;            /* the log passed it by: the rest is not written */
    bool is_written;         /* sending is in the write in flight */
    bool has_left;           /* the run is gone */
};

static const char *const state_names[KEEPER_STATE_COUNT] = {
    [KEEPER_BEGINS] = "begins",
    [KEEPER_KEEPS] = "keeps",
    [KEEPER_FINISHES] = "finishes",
    [KEEPER_OVER] = "over",
};

/* Each state, as a bit, from which the next may be entered. */
static const unsigned enters_from[KEEPER_STATE_COUNT] = {
    [KEEPER_KEEPS] = 1U << KEEPER_BEGINS,
    [KEEPER_FINISHES] = 1U << KEEPER_KEEPS,
    [KEEPER_OVER] = 1U << KEEPER_BEGINS | 1U << KEEPER_KEEPS | 1U << KEEPER_FINISHES,
};

static void set_state(struct run_keeper *keeper, enum keeper_state next)
{
    CHECK((enters_from[next] & 1U << keeper->state) != 0);
    LOG(keeper->keepers->options.log, DEBUG, "keeper.state", "run=%.*s from=%s to=%s",
        STR_ARG(keeper->fence.run_id), state_names[keeper->state], state_names[next]);
    keeper->state = next;
}

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

static void on_idle(struct loop_task *task)
{
    struct run_keepers *keepers = container_of(task, struct run_keepers, idle_task);
    if (run_keepers_count(keepers) == 0)
        keepers->options.on_idle(keepers->options.owner);
}

static void tell_idle(struct run_keepers *keepers)
{
    loop_post(keepers->options.loop, &keepers->idle_task, on_idle);
}

/* ---- who is due ---- */

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

static void add_due(struct run_keeper *keeper)
{
    struct run_keepers *keepers = keeper->keepers;
    if (may_wait(keeper))
        return;
    if (!list_is_linked(&keeper->due_link))
        list_push(&keepers->due, &keeper->due_link);
    await_flush(keepers);
}

static bool has_room(const struct run_keepers *keepers)
{
    return keepers->left_bytes < MOST_LEFT_BYTES;
}

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

static void consider_free(struct run_keeper *keeper)
{
    if (keeper->state != KEEPER_OVER || op_is_pending(&keeper->call.op) ||
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

static void end_keeper(struct run_keeper *keeper)
{
    if (keeper->state != KEEPER_OVER)
        set_state(keeper, KEEPER_OVER);
    detach(keeper);
    timer_stop(&keeper->retry_timer);
    timer_stop(&keeper->renew_timer);
    if (list_is_linked(&keeper->due_link))
        list_remove(&keeper->due_link);
    tell_idle(keeper->keepers);
    consider_free(keeper);
}

static void give_up(struct run_keeper *keeper, const char *what, const struct err *err)
{
    if (keeper->state != KEEPER_OVER)
        LOG(keeper->keepers->options.log, WARN, "run.not_kept",
            "run=%.*s what=%s code=%s text=\"%s\"", STR_ARG(keeper->fence.run_id), what,
            err_name(err->code), err->text);
    end_keeper(keeper);
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

static bool pack(struct run_keeper *keeper)
{
    if (keeper->state != KEEPER_KEEPS)
        return false;
    if (keeper->sending.count > 0) /* once more */
        return true;
    if (keeper->log != NULL && !keeper->has_gap && !take_events(keeper, FLUSH_BYTES))
        leave_gap(keeper, "the events are no longer in memory");
    if (keeper->next.count == 0) {
        advance(keeper);
        return false;
    }
    struct parcel empty = keeper->sending;
    keeper->sending = keeper->next;
    keeper->next = empty;
    event_bytes_end(&keeper->sending.bytes);
    return true;
}

static void on_grown(struct event_reader *reader)
{
    struct run_keeper *keeper = reader->owner;
    if (keeper->state == KEEPER_KEEPS && !keeper->is_written)
        add_due(keeper);
}

/* ---- not ours ---- */

static void on_found(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    const struct err lost = {ERR_CONFLICT, "the run has ended or is another instance's"};
    bool is_gone = op->err.code == ERR_NOT_FOUND;
    op_release(op);
    if (keeper->state == KEEPER_OVER) {
        consider_free(keeper);
        return;
    }
    if (!is_gone && keeper->run_owner != NULL) /* before its log shows what is not stored */
        keeper->keepers->options.on_lost(keeper->run_owner);
    give_up(keeper, is_gone ? "record" : "lease", &lost);
}

/* The store says it is not ours: another's, or nobody's since there is no record any more. */
static void lose_record(struct run_keeper *keeper)
{
    keeper->sending.count = 0;
    set_state(keeper, KEEPER_FINISHES);
    timer_stop(&keeper->retry_timer);
    keeper->find = (struct store_find){.run_id = keeper->fence.run_id};
    op_release(&keeper->call.op);
    store_find_start(&keeper->call, keeper->keepers->options.store, &keeper->find,
                     waiter_of(keeper, on_found));
}

/* ---- the lease ---- */

static void stop_run(struct run_keeper *keeper, bool forget)
{
    if (keeper->run_owner != NULL)
        keeper->keepers->options.on_stop(keeper->run_owner, forget);
}

static void doubt_run(struct run_keeper *keeper, bool doubts)
{
    if (keeper->run_owner != NULL && keeper->keepers->options.on_doubt != NULL)
        keeper->keepers->options.on_doubt(keeper->run_owner, doubts);
}

static timer_fn on_renew_due;

static void await_renewal(struct run_keeper *keeper)
{
    const struct run_keepers_options *o = &keeper->keepers->options;
    keeper->renew_at_ms = loop_now_ms(o->loop) + o->lease_ms / RENEWALS;
    timer_start(&keeper->renew_timer, o->loop, o->lease_ms / RENEWALS, on_renew_due);
}

static void on_renewed(struct op *op)
{
    struct run_keeper *keeper = op_owner(op);
    bool cancel = op->err.code == ERR_OK && keeper->renew_call.runs[0].cancel_asked;
    bool forget = cancel && keeper->renew_call.runs[0].forget_asked;
    bool lost = op->err.code == ERR_CONFLICT;
    op_release(op);
    if (keeper->state == KEEPER_OVER) {
        consider_free(keeper);
        return;
    }
    if (!lost)
        doubt_run(keeper, false);
    if (lost && keeper->state == KEEPER_KEEPS && keeper->status == STORE_RUNNING &&
        !keeper->is_written) {
        lose_record(keeper);
        return;
    }
    await_renewal(keeper);
    if (cancel && keeper->status == STORE_RUNNING)
        stop_run(keeper, forget);
}

/* The process slept if it is that late: the lease may be over, and the run another's. */
static void on_renew_due(struct timer *timer)
{
    struct run_keeper *keeper = container_of(timer, struct run_keeper, renew_timer);
    const struct run_keepers_options *o = &keeper->keepers->options;
    if (loop_now_ms(o->loop) > keeper->renew_at_ms + o->lease_ms / RENEWALS)
        doubt_run(keeper, true);
    keeper->renew = (struct store_renew){keeper->fence, o->lease_ms};
    store_renew_start(&keeper->renew_call, o->store, &keeper->renew,
                      (struct op_waiter){.done = on_renewed, .owner = keeper});
}

/* ---- after a write ---- */

static void take_verdict(struct run_keeper *keeper, const struct store_verdict *verdict)
{
    struct parcel *sent = &keeper->sending;
    if (keeper->state == KEEPER_OVER) {
        consider_free(keeper);
        return;
    }
    if (!verdict->is_kept) {
        lose_record(keeper);
        return;
    }
    if (keeper->log != NULL && !keeper->has_gap)
        event_log_advance(keeper->log, &keeper->reader, sent->first + sent->count - 1);
    if (keeper->log != NULL)
        event_log_show(keeper->log, sent->first + sent->count - 1);
    sent->count = 0;
    buf_clear(&sent->bytes);
    if (verdict->cancel_asked && keeper->status == STORE_RUNNING)
        stop_run(keeper, verdict->forget_asked);
    advance(keeper);
}

static void refuse_sent(struct run_keeper *keeper, const struct err *err)
{
    keeper->sending.count = 0;
    buf_clear(&keeper->sending.bytes);
    if (keeper->state == KEEPER_OVER) {
        consider_free(keeper);
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
    if (keeper->state == KEEPER_OVER)
        consider_free(keeper);
    else if (err.code == ERR_OK)
        end_keeper(keeper);
    else if (run_keepers_may_pass(err.code))
        timer_start(&keeper->retry_timer, loop_of(keeper), run_keepers_pause_ms(++keeper->failures),
                    on_retry_end);
    else
        give_up(keeper, "end", &err);
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
    if (keeper->state != KEEPER_KEEPS || keeper->sending.count > 0)
        return;
    bool has_more = keeper->next.count > 0 || (keeper->log != NULL && !keeper->has_gap &&
                                               keeper->taken < event_log_last_id(keeper->log));
    if (has_more) {
        add_due(keeper);
    } else if (keeper->status != STORE_RUNNING) { /* its log is closed, and all of it is there */
        set_state(keeper, KEEPER_FINISHES);
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
    if (keeper->state == KEEPER_BEGINS && !op_is_pending(&keeper->call.op))
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
    if (keeper->state == KEEPER_OVER) {
        consider_free(keeper);
    } else if (err.code == ERR_OK) {
        keepers->failures = 0;
        set_state(keeper, KEEPER_KEEPS);
        await_renewal(keeper);
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
        give_up(keeper, "begin", &err);
        if (hook != NULL && owner != NULL)
            hook(owner, err.code == ERR_CONFLICT ? ERR_UNAVAILABLE : err.code, NULL);
    }
}

static bool fill(struct run_keeper *keeper, struct run *run,
                 const struct run_keeper_options *options)
{
    const struct run_keepers_options *o = &keeper->keepers->options;
    struct arena *arena = &keeper->arena;
    keeper->fence = (struct store_fence){arena_str(arena, str_of(run_id(run))), o->instance,
                                         options->epoch == 0 ? 1 : options->epoch};
    keeper->begin.lease_ms = o->lease_ms;
    keeper->begin.alone = options->alone;
    keeper->begin.run = (struct store_run){
        .key = identity_copy(arena, &options->key),
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
    keeper->state = options->epoch == 0 ? KEEPER_BEGINS : KEEPER_KEEPS;
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
        await_renewal(keeper);
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
    if (keeper->state == KEEPER_BEGINS && keeper->on_begun != NULL &&
        !op_is_pending(&keeper->call.op)) {
        end_keeper(keeper); /* it rests after a conflict: there is no record */
        return;
    }
    if (keeper->log != NULL && keeper->state != KEEPER_OVER) {
        take_rest(keeper);
        if (!has_room(keeper->keepers)) {
            give_up(keeper, "events", &full);
            return;
        }
        if (!keeper->is_written)
            advance(keeper);
    }
    consider_free(keeper);
}

/* ---- writing ---- */

static void judge(struct run_keepers *keepers, const struct store_verdict *verdicts, size_t count)
{
    for (size_t i = 0; i < count; i++) { /* none of them is freed before its turn */
        keepers->writers[i]->is_written = false;
        take_verdict(keepers->writers[i], &verdicts[i]);
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
            give_up(keeper, "events", err);
        else if (!may_pass && count == 1)
            refuse_sent(keeper, err);
        else if (keeper->state == KEEPER_OVER)
            consider_free(keeper);
        else
            add_due(keeper);
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
        tell_idle(keepers);
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
        if (!pack(keeper))
            continue;
        const struct parcel *parcel = &keeper->sending;
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
        count += list_item(link, struct run_keeper, link)->state != KEEPER_OVER;
    return count;
}

void run_keepers_abandon(struct run_keepers *keepers)
{
    const struct err stopping = {ERR_CANCELLED, "the server stops before the store can be used"};
    op_cancel(&keepers->write_call.op);
    LIST_EACH_SAFE(link, &keepers->keepers) {
        struct run_keeper *keeper = list_item(link, struct run_keeper, link);
        if (keeper->state != KEEPER_OVER)
            give_up(keeper, "stop", &stopping);
    }
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
