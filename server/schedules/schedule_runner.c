/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_runner.c - take, decide, begin, put back.
 *
 * Happy path: a schedule that is due is taken; its result's delivery is put into the store; its
 * conversation is opened and its run submitted; once the run's record is in the store, the schedule
 * is put back with its next time and a note of the run.
 * Failure paths:
 * - this server dies: the lease ends, another one takes the schedule, and finds the run by its key;
 * - no place, the conversation is busy, the store fails: again after AGAIN_MS while the grace
 * lasts;
 * - the graph is gone, or refuses the question: a note says so, and the next time comes;
 * - the schedule was changed meanwhile: the change is read, and what this turn brings is put on
 * top;
 * - nothing can be put back: the lease ends, and the same time is dealt with again, by its key. */
#include "server/schedules/schedule_runner.h"

#include <inttypes.h>

#include "core/loop/turns.h"
#include "server/schedules/delivery.h"
#include "server/schedules/schedule_after.h"
#include "server/schedules/schedule_secrets.h"

enum {
    IDLE_MS = 1000, /* between the looks of a process, whose workers take turns */
    LEASE_MS = 60000,
    AGAIN_MS = 5000,
    MOST_TRIES = 5, /* of putting it back */
    ARENA_BYTES = 16 * 1024 * 1024,
};

static timer_fn on_time;
static void put_back(struct schedule_runner *runner);

/* ---- the turn's frame ---- */

static struct op_waiter waiter_of(struct schedule_runner *runner, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = runner};
}

/* Until it is this worker's turn to look for what is due. */
static uint64_t idle_ms(const struct schedule_runner *runner)
{
    const struct shard *shard = runner->shard;
    return turns_until_ms(loop_now_ms(shard->loop), IDLE_MS, shard->index, shard->group->count);
}

static void rest(struct schedule_runner *runner, uint64_t ms)
{
    op_release(&runner->taken.op);
    op_release(&runner->call.op);
    op_release(&runner->opening.op);
    op_release(&runner->clock.work.op);
    arena_fini(&runner->arena);
    buf_fini(&runner->bytes);
    if (!runner->is_stopped)
        timer_start(&runner->timer, runner->shard->loop, ms, on_time);
}

/* Whether the turn ends here: the runner was stopped, or op failed, and not by expected. Its lease
 * brings the schedule back. */
static bool gives_up(struct schedule_runner *runner, const struct op *op, enum err_code expected)
{
    bool is_fine = op->err.code == ERR_OK || op->err.code == expected;
    if (is_fine && !runner->is_stopped)
        return false;
    if (!is_fine && op->err.code != ERR_CANCELLED)
        LOG(runner->shard->log, WARN, "schedule.waits", "schedule=%.*s code=%s text=\"%s\"",
            STR_ARG(runner->job_id), err_name(op->err.code), op->err.text);
    rest(runner, idle_ms(runner));
    return true;
}

static void note(struct schedule_runner *runner, const char *what, struct str run_id,
                 const char *text)
{
    struct schedule_outcome *outcome = &runner->outcome;
    outcome->has_note = true;
    outcome->note = (struct schedule_note){
        .what = str_of(what),
        .run_id = arena_str(&runner->arena, run_id),
        .text = arena_str(&runner->arena, str_of(text)),
        .conversation_id = run_id.len > 0 ? runner->caller.conversation_id : STR(""),
        .due_ms = outcome->was_asked    ? runner->schedule.asked_ms
                  : outcome->due_ms > 0 ? outcome->due_ms
                                        : runner->now_ms,
        .at_ms = runner->now_ms,
    };
    LOG(runner->shard->log, INFO, "schedule.turn", "schedule=%.*s what=%s run=%.*s text=\"%s\"",
        STR_ARG(runner->job_id), what, STR_ARG(run_id), text);
    shard_count(runner->shard,
                str_equal(str_of(what), STR("begun"))    ? METER_SCHEDULES_BEGUN
                : str_equal(str_of(what), STR("missed")) ? METER_SCHEDULES_MISSED
                                                         : METER_SCHEDULES_REFUSED,
                1);
}

/* ---- putting it back ---- */

static void apply(const struct schedule_outcome *outcome, struct schedule *schedule)
{
    if (outcome->has_note)
        schedule_note(schedule, &outcome->note);
    if (outcome->was_asked)
        schedule->asked_ms = 0;
    if (outcome->due_ms > 0 && schedule->due_ms == outcome->due_ms)
        schedule->due_ms = outcome->next_ms;
    if (outcome->seen_ms > 0) {
        schedule->seen_ms = outcome->seen_ms;
        schedule->seen_id = outcome->seen_id;
    }
}

