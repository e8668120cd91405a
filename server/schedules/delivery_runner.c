/* SPDX-License-Identifier: MIT */
/* server/schedules/delivery_runner.c - take, look for the run's end, send, drop or put back.
 *
 * Happy path: a delivery that is due is taken; its run has ended; the message is signed with the
 * schedule's secret, or the setting's, and sent; the receiver says 2xx, and the delivery goes.
 * Failure paths:
 * - the run goes on: looked at again soon; there is none: given up after a while, and not before
 * the grace of its schedule is over;
 * - its receiver has as many as it may have: put back for a while, for a later turn;
 * - the receiver is away or says anything else: again after a pause that grows; 410, or the last
 *   attempt: given up, and the schedule says so; after several in a row its webhook is off;
 * - the address is not allowed (any more): given up;
 * - a secret cannot be opened: as a receiver that is away, for nothing goes out unsigned by it;
 * - this server dies: its lease ends, and another one sends the same message again. */
#include "server/schedules/delivery_runner.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/remote/remote_url.h"
#include "core/loop/turns.h"
#include "server/schedules/schedule_secrets.h"
#include "server/schedules/webhook_body.h"
#include "server/schedules/webhook_sign.h"
#include "server/schedules/webhook_url.h"

enum {
    IDLE_MS = 1000, /* between the looks of a process, whose workers take turns */
    LEASE_MS = 60000,
    LOOK_MS = 2000,        /* whether the run has ended */
    LOOK_LATER_MS = 10000, /* of one that goes on for long */
    LONG_MS = 60000,
    NO_RUN_MS = 600000, /* beyond the grace in which its schedule may begin it */
    CONNECT_MS = 5000,
    TOTAL_MS = 20000, /* well within the lease */
    REPLY_BYTES = 64 * 1024,
    ARENA_BYTES = 16 * 1024 * 1024,
    SIGNATURE_BYTES = 256,
    NUMBER_BYTES = 24,
    GONE = 410,
};

static void look(struct delivery_runner *runner, uint64_t after_ms);

static struct op_waiter waiter_of(struct delivery_lane *lane, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = lane};
}

static struct str id_of(const struct delivery_lane *lane)
{
    return lane->taken.jobs[0].job_id;
}

/* Until it is this worker's turn to look for what is due. */
static uint64_t idle_ms(const struct delivery_lane *lane)
{
    const struct shard *shard = lane->shard;
    return turns_until_ms(loop_now_ms(shard->loop), IDLE_MS, shard->index, shard->group->count);
}

/* The lane is free; it is looked for another delivery after ms. */
static void rest(struct delivery_lane *lane, uint64_t ms)
{
    op_release(&lane->taken.op);
    op_release(&lane->scheduled.op);
    op_release(&lane->call.op);
    op_release(&lane->past.op);
    op_release(&lane->http.op);
    arena_fini(&lane->arena);
    buf_fini(&lane->body);
    buf_fini(&lane->signature);
    buf_fini(&lane->bytes);
    lane->is_busy = false;
    lane->host = (struct str){NULL, 0};
    look(lane->runner, ms);
}

static bool gives_up(struct delivery_lane *lane, const struct op *op)
{
    if (op->err.code == ERR_OK && !lane->runner->is_stopped)
        return false;
    rest(lane, idle_ms(lane));
    return true;
}

/* ---- the end of a turn ---- */

static void on_settled(struct op *op)
{
    struct delivery_lane *lane = op_owner(op);
    rest(lane, op->err.code == ERR_OK ? 0 : idle_ms(lane));
}

static void put_back(struct delivery_lane *lane, uint64_t due_ms)
{
    const struct store_job *job = lane->taken.jobs;
    buf_clear(&lane->bytes);
    op_release(&lane->call.op);
    if (!delivery_write(&lane->delivery, id_of(lane), due_ms, &lane->bytes, &lane->put)) {
        rest(lane, idle_ms(lane));
        return;
    }
    lane->put.expected_version = job->version;
    store_put_start(&lane->call, lane->store, &lane->put, waiter_of(lane, on_settled));
}

/* Who has taken it meanwhile, as after a lease that is over, keeps it. */
static void drop(struct delivery_lane *lane)
{
    op_release(&lane->call.op);
    lane->drop = (struct store_drop){.kind = STR(DELIVERY_KIND),
                                     .job_id = id_of(lane),
                                     .expected_version = lane->taken.jobs->version};
    store_drop_start(&lane->call, lane->store, &lane->drop, waiter_of(lane, on_settled));
}

