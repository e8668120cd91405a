/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_crons.c - the body of a run and when, as a schedule; schedules
 * as crons.
 *
 * A cron of a thread runs in that thread; one without keeps each run in a thread of its own, or, by
 * default, in none. Failure: as for runs (langgraph_body) and schedules (schedule_request). */
#include "server/facades/langgraph/langgraph_crons.h"

#include "core/base/calendar.h"
#include "proto/json_write.h"
#include "proto/url.h"
#include "server/api/run_body.h"
#include "server/facades/langgraph/langgraph_body.h"
#include "server/facades/langgraph/langgraph_json.h"
#include "server/schedules/cron.h"
#include "server/schedules/schedule_body.h"
#include "server/schedules/schedule_request.h"

enum { ANSWER_BYTES = 16 * 1024 * 1024 };
enum { SEARCH_MOST = 1000, SEARCH_LIMIT = 10 };

/* ---- answers ---- */

/* 0: null. */
static void write_time(struct json_write *json, const char *key, uint64_t ms)
{
    if (ms > 0)
        langgraph_json_time(json, key, ms);
    else
        json_write_member_raw(json, str_of(key), STR("null"));
}

static void write_cron(const struct store_job *job, const struct schedule *schedule,
                       struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("cron_id"), job->job_id);
    json_write_member_str(json, STR("assistant_id"), schedule->graph);
    json_write_key(json, STR("thread_id"));
    if (schedule->caller.conversation_id.len > 0)
        json_write_str(json, schedule->caller.conversation_id);
    else
        json_write_null(json);
    json_write_member_str(json, STR("on_run_completed"),
                          schedule->keeps ? STR("keep") : STR("delete"));
    write_time(json, "end_time", schedule->until_ms);
    json_write_member_str(json, STR("schedule"), schedule->cron);
    json_write_key(json, STR("timezone"));
    if (schedule->zone.len > 0)
        json_write_str(json, schedule->zone);
    else
        json_write_null(json);
    langgraph_json_time(json, "created_at", job->began_ms);
    langgraph_json_time(json, "updated_at", job->changed_ms);
    json_write_key(json, STR("payload"));
    json_write_object(json);
    json_write_member_str(json, STR("assistant_id"), schedule->graph);
    json_write_key(json, STR("input"));
    json_write_object(json);
    json_write_member_str(json, STR("message"), schedule->message);
    json_write_object_end(json);
    if (schedule->webhook.len > 0)
        json_write_member_str(json, STR("webhook"), schedule->webhook);
    json_write_object_end(json);
    json_write_member_str(json, STR("user_id"), schedule->caller.user_id);
    bool is_over = schedule->until_ms > 0 && schedule->due_ms > schedule->until_ms;
    write_time(json, "next_run_date", schedule->is_paused || is_over ? 0 : schedule->due_ms);
    json_write_member_raw(json, STR("metadata"),
                          schedule->metadata.len > 0 ? schedule->metadata : STR("{}"));
    json_write_member_bool(json, STR("enabled"), !schedule->is_paused);
    json_write_object_end(json);
}

/* With the schedule as it was put. */
static void answer_put(struct schedule_request *request)
{
    struct json_write json;
    struct buf out;
    struct schedule *schedule = &request->schedule;
    schedule->caller.user_id = request->key.user_id;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    write_cron(request->call.jobs, schedule, &json);
    schedule_request_reply(request, 200, &out);
}

/* ---- making one ---- */

/* null: no end (any more). */
static bool take_end(const struct json_value *root, struct schedule *schedule,
                     struct problem *problem)
{
    const struct json_value *end = json_value_member(root, STR("end_time"));
    if (end == NULL)
        return true;
    schedule->until_ms = 0;
    return end->type == JSON_NULL ||
           (calendar_read_time(end->text, &schedule->until_ms) && schedule->until_ms > 0) ||
           problem_field(problem, "/end_time",
                         "/end_time: expected a time like 2026-12-31T23:59:59Z");
}

static bool take_metadata(struct exchange *exchange, const struct json_value *root,
                          struct schedule *schedule, struct problem *problem)
{
    const struct json_value *metadata = json_value_member(root, STR("metadata"));
    if (metadata == NULL)
        return true;
    schedule->metadata = metadata->type == JSON_NULL ? STR("")
                                                     : json_value_text(metadata, &exchange->arena,
                                                                       LANGGRAPH_METADATA_BYTES);
    return !str_is_absent(schedule->metadata) ||
           problem_field(problem, "/metadata", "/metadata: expected at most %d bytes",
                         LANGGRAPH_METADATA_BYTES);
}