static void on_reloaded(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    struct err err = {0};
    if (gives_up(runner, op, ERR_OK))
        return;
    if (runner->call.job_count == 0) { /* it was removed */
        rest(runner, 0);
        return;
    }
    struct store_job job = runner->call.jobs[0];
    job.key = identity_copy(&runner->arena, &job.key);
    job.bytes = arena_str(&runner->arena, job.bytes);
    runner->version = job.version;
    op_release(op);
    if (str_is_absent(job.bytes) ||
        schedule_read(&job, &runner->arena, &runner->schedule, &err) != ERR_OK) {
        rest(runner, idle_ms(runner));
        return;
    }
    put_back(runner);
}

static void on_put(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    bool is_changed = op->err.code == ERR_CONFLICT && runner->tries++ < MOST_TRIES;
    if (gives_up(runner, op, is_changed ? ERR_CONFLICT : ERR_NOT_FOUND))
        return;
    if (is_changed) {
        op_release(op);
        runner->reload = (struct store_jobs){.kind = STR(SCHEDULE_KIND), .job_id = runner->job_id};
        store_jobs_start(&runner->call, runner->store, &runner->reload,
                         waiter_of(runner, on_reloaded));
    } else {
        rest(runner, 0);
    }
}

static void put_back(struct schedule_runner *runner)
{
    struct schedule *schedule = &runner->schedule;
    struct json_write json;
    apply(&runner->outcome, schedule);
    (void)!schedule_secrets_seal(runner->shard->group->config, runner->job_id, schedule,
                                 &runner->arena); /* else they stay sealed as they are */
    buf_fini(&runner->bytes);
    buf_init(&runner->bytes, SCHEDULE_BYTES);
    json_write_init(&json, &runner->bytes);
    json_write_object(&json);
    schedule_write(schedule, false, &json);
    json_write_object_end(&json);
    if (!buf_ok(&runner->bytes) || !arena_ok(&runner->arena)) {
        rest(runner, idle_ms(runner));
        return;
    }
    uint64_t again_ms = runner->outcome.again_ms;
    runner->put = (struct store_put){
        .job = {.key = {.conversation_id = schedule->caller.conversation_id,
                        .company_id = schedule->caller.company_id,
                        .user_id = schedule->caller.user_id},
                .kind = STR(SCHEDULE_KIND),
                .job_id = runner->job_id,
                .due_ms = again_ms > 0 ? again_ms : schedule_job_due(schedule, runner->now_ms),
                .bytes = buf_str(&runner->bytes)},
        .expected_version = runner->version,
    };
    store_put_start(&runner->call, runner->store, &runner->put, waiter_of(runner, on_put));
}

static void on_clock(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    if (gives_up(runner, op, ERR_INVALID))
        return;
    if (op->err.code == ERR_INVALID) /* its zone is not on this machine */
        note(runner, "refused", STR(""), op->err.text);
    runner->outcome.next_ms = runner->clock.next_ms;
    put_back(runner);
}

/* The time that was due is dealt with: find the next one, and put the schedule back. */
static void advance(struct schedule_runner *runner)
{
    const struct schedule *schedule = &runner->schedule;
    op_release(&runner->call.op);
    if (runner->outcome.due_ms == 0) {
        put_back(runner);
        return;
    }
    runner->clock.cron = schedule->cron;
    runner->clock.zone = schedule->zone;
    runner->clock.after_ms = runner->now_ms > schedule->due_ms ? runner->now_ms : schedule->due_ms;
    schedule_clock_start(&runner->clock, runner->shard->loop, waiter_of(runner, on_clock));
}

/* ---- the run ---- */

static void try_later(struct schedule_runner *runner)
{
    struct schedule_outcome *outcome = &runner->outcome;
    *outcome = (struct schedule_outcome){.again_ms = runner->now_ms + AGAIN_MS};
    op_release(&runner->call.op);
    put_back(runner);
}

static void on_refused(struct schedule_runner *runner, const struct err *err)
{
    bool passes = err->code == ERR_BUSY || err->code == ERR_UNAVAILABLE ||
                  err->code == ERR_CONFLICT || err->code == ERR_NO_MEMORY ||
                  err->code == ERR_TIMEOUT;
    LOG(runner->shard->log, WARN, "schedule.refused", "schedule=%.*s code=%s text=\"%s\"",
        STR_ARG(runner->job_id), err_name(err->code), err->text);
    if (passes) {
        try_later(runner);
        return;
    }
    note(runner, "refused", STR(""), err->text);
    advance(runner);
}

static void on_begun(struct schedule_runner *runner, struct str run_id)
{
    note(runner, "begun", run_id, "");
    advance(runner);
}

