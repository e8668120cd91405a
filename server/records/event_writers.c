/* SPDX-License-Identifier: MIT */
/* server/records/event_writers.c - the events of all runs, in one write every 20 ms, one in flight;
 * and one record with a lease for each run, from its begin to its end.
 *
 *   begins -there-> keeps -all is written-> finishes -> over -the run left-> freed
 * Happy path: the record is put. An event writer is due when its run has new events; when the timer
 * fires, each that is due packs a parcel of them, and the store judges each parcel. The log may
 * drop what the store has; events said meanwhile go with the next write. The lease is renewed three
 * times while it lasts, and the answer says whether somebody asked the run to stop. After the
 * terminal event the record is finished and the event writer goes.
 * Failure paths:
 * - the store cannot be used: the same parcels, begins and ends are sent again after a pause that
 *   grows; meanwhile events stay in the logs of their runs, which are bounded, as are the parcels
 *   of runs that are gone;
 * - the store refuses a write for what is in it: its parcels are sent one by one, and a run whose
 *   parcel is refused alone has a gap;
 * - the log dropped events before they were written: a gap; the rest is not written, the lease is
 *   renewed and the record finished all the same;
 * - the key of a run that began without a record has begun another one since: the record has no
 * key;
 * - the run is another server's by now: nothing more is written, and the run is asked to stop here;
 *   when its record is gone from the store, the run goes on without one;
 * - the process slept: the run is held until the store has said whether the lease is still ours. */
#include "server/records/event_writers.h"

#include "core/base/mem.h"
#include "core/store/event_bytes.h"
#include "core/loop/timer.h"
#include "server/records/record_call.h"

enum {
    FLUSH_MS = 20,
    FLUSH_BYTES = 64 * 1024,            /* of one run in one write, about */
    MOST_RUNS = STORE_MAX_ROWS,         /* of one write */
    MOST_BYTES = 4 * 1024 * 1024,       /* of one write, unless a single run has more */
    MOST_LEFT_BYTES = 32 * 1024 * 1024, /* events of runs that are gone, while the store cannot be
                                           used */
    MOST_WAITING_BYTES = 128 * 1024,    /* of a run whose events are written at its end only */
    FIRST_PAUSE_MS = 100,
    MOST_PAUSE_MS = 2000,
    STORE_AWAY_MS = 5000,           /* longer than a call and the pause behind it */
    RENEWALS = 3,                   /* of a lease while it lasts */
    BATCH_BYTES = 64 * 1024 * 1024, /* the terminal event may be large */
    NAMES_BYTES = 512 * 1024,
    END_POLL_MS = 10, /* and twice as long each time, for a while; 16 s in all */
    SLOWEST_END_POLL = 7,
    MOST_END_POLLS = 18,
};

struct event_writers {
    struct event_writers_options options;
    struct list event_writers;
    size_t busy_count; /* of event_writers: those that are not over */
    struct list due;   /* the event writers that have something to write */
    size_t left_bytes; /* encoded events of runs that are gone */
    struct timer flush_timer;
    uint64_t flushed_ms; /* when the last write began */
    struct store_call write_call;
    struct store_write write;
    struct store_append *appends; /* of the write in flight; writers: whose they are */
    struct event_writer **writers;
    struct record_calls calls;
    unsigned failures; /* writes that failed in a row */
    bool one_by_one;   /* the parcels could not be written together */
    struct loop_task idle_task;
};

/* Events on their way to the store. */
struct parcel {
    struct buf bytes;
    uint64_t first, count;
};

enum event_writer_state {
    EVENT_WRITER_BEGINS,   /* the record is not in the store yet */
    EVENT_WRITER_KEEPS,    /* events are written, and the lease is renewed */
    EVENT_WRITER_FINISHES, /* the record gets its end */
    EVENT_WRITER_OVER,     /* only the run is still to leave */
    EVENT_WRITER_STATE_COUNT
};

struct event_writer {
    struct list link, due_link;
    struct event_writers *event_writers;
    void *run_owner;       /* NULL: the run is gone */
    struct event_log *log; /* NULL: nothing more is taken from it */
    struct event_reader reader;
    struct timer retry_timer, renew_timer;
    struct arena arena; /* of the record's texts */
    struct store_fence fence;
    void (*on_begun)(void *run_owner, enum err_code code, const struct store_run *rival);
    struct store_begin begin;
    struct store_resume *resume; /* in place of begin, in arena; NULL: nothing is paused */
    struct record_call *asking, *renewing; /* NULL: no call is under way */
    struct parcel sending, next; /* sending: until the store has it */
    uint64_t taken;              /* the last event encoded */
    uint64_t version;            /* of the conversation, when the store said it at the begin */
    bool knows_version;
    uint64_t renew_at_ms; /* when the renewal was due */
    size_t left_bytes;    /* counted in left_bytes of event_writers */
    enum store_status status;
    enum event_writer_state state; /* written by set_state only */
    unsigned failures;             /* attempts to begin, or to finish, that failed in a row */
    unsigned polls;                /* how often may_end was asked */
    bool has_gap;                  /* the log dropped events too early: the rest is not written */
    bool is_written;               /* sending is in the write in flight */
    bool has_left;                 /* the run is gone */
};

