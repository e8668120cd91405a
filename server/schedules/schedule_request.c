/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_request.c - calls one after the other.
 *
 * Failure: no store: 501; the store's failure: its status; an expression or a zone that is none:
 * 422.
 */
#include "server/schedules/schedule_request.h"

#include "core/base/mem.h"
#include "proto/url.h"
#include "server/schedules/schedule_secrets.h"

enum { ARENA_BYTES = 16 * 1024 * 1024, FIRST_LOOK_MS = 1000, MOST_TRIES = 5 };
enum { MOST_LISTED = 1000 }; /* a user had more only where ASKD_SCHEDULES was larger than that */

static void destroy(struct schedule_request *request)
{
    op_release(&request->call.op);
    op_release(&request->read.op);
    op_release(&request->clock.work.op);
    buf_fini(&request->bytes);
    arena_fini(&request->arena);
    mem_free(request);
}

struct exchange *schedule_request_leave(struct schedule_request *request)
{
    struct exchange *exchange = exchange_wait_take(&request->wait);
    destroy(request);
    return exchange;
}

void schedule_request_refuse(struct schedule_request *request, const struct problem *problem)
{
    exchange_problem(exchange_wait_take(&request->wait), problem);
    destroy(request);
}

void schedule_request_fail(struct schedule_request *request, const struct err *err)
{
    struct problem problem;
    if (err->code == ERR_BUSY) {
        problem_set(&problem, 429, "overloaded",
                    "there may be %llu schedules of one user here (ASKD_SCHEDULES): remove one",
                    (unsigned long long)request->shard->group->config->schedules_most);
        schedule_request_refuse(request, &problem);
        return;
    }
    if (err->code == ERR_INVALID) {
        struct str rest = str_of(err->text), pointer = str_split(&rest, ':');
        problem_field(&problem, arena_cstr(&request->arena, pointer), "%s", err->text);
        schedule_request_refuse(request, &problem);
        return;
    }
    exchange_fail_stored(exchange_wait_take(&request->wait), err);
    destroy(request);
}

void schedule_request_reply(struct schedule_request *request, int status, struct buf *out)
{
    exchange_reply_json(exchange_wait_take(&request->wait), status, out);
    destroy(request);
}

static void on_gone(struct exchange_wait *wait)
{
    struct schedule_request *request = container_of(wait, struct schedule_request, wait);
    op_cancel(&request->call.op);
    op_cancel(&request->read.op);
}

struct schedule_request *schedule_request_open(struct exchange *exchange,
                                               const struct identity *key)
{
    struct schedule_request *request;
    struct err err = {0};
    if (exchange->shard->wiring->events == NULL) {
        err_set(&err, ERR_NOT_CONFIGURED,
                "schedules and webhooks need a store of runs: set "
                "ASKD_CHECKPOINT_URL");
        exchange_fail(exchange, &err);
        return NULL;
    }
    request = mem_zalloc(1, sizeof *request);
    if (request == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return NULL;
    }
    arena_init(&request->arena, ARENA_BYTES);
    buf_init(&request->bytes, SCHEDULE_BYTES);
    request->shard = exchange->shard;
    request->store = exchange->shard->wiring->events;
    request->key = identity_copy(&request->arena, key);
    exchange_wait_begin(&request->wait, exchange, on_gone);
    return request;
}

static void on_done(struct op *op)
{
    struct schedule_request *request = op_owner(op);
    struct err err = op->err;
    if (request->wait.exchange == NULL)
        destroy(request);
    else if (err.code == ERR_OK)
        request->next(request);
    else if (err.code == ERR_CONFLICT && request->again != NULL && request->tries++ < MOST_TRIES)
        schedule_request_read(request, request->schedule_id, request->again);
    else
        schedule_request_fail(request, &err);
}

static struct op_waiter waiter_of(struct schedule_request *request, schedule_request_fn *next)
{
    request->next = next;
    return (struct op_waiter){.done = on_done, .owner = request};
}

/* ---- reading ---- */

static void on_read(struct op *op)
{
    struct schedule_request *request = op_owner(op);
    struct err err = op->err;
    if (request->wait.exchange == NULL) {
        destroy(request);
        return;
    }
    if (err.code == ERR_OK && request->read.job_count == 0)
        err_set(&err, ERR_NOT_FOUND, "there is no such schedule");
    if (err.code == ERR_OK) {
        request->version = request->read.jobs[0].version;
        err.code = schedule_read(request->read.jobs, &request->arena, &request->schedule, &err);
    }
    if (err.code == ERR_OK)
        request->next(request);
    else
        schedule_request_fail(request, &err);
}

void schedule_request_read(struct schedule_request *request, struct str id,
                           schedule_request_fn *next)
{
    request->schedule_id = arena_str(&request->arena, id);
    request->next = next;
    op_release(&request->read.op);
    request->ask.jobs = (struct store_jobs){.key = identity_user(&request->key),
                                            .kind = STR(SCHEDULE_KIND),
                                            .job_id = request->schedule_id};
    store_jobs_start(&request->read, request->store, &request->ask.jobs,
                     (struct op_waiter){.done = on_read, .owner = request});
}

