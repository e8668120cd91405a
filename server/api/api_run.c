/* SPDX-License-Identifier: MIT */
/* server/api/api_run.c - who must answer, what is there already, what begins.
 *
 * Happy path: read, hand over or stay, rejoin by Last-Event-ID or Idempotency-Key, else submit.
 * Failure: every refusal of run_body and runs as a problem; nothing is left behind. */
#include "server/api/api_run.h"

#include "core/store/wire_code.h"
#include "server/api/api_await_claim.h"
#include "server/api/api_await_history.h"
#include "server/streams/invocation.h"
#include "server/streams/invocation_stored.h"
#include "server/streams/replay_stream.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"
#include "server/streams/sse_stream.h"

bool api_run_has(struct runs_entry *entry, uint64_t after_id)
{
    struct event event;
    struct event_log *log = run_log(runs_run(entry));
    if (after_id > event_log_last_id(log))
        return false; /* said on another server, perhaps: the store knows, or waits for it */
    return event_log_after(log, after_id, &event) != ERR_GONE;
}

void api_run_rejoin(struct exchange *exchange, struct runs_entry *entry, uint64_t after_id)
{
    struct err err = {0};
    struct event_log *log = run_log(runs_run(entry));
    if (event_log_is_closed(log) && after_id == event_log_last_id(log))
        exchange_reply(exchange, 204, "", STR(""));
    else if (sse_stream_start(exchange, entry, after_id, &err) != ERR_OK)
        exchange_fail(exchange, &err);
}

enum err_code api_run_submit(struct exchange *exchange, const struct runs_request *request,
                             struct runs_entry **entry, struct err *err)
{
    if (request->pin == NULL)
        return err_set(err, ERR_UNAVAILABLE, "this server is starting; try again");
    if (!auth_grant_covers(&exchange->grant, &request->caller)) /* no path may forget to ask */
        return err_set(err, ERR_DENIED, "the key or token may not speak for this caller");
    if (shard_suits(exchange->shard, request->entry, err) != ERR_OK)
        return err->code;
    const struct knowledge *knows = &request->pin->set->knows;
    struct runs_request traced = *request;
    traced.request_id = str_of(exchange->request_id);
    traced.traceparent = http_request_header(exchange->request, STR("traceparent"));
    enum err_code code = runs_submit(exchange->shard->runs, &traced, entry, err);
    if (code == ERR_OK)
        exchange_trace(exchange, runs_trace(*entry));
    if (code == ERR_OK && !request->entry->works_blind &&
        wiring_is_blind(exchange->shard->wiring, knows))
        runs_cancel(*entry, "database_unavailable",
                    wire_code_public("database_unavailable", knows->catalog_err.code,
                                     str_of(knows->catalog_err.text))
                        .at); /* a text of ours, ended by a zero */
    return code;
}

static void fail_submit(struct exchange *exchange, const struct err *err)
{
    struct problem problem;
    if (err->code != ERR_INVALID) {
        exchange_fail_later(exchange, err,
                            err->code == ERR_BUSY || err->code == ERR_UNAVAILABLE
                                ? runs_retry_s(exchange->shard->runs)
                                : PROBLEM_RETRY_AFTER);
        return;
    }
    if (exchange->encoder == NULL)
        problem_field(&problem, "/input/message", "/input/message: %s", err->text);
    else /* another kind of body */
        problem_field(&problem, "", "the message: %s", err->text);
    exchange_problem(exchange, &problem);
}

/* Whether the request must be answered by another worker; it is on its way then. */
static bool goes_elsewhere(struct exchange *exchange, size_t worker)
{
    if (worker == exchange->shard->index || worker >= exchange->shard->group->count)
        return false;
    exchange_hand_over(exchange, worker);
    return true;
}

static void stream_anew(struct exchange *exchange, struct runs_entry *entry)
{
    struct err err = {0};
    if (sse_stream_start(exchange, entry, 0, &err) == ERR_OK)
        return;
    runs_cancel(entry, "cancelled", err.text);
    exchange_fail(exchange, &err);
}

static void invoke_anew(struct exchange *exchange, struct runs_entry *entry)
{
    struct err err = {0};
    if (invocation_start(exchange, entry, &err) == ERR_OK)
        return;
    runs_cancel(entry, "cancelled", err.text);
    exchange_fail(exchange, &err);
}

/* The run of this request is on another server. */
static void follow(struct exchange *exchange, const struct api_await_claim_rival *rival)
{
    struct problem problem;
    if (rival->is_same) {
        replay_stream_start(exchange, exchange->shard->wiring->events, &rival->key, rival->run_id,
                            0);
        return;
    }
    problem_set(&problem, 422, "invalid_request",
                "Idempotency-Key: it was sent before with another message or graph");
    exchange_problem(exchange, &problem);
}

static void answer_stored(struct exchange *exchange, const struct api_await_claim_rival *rival)
{
    struct problem problem;
    if (rival->is_same && exchange->encoder == NULL) {
        invocation_stored_start(exchange, &rival->key, rival->run_id);
        return;
    }
    if (rival->is_same) /* other kinds of answers are made of more than the stores have */
        problem_set(&problem, 409, "conflict",
                    "Idempotency-Key: the first such request is run %.*s, on another server: "
                    "stream it",
                    STR_ARG(rival->run_id));
    else
        problem_set(&problem, 422, "invalid_request",
                    "Idempotency-Key: it was sent before with another message or graph");
    exchange_problem(exchange, &problem);
}