static const char *const state_names[EVENT_WRITER_STATE_COUNT] = {
    [EVENT_WRITER_BEGINS] = "begins",
    [EVENT_WRITER_KEEPS] = "keeps",
    [EVENT_WRITER_FINISHES] = "finishes",
    [EVENT_WRITER_OVER] = "over",
};

/* From which states, as bits, each state may be entered. */
static const unsigned enters_from[EVENT_WRITER_STATE_COUNT] = {
    [EVENT_WRITER_KEEPS] = 1U << EVENT_WRITER_BEGINS,
    [EVENT_WRITER_FINISHES] = 1U << EVENT_WRITER_KEEPS,
    [EVENT_WRITER_OVER] =
        1U << EVENT_WRITER_BEGINS | 1U << EVENT_WRITER_KEEPS | 1U << EVENT_WRITER_FINISHES,
};

static void set_state(struct event_writer *event_writer, enum event_writer_state next)
{
    CHECK((enters_from[next] & 1U << event_writer->state) != 0);
    LOG(event_writer->event_writers->options.log, DEBUG, "event_writer.state",
        "run=%.*s from=%s to=%s", STR_ARG(event_writer->fence.run_id),
        state_names[event_writer->state], state_names[next]);
    event_writer->state = next;
    if (next == EVENT_WRITER_OVER)
        event_writer->event_writers->busy_count--;
}

uint64_t event_writers_pause_ms(unsigned failures)
{
    uint64_t ms = FIRST_PAUSE_MS;
    for (unsigned i = 1; i < failures && ms < MOST_PAUSE_MS; i++)
        ms *= 2;
    return ms < MOST_PAUSE_MS ? ms : MOST_PAUSE_MS;
}

bool event_writers_may_pass(enum err_code code)
{
    return code == ERR_UNAVAILABLE || code == ERR_TIMEOUT || code == ERR_BUSY ||
           code == ERR_NO_MEMORY;
}

static void on_idle(struct loop_task *task)
{
    struct event_writers *event_writers = container_of(task, struct event_writers, idle_task);
    if (event_writers_count(event_writers) == 0)
        event_writers->options.on_idle(event_writers->options.owner);
}

static void tell_idle(struct event_writers *event_writers)
{
    loop_post(event_writers->options.loop, &event_writers->idle_task, on_idle);
}

/* ---- event writers that are due ---- */

static void on_flush(struct timer *timer);

static void await_flush(struct event_writers *event_writers)
{
    uint64_t now_ms = loop_now_ms(event_writers->options.loop), wait_ms = FLUSH_MS;
    if (list_is_empty(&event_writers->due) || op_is_pending(&event_writers->write_call.op) ||
        timer_is_running(&event_writers->flush_timer))
        return;
    if (event_writers->options.durability == EVENT_WRITERS_SYNC)
        wait_ms = 0;
    if (event_writers->failures > 0)
        wait_ms = event_writers_pause_ms(event_writers->failures);
    else if (wait_ms > 0 && now_ms > event_writers->flushed_ms)
        wait_ms -=
            now_ms - event_writers->flushed_ms < FLUSH_MS ? now_ms - event_writers->flushed_ms : 0;
    timer_start(&event_writers->flush_timer, event_writers->options.loop, wait_ms, on_flush);
}

/* Whether events may wait for the end of the run: asked for (EXIT), and the log has room for
 * more. */
static bool may_wait(const struct event_writer *event_writer)
{
    return event_writer->event_writers->options.durability == EVENT_WRITERS_EXIT &&
           event_writer->log != NULL && !event_log_is_closed(event_writer->log) &&
           event_log_bytes(event_writer->log) < MOST_WAITING_BYTES;
}

static void add_due(struct event_writer *event_writer)
{
    struct event_writers *event_writers = event_writer->event_writers;
    if (may_wait(event_writer))
        return;
    if (!list_is_linked(&event_writer->due_link))
        list_push(&event_writers->due, &event_writer->due_link);
    await_flush(event_writers);
}