static bool take_when(struct exchange *exchange, const struct json_value *root,
                      struct schedule *schedule, struct problem *problem)
{
    const struct json_value *enabled = json_value_member(root, STR("enabled"));
    struct str cron = {NULL, 0}, webhook = {NULL, 0}, completed = {NULL, 0}, zone = {NULL, 0};
    struct cron parsed;
    struct err err = {0};
    if (!facade_read_str(root, "/schedule", &cron, problem) ||
        !facade_read_str(root, "/webhook", &webhook, problem) ||
        !facade_read_str(root, "/on_run_completed", &completed, problem) ||
        !facade_read_str(root, "/timezone", &zone, problem) || !take_end(root, schedule, problem) ||
        !take_metadata(exchange, root, schedule, problem) ||
        (!str_is_absent(zone) && !schedule_body_set_zone(zone, "/timezone", schedule, problem)))
        return false;
    if (!str_is_absent(cron))
        schedule->cron = cron;
    if (cron_parse(schedule->cron, &parsed, &err) != ERR_OK)
        return problem_field(problem, "/schedule", "/schedule: %s", err.text);
    if (!str_is_absent(completed) && !str_equal(completed, STR("keep")) &&
        !str_equal(completed, STR("delete")))
        return problem_field(problem, "/on_run_completed",
                             "/on_run_completed: expected keep or delete");
    if (!str_is_absent(completed))
        schedule->keeps = str_equal(completed, STR("keep"));
    if (enabled != NULL && enabled->type == JSON_BOOL)
        schedule->is_paused = !enabled->boolean;
    return str_is_absent(webhook) ||
           schedule_body_set_webhook(exchange, webhook, "/webhook", schedule, problem);
}