void schedule_request_read_path(struct exchange *exchange, const struct identity *key,
                                schedule_request_fn *next)
{
    struct str id;
    struct problem problem;
    if (url_decode(&exchange->arena, exchange->match.params[0], &id, &problem.err) != ERR_OK ||
        id.len == 0) {
        problem_set(&problem, 404, "not_found", "there is no such schedule");
        exchange_problem(exchange, &problem);
        return;
    }
    struct schedule_request *request = schedule_request_open(exchange, key);
    if (request != NULL)
        schedule_request_read(request, id, next);
}

void schedule_request_list(struct schedule_request *request, schedule_request_fn *next)
{
    request->ask.jobs = (struct store_jobs){
        .key = identity_user(&request->key), .kind = STR(SCHEDULE_KIND), .limit = MOST_LISTED};
    store_jobs_start(&request->read, request->store, &request->ask.jobs, waiter_of(request, next));
}

/* ---- writing ---- */

void schedule_request_put_as_is(struct schedule_request *request, schedule_request_fn *next)
{
    const struct config *config = request->shard->group->config;
    const struct schedule *schedule = &request->schedule;
    struct schedule stored = *schedule; /* whoever made it may be shown its secret once */
    struct json_write json;
    struct err err;
    uint64_t now_ms = loop_wall_ms(request->shard->loop);
    if (request->version == 0)
        request->schedule_id = arena_printf(&request->arena, "sch_%s", id_random().text);
    bool is_sealed = schedule_secrets_seal(config, request->schedule_id, &stored, &request->arena);
    buf_clear(&request->bytes);
    json_write_init(&json, &request->bytes);
    json_write_object(&json);
    schedule_write(&stored, false, &json);
    json_write_object_end(&json);
    request->ask.put = (struct store_put){
        .job = {.key = request->key,
                .kind = STR(SCHEDULE_KIND),
                .job_id = request->schedule_id,
                .due_ms = schedule_job_due(schedule, now_ms),
                .bytes = buf_str(&request->bytes)},
        .expected_version = request->version,
        .most = config->schedules_most,
    };
    request->ask.put.job.key.conversation_id = schedule->caller.conversation_id;
    op_release(&request->call.op);
    if (!is_sealed || !buf_ok(&request->bytes) || !arena_ok(&request->arena)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        schedule_request_fail(request, &err);
    } else if (config->schedules_most == 0) {
        err_set(&err, ERR_DENIED, "schedules are off here: ASKD_SCHEDULES is 0");
        schedule_request_fail(request, &err);
    } else {
        store_put_start(&request->call, request->store, &request->ask.put,
                        waiter_of(request, next));
    }
}

static void on_clock(struct op *op)
{
    struct schedule_request *request = op_owner(op);
    struct err err = op->err;
    if (request->wait.exchange == NULL) {
        destroy(request);
        return;
    }
    if (err.code == ERR_OK && request->clock.next_ms == 0)
        err_set(&err, ERR_INVALID, "/cron: it is never due");
    if (err.code != ERR_OK) {
        schedule_request_fail(request, &err);
        return;
    }
    request->schedule.due_ms = request->clock.next_ms;
    op_release(op);
    schedule_request_put_as_is(request, request->next);
}

void schedule_request_put(struct schedule_request *request, schedule_request_fn *next)
{
    struct schedule *schedule = &request->schedule;
    uint64_t now_ms = loop_wall_ms(request->shard->loop);
    if (schedule_is_after(schedule)) {
        schedule->due_ms = 0;
        if (schedule->seen_ms == 0)
            schedule->seen_ms = now_ms; /* what ended before is past */
        schedule_request_put_as_is(request, next);
        return;
    }
    request->next = next;
    request->clock.cron = schedule->cron;
    request->clock.zone = schedule->zone;
    request->clock.after_ms = now_ms;
    schedule_clock_start(&request->clock, request->shard->loop,
                         (struct op_waiter){.done = on_clock, .owner = request});
}

static void answer_erased(struct schedule_request *request)
{
    exchange_reply(schedule_request_leave(request), 204, "", STR(""));
}

void schedule_request_erase(struct schedule_request *request)
{
    op_release(&request->call.op);
    request->ask.drop = (struct store_drop){.key = identity_user(&request->key),
                                            .kind = STR(SCHEDULE_KIND),
                                            .job_id = request->schedule_id};
    store_drop_start(&request->call, request->store, &request->ask.drop,
                     waiter_of(request, answer_erased));
}

void schedule_request_deliver(struct schedule_request *request, struct str run_key, struct str url,
                              schedule_request_fn *next)
{
    const struct delivery delivery = {
        .key = request->key,
        .run_key = arena_str(&request->arena, run_key),
        .url = arena_str(&request->arena, url),
    };
    struct str id = arena_printf(&request->arena, "msg_%s", id_random().text);
    struct err err;
    buf_clear(&request->bytes);
    if (!delivery_write(&delivery, id, loop_wall_ms(request->shard->loop) + FIRST_LOOK_MS,
                        &request->bytes, &request->ask.put) ||
        !arena_ok(&request->arena)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        schedule_request_fail(request, &err);
        return;
    }
    store_put_start(&request->call, request->store, &request->ask.put, waiter_of(request, next));
}