static bool has_room(const struct event_writers *event_writers)
{
    return event_writers->left_bytes < MOST_LEFT_BYTES;
}

static void advance(struct event_writer *event_writer);

static struct loop *loop_of(const struct event_writer *event_writer)
{
    return event_writer->event_writers->options.loop;
}

static struct op_waiter waiter_of(struct event_writer *event_writer, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = event_writer};
}

/* ---- the end of an event writer ---- */

static void detach(struct event_writer *event_writer)
{
    if (event_writer->log != NULL) {
        event_log_detach(event_writer->log, &event_writer->reader);
        event_log_lose(event_writer->log); /* nothing is waited for any more */
    }
    event_writer->log = NULL;
}

static void drop_parcels(struct event_writer *event_writer)
{
    buf_fini(&event_writer->sending.bytes);
    buf_fini(&event_writer->next.bytes);
    event_writer->sending.count = event_writer->next.count = 0;
    event_writer->event_writers->left_bytes -= event_writer->left_bytes;
    event_writer->left_bytes = 0;
}

static void consider_free(struct event_writer *event_writer)
{
    if (event_writer->state != EVENT_WRITER_OVER || event_writer->asking != NULL ||
        event_writer->renewing != NULL || event_writer->is_written)
        return;
    drop_parcels(event_writer); /* the event writer may linger with its run */
    if (!event_writer->has_left)
        return;
    list_remove(&event_writer->link);
    arena_fini(&event_writer->arena);
    mem_free(event_writer);
}

static void end_event_writer(struct event_writer *event_writer)
{
    if (event_writer->state != EVENT_WRITER_OVER)
        set_state(event_writer, EVENT_WRITER_OVER);
    detach(event_writer);
    timer_stop(&event_writer->retry_timer);
    timer_stop(&event_writer->renew_timer);
    if (list_is_linked(&event_writer->due_link))
        list_remove(&event_writer->due_link);
    tell_idle(event_writer->event_writers);
    consider_free(event_writer);
}

static void give_up(struct event_writer *event_writer, const char *what, const struct err *err)
{
    if (event_writer->state != EVENT_WRITER_OVER)
        LOG(event_writer->event_writers->options.log, WARN, "run.not_kept",
            "run=%.*s what=%s code=%s text=\"%s\"", STR_ARG(event_writer->fence.run_id), what,
            err_name(err->code), err->text);
    end_event_writer(event_writer);
}

/* ---- taking events out of the log ---- */

enum store_status event_writers_status(const struct event *last)
{
    if (last->kind == EVENT_COMPLETE)
        return event_is_pause(last) ? STORE_PAUSED : STORE_COMPLETE;
    return str_equal(last->name, STR("cancelled")) ? STORE_CANCELLED : STORE_FAILED;
}

/* Encode new events, about limit bytes of them. False: the log has dropped some of them. */
static bool take_events(struct event_writer *event_writer, size_t limit)
{
    struct parcel *next = &event_writer->next;
    struct event event;
    enum err_code code = ERR_OK;
    while (buf_len(&next->bytes) < limit &&
           (code = event_log_after(event_writer->log, event_writer->taken, &event)) == ERR_OK) {
        if (next->count++ == 0) {
            next->first = event.id;
            event_bytes_begin(&next->bytes);
        }
        event_bytes_push(&next->bytes, &event);
        event_writer->taken = event.id;
        if (event_is_terminal(event.kind))
            event_writer->status = event_writers_status(&event);
    }
    return code != ERR_GONE && buf_ok(&next->bytes);
}

/* The log dropped events: the rest is not written; how the record ends is known when the run
 * leaves. */
static void leave_gap(struct event_writer *event_writer, const char *why)
{
    LOG(event_writer->event_writers->options.log, WARN, "run.not_kept",
        "run=%.*s what=events text=\"%s\"", STR_ARG(event_writer->fence.run_id), why);
    event_writer->has_gap = true;
    event_writer->next.count = 0;
    buf_fini(&event_writer->next.bytes);
    if (event_writer->log != NULL) {
        event_log_detach(event_writer->log, &event_writer->reader);
        event_log_lose(event_writer->log);
    }
}

static bool pack(struct event_writer *event_writer)
{
    if (event_writer->state != EVENT_WRITER_KEEPS)
        return false;
    if (event_writer->sending.count > 0) /* once more */
        return true;
    if (event_writer->log != NULL && !event_writer->has_gap &&
        !take_events(event_writer, FLUSH_BYTES))
        leave_gap(event_writer, "the events are no longer in memory");
    if (event_writer->next.count == 0) {
        advance(event_writer);
        return false;
    }
    struct parcel empty = event_writer->sending;
    event_writer->sending = event_writer->next;
    event_writer->next = empty;
    event_bytes_end(&event_writer->sending.bytes);
    return true;
}