static void rejoin_cursor(struct exchange *exchange, const struct runs_request *request,
                          const struct run_body_cursor *cursor)
{
    struct problem problem;
    if (goes_elsewhere(exchange, shard_of_run(exchange->shard, cursor->run_id)))
        return;
    struct runs_entry *entry = runs_find(exchange->shard->runs, cursor->run_id);
    struct store *store = exchange->shard->wiring->events;
    if (entry != NULL && identity_equal(runs_caller(entry), &request->caller) &&
        (store == NULL || api_run_has(entry, cursor->after_id))) {
        api_run_rejoin(exchange, entry, cursor->after_id);
        return;
    }
    if (store != NULL && (entry == NULL || identity_equal(runs_caller(entry), &request->caller))) {
        replay_stream_start(exchange, store, &request->caller, cursor->run_id, cursor->after_id);
        return;
    }
    if (entry != NULL)
        problem_set(&problem, 404, "not_found", "there is no such run in this conversation");
    else
        problem_set(&problem, 410, "gone", "the run's events are gone; ask again");
    exchange_problem(exchange, &problem);
}

/* Whether entry is the run of this very request; else it is refused. */
static bool is_repeated(struct exchange *exchange, const struct runs_request *request,
                        struct runs_entry *entry)
{
    struct problem problem;
    if (str_equal(runs_message(entry), request->message) &&
        identity_equal(runs_caller(entry), &request->caller) &&
        run_graph(runs_run(entry)) == request->graph)
        return true;
    problem_set(&problem, 422, "invalid_request",
                "Idempotency-Key: it was sent before with another message, conversation or graph");
    exchange_problem(exchange, &problem);
    return false;
}

/* The conversation's worker answers; without one, the key's. */
bool api_run_goes_elsewhere(struct exchange *exchange, const struct runs_request *request)
{
    return goes_elsewhere(
        exchange, shard_of_conversation(exchange->shard, request->caller.conversation_id.len > 0
                                                             ? request->caller.conversation_id
                                                             : request->idempotency_key));
}

/* The conversation is open. */
static void begin_stream(struct exchange *exchange, struct runs_request *request)
{
    struct err err = {0};
    struct runs_entry *entry = runs_find_key(exchange->shard->runs, request);
    if (entry != NULL) {
        if (is_repeated(exchange, request, entry))
            api_run_rejoin(exchange, entry, 0);
    } else if (api_run_submit(exchange, request, &entry, &err) != ERR_OK) {
        fail_submit(exchange, &err);
    } else if (api_await_claim_must_wait(entry, request)) {
        const struct api_await_claim_hooks hooks = {stream_anew, fail_submit, follow};
        api_await_claim_start(exchange, entry, &hooks);
    } else {
        stream_anew(exchange, entry);
    }
}

/* Invoke the run: the conversation is open. Rejoin by Idempotency-Key, else submit, and answer
 * whole. */
static void begin_invocation(struct exchange *exchange, struct runs_request *request)
{
    struct err err = {0};
    struct runs_entry *entry = runs_find_key(exchange->shard->runs, request);
    if (entry != NULL && !is_repeated(exchange, request, entry))
        return;
    request->cancel_on_disconnect = request->idempotency_key.len == 0;
    if (entry == NULL && api_run_submit(exchange, request, &entry, &err) != ERR_OK) {
        fail_submit(exchange, &err);
    } else if (api_await_claim_must_wait(entry, request)) {
        const struct api_await_claim_hooks hooks = {invoke_anew, fail_submit, answer_stored};
        api_await_claim_start(exchange, entry, &hooks);
    } else {
        invoke_anew(exchange, entry);
    }
}

/* Never called: another run is followed only by requests with a key that it has, too. */
static void never_follow(struct exchange *exchange,
                         const struct api_await_claim_rival *rival UNUSED)
{
    const struct err err = {ERR_CONFLICT, "another run has taken its place"};
    exchange_fail(exchange, &err);
}

void api_run_begin_alone(struct exchange *exchange, const struct runs_request *request,
                         api_run_answer_fn *answer)
{
    struct err err = {0};
    struct runs_entry *entry;
    if (api_run_submit(exchange, request, &entry, &err) != ERR_OK) {
        fail_submit(exchange, &err);
    } else if (api_await_claim_must_wait(entry, request)) {
        const struct api_await_claim_hooks hooks = {answer, fail_submit, never_follow};
        api_await_claim_start(exchange, entry, &hooks);
    } else {
        answer(exchange, entry);
    }
}

void api_run_begin(struct exchange *exchange, const struct runs_request *request, bool is_stream)
{
    api_await_history_fn *go_on = is_stream ? begin_stream : begin_invocation;
    struct runs_request copy = *request;
    if (api_run_goes_elsewhere(exchange, request))
        return;
    copy.loads = runs_may_load(exchange->shard->runs, request);
    if (copy.loads)
        go_on(exchange, &copy);
    else
        api_await_history_conversation(exchange, request, go_on);
}

void api_run_stream(struct exchange *exchange, const char *default_graph)
{
    struct runs_request request;
    struct run_body_cursor cursor;
    struct problem problem;
    if (!run_body_read(exchange, default_graph, &request, &problem) ||
        !run_body_read_cursor(exchange, (struct str){NULL, 0}, &cursor, &problem))
        exchange_problem(exchange, &problem);
    else if (!str_is_absent(cursor.run_id))
        rejoin_cursor(exchange, &request, &cursor);
    else
        api_run_begin(exchange, &request, true);
}

void api_run_invoke(struct exchange *exchange)
{
    struct runs_request request;
    struct problem problem;
    if (!run_body_read(exchange, NULL, &request, &problem))
        exchange_problem(exchange, &problem);
    else
        api_run_begin(exchange, &request, false);
}
