/* SPDX-License-Identifier: MIT */
/* server/api_runs.c - a run is found on the worker that its id names.
 *
 * Failure: what is no run id: 404; a run that is gone: 410; a bad Last-Event-ID: 400. */
#include "server/api_runs.h"

#include "server/api_run.h"
#include "server/exchange.h"
#include "server/run_body.h"

enum { BODY_BYTES = 16 * 1024 * 1024 };

void api_runs_list(struct exchange *exchange)
{
    struct buf body;
    struct err err;
    buf_init(&body, BODY_BYTES);
    runs_list_write(exchange->worker->runs, &body);
    if (buf_ok(&body)) {
        exchange_reply(exchange, 200, "application/json", buf_str(&body));
    } else {
        err_set(&err, ERR_INTERNAL, "the list does not fit in %d bytes", BODY_BYTES);
        exchange_fail(exchange, &err);
    }
    buf_fini(&body);
}

/* The run the path names, here; NULL: answered, or handed over. */
static struct runs_entry *find(struct exchange *exchange)
{
    struct worker *worker = exchange->worker;
    struct str run_id = exchange->match.params[0];
    size_t home = worker_of_run(worker, run_id);
    struct problem problem;
    if (home < worker->crew->count && home != worker->index) {
        exchange_hand_over(exchange, home);
        return NULL;
    }
    struct runs_entry *entry = runs_find(worker->runs, run_id);
    if (entry != NULL)
        return entry;
    if (home < worker->crew->count)
        problem_set(&problem, 410, "gone", "the run's events are gone");
    else
        problem_set(&problem, 404, "not_found", "there is no such run");
    exchange_problem(exchange, &problem);
    return NULL;
}

void api_runs_stream(struct exchange *exchange)
{
    struct run_body_cursor cursor;
    struct problem problem;
    struct runs_entry *entry = find(exchange);
    if (entry == NULL)
        return;
    if (exchange->request->method == HTTP_METHOD_HEAD)
        exchange_reply(exchange, 200, "text/event-stream; charset=utf-8", STR(""));
    else if (!run_body_read_cursor(exchange, exchange->match.params[0], &cursor, &problem))
        exchange_problem(exchange, &problem);
    else
        api_run_rejoin(exchange, entry, cursor.after_id);
}

void api_runs_cancel(struct exchange *exchange)
{
    struct runs_entry *entry = find(exchange);
    if (entry == NULL)
        return;
    bool ended = runs_has_ended(entry);
    runs_cancel(entry, "cancelled", "somebody asked for it");
    exchange_reply_run(exchange, ended ? 200 : 202,
                       ended ? STR("{\"state\":\"ended\"}") : STR("{\"state\":\"ending\"}"),
                       run_id(runs_run(entry)));
}