static void on_grown(struct event_reader *reader)
{
    struct event_writer *event_writer = reader->owner;
    if (event_writer->state == EVENT_WRITER_KEEPS && !event_writer->is_written)
        add_due(event_writer);
}

/* ---- the run is another server's ---- */

/* Nothing more is written of the run; is_gone: its record is not there any more. */
static void leave_lost(struct event_writer *event_writer, bool is_gone)
{
    const struct err lost = {ERR_CONFLICT, "the run has ended or is another instance's"};
    if (!is_gone && event_writer->run_owner != NULL) /* before its log shows what is not stored */
        event_writer->event_writers->options.on_lost(event_writer->run_owner);
    give_up(event_writer, is_gone ? "record" : "lease", &lost);
}

static void on_found(struct op *op)
{
    struct event_writer *event_writer = op_owner(op);
    bool is_gone = op->err.code == ERR_NOT_FOUND;
    record_call_give(&event_writer->event_writers->calls, record_call_end(&event_writer->asking));
    if (event_writer->state == EVENT_WRITER_OVER)
        consider_free(event_writer);
    else
        leave_lost(event_writer, is_gone);
}

/* The store says that the run is not ours: it is another server's, or its record is gone. */
static void lose_record(struct event_writer *event_writer)
{
    event_writer->sending.count = 0;
    set_state(event_writer, EVENT_WRITER_FINISHES);
    timer_stop(&event_writer->retry_timer);
    if (!record_call_find(&event_writer->asking, &event_writer->event_writers->calls,
                          event_writer->fence.run_id, waiter_of(event_writer, on_found)))
        leave_lost(event_writer, false);
}

/* ---- the lease ---- */

static void stop_run(struct event_writer *event_writer, bool forget)
{
    if (event_writer->run_owner != NULL)
        event_writer->event_writers->options.on_stop(event_writer->run_owner, forget);
}

static void doubt_run(struct event_writer *event_writer, bool doubts)
{
    if (event_writer->run_owner != NULL && event_writer->event_writers->options.on_doubt != NULL)
        event_writer->event_writers->options.on_doubt(event_writer->run_owner, doubts);
}

static timer_fn on_renew_due;

static void await_renewal(struct event_writer *event_writer)
{
    const struct event_writers_options *o = &event_writer->event_writers->options;
    event_writer->renew_at_ms = loop_now_ms(o->loop) + o->lease_ms / RENEWALS;
    timer_start(&event_writer->renew_timer, o->loop, o->lease_ms / RENEWALS, on_renew_due);
}

static void on_renewed(struct op *op)
{
    struct event_writer *event_writer = op_owner(op);
    struct record_call *asking = record_call_end(&event_writer->renewing);
    bool cancel = op->err.code == ERR_OK && asking->call.runs[0].cancel_asked;
    bool forget = cancel && asking->call.runs[0].forget_asked;
    bool lost = op->err.code == ERR_CONFLICT;
    record_call_give(&event_writer->event_writers->calls, asking);
    if (event_writer->state == EVENT_WRITER_OVER) {
        consider_free(event_writer);
        return;
    }
    if (!lost)
        doubt_run(event_writer, false);
    if (lost && event_writer->state == EVENT_WRITER_KEEPS &&
        event_writer->status == STORE_RUNNING && !event_writer->is_written) {
        lose_record(event_writer);
        return;
    }
    await_renewal(event_writer);
    if (cancel && event_writer->status == STORE_RUNNING)
        stop_run(event_writer, forget);
}

/* A renewal that is so late means that the process slept: the lease may be over, and the run
 * another server's. */
static void on_renew_due(struct timer *timer)
{
    struct event_writer *event_writer = container_of(timer, struct event_writer, renew_timer);
    const struct event_writers_options *o = &event_writer->event_writers->options;
    bool is_late = loop_now_ms(o->loop) > event_writer->renew_at_ms + o->lease_ms / RENEWALS;
    if (is_late)
        doubt_run(event_writer, true);
    const struct store_renew ask = {event_writer->fence, o->lease_ms, !is_late};
    if (!record_call_renew(&event_writer->renewing, &event_writer->event_writers->calls, &ask,
                           waiter_of(event_writer, on_renewed)))
        await_renewal(event_writer);
}

/* ---- after a write ---- */

