/* SPDX-License-Identifier: MIT */
/* server/schedules/delivery_runner.c - take, look for the run's end, send, drop or put back.
 *
 * Happy path: a delivery that is due is taken; its run has ended; the message is signed with the
 * schedule's secret, or the setting's, and sent; the receiver says 2xx, and the delivery goes.
 * Failure paths:
 * - the run goes on: looked at again soon; there is none: given up after a while;
 * - the receiver is away or says anything else: again after a pause that grows; 410, or the last
 *   attempt: given up, and the schedule says so; after several in a row its webhook is off;
 * - the address is not allowed (any more): given up;
 * - a secret cannot be opened: as a receiver that is away, for nothing goes out unsigned by it;
 * - this server dies: its lease ends, and another one sends the same message again. */
#include "server/schedules/delivery_runner.h"

#include <inttypes.h>
#include <stdio.h>

#include "server/schedules/schedule_secrets.h"
#include "server/schedules/webhook_body.h"
#include "server/schedules/webhook_sign.h"
#include "server/schedules/webhook_url.h"

enum {
    IDLE_MS = 1000,
    LEASE_MS = 60000,
    LOOK_MS = 2000,        /* whether the run has ended */
    LOOK_LATER_MS = 10000, /* of one that goes on for long */
    LONG_MS = 60000,
    NO_RUN_MS = 600000,
    CONNECT_MS = 5000,
    TOTAL_MS = 20000, /* well within the lease */
    REPLY_BYTES = 64 * 1024,
    ARENA_BYTES = 16 * 1024 * 1024,
    SIGNATURE_BYTES = 256,
    NUMBER_BYTES = 24,
    GONE = 410,
};

static timer_fn on_time;

static struct op_waiter waiter_of(struct delivery_runner *runner, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = runner};
}

static struct str id_of(const struct delivery_runner *runner)
{
    return runner->taken.jobs[0].job_id;
}

static void rest(struct delivery_runner *runner, uint64_t ms)
{
    op_release(&runner->taken.op);
    op_release(&runner->scheduled.op);
    op_release(&runner->call.op);
    op_release(&runner->past.op);
    op_release(&runner->http.op);
    arena_fini(&runner->arena);
    buf_fini(&runner->body);
    buf_fini(&runner->signature);
    buf_fini(&runner->bytes);
    if (!runner->is_stopped)
        timer_start(&runner->timer, runner->shard->loop, ms, on_time);
}

static bool gives_up(struct delivery_runner *runner, const struct op *op)
{
    if (op->err.code == ERR_OK && !runner->is_stopped)
        return false;
    rest(runner, IDLE_MS);
    return true;
}

/* ---- the end of a turn ---- */

static void on_settled(struct op *op)
{
    struct delivery_runner *runner = op_owner(op);
    rest(runner, op->err.code == ERR_OK ? 0 : IDLE_MS);
}

static void put_back(struct delivery_runner *runner, uint64_t due_ms)
{
    const struct store_job *job = runner->taken.jobs;
    buf_clear(&runner->bytes);
    op_release(&runner->call.op);
    if (!delivery_write(&runner->delivery, id_of(runner), due_ms, &runner->bytes, &runner->put)) {
        rest(runner, IDLE_MS);
        return;
    }
    runner->put.expected_version = job->version;
    store_put_start(&runner->call, runner->store, &runner->put, waiter_of(runner, on_settled));
}

static void drop(struct delivery_runner *runner)
{
    op_release(&runner->call.op);
    runner->drop = (struct store_drop){.kind = STR(DELIVERY_KIND), .job_id = id_of(runner)};
    store_drop_start(&runner->call, runner->store, &runner->drop, waiter_of(runner, on_settled));
}

static void on_schedule_put(struct op *op)
{
    struct delivery_runner *runner = op_owner(op);
    if (!runner->is_stopped)
        drop(runner); /* a schedule that was changed meanwhile hears of the next one */
    else
        rest(runner, IDLE_MS);
}

/* Note in the schedule, when there is one, how the delivery ended (failure empty: well); then the
 * delivery goes. */