static void on_claimed(struct runs_watch *watch, const struct err *err,
                       const struct store_run *rival)
{
    struct schedule_runner *runner = watch->owner;
    struct str id = {NULL, 0};
    if (rival != NULL) /* the server that took the time before this one began it */
        id = arena_str(&runner->arena, rival->run_id);
    else if (err->code == ERR_OK)
        id = arena_str(&runner->arena, str_of(run_id(runs_run(watch->entry))));
    runs_detach(watch);
    if (runner->is_stopped)
        rest(runner, 0);
    else if (id.len > 0)
        on_begun(runner, id);
    else
        on_refused(runner, err);
}

static void submit(struct schedule_runner *runner)
{
    const struct schedule *schedule = &runner->schedule;
    const struct registry *registry = runner->shard->group->registry;
    int place = registry_find(registry, schedule->graph);
    struct runs_entry *entry;
    struct err err = {0};
    if (place < 0) {
        err_set(&err, ERR_NOT_FOUND, "there is no graph '%.*s'", STR_ARG(schedule->graph));
        on_refused(runner, &err);
        return;
    }
    const struct runs_request request = {
        .graph = registry_graph(registry, (size_t)place),
        .entry = registry_entry(registry, (size_t)place),
        .pin = runner->shard->pin,
        .multitask = RUNS_REJECT,
        .caller = runner->caller,
        .message = schedule->message,
        .idempotency_key = runner->key,
        .outlives_readers = true,
        .needs_record = true,
    };
    entry = runs_find_key(runner->shard->runs, &request);
    if (entry == NULL && (runner->shard->pin == NULL || runner->shard->draining))
        err_set(&err, ERR_UNAVAILABLE, "this server is starting or stopping");
    else if (entry == NULL && runs_submit(runner->shard->runs, &request, &entry, &err) != ERR_OK)
        entry = NULL;
    if (entry == NULL) {
        on_refused(runner, &err);
    } else if (runs_is_claiming(entry)) {
        runner->watch = (struct runs_watch){.on_claimed = on_claimed, .owner = runner};
        runs_attach(entry, &runner->watch);
    } else {
        on_begun(runner, str_of(run_id(runs_run(entry))));
    }
}

static void on_opened(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    if (!gives_up(runner, op, ERR_OK))
        submit(runner);
}

static void open_conversation(struct schedule_runner *runner)
{
    op_release(&runner->call.op);
    if (runner->caller.conversation_id.len == 0)
        submit(runner);
    else
        conversations_open_start(&runner->opening, runner->shard->conversations, &runner->caller,
                                 waiter_of(runner, on_opened));
}

static void on_delivery(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    if (!gives_up(runner, op, ERR_CONFLICT)) /* it is there: from who took the time before */
        open_conversation(runner);
}

/* Begin the run whose key is ID, mark and what: what it comes at or after. */
static void begin(struct schedule_runner *runner, char mark, struct str what)
{
    const struct schedule *schedule = &runner->schedule;
    runner->key =
        arena_printf(&runner->arena, "%.*s%c%.*s", STR_ARG(runner->job_id), mark, STR_ARG(what));
    if (schedule->caller.conversation_id.len == 0 && schedule->keeps)
        runner->caller.conversation_id = runner->key;
    op_release(&runner->call.op);
    if (!arena_ok(&runner->arena)) {
        rest(runner, idle_ms(runner)); /* without its key the run might begin twice */
        return;
    }
    if (schedule->webhook.len == 0 || schedule->is_webhook_off) {
        open_conversation(runner);
        return;
    }
    const struct delivery delivery = {.key = runner->caller,
                                      .run_key = runner->key,
                                      .schedule_id = runner->job_id,
                                      .url = schedule->webhook};
    buf_fini(&runner->bytes);
    buf_init(&runner->bytes, SCHEDULE_BYTES);
    if (!delivery_write(&delivery, runner->key, runner->now_ms, &runner->bytes, &runner->put))
        try_later(runner);
    else
        store_put_start(&runner->call, runner->store, &runner->put, waiter_of(runner, on_delivery));
}

/* ---- deciding ---- */

static bool is_late(const struct schedule_runner *runner, uint64_t due_ms)
{
    return due_ms + runner->schedule.grace_ms < runner->now_ms;
}

/* A time of the clock, or one that somebody asked for. */
static void decide_time(struct schedule_runner *runner, uint64_t due_ms)
{
    if (is_late(runner, due_ms)) {
        note(runner, "missed", STR(""), "it could not begin before its grace was over");
        advance(runner);
        return;
    }
    begin(runner, SCHEDULE_TIME, arena_printf(&runner->arena, "%" PRIu64, due_ms));
}

static void on_event_read(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    if (gives_up(runner, op, ERR_NOT_FOUND))
        return;
    if (schedule_after_has_code(&runner->call, runner->schedule.after_code))
        begin(runner, SCHEDULE_RUN, runner->outcome.seen_id);
    else
        put_back(runner);
}