static void take_verdict(struct event_writer *event_writer, const struct store_verdict *verdict)
{
    struct parcel *sent = &event_writer->sending;
    if (event_writer->state == EVENT_WRITER_OVER) {
        consider_free(event_writer);
        return;
    }
    if (!verdict->is_kept) {
        lose_record(event_writer);
        return;
    }
    if (event_writer->log != NULL && !event_writer->has_gap)
        event_log_advance(event_writer->log, &event_writer->reader, sent->first + sent->count - 1);
    if (event_writer->log != NULL)
        event_log_note_stored(event_writer->log, sent->first + sent->count - 1);
    sent->count = 0;
    buf_clear(&sent->bytes);
    if (verdict->cancel_asked && event_writer->status == STORE_RUNNING)
        stop_run(event_writer, verdict->forget_asked);
    advance(event_writer);
}

static void refuse_sent(struct event_writer *event_writer, const struct err *err)
{
    event_writer->sending.count = 0;
    buf_clear(&event_writer->sending.bytes);
    if (event_writer->state == EVENT_WRITER_OVER) {
        consider_free(event_writer);
        return;
    }
    if (!event_writer->has_gap)
        leave_gap(event_writer, err->text);
    advance(event_writer);
}

/* ---- the end of the record ---- */

static void on_retry_end(struct timer *timer);

static void pause_before(struct event_writer *event_writer, timer_fn *on_retry)
{
    timer_start(&event_writer->retry_timer, loop_of(event_writer),
                event_writers_pause_ms(++event_writer->failures), on_retry);
}

static void on_finished(struct op *op)
{
    struct event_writer *event_writer = op_owner(op);
    struct err err = op->err;
    record_call_give(&event_writer->event_writers->calls, record_call_end(&event_writer->asking));
    if (event_writer->state == EVENT_WRITER_OVER)
        consider_free(event_writer);
    else if (err.code == ERR_OK)
        end_event_writer(event_writer);
    else if (event_writers_may_pass(err.code))
        pause_before(event_writer, on_retry_end);
    else
        give_up(event_writer, "end", &err);
}

/* Finish the record once what its conversation keeps is stored, so that the next run there finds
 * it; or when that takes too long, so that the next run does not wait for ever. The time in which
 * nothing could be stored does not count. */
static void finish_record(struct event_writer *event_writer)
{
    const struct event_writers_options *o = &event_writer->event_writers->options;
    if (o->may_end != NULL && event_writer->polls < MOST_END_POLLS &&
        !o->may_end(o->owner, &event_writer->begin.run)) {
        event_writer->polls += !store_failed_lately(o->store, STORE_AWAY_MS);
        timer_start(&event_writer->retry_timer, o->loop,
                    (uint64_t)END_POLL_MS << size_min(event_writer->polls, SLOWEST_END_POLL),
                    on_retry_end);
        return;
    }
    const struct store_finish ask = {event_writer->fence, event_writer->status};
    if (!record_call_finish(&event_writer->asking, &event_writer->event_writers->calls, &ask,
                            waiter_of(event_writer, on_finished)))
        pause_before(event_writer, on_retry_end);
}

static void on_retry_end(struct timer *timer)
{
    finish_record(container_of(timer, struct event_writer, retry_timer));
}

/* Go on after events were written or taken: with those that are left, or with the end. */
static void advance(struct event_writer *event_writer)
{
    if (event_writer->state != EVENT_WRITER_KEEPS || event_writer->sending.count > 0)
        return;
    bool has_more = event_writer->next.count > 0 ||
                    (event_writer->log != NULL && !event_writer->has_gap &&
                     event_writer->taken < event_log_last_id(event_writer->log));
    if (has_more) {
        add_due(event_writer);
    } else if (event_writer->status !=
               STORE_RUNNING) { /* its log is closed, and all of it is there */
        set_state(event_writer, EVENT_WRITER_FINISHES);
        event_writer->failures = 0;
        detach(event_writer);
        finish_record(event_writer);
    }
}

/* ---- the beginning ---- */

static op_fn on_begun;
static timer_fn on_retry_begin;

static void begin_record(struct event_writer *event_writer)
{
    if (!record_call_begin(&event_writer->asking, &event_writer->event_writers->calls,
                           &event_writer->begin, event_writer->resume,
                           waiter_of(event_writer, on_begun)))
        pause_before(event_writer, on_retry_begin);
}

static void on_retry_begin(struct timer *timer)
{
    begin_record(container_of(timer, struct event_writer, retry_timer));
}

void event_writer_retry(struct event_writer *event_writer, uint64_t ms, enum event_writer_retry how)
{
    if (how == EVENT_WRITER_BESIDE)
        event_writer->begin.alone = false;
    if (how == EVENT_WRITER_WITHOUT_KEY)
        event_writer->begin.run.idempotency_key = STR("");
    if (event_writer->state == EVENT_WRITER_BEGINS && event_writer->asking == NULL)
        timer_start(&event_writer->retry_timer, loop_of(event_writer), ms, on_retry_begin);
}