static void conclude(struct delivery_runner *runner, struct str failure, bool is_gone)
{
    struct schedule *schedule = &runner->schedule;
    struct json_write json;
    shard_count(runner->shard, failure.len == 0 ? METER_WEBHOOKS_SENT : METER_WEBHOOKS_GIVEN_UP, 1);
    if (failure.len > 0)
        LOG(runner->shard->log, WARN, "webhook.given_up", "delivery=%.*s text=\"%.*s\"",
            STR_ARG(id_of(runner)), STR_ARG(failure));
    if (!runner->has_schedule || (failure.len == 0 && schedule->webhook_failures == 0)) {
        drop(runner);
        return;
    }
    schedule->webhook_failures = failure.len == 0 ? 0 : schedule->webhook_failures + 1;
    schedule->webhook_said = failure;
    if (is_gone || schedule->webhook_failures >= SCHEDULE_WEBHOOK_FAILURES)
        schedule->is_webhook_off = true;
    buf_clear(&runner->bytes);
    json_write_init(&json, &runner->bytes);
    json_write_object(&json);
    schedule_write(schedule, false, &json);
    json_write_object_end(&json);
    const struct store_job *job = runner->scheduled.jobs;
    runner->put = (struct store_put){.job = *job, .expected_version = job->version};
    runner->put.job.bytes = buf_str(&runner->bytes);
    op_release(&runner->call.op);
    if (!buf_ok(&runner->bytes))
        drop(runner);
    else
        store_put_start(&runner->call, runner->store, &runner->put,
                        waiter_of(runner, on_schedule_put));
}

static void on_failure(struct delivery_runner *runner, struct str failure, bool is_gone)
{
    const struct config *config = runner->shard->group->config;
    runner->delivery.attempts++;
    uint64_t pause_ms =
        delivery_pause_ms(runner->delivery.attempts, config->webhook_retry_ms, id_random_u64());
    shard_count(runner->shard, METER_WEBHOOKS_FAILED, 1);
    if (is_gone || pause_ms == 0)
        conclude(runner, failure, is_gone);
    else
        put_back(runner, loop_wall_ms(runner->shard->loop) + pause_ms);
}

/* ---- sending ---- */

static void on_sent(struct op *op)
{
    struct delivery_runner *runner = op_owner(op);
    char text[ERR_TEXT_BYTES];
    if (runner->is_stopped || op->err.code == ERR_CANCELLED) {
        rest(runner, IDLE_MS);
        return;
    }
    int status = runner->http.status;
    if (op->err.code == ERR_OK && status >= 200 && status < 300) {
        conclude(runner, STR(""), false);
        return;
    }
    if (op->err.code == ERR_OK)
        snprintf(text, sizeof text, "the receiver answered %d", status);
    else
        snprintf(text, sizeof text, "%s", op->err.text);
    on_failure(runner, arena_str(&runner->arena, str_of(text)),
               op->err.code == ERR_OK && status == GONE);
}

/* Add the signature by secret, which may be sealed. */
static bool add_signature(struct delivery_runner *runner, struct str secret, int64_t now_s,
                          struct err *err)
{
    struct str text;
    if (schedule_secrets_open(runner->shard->group->config, runner->delivery.schedule_id, secret,
                              &runner->arena, &text, err) != ERR_OK)
        return false;
    if (webhook_sign_push(text, id_of(runner), now_s, buf_str(&runner->body), &runner->signature))
        return true;
    err_set(err, ERR_INTERNAL, "the message could not be signed");
    return false;
}

/* One signature for each secret: while a secret is changed there are two. */
static bool sign(struct delivery_runner *runner, int64_t now_s, struct err *err)
{
    const struct schedule *schedule = &runner->schedule;
    struct str own = runner->has_schedule ? schedule->secret : STR("");
    struct str old = runner->has_schedule ? schedule->old_secret : STR("");
    struct str first = own.len > 0 ? own : str_of(runner->shard->group->config->webhook_secret);
    buf_init(&runner->signature, SIGNATURE_BYTES);
    return (first.len == 0 || add_signature(runner, first, now_s, err)) && /* nobody gave one */
           (old.len == 0 || add_signature(runner, old, now_s, err));
}

static void send_message(struct delivery_runner *runner)
{
    const struct config *config = runner->shard->group->config;
    struct arena *arena = &runner->arena;
    char number[NUMBER_BYTES];
    struct err err = {ERR_NO_MEMORY, "the message could not be made"};
    int64_t now_s = (int64_t)(loop_wall_ms(runner->shard->loop) / 1000);
    snprintf(number, sizeof number, "%" PRId64, now_s);
    buf_init(&runner->body, WEBHOOK_BODY_BYTES);
    bool is_written =
        webhook_body_write(&runner->past, runner->delivery.schedule_id, &runner->body);
    if (!is_written || !sign(runner, now_s, &err) || !arena_ok(arena)) {
        on_failure(runner, arena_str(arena, str_of(err.text)), false);
        return;
    }
    const struct http_header headers[] = {
        {STR("Content-Type"), STR("application/json")},
        {STR("webhook-id"), id_of(runner)},
        {STR("webhook-timestamp"), str_of(number)},
        {STR("webhook-signature"), buf_str(&runner->signature)},
    };
    const struct http_call_options options = {
        .url = arena_cstr(arena, runner->delivery.url),
        .method = "POST",
        .headers = headers,
        .header_count = countof(headers) - (buf_len(&runner->signature) == 0),
        .body = buf_str(&runner->body),
        .connect_ms = CONNECT_MS,
        .total_ms = TOTAL_MS,
        .max_body_bytes = REPLY_BYTES,
        .only_public = !str_equal(str_of(config->webhook_private), STR("on")),
    };
    http_call_start(&runner->http, runner->shard->wiring->client, &options, NULL, NULL,
                    waiter_of(runner, on_sent));
}

