/* SPDX-License-Identifier: MIT */
/* server/schedules/api_schedules.c - read, change, put, show.
 *
 * Happy path: the schedule is read as it is, changed by the body, and put by the version it had.
 * Failure: see schedule_body and schedule_request; a runner that changed the schedule meanwhile:
 * the change is made anew on top, a few times. */
#include "server/schedules/api_schedules.h"

#include "server/api/caller.h"
#include "server/api/run_body.h"
#include "server/schedules/schedule_body.h"
#include "server/schedules/schedule_request.h"
#include "server/schedules/schedule_secrets.h"

enum { ANSWER_BYTES = 32 * 1024 * 1024 };

static void write_one(const struct schedule *schedule, struct str id, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("schedule_id"), id);
    schedule_write(schedule, true, json);
    json_write_object_end(json);
}

static void answer_with(struct schedule_request *request, int status)
{
    struct schedule *schedule = &request->schedule;
    struct json_write json;
    struct str secret;
    struct buf out;
    struct err err;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("schedule_id"), request->schedule_id);
    schedule_write(schedule, true, &json);
    if (request->shows_secret && schedule->secret.len > 0 &&
        schedule_secrets_open(request->shard->group->config, request->schedule_id, schedule->secret,
                              &request->arena, &secret, &err) == ERR_OK)
        json_write_member_str(&json, STR("webhook_secret"), secret);
    json_write_object_end(&json);
    schedule_request_reply(request, status, &out);
}

static void answer_created(struct schedule_request *request)
{
    answer_with(request, 201);
}

static void answer_shown(struct schedule_request *request)
{
    answer_with(request, 200);
}

static void answer_accepted(struct schedule_request *request)
{
    answer_with(request, 202);
}

void api_schedules_create(struct exchange *exchange)
{
    struct schedule schedule;
    struct problem problem;
    if (!schedule_body_read(exchange, &schedule, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct schedule_request *request = schedule_request_open(exchange, &schedule.caller);
    if (request == NULL)
        return;
    request->schedule = schedule;
    request->shows_secret = true;
    schedule_request_put(request, answer_created);
}

/* Who asks, by the query and the headers. False: answered. */
static bool read_caller(struct exchange *exchange, struct identity *caller)
{
    struct problem problem;
    if (caller_take_query(exchange, caller, &problem))
        return true;
    exchange_problem(exchange, &problem);
    return false;
}

static void read_path(struct exchange *exchange, schedule_request_fn *next)
{
    struct identity caller;
    if (read_caller(exchange, &caller))
        schedule_request_read_path(exchange, &caller, next);
}

static void answer_list(struct schedule_request *request)
{
    struct json_write json;
    struct err err;
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_key(&json, STR("schedules"));
    json_write_array(&json);
    for (size_t i = 0; i < request->read.job_count; i++)
        if (schedule_read(&request->read.jobs[i], &request->arena, &request->schedule, &err) ==
            ERR_OK)
            write_one(&request->schedule, request->read.jobs[i].job_id, &json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    schedule_request_reply(request, 200, &out);
}

void api_schedules_list(struct exchange *exchange)
{
    struct identity caller;
    struct schedule_request *request =
        read_caller(exchange, &caller) ? schedule_request_open(exchange, &caller) : NULL;
    if (request != NULL)
        schedule_request_list(request, answer_list);
}

void api_schedules_show(struct exchange *exchange)
{
    read_path(exchange, answer_shown);
}

void api_schedules_erase(struct exchange *exchange)
{
    read_path(exchange, schedule_request_erase);
}

static void change(struct schedule_request *request)
{
    struct exchange *exchange = request->wait.exchange;
    struct problem problem;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !schedule_body_change(exchange, root, &request->schedule, &problem)) {
        schedule_request_refuse(request, &problem);
        return;
    }
    request->shows_secret = json_value_member(root, STR("webhook")) != NULL;
    request->again = change;
    schedule_request_put(request, answer_shown);
}

void api_schedules_change(struct exchange *exchange)
{
    read_path(exchange, change);
}

static void run_now(struct schedule_request *request)
{
    request->schedule.asked_ms = loop_wall_ms(request->shard->loop);
    request->again = run_now;
    schedule_request_put_as_is(request, answer_accepted);
}

void api_schedules_run(struct exchange *exchange)
{
    read_path(exchange, run_now);
}