/* Tell the owner of the run, which may leave in this call; after a conflict the owner is told
 * again, else once. */
static void tell_begun(struct event_writer *event_writer, enum err_code code,
                       const struct store_run *rival)
{
    void (*on_begun_hook)(void *, enum err_code, const struct store_run *) = event_writer->on_begun;
    if (code != ERR_CONFLICT)
        event_writer->on_begun = NULL;
    if (on_begun_hook != NULL && event_writer->run_owner != NULL)
        on_begun_hook(event_writer->run_owner, code, rival);
}

static void judge_begun(struct event_writer *event_writer, const struct store_call *call,
                        const struct err *err)
{
    struct event_writers *event_writers = event_writer->event_writers;
    bool has_rival = err->code == ERR_CONFLICT && call->run_count > 0;
    if (event_writer->state == EVENT_WRITER_OVER) {
        consider_free(event_writer);
    } else if (err->code == ERR_OK) {
        event_writers->failures = 0;
        set_state(event_writer, EVENT_WRITER_KEEPS);
        event_writer->version = call->version;
        event_writer->knows_version = call->knows_version;
        await_renewal(event_writer);
        advance(event_writer);
        tell_begun(event_writer, ERR_OK, NULL);
    } else if (has_rival && event_writer->on_begun != NULL && event_writer->run_owner != NULL) {
        tell_begun(event_writer, ERR_CONFLICT, call->runs);
    } else if (has_rival && !str_is_empty(event_writer->begin.run.idempotency_key)) {
        /* the run goes on already; its key began another while the store could not be used */
        event_writer_retry(event_writer, 0, EVENT_WRITER_WITHOUT_KEY);
    } else if (event_writers_may_pass(err->code) && event_writer->resume == NULL) {
        if (event_writers->failures++ == 0)
            LOG(event_writers->options.log, WARN, "store.lost", "code=%s text=\"%s\"",
                err_name(err->code), err->text);
        event_writer->begin.alone = false; /* the run goes on, whatever others do */
        pause_before(event_writer, on_retry_begin);
        tell_begun(event_writer, err->code, NULL);
    } else {
        void (*hook)(void *, enum err_code, const struct store_run *) = event_writer->on_begun;
        void *owner = event_writer->run_owner;
        event_writer->on_begun = NULL;
        give_up(event_writer, "begin", err);
        if (hook != NULL && owner != NULL)
            hook(owner, err->code == ERR_CONFLICT ? ERR_UNAVAILABLE : err->code, NULL);
    }
}

static void on_begun(struct op *op)
{
    struct event_writer *event_writer = op_owner(op);
    struct event_writers *event_writers = event_writer->event_writers;
    struct record_call *asking = record_call_end(&event_writer->asking);
    judge_begun(event_writer, &asking->call, &op->err);
    record_call_give(&event_writers->calls, asking);
}

static bool fill(struct event_writer *event_writer, struct run *run,
                 const struct event_writer_options *options)
{
    const struct event_writers_options *o = &event_writer->event_writers->options;
    struct arena *arena = &event_writer->arena;
    event_writer->fence = (struct store_fence){arena_str(arena, str_of(run_id(run))), o->instance,
                                               options->epoch == 0 ? 1 : options->epoch};
    event_writer->begin.lease_ms = o->lease_ms;
    event_writer->begin.alone = options->alone;
    event_writer->begin.run = (struct store_run){
        .key = identity_copy(arena, &options->key),
        .run_id = event_writer->fence.run_id,
        .graph = str_of(graph_def(run_graph(run))->name),
        .input = arena_str(arena, options->input),
        .idempotency_key = arena_str(arena, options->idempotency_key),
        .instance = o->instance,
    };
    if (str_is_empty(options->paused_id))
        return arena_ok(arena);
    event_writer->resume = arena_alloc(arena, sizeof *event_writer->resume);
    if (event_writer->resume == NULL)
        return false;
    *event_writer->resume = (struct store_resume){
        .paused_id = arena_str(arena, options->paused_id),
        .checkpoint = {.step = options->checkpoint.step,
                       .bytes = arena_str(arena, options->checkpoint.bytes)},
    };
    return arena_ok(arena);
}

bool event_writer_knows_version(const struct event_writer *event_writer, uint64_t *version)
{
    *version = event_writer->version;
    return event_writer->knows_version;
}