static void on_schedule_put(struct op *op)
{
    struct delivery_lane *lane = op_owner(op);
    if (!lane->runner->is_stopped)
        drop(lane); /* a schedule that was changed meanwhile hears of the next one */
    else
        rest(lane, idle_ms(lane));
}

/* Note in the schedule, when there is one, how the delivery ended (failure empty: well); then the
 * delivery goes. */
static void conclude(struct delivery_lane *lane, struct str failure, bool is_gone)
{
    struct schedule *schedule = &lane->schedule;
    struct json_write json;
    shard_count(lane->shard, failure.len == 0 ? METER_WEBHOOKS_SENT : METER_WEBHOOKS_GIVEN_UP, 1);
    if (failure.len > 0)
        LOG(lane->shard->log, WARN, "webhook.given_up", "delivery=%.*s text=\"%.*s\"",
            STR_ARG(id_of(lane)), STR_ARG(failure));
    if (!lane->has_schedule || (failure.len == 0 && schedule->webhook_failures == 0)) {
        drop(lane);
        return;
    }
    schedule->webhook_failures = failure.len == 0 ? 0 : schedule->webhook_failures + 1;
    schedule->webhook_said = failure;
    if (is_gone || schedule->webhook_failures >= SCHEDULE_WEBHOOK_FAILURES)
        schedule->is_webhook_off = true;
    buf_clear(&lane->bytes);
    json_write_init(&json, &lane->bytes);
    json_write_object(&json);
    schedule_write(schedule, false, &json);
    json_write_object_end(&json);
    const struct store_job *job = lane->scheduled.jobs;
    lane->put = (struct store_put){.job = *job, .expected_version = job->version};
    lane->put.job.bytes = buf_str(&lane->bytes);
    op_release(&lane->call.op);
    if (!buf_ok(&lane->bytes))
        drop(lane);
    else
        store_put_start(&lane->call, lane->store, &lane->put, waiter_of(lane, on_schedule_put));
}

static void on_failure(struct delivery_lane *lane, struct str failure, bool is_gone)
{
    const struct config *config = lane->shard->group->config;
    lane->delivery.attempts++;
    uint64_t pause_ms =
        delivery_pause_ms(lane->delivery.attempts, config->webhook_retry_ms, id_random_u64());
    shard_count(lane->shard, METER_WEBHOOKS_FAILED, 1);
    if (is_gone || pause_ms == 0)
        conclude(lane, failure, is_gone);
    else
        put_back(lane, loop_wall_ms(lane->shard->loop) + pause_ms);
}

/* ---- sending ---- */

static void on_sent(struct op *op)
{
    struct delivery_lane *lane = op_owner(op);
    char text[ERR_TEXT_BYTES];
    if (lane->runner->is_stopped || op->err.code == ERR_CANCELLED) {
        rest(lane, idle_ms(lane));
        return;
    }
    int status = lane->http.status;
    if (op->err.code == ERR_OK && status >= 200 && status < 300) {
        conclude(lane, STR(""), false);
        return;
    }
    if (op->err.code == ERR_OK)
        snprintf(text, sizeof text, "the receiver answered %d", status);
    else
        snprintf(text, sizeof text, "%s", op->err.text);
    on_failure(lane, arena_str(&lane->arena, str_of(text)),
               op->err.code == ERR_OK && status == GONE);
}

/* Add the signature by secret, which may be sealed. */
static bool add_signature(struct delivery_lane *lane, struct str secret, int64_t now_s,
                          struct err *err)
{
    struct str text;
    if (schedule_secrets_open(lane->shard->group->config, lane->delivery.schedule_id, secret,
                              &lane->arena, &text, err) != ERR_OK)
        return false;
    if (webhook_sign_push(text, id_of(lane), now_s, buf_str(&lane->body), &lane->signature))
        return true;
    err_set(err, ERR_INTERNAL, "the message could not be signed");
    return false;
}

