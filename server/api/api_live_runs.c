/* SPDX-License-Identifier: MIT */
/* server/api/api_live_runs.c - a run is found on the worker that its id names.
 *
 * A run that is not there, or whose events have left memory, is streamed from the store.
 *
 * Failure: what is no run id: 404; a run that is gone: 410; a bad Last-Event-ID: 400. */
#include "server/api/api_live_runs.h"

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "proto/url.h"
#include "server/api/api_run.h"
#include "server/api/caller.h"
#include "server/api/run_listing.h"
#include "server/http/exchange.h"
#include "server/streams/replay_stream.h"
#include "server/api/run_body.h"
#include "server/api/api_resume.h"
#include "server/api/cancel_elsewhere.h"
#include "server/runs/runs_list.h"
#include "server/runs/shard.h"

/* False: answered. */
static bool read_caller(struct exchange *exchange, struct identity *caller)
{
    struct problem problem;
    if (caller_take_query(exchange, caller, &problem))
        return true;
    exchange_problem(exchange, &problem);
    return false;
}

void api_live_runs_list(struct exchange *exchange)
{
    struct identity caller;
    if (read_caller(exchange, &caller))
        run_listing_start(exchange, &caller);
}

void api_live_runs_list_all(struct exchange *exchange)
{
    const struct identity anybody = {.company_id = {NULL, 0}};
    run_listing_start(exchange, &anybody);
}

/* Whether the run's worker is this one; else the request is handed over. */
static bool is_here(struct exchange *exchange)
{
    struct shard *shard = exchange->shard;
    size_t home = shard_of_run(shard, exchange->match.params[0]);
    if (home >= shard->group->count || home == shard->index)
        return true;
    exchange_hand_over(exchange, home);
    return false;
}

/* Refuse a request whose run, entry, is somebody else's, or NULL. */
static void refuse(struct exchange *exchange, const struct runs_entry *entry)
{
    struct problem problem;
    unsigned worker;
    if (entry == NULL && id_run_worker(exchange->match.params[0], &worker))
        problem_set(&problem, 410, "gone", "the run's events are gone");
    else
        problem_set(&problem, 404, "not_found", "there is no such run");
    exchange_problem(exchange, &problem);
}

void api_live_runs_stream(struct exchange *exchange)
{
    struct str run_id = exchange->match.params[0];
    struct store *store = exchange->shard->wiring->events;
    struct run_body_cursor cursor;
    struct identity caller;
    struct problem problem;
    unsigned worker;
    if (!read_caller(exchange, &caller) || !is_here(exchange))
        return;
    struct runs_entry *entry = runs_find(exchange->shard->runs, run_id);
    bool stored = store != NULL && id_run_worker(run_id, &worker);
    if ((entry == NULL && !stored) ||
        (entry != NULL && !identity_is_same_user(runs_caller(entry), &caller))) {
        refuse(exchange, entry);
    } else if (entry != NULL && exchange->request->method == HTTP_METHOD_HEAD) {
        exchange_reply(exchange, 200, "text/event-stream; charset=utf-8", STR(""));
    } else if (!run_body_read_cursor(exchange, run_id, &cursor, &problem)) {
        exchange_problem(exchange, &problem);
    } else if (entry != NULL && (!stored || api_run_has(entry, cursor.after_id))) {
        api_run_rejoin(exchange, entry, cursor.after_id);
    } else {
        replay_stream_start(exchange, store, &caller, run_id, cursor.after_id);
    }
}

/* The one member of a body that resumes, as JSON; absent: problem. */
static struct str read_answer(struct exchange *exchange, struct problem *problem)
{
    const struct json_value *root = run_body_parse(exchange, problem);
    if (root == NULL)
        return (struct str){NULL, 0};
    const struct json_value *value = json_value_member(root, STR("resume"));
    if (value == NULL) {
        problem_field(problem, "/resume", "/resume: expected what the run waits for, got nothing");
        return (struct str){NULL, 0};
    }
    struct str answer =
        json_value_text(value, &exchange->arena, exchange->site->conns.limits.http.body_bytes);
    if (str_is_absent(answer))
        problem_set(problem, 413, "too_large", "the answer is too large");
    return answer;
}

void api_live_runs_resume(struct exchange *exchange)
{
    struct identity caller;
    struct problem problem;
    unsigned worker;
    if (!read_caller(exchange, &caller))
        return;
    const struct runs_request run = {.caller = caller};
    const struct api_resume_options options = {
        .run = &run,
        .run_id = exchange->match.params[0],
        .answer = read_answer(exchange, &problem),
    };
    if (str_is_absent(options.answer))
        exchange_problem(exchange, &problem);
    else if (!id_run_worker(options.run_id, &worker))
        refuse(exchange, NULL);
    else
        api_resume_start(exchange, &options);
}

static void cancel_here(struct exchange *exchange, struct runs_entry *entry)
{
    bool ended = runs_has_ended(entry);
    runs_cancel(entry, "cancelled", "somebody asked for it");
    exchange_reply_run(exchange, ended ? 200 : 202,
                       ended ? STR("{\"state\":\"ended\"}") : STR("{\"state\":\"ending\"}"),
                       run_id(runs_run(entry)), false);
}

/* Cancel the run of the path, if it is caller's; NULL: whosever it is. */
static void cancel(struct exchange *exchange, const struct identity *caller)
{
    struct str run_id = exchange->match.params[0];
    struct store *store = exchange->shard->wiring->events;
    unsigned worker;
    if (!is_here(exchange))
        return;
    struct runs_entry *entry = runs_find(exchange->shard->runs, run_id);
    if (entry != NULL && (caller == NULL || identity_is_same_user(runs_caller(entry), caller))) {
        cancel_here(exchange, entry);
    } else if (entry == NULL && store != NULL && id_run_worker(run_id, &worker)) {
        const struct cancel_elsewhere_options options = {.key = caller, .run_id = run_id};
        cancel_elsewhere_start(exchange, store, &options);
    } else {
        refuse(exchange, entry);
    }
}

void api_live_runs_cancel(struct exchange *exchange)
{
    struct identity caller;
    if (read_caller(exchange, &caller))
        cancel(exchange, &caller);
}

void api_live_runs_cancel_any(struct exchange *exchange)
{
    cancel(exchange, NULL);
}