struct event_writer *event_writer_begin(struct event_writers *event_writers, struct run *run,
                                        const struct event_writer_options *options)
{
    struct event_writer *event_writer = mem_zalloc(1, sizeof *event_writer);
    if (event_writer == NULL)
        return NULL;
    event_writer->event_writers = event_writers;
    event_writer->run_owner = run_owner(run);
    event_writer->on_begun = options->on_begun;
    event_writer->status = STORE_RUNNING;
    event_writer->state = options->epoch == 0 ? EVENT_WRITER_BEGINS : EVENT_WRITER_KEEPS;
    arena_init(&event_writer->arena,
               NAMES_BYTES + options->input.len + options->checkpoint.bytes.len);
    buf_init(&event_writer->sending.bytes, BATCH_BYTES);
    buf_init(&event_writer->next.bytes, BATCH_BYTES);
    if (!fill(event_writer, run, options)) {
        arena_fini(&event_writer->arena);
        mem_free(event_writer);
        return NULL;
    }
    list_push(&event_writers->event_writers, &event_writer->link);
    event_writers->busy_count++;
    event_writer->log = run_log(run);
    event_writer->reader = (struct event_reader){.on_grown = on_grown, .owner = event_writer};
    event_writer->taken = options->stored_id;
    CHECK(event_log_attach(event_writer->log, &event_writer->reader, event_writer->taken) ==
          ERR_OK);
    event_log_keep(event_writer->log);
    event_log_note_stored(event_writer->log, event_writer->taken);
    if (options->epoch == 0)
        begin_record(event_writer);
    else
        await_renewal(event_writer);
    return event_writer;
}

/* ---- the run leaves ---- */

/* Put the rest of the log into the next parcel; how the run ended is known. */
static void take_rest(struct event_writer *event_writer)
{
    struct event last;
    uint64_t last_id = event_log_last_id(event_writer->log);
    if (!event_writer->has_gap && !take_events(event_writer, BATCH_BYTES))
        leave_gap(event_writer, "the last events are no longer in memory");
    if (event_writer->has_gap && last_id > 0 &&
        event_log_after(event_writer->log, last_id - 1, &last) == ERR_OK &&
        event_is_terminal(last.kind))
        event_writer->status = event_writers_status(&last);
    if (event_writer->status == STORE_RUNNING) /* the run never began */
        event_writer->status = STORE_CANCELLED;
    detach(event_writer);
    event_writer->left_bytes = sizeof *event_writer + buf_len(&event_writer->sending.bytes) +
                               buf_len(&event_writer->next.bytes);
    event_writer->event_writers->left_bytes += event_writer->left_bytes;
}

void event_writer_leave(struct event_writer *event_writer)
{
    const struct err full = {ERR_NO_MEMORY, "too much waits for the store"};
    if (event_writer == NULL)
        return;
    event_writer->has_left = true;
    event_writer->run_owner = NULL;
    if (event_writer->state == EVENT_WRITER_BEGINS && event_writer->on_begun != NULL &&
        event_writer->asking == NULL) {
        end_event_writer(
            event_writer); /* the event writer rests after a conflict: there is no record */
        return;
    }
    if (event_writer->log != NULL && event_writer->state != EVENT_WRITER_OVER) {
        take_rest(event_writer);
        if (!has_room(event_writer->event_writers)) {
            give_up(event_writer, "events", &full);
            return;
        }
        if (!event_writer->is_written)
            advance(event_writer);
    }
    consider_free(event_writer);
}

/* ---- writing ---- */

static void judge(struct event_writers *event_writers, const struct store_verdict *verdicts,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) { /* none of them is freed before its turn */
        event_writers->writers[i]->is_written = false;
        take_verdict(event_writers->writers[i], &verdicts[i]);
    }
}

/* The write failed: its event writers stay due, except one whose parcel was refused alone. */
static void fail(struct event_writers *event_writers, const struct err *err)
{
    size_t count = event_writers->write.count;
    bool may_pass = event_writers_may_pass(err->code);
    for (size_t i = 0; i < count; i++) {
        struct event_writer *event_writer = event_writers->writers[i];
        event_writer->is_written = false;
        if (err->code == ERR_CANCELLED)
            give_up(event_writer, "events", err);
        else if (!may_pass && count == 1)
            refuse_sent(event_writer, err);
        else if (event_writer->state == EVENT_WRITER_OVER)
            consider_free(event_writer);
        else
            add_due(event_writer);
    }
    event_writers->one_by_one = !may_pass && count > 1;
    if (!may_pass)
        return;
    if (event_writers->failures++ == 0)
        LOG(event_writers->options.log, WARN, "store.lost", "code=%s text=\"%s\"",
            err_name(err->code), err->text);
    timer_stop(&event_writers->flush_timer); /* it was set before the pause was known */
}