/* One signature for each secret: while a secret is changed there are two. */
static bool sign(struct delivery_lane *lane, int64_t now_s, struct err *err)
{
    const struct schedule *schedule = &lane->schedule;
    struct str own = lane->has_schedule ? schedule->secret : STR("");
    struct str old = lane->has_schedule ? schedule->old_secret : STR("");
    struct str first = own.len > 0 ? own : str_of(lane->shard->group->config->webhook_secret);
    buf_init(&lane->signature, SIGNATURE_BYTES);
    return (first.len == 0 || add_signature(lane, first, now_s, err)) && /* nobody gave one */
           (old.len == 0 || add_signature(lane, old, now_s, err));
}

static void send_message(struct delivery_lane *lane)
{
    const struct config *config = lane->shard->group->config;
    struct arena *arena = &lane->arena;
    char number[NUMBER_BYTES];
    struct err err = {ERR_NO_MEMORY, "the message could not be made"};
    int64_t now_s = (int64_t)(loop_wall_ms(lane->shard->loop) / 1000);
    snprintf(number, sizeof number, "%" PRId64, now_s);
    buf_init(&lane->body, WEBHOOK_BODY_BYTES);
    bool is_written = webhook_body_write(&lane->past, lane->delivery.schedule_id, &lane->body);
    if (!is_written || !sign(lane, now_s, &err) || !arena_ok(arena)) {
        on_failure(lane, arena_str(arena, str_of(err.text)), false);
        return;
    }
    const struct http_header headers[] = {
        {STR("Content-Type"), STR("application/json")},
        {STR("webhook-id"), id_of(lane)},
        {STR("webhook-timestamp"), str_of(number)},
        {STR("webhook-signature"), buf_str(&lane->signature)},
    };
    const struct http_call_options options = {
        .url = arena_cstr(arena, lane->delivery.url),
        .method = "POST",
        .headers = headers,
        .header_count = countof(headers) - (buf_len(&lane->signature) == 0),
        .body = buf_str(&lane->body),
        .connect_ms = CONNECT_MS,
        .total_ms = TOTAL_MS,
        .max_body_bytes = REPLY_BYTES,
        .only_public = !str_equal(str_of(config->webhook_private), STR("on")),
    };
    http_call_start(&lane->http, lane->shard->wiring->client, &options, NULL, NULL,
                    waiter_of(lane, on_sent));
}

/* ---- the run ---- */

static void on_past(struct op *op)
{
    struct delivery_lane *lane = op_owner(op);
    if (op->err.code == ERR_TOO_LARGE || op->err.code == ERR_PROTOCOL) {
        on_failure(lane, STR("what is stored of the run cannot be read"), false);
        return;
    }
    if (!gives_up(lane, op))
        send_message(lane);
}

static void on_found(struct op *op)
{
    struct delivery_lane *lane = op_owner(op);
    const struct store_job *job = lane->taken.jobs;
    uint64_t now_ms = job->changed_ms; /* of a store that asks this server's clock: before it was
                                          put, when both waited for the same lock */
    uint64_t age_ms = now_ms > job->began_ms ? now_ms - job->began_ms : 0;
    if (op->err.code == ERR_NOT_FOUND && !lane->runner->is_stopped) {
        if (age_ms <= NO_RUN_MS + (lane->has_schedule ? lane->schedule.grace_ms : 0)) {
            put_back(lane, now_ms + LOOK_MS);
            return;
        }
        LOG(lane->shard->log, WARN, "webhook.dropped", "delivery=%.*s text=\"its run never began\"",
            STR_ARG(id_of(lane)));
        drop(lane);
        return;
    }
    if (gives_up(lane, op))
        return;
    const struct store_run *run = lane->call.runs;
    if (run->status == STORE_RUNNING) {
        put_back(lane, now_ms + (age_ms > LONG_MS ? LOOK_LATER_MS : LOOK_MS));
        return;
    }
    lane->find.key = identity_copy(&lane->arena, &run->key);
    lane->find.run_id = arena_str(&lane->arena, run->run_id);
    op_release(op);
    stored_run_start(&lane->past, lane->store, NULL, &lane->find.key, lane->find.run_id,
                     waiter_of(lane, on_past));
}

static void find_run(struct delivery_lane *lane)
{
    lane->find =
        (struct store_find){.key = lane->delivery.key, .idempotency_key = lane->delivery.run_key};
    store_find_start(&lane->call, lane->store, &lane->find, waiter_of(lane, on_found));
}