static void create(struct exchange *exchange, struct str thread_id)
{
    struct schedule schedule = {.grace_ms = SCHEDULE_GRACE_MS};
    struct langgraph_asked asked;
    struct problem problem;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !langgraph_body_read_cron(exchange, thread_id, root, &asked, &problem) ||
        !take_when(exchange, root, &schedule, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct schedule_request *request = schedule_request_open(exchange, &asked.request.caller);
    if (request == NULL)
        return;
    schedule.caller = asked.request.caller;
    if (str_is_absent(schedule.caller.conversation_id))
        schedule.caller.conversation_id = STR("");
    schedule.graph = str_of(graph_def(asked.request.graph)->name);
    schedule.message = asked.request.message;
    request->schedule = schedule;
    schedule_request_put(request, answer_put);
}

void langgraph_crons_create(struct exchange *exchange)
{
    create(exchange, (struct str){NULL, 0});
}

void langgraph_crons_create_in_thread(struct exchange *exchange)
{
    struct str thread_id;
    struct err err = {0};
    if (url_decode(&exchange->arena, exchange->match.params[0], &thread_id, &err) == ERR_OK)
        create(exchange, thread_id);
    else
        exchange_fail(exchange, &err);
}

/* ---- finding ---- */

struct search {
    struct str assistant_id, thread_id;
    int64_t limit, offset;
    const struct json_value *enabled, *metadata;
};

static struct schedule_request *open_search(struct exchange *exchange, schedule_request_fn *next)
{
    static const struct facade_field fields[] = {
        {"assistant_id", FACADE_STRING},
        {"thread_id", FACADE_STRING},
        {"enabled", FACADE_BOOL},
        {"limit", FACADE_INTEGER},
        {"offset", FACADE_INTEGER},
        {"sort_by", FACADE_STRING, "another order is", {"\"created_at\""}},
        {"sort_order", FACADE_STRING, "another order is", {"\"desc\""}},
        {"select", FACADE_ARRAY, "choosing members is"},
        {"metadata", FACADE_OBJECT},
    };
    struct problem problem;
    const struct identity nobody = {0};
    struct identity caller;
    struct search *search = arena_alloc(&exchange->arena, sizeof *search);
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (search == NULL && root != NULL) {
        (void)problem_set(&problem, 503, "overloaded", "no memory for another request");
        root = NULL;
    }
    if (root == NULL || !facade_check(root, "", fields, countof(fields), &problem))
        goto refused;
    *search = (struct search){.limit = SEARCH_LIMIT,
                              .enabled = json_value_member(root, STR("enabled")),
                              .metadata = json_value_member(root, STR("metadata"))};
    if (!facade_read_str(root, "/assistant_id", &search->assistant_id, &problem) ||
        !facade_read_str(root, "/thread_id", &search->thread_id, &problem) ||
        !facade_read_caller(exchange, &nobody, &caller, &problem))
        goto refused;
    if (json_value_i64(root, "/limit", &search->limit, NULL) == ERR_INVALID ||
        json_value_i64(root, "/offset", &search->offset, NULL) == ERR_INVALID ||
        search->limit < 0 || search->limit > SEARCH_MOST || search->offset < 0 ||
        search->offset > SEARCH_MOST) {
        problem_field(&problem, "/limit", "/limit, /offset: expected 0 to %d", SEARCH_MOST);
        goto refused;
    }
    struct schedule_request *request = schedule_request_open(exchange, &caller);
    if (request != NULL) {
        request->owner = search;
        schedule_request_list(request, next);
    }
    return request;
refused:
    exchange_problem(exchange, &problem);
    return NULL;
}

/* Whether the job is a cron that the search wants; it is read into the request's schedule. */
static bool fits(struct schedule_request *request, const struct store_job *job)
{
    const struct search *search = request->owner;
    const struct schedule *schedule = &request->schedule;
    struct err err;
    return schedule_read(job, &request->arena, &request->schedule, &err) == ERR_OK &&
           !schedule_is_after(schedule) &&
           langgraph_json_has_members(&request->arena, schedule->metadata, search->metadata) &&
           (search->assistant_id.len == 0 || str_equal(search->assistant_id, schedule->graph)) &&
           (search->thread_id.len == 0 ||
            str_equal(search->thread_id, schedule->caller.conversation_id)) &&
           (search->enabled == NULL || search->enabled->type != JSON_BOOL ||
            search->enabled->boolean != schedule->is_paused);
}

static void answer_search(struct schedule_request *request)
{
    const struct search *search = request->owner;
    struct json_write json;
    struct buf out;
    int64_t place = 0;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_array(&json);
    for (size_t i = 0; i < request->read.job_count; i++) {
        if (!fits(request, &request->read.jobs[i]))
            continue;
        if (place >= search->offset && place < search->offset + search->limit)
            write_cron(&request->read.jobs[i], &request->schedule, &json);
        place++;
    }
    json_write_array_end(&json);
    schedule_request_reply(request, 200, &out);
}

static void answer_count(struct schedule_request *request)
{
    struct json_write json;
    struct buf out;
    uint64_t count = 0;
    for (size_t i = 0; i < request->read.job_count; i++)
        count += fits(request, &request->read.jobs[i]);
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_u64(&json, count);
    schedule_request_reply(request, 200, &out);
}

void langgraph_crons_search(struct exchange *exchange)
{
    (void)open_search(exchange, answer_search);
}

void langgraph_crons_count(struct exchange *exchange)
{
    (void)open_search(exchange, answer_count);
}

/* ---- one ---- */

static void read_path(struct exchange *exchange, schedule_request_fn *next)
{
    const struct identity nobody = {0};
    struct identity caller;
    struct problem problem;
    if (facade_read_caller(exchange, &nobody, &caller, &problem))
        schedule_request_read_path(exchange, &caller, next);
    else
        exchange_problem(exchange, &problem);
}

void langgraph_crons_erase(struct exchange *exchange)
{
    read_path(exchange, schedule_request_erase);
}

static void update(struct schedule_request *request)
{
    struct exchange *exchange = request->wait.exchange;
    struct problem problem;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !langgraph_body_check_cron(root, &problem) ||
        !take_when(exchange, root, &request->schedule, &problem)) {
        schedule_request_refuse(request, &problem);
        return;
    }
    if (json_value_member(root, STR("input")) != NULL &&
        !langgraph_body_read_message(exchange, root, &request->schedule.message, &problem)) {
        schedule_request_refuse(request, &problem);
        return;
    }
    request->again = update;
    schedule_request_put(request, answer_put);
}

void langgraph_crons_update(struct exchange *exchange)
{
    read_path(exchange, update);
}