/* Behind the runs that were looked at; again at once when there may be more. */
static void on_ended(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    struct schedule_outcome *outcome = &runner->outcome;
    const struct store_call *call = &runner->call;
    if (gives_up(runner, op, ERR_OK))
        return;
    size_t place = schedule_after_find(&runner->schedule, call);
    bool is_found = place < call->run_count;
    uint64_t last_id = is_found ? call->runs[place].last_event_id : 0;
    if (call->run_count > 0) {
        const struct store_run *seen = &call->runs[is_found ? place : place - 1];
        outcome->seen_ms = seen->changed_ms;
        outcome->seen_id = arena_str(&runner->arena, seen->run_id);
    }
    if (call->run_count == SCHEDULE_AFTER_RUNS || place + 1 < call->run_count)
        outcome->again_ms = runner->now_ms;
    op_release(op);
    if (!is_found) {
        put_back(runner);
    } else if (is_late(runner, outcome->seen_ms)) {
        note(runner, "missed", STR(""), "the run it comes after ended before its grace");
        put_back(runner);
    } else if (runner->schedule.after_code.len == 0) {
        begin(runner, SCHEDULE_RUN, outcome->seen_id);
    } else {
        runner->last_event = (struct store_read){.run_id = outcome->seen_id,
                                                 .after_id = last_id > 0 ? last_id - 1 : 0,
                                                 .limit_bytes = SCHEDULE_BYTES};
        store_read_start(&runner->call, runner->store, &runner->last_event,
                         waiter_of(runner, on_event_read));
    }
}

static void decide(struct schedule_runner *runner)
{
    const struct schedule *schedule = &runner->schedule;
    struct schedule_outcome *outcome = &runner->outcome;
    uint64_t job_due_ms = schedule_job_due(schedule, runner->now_ms);
    if (schedule->asked_ms > 0) {
        outcome->was_asked = true;
        decide_time(runner, schedule->asked_ms);
    } else if (job_due_ms > 0 && schedule_is_after(schedule)) {
        runner->ended = (struct store_ended){.key = identity_user(&schedule->caller),
                                             .after_ms = schedule->seen_ms,
                                             .after_id = schedule->seen_id,
                                             .limit = SCHEDULE_AFTER_RUNS};
        store_ended_start(&runner->call, runner->store, &runner->ended,
                          waiter_of(runner, on_ended));
    } else if (job_due_ms > 0 && job_due_ms <= runner->now_ms) {
        outcome->due_ms = schedule->due_ms;
        decide_time(runner, schedule->due_ms);
    } else {
        put_back(runner); /* it was changed, or is over */
    }
}

static void on_taken(struct op *op)
{
    struct schedule_runner *runner = op_owner(op);
    struct err err = {0};
    if (gives_up(runner, op, ERR_NOT_FOUND))
        return;
    if (runner->taken.job_count == 0) {
        rest(runner, idle_ms(runner));
        return;
    }
    const struct store_job *job = runner->taken.jobs;
    runner->outcome = (struct schedule_outcome){0};
    runner->tries = 0;
    runner->job_id = job->job_id;
    runner->version = job->version;
    runner->now_ms = job->changed_ms;
    if (schedule_read(job, &runner->arena, &runner->schedule, &err) != ERR_OK) {
        LOG(runner->shard->log, ERROR, "schedule.strange", "schedule=%.*s text=\"%s\"",
            STR_ARG(job->job_id), err.text);
        rest(runner, idle_ms(runner));
        return;
    }
    runner->caller = runner->schedule.caller;
    decide(runner);
}

static void on_time(struct timer *timer)
{
    struct schedule_runner *runner = container_of(timer, struct schedule_runner, timer);
    if (runner->shard->pin == NULL || runner->shard->draining) {
        timer_start(timer, runner->shard->loop, IDLE_MS, on_time);
        return;
    }
    arena_init(&runner->arena, ARENA_BYTES);
    buf_init(&runner->bytes, SCHEDULE_BYTES);
    runner->take = (struct store_take){.kind = STR(SCHEDULE_KIND), .lease_ms = LEASE_MS};
    store_take_start(&runner->taken, runner->store, &runner->take, waiter_of(runner, on_taken));
}

void schedule_runner_start(struct schedule_runner *runner, struct shard *shard)
{
    *runner = (struct schedule_runner){.shard = shard, .store = shard->wiring->events};
    timer_start(&runner->timer, shard->loop, IDLE_MS, on_time);
}

void schedule_runner_stop(struct schedule_runner *runner)
{
    runner->is_stopped = true;
    timer_stop(&runner->timer);
    if (runner->watch.entry == NULL)
        return;
    runs_detach(&runner->watch); /* nothing else would end this turn */
    rest(runner, 0);
}