static void on_schedule(struct op *op)
{
    struct delivery_lane *lane = op_owner(op);
    struct err err = {0};
    if (gives_up(lane, op))
        return;
    lane->has_schedule =
        lane->scheduled.job_count > 0 &&
        schedule_read(lane->scheduled.jobs, &lane->arena, &lane->schedule, &err) == ERR_OK;
    if (!lane->has_schedule || lane->schedule.is_webhook_off)
        drop(lane); /* nobody wants it any more */
    else
        find_run(lane);
}

/* Whether the receiver has as many as it may have; else the lane counts for it from now on. */
static bool is_crowded(struct delivery_lane *lane)
{
    struct remote_url url;
    struct err ignored;
    size_t count = 0;
    if (remote_url_parse(lane->delivery.url, &url, &ignored) != ERR_OK)
        return false; /* it was parsed a moment ago */
    struct str host = arena_printf(&lane->arena, "%.*s:%u", STR_ARG(url.host), url.port);
    for (size_t i = 0; i < DELIVERY_RUNNER_LANES; i++)
        count += str_equal_nocase(lane->runner->lanes[i].host, host);
    if (count < DELIVERY_RUNNER_PER_HOST)
        lane->host = host;
    return count >= DELIVERY_RUNNER_PER_HOST;
}

static void begin(struct delivery_lane *lane)
{
    struct delivery *delivery = &lane->delivery;
    const uint64_t retry_ms = lane->shard->group->config->webhook_retry_ms; /* 10 at least */
    struct err err = {0};
    lane->has_schedule = false;
    if (delivery_read(lane->taken.jobs, &lane->arena, delivery, &err) != ERR_OK ||
        webhook_url_check(lane->shard->group->config, delivery->url, &err) != ERR_OK) {
        conclude(lane, arena_str(&lane->arena, str_of(err.text)), false);
    } else if (is_crowded(lane)) {
        put_back(lane, lane->taken.jobs->changed_ms + retry_ms + id_random_u64() % retry_ms);
    } else if (delivery->schedule_id.len == 0) {
        find_run(lane);
    } else {
        lane->sought = (struct store_jobs){.key = identity_user(&delivery->key),
                                           .kind = STR(SCHEDULE_KIND),
                                           .job_id = delivery->schedule_id};
        store_jobs_start(&lane->scheduled, lane->store, &lane->sought,
                         waiter_of(lane, on_schedule));
    }
}

/* ---- the lanes ---- */

static void on_taken(struct op *op)
{
    struct delivery_lane *lane = op_owner(op);
    lane->runner->is_taking = false;
    if (gives_up(lane, op))
        return;
    look(lane->runner, 0); /* for another one, beside this one */
    begin(lane);
}

static void on_time(struct timer *timer)
{
    struct delivery_runner *runner = container_of(timer, struct delivery_runner, timer);
    struct delivery_lane *lane = runner->lanes;
    runner->look_ms = 0;
    while (lane->is_busy)
        if (++lane == runner->lanes + DELIVERY_RUNNER_LANES)
            return; /* whichever is free first looks again */
    lane->is_busy = runner->is_taking = true;
    arena_init(&lane->arena, ARENA_BYTES);
    buf_init(&lane->bytes, SCHEDULE_BYTES);
    runner->take = (struct store_take){.kind = STR(DELIVERY_KIND), .lease_ms = LEASE_MS};
    store_take_start(&lane->taken, lane->store, &runner->take, waiter_of(lane, on_taken));
}

/* Look for a delivery after after_ms, or before that where it was said before. */
static void look(struct delivery_runner *runner, uint64_t after_ms)
{
    struct loop *loop = runner->shard->loop;
    uint64_t at_ms = loop_now_ms(loop) + after_ms + 1; /* 0 is never */
    if (runner->is_stopped || runner->is_taking ||
        (runner->look_ms != 0 && runner->look_ms <= at_ms))
        return;
    runner->look_ms = at_ms;
    timer_start(&runner->timer, loop, after_ms, on_time);
}

void delivery_runner_start(struct delivery_runner *runner, struct shard *shard)
{
    *runner = (struct delivery_runner){.shard = shard};
    for (size_t i = 0; i < DELIVERY_RUNNER_LANES; i++)
        runner->lanes[i] = (struct delivery_lane){
            .runner = runner, .shard = shard, .store = shard->wiring->events};
    look(runner, IDLE_MS);
}

void delivery_runner_stop(struct delivery_runner *runner)
{
    runner->is_stopped = true;
    timer_stop(&runner->timer);
}