/* ---- the run ---- */

static void on_past(struct op *op)
{
    struct delivery_runner *runner = op_owner(op);
    if (op->err.code == ERR_TOO_LARGE || op->err.code == ERR_PROTOCOL) {
        on_failure(runner, STR("what is stored of the run cannot be read"), false);
        return;
    }
    if (!gives_up(runner, op))
        send_message(runner);
}

static void on_found(struct op *op)
{
    struct delivery_runner *runner = op_owner(op);
    const struct store_job *job = runner->taken.jobs;
    uint64_t now_ms = job->changed_ms, age_ms = now_ms - job->began_ms;
    if (op->err.code == ERR_NOT_FOUND && !runner->is_stopped) {
        if (age_ms > NO_RUN_MS)
            drop(runner);
        else
            put_back(runner, now_ms + LOOK_MS);
        return;
    }
    if (gives_up(runner, op))
        return;
    const struct store_run *run = runner->call.runs;
    if (run->status == STORE_RUNNING) {
        put_back(runner, now_ms + (age_ms > LONG_MS ? LOOK_LATER_MS : LOOK_MS));
        return;
    }
    runner->find.key = identity_copy(&runner->arena, &run->key);
    runner->find.run_id = arena_str(&runner->arena, run->run_id);
    op_release(op);
    stored_run_start(&runner->past, runner->store, NULL, &runner->find.key, runner->find.run_id,
                     waiter_of(runner, on_past));
}

static void find_run(struct delivery_runner *runner)
{
    runner->find = (struct store_find){.key = runner->delivery.key,
                                       .idempotency_key = runner->delivery.run_key};
    store_find_start(&runner->call, runner->store, &runner->find, waiter_of(runner, on_found));
}

static void on_schedule(struct op *op)
{
    struct delivery_runner *runner = op_owner(op);
    struct err err = {0};
    if (gives_up(runner, op))
        return;
    runner->has_schedule =
        runner->scheduled.job_count > 0 &&
        schedule_read(runner->scheduled.jobs, &runner->arena, &runner->schedule, &err) == ERR_OK;
    if (!runner->has_schedule || runner->schedule.is_webhook_off)
        drop(runner); /* nobody wants it any more */
    else
        find_run(runner);
}

static void on_taken(struct op *op)
{
    struct delivery_runner *runner = op_owner(op);
    struct delivery *delivery = &runner->delivery;
    struct err err = {0};
    if (gives_up(runner, op))
        return;
    runner->has_schedule = false;
    if (delivery_read(runner->taken.jobs, &runner->arena, delivery, &err) != ERR_OK ||
        webhook_url_check(runner->shard->group->config, delivery->url, &err) != ERR_OK) {
        conclude(runner, arena_str(&runner->arena, str_of(err.text)), false);
        return;
    }
    if (delivery->schedule_id.len == 0) {
        find_run(runner);
        return;
    }
    runner->sought = (struct store_jobs){.key = identity_user(&delivery->key),
                                         .kind = STR(SCHEDULE_KIND),
                                         .job_id = delivery->schedule_id};
    store_jobs_start(&runner->scheduled, runner->store, &runner->sought,
                     waiter_of(runner, on_schedule));
}

static void on_time(struct timer *timer)
{
    struct delivery_runner *runner = container_of(timer, struct delivery_runner, timer);
    arena_init(&runner->arena, ARENA_BYTES);
    buf_init(&runner->bytes, SCHEDULE_BYTES);
    runner->take = (struct store_take){.kind = STR(DELIVERY_KIND), .lease_ms = LEASE_MS};
    store_take_start(&runner->taken, runner->store, &runner->take, waiter_of(runner, on_taken));
}

void delivery_runner_start(struct delivery_runner *runner, struct shard *shard)
{
    *runner = (struct delivery_runner){.shard = shard, .store = shard->wiring->events};
    timer_start(&runner->timer, shard->loop, IDLE_MS, on_time);
}

void delivery_runner_stop(struct delivery_runner *runner)
{
    runner->is_stopped = true;
    timer_stop(&runner->timer);
}