static void on_written(struct op *op)
{
    struct event_writers *event_writers = op_owner(op);
    const struct store_call *call = &event_writers->write_call;
    struct err err = op->err;
    if (err.code == ERR_OK && call->verdict_count != event_writers->write.count)
        err_set(&err, ERR_PROTOCOL, "the store judged %zu of %zu", call->verdict_count,
                event_writers->write.count);
    if (err.code == ERR_OK && event_writers->failures > 0)
        LOG(event_writers->options.log, INFO, "store.found", "failures=%u",
            event_writers->failures);
    if (err.code == ERR_OK)
        event_writers->failures = 0;
    if (err.code == ERR_OK)
        judge(event_writers, call->verdicts, call->verdict_count);
    else
        fail(event_writers, &err);
    op_release(op);
    await_flush(event_writers);
    if (list_is_empty(&event_writers->due)) /* this write may have been the last thing waited for */
        tell_idle(event_writers);
}

static void on_flush(struct timer *timer)
{
    struct event_writers *event_writers = container_of(timer, struct event_writers, flush_timer);
    size_t count = 0, bytes = 0, most = event_writers->one_by_one ? 1 : MOST_RUNS;
    LIST_EACH_SAFE(link, &event_writers->due) {
        struct event_writer *event_writer = list_item(link, struct event_writer, due_link);
        if (count == most || bytes >= MOST_BYTES)
            break;
        list_remove(link);
        if (!pack(event_writer))
            continue;
        const struct parcel *parcel = &event_writer->sending;
        event_writer->is_written = true;
        event_writers->writers[count] = event_writer;
        event_writers->appends[count++] = (struct store_append){
            event_writer->fence, {parcel->first, parcel->count, buf_str(&parcel->bytes)}};
        bytes += buf_len(&parcel->bytes);
    }
    event_writers->flushed_ms = loop_now_ms(event_writers->options.loop);
    if (list_is_empty(&event_writers->due))
        event_writers->one_by_one = false;
    if (count == 0)
        return;
    event_writers->write = (struct store_write){event_writers->appends, count};
    store_write_start(&event_writers->write_call, event_writers->options.store,
                      &event_writers->write,
                      (struct op_waiter){.done = on_written, .owner = event_writers});
}

/* ---- life ---- */

struct event_writers *event_writers_create(const struct event_writers_options *options)
{
    struct event_writers *event_writers = mem_zalloc(1, sizeof *event_writers);
    if (event_writers == NULL)
        return NULL;
    event_writers->options = *options;
    list_init(&event_writers->event_writers);
    list_init(&event_writers->due);
    event_writers->appends = mem_zalloc(MOST_RUNS, sizeof *event_writers->appends);
    event_writers->writers = mem_zalloc(MOST_RUNS, sizeof(struct event_writer *));
    if (record_calls_init(&event_writers->calls, options->store) &&
        event_writers->appends != NULL && event_writers->writers != NULL)
        return event_writers;
    event_writers_destroy(event_writers);
    return NULL;
}

void event_writers_destroy(struct event_writers *event_writers)
{
    if (event_writers == NULL)
        return;
    CHECK(list_is_empty(&event_writers->event_writers) &&
          !op_is_pending(&event_writers->write_call.op));
    timer_stop(&event_writers->flush_timer);
    loop_unpost(&event_writers->idle_task);
    record_calls_fini(&event_writers->calls);
    mem_free(event_writers->appends);
    mem_free(event_writers->writers);
    mem_free(event_writers);
}

size_t event_writers_count(const struct event_writers *event_writers)
{
    return event_writers->busy_count + op_is_pending(&event_writers->write_call.op);
}

void event_writers_abandon(struct event_writers *event_writers)
{
    const struct err stopping = {ERR_CANCELLED, "the server stops before the store can be used"};
    op_cancel(&event_writers->write_call.op);
    LIST_EACH_SAFE(link, &event_writers->event_writers) {
        struct event_writer *event_writer = list_item(link, struct event_writer, link);
        if (event_writer->state != EVENT_WRITER_OVER)
            give_up(event_writer, "stop", &stopping);
    }
}

bool event_writers_is_lost(const struct event_writers *event_writers)
{
    return event_writers->failures > 0;
}

struct store *event_writers_store(const struct event_writers *event_writers)
{
    return event_writers->options.store;
}

bool event_writers_is_ours(const struct event_writers *event_writers, struct str instance)
{
    return str_equal(event_writers->options.instance, instance);
}
