/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_runs.c - to the right worker, then begin, join or answer.
 *
 * Happy path: the body becomes a run, which is streamed, waited for, or answered at once and left
 * alone; a run that is there is found on the worker its id names, and through the store when it has
 * left memory.
 * Failure paths: see langgraph_body and runs; a run that is somebody else's, or of another thread:
 * 404; a thread that is busy: 409. */
#include "server/facades/langgraph/langgraph_runs.h"

#include "proto/json_write.h"
#include "proto/url.h"
#include "server/api/api_await_history.h"
#include "server/api/api_run.h"
#include "server/api/conversations/conversation_request.h"
#include "server/facades/langgraph/langgraph_asks.h"
#include "server/facades/langgraph/langgraph_choice.h"
#include "server/facades/langgraph/langgraph_encoder.h"
#include "server/facades/langgraph/langgraph_head.h"
#include "server/facades/langgraph/langgraph_json.h"
#include "server/streams/invocation.h"
#include "server/streams/replay_stream.h"
#include "server/api/run_body.h"
#include "server/api/api_resume.h"
#include "server/api/cancel_elsewhere.h"
#include "server/runs/runs_list.h"
#include "server/schedules/schedule_request.h"
#include "server/runs/shard.h"
#include "server/streams/sse_stream.h"

enum { ANSWER_BYTES = 64 * 1024, LIST_BYTES = 8 * 1024 * 1024, LISTED_RUNS = 100 };

static void refuse(struct exchange *exchange, int status, const char *code, const char *text)
{
    struct problem problem;
    problem_set(&problem, status, code, "%s", text);
    exchange_problem(exchange, &problem);
}

/* ---- beginning ---- */

/* The path's thread, decoded. False: answered. */
static bool read_thread(struct exchange *exchange, struct str *thread_id)
{
    struct err err;
    if (url_decode(&exchange->arena, exchange->match.params[0], thread_id, &err) == ERR_OK)
        return true;
    refuse(exchange, 400, "invalid_request", err.text);
    return false;
}

/* False: answered. */
static bool make_encoder(struct exchange *exchange, struct str thread_id,
                         struct langgraph_encoder_options *options)
{
    options->arena = &exchange->arena;
    options->runs = exchange->shard->runs;
    options->history = exchange->shard->services->history;
    options->thread_id = thread_id;
    exchange->encoder = langgraph_encoder_create(options);
    if (exchange->encoder != NULL)
        return true;
    refuse(exchange, 503, "overloaded", "no memory for another request");
    return false;
}

/* NULL: answered. */
static struct langgraph_asked *read(struct exchange *exchange, struct str thread_id)
{
    struct problem problem;
    struct langgraph_asked *asked = arena_alloc(&exchange->arena, sizeof *asked);
    if (asked == NULL) {
        refuse(exchange, 503, "overloaded", "no memory for another request");
        return NULL;
    }
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !langgraph_body_read(exchange, thread_id, root, asked, &problem)) {
        exchange_problem(exchange, &problem);
        return NULL;
    }
    struct langgraph_encoder_options options = {.view = asked->view};
    return make_encoder(exchange, thread_id, &options) ? asked : NULL;
}

static void on_announced(struct schedule_request *call)
{
    struct langgraph_asked *asked = call->owner;
    asked->go_on(schedule_request_leave(call), asked);
}

/* Its result's delivery is put into the store before the run begins, so that no death in between
 * loses it; the run has a key of its own, by which it is found. */
static void announce(struct exchange *exchange, void *owner)
{
    struct langgraph_asked *asked = owner;
    struct runs_request *request = &asked->request;
    if (asked->webhook.len == 0) {
        asked->go_on(exchange, asked);
        return;
    }
    if (api_run_goes_elsewhere(exchange, request))
        return;
    request->idempotency_key = shard_make_name(exchange->shard, &exchange->arena);
    request->needs_record = true;
    if (str_is_absent(request->idempotency_key)) {
        refuse(exchange, 503, "overloaded", "no memory for another request");
        return;
    }
    struct schedule_request *call = schedule_request_open(exchange, &request->caller);
    if (call == NULL)
        return;
    call->owner = asked;
    schedule_request_deliver(call, request->idempotency_key, asked->webhook, on_announced);
}

/* Now, or once it is known that the checkpoint it names is the last one. */
static void go_on_at_head(struct exchange *exchange, struct langgraph_asked *asked,
                          langgraph_head_fn *go_on)
{
    const struct runs_request *request = &asked->request;
    const struct langgraph_head_options options = {.key = request->caller,
                                                   .checkpoint_id = asked->checkpoint_id,
                                                   .go_on = announce,
                                                   .owner = asked};
    asked->go_on = go_on;
    if (str_is_absent(asked->checkpoint_id))
        announce(exchange, asked);
    else
        langgraph_head_check(exchange, &options);
}

static void tell_run(struct exchange *exchange, struct runs_entry *entry)
{
    struct buf out;
    struct json_write json;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    langgraph_json_run(entry, loop_wall_ms(exchange->shard->loop), &json);
    exchange_reply_run(exchange, 200, buf_str(&out), run_id(runs_run(entry)), false);
    buf_fini(&out);
}

/* The conversation is open: the run begins, and nobody waits for it. */
static void begin_alone(struct exchange *exchange, struct runs_request *request)
{
    api_run_begin_alone(exchange, request, tell_run);
}

static struct str read_answer(struct exchange *exchange, const struct stored_run *past,
                              struct str resume)
{
    struct str answer = langgraph_asks_answer(past, resume, &exchange->arena);
    if (str_is_absent(answer))
        refuse(exchange, 422, "invalid_request",
               "/command/resume: it answers nothing that the thread's run asks");
    return answer;
}

/* The thread's run that paused last goes on. */
static void resume(struct exchange *exchange, const struct langgraph_asked *asked,
                   api_run_answer_fn *tell)
{
    const struct runs_request *request = &asked->request;
    const struct api_resume_options options = {
        .run = request, .answer = asked->resume, .tell = tell, .on_found = read_answer};
    if (str_is_absent(request->caller.conversation_id))
        refuse(exchange, 422, "invalid_request", "/command/resume: only a thread's run can pause");
    else
        api_resume_start(exchange, &options);
}

static void create_asked(struct exchange *exchange, void *owner)
{
    struct langgraph_asked *asked = owner;
    asked->request.cancel_on_disconnect = false;
    asked->request.outlives_readers = true;
    if (!str_is_absent(asked->resume)) {
        resume(exchange, asked, tell_run);
        return;
    }
    size_t home = shard_of_conversation(exchange->shard, asked->request.caller.conversation_id);
    if (home == exchange->shard->index)
        api_await_history_conversation(exchange, &asked->request, begin_alone);
    else
        exchange_hand_over(exchange, home);
}

static void create(struct exchange *exchange, struct str thread_id)
{
    struct langgraph_asked *asked = read(exchange, thread_id);
    if (asked != NULL)
        go_on_at_head(exchange, asked, create_asked);
}

static void stream_asked(struct exchange *exchange, void *owner)
{
    struct langgraph_asked *asked = owner;
    if (str_is_absent(asked->resume))
        api_run_begin(exchange, &asked->request, true);
    else
        resume(exchange, asked, NULL);
}

static void wait_asked(struct exchange *exchange, void *owner)
{
    struct langgraph_asked *asked = owner;
    if (str_is_absent(asked->resume))
        api_run_begin(exchange, &asked->request, false);
    else
        resume(exchange, asked, api_resume_whole);
}

static void begin(struct exchange *exchange, struct str thread_id, langgraph_head_fn *go_on)
{
    struct langgraph_asked *asked = read(exchange, thread_id);
    if (asked != NULL)
        go_on_at_head(exchange, asked, go_on);
}

void langgraph_runs_stream(struct exchange *exchange)
{
    struct str thread_id;
    if (read_thread(exchange, &thread_id))
        begin(exchange, thread_id, stream_asked);
}

void langgraph_runs_wait(struct exchange *exchange)
{
    struct str thread_id;
    if (read_thread(exchange, &thread_id))
        begin(exchange, thread_id, wait_asked);
}

void langgraph_runs_create(struct exchange *exchange)
{
    struct str thread_id;
    if (read_thread(exchange, &thread_id))
        create(exchange, thread_id);
}

void langgraph_runs_stream_alone(struct exchange *exchange)
{
    begin(exchange, (struct str){NULL, 0}, stream_asked);
}

void langgraph_runs_wait_alone(struct exchange *exchange)
{
    begin(exchange, (struct str){NULL, 0}, wait_asked);
}

void langgraph_runs_create_alone(struct exchange *exchange)
{
    create(exchange, (struct str){NULL, 0});
}

/* ---- a run that is there ---- */

struct wanted {
    struct str thread_id, run_id; /* thread_id absent: of none */
    struct identity key;          /* whose */
    struct runs_entry *entry;     /* NULL: not in memory here */
};

/* Who asks, and for which thread. False: answered. */
static bool read_caller(struct exchange *exchange, bool has_thread, struct wanted *wanted)
{
    struct identity caller = {.user_id = {NULL, 0}};
    struct problem problem;
    *wanted = (struct wanted){.thread_id = {NULL, 0}};
    if (has_thread && !read_thread(exchange, &wanted->thread_id))
        return false;
    if (!facade_read_caller(exchange, &(struct identity){.user_id = {NULL, 0}}, &caller,
                            &problem)) {
        exchange_problem(exchange, &problem);
        return false;
    }
    wanted->key = identity_in(&caller, wanted->thread_id);
    return true;
}

/* False: answered, or handed over to the worker that has it. */
static bool find(struct exchange *exchange, bool has_thread, struct wanted *wanted)
{
    if (!read_caller(exchange, has_thread, wanted))
        return false;
    wanted->run_id = exchange->match.params[has_thread ? 1 : 0];
    size_t home = shard_of_run(exchange->shard, wanted->run_id);
    if (home < exchange->shard->group->count && home != exchange->shard->index) {
        exchange_hand_over(exchange, home);
        return false;
    }
    wanted->entry = runs_find(exchange->shard->runs, wanted->run_id);
    if (wanted->entry != NULL && identity_equal(runs_caller(wanted->entry), &wanted->key))
        return true;
    if (wanted->entry == NULL && exchange->shard->wiring->events != NULL &&
        home < exchange->shard->group->count)
        return true;
    refuse(exchange, 404, "not_found", "there is no such run");
    return false;
}

static void join_stream(struct exchange *exchange, bool has_thread)
{
    struct wanted wanted;
    struct langgraph_encoder_options options = {.is_silent = false};
    struct problem problem;
    struct err err = {0};
    if (!find(exchange, has_thread, &wanted))
        return;
    if (!langgraph_body_read_query(exchange, &options.view, &problem) ||
        !langgraph_body_read_cursor(exchange, &options.seen, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (!make_encoder(exchange, wanted.thread_id, &options))
        return;
    /* the event the client was in is written again, without the frames it has */
    uint64_t after_id = options.seen.event > 0 ? options.seen.event - 1 : 0;
    if (wanted.entry == NULL ||
        (exchange->shard->wiring->events != NULL && !api_run_has(wanted.entry, after_id)))
        replay_stream_start(exchange, exchange->shard->wiring->events, &wanted.key, wanted.run_id,
                            after_id);
    else if (sse_stream_start(exchange, wanted.entry, after_id, &err) != ERR_OK)
        exchange_fail(exchange, &err);
}

void langgraph_runs_join_stream(struct exchange *exchange)
{
    join_stream(exchange, true);
}

void langgraph_runs_join_stream_alone(struct exchange *exchange)
{
    join_stream(exchange, false);
}

/* Until it is over; silently: no more than that. */
static void wait(struct exchange *exchange, const struct wanted *wanted, bool is_silent)
{
    struct langgraph_encoder_options options = {.view = {.modes = LANGGRAPH_VALUES},
                                                .is_silent = is_silent};
    struct err err = {0};
    if (wanted->entry == NULL)
        refuse(exchange, 410, "gone", "the run has left memory: ask for the thread's state");
    else if (make_encoder(exchange, wanted->thread_id, &options) &&
             invocation_start(exchange, wanted->entry, &err) != ERR_OK)
        exchange_fail(exchange, &err);
}

void langgraph_runs_join(struct exchange *exchange)
{
    struct wanted wanted;
    if (find(exchange, true, &wanted))
        wait(exchange, &wanted, false);
}

static struct str param(struct exchange *exchange, const char *name)
{
    struct str value = {NULL, 0};
    struct err err;
    if (!str_is_absent(exchange->request->query) &&
        url_find_param(&exchange->arena, exchange->request->query, str_of(name), &value, &err) !=
            ERR_OK)
        return STR("");
    return value;
}

/* False: answered. */
static bool read_action(struct exchange *exchange, bool *rolls_back)
{
    struct str action = param(exchange, "action");
    *rolls_back = str_equal(action, STR("rollback"));
    if (*rolls_back || str_is_absent(action) || str_equal(action, STR("interrupt")))
        return true;
    refuse(exchange, 422, "invalid_request", "action: expected interrupt or rollback");
    return false;
}

void langgraph_runs_cancel(struct exchange *exchange)
{
    struct wanted wanted;
    bool rolls_back;
    if (!read_action(exchange, &rolls_back) || !find(exchange, true, &wanted))
        return;
    if (wanted.entry == NULL) {
        const struct cancel_elsewhere_options options = {
            .key = &wanted.key, .run_id = wanted.run_id, .forget = rolls_back};
        cancel_elsewhere_start(exchange, exchange->shard->wiring->events, &options);
        return;
    }
    if (rolls_back && runs_has_answered(wanted.entry)) {
        refuse(exchange, 409, "conflict", "action: the run is over, and what it said is kept");
        return;
    }
    if (rolls_back)
        runs_roll_back(wanted.entry);
    else
        runs_cancel(wanted.entry, "cancelled", "somebody asked for it");
    if (str_equal(param(exchange, "wait"), STR("1")))
        wait(exchange, &wanted, true);
    else
        exchange_reply(exchange, 202, "application/json", STR("{}"));
}

/* ---- what there is of runs ---- */

static void show_stored(struct conversation_request *request)
{
    const struct store_run *run = &request->call.runs[0];
    struct json_write json;
    struct buf out;
    struct err err;
    if (!str_equal(run->key.conversation_id, request->to)) {
        err_set(&err, ERR_NOT_FOUND, "there is no such run");
        conversation_request_fail(request, &err);
        return;
    }
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    langgraph_json_stored_run(run, &json);
    conversation_request_reply(request, 200, buf_ok(&out) ? buf_str(&out) : STR("{}"));
    buf_fini(&out);
}

/* Look in the store from this worker, wherever the run's conversation is at home: the run's id has
 * led here. */
static void find_stored(struct exchange *exchange, const struct wanted *wanted)
{
    const struct identity key = identity_user(&wanted->key);
    struct conversation_request *request = conversation_request_open_for(exchange, &key);
    if (request == NULL)
        return;
    request->to = arena_str(&request->arena, wanted->thread_id);
    request->ask.find = (struct store_find){.key = request->key,
                                            .run_id = arena_str(&request->arena, wanted->run_id)};
    store_find_start(&request->call, request->shard->wiring->events, &request->ask.find,
                     conversation_request_waiter(request, show_stored));
}

void langgraph_runs_show(struct exchange *exchange)
{
    struct wanted wanted;
    struct json_write json;
    struct buf out;
    if (!find(exchange, true, &wanted))
        return;
    if (wanted.entry == NULL) {
        find_stored(exchange, &wanted);
        return;
    }
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    langgraph_json_run(wanted.entry, loop_wall_ms(exchange->shard->loop), &json);
    exchange_reply_json(exchange, 200, &out);
}

struct listing {
    struct shard *shard;
    const struct identity *caller;
    struct json_write json;
};

static void list_one(struct runs_entry *entry, void *owner)
{
    struct listing *listing = owner;
    if (identity_equal(runs_caller(entry), listing->caller))
        langgraph_json_run(entry, loop_wall_ms(listing->shard->loop), &listing->json);
}

/* Those in memory say how they are now; of the others the store does. */
static void list_all(struct conversation_request *request)
{
    struct listing listing = {.shard = request->shard, .caller = &request->key};
    const struct langgraph_choice *choice = request->owner;
    const struct store_call *call = &request->call;
    struct json_write chosen;
    struct buf all, out;
    struct err err;
    buf_init(&all, LIST_BYTES);
    buf_init(&out, LIST_BYTES);
    json_write_init(&listing.json, &all);
    json_write_init(&chosen, &out);
    json_write_array(&listing.json);
    runs_visit(request->shard->runs, &request->key, list_one, &listing);
    for (size_t i = 0; i < call->run_count; i++)
        if (runs_find(request->shard->runs, call->runs[i].run_id) == NULL)
            langgraph_json_stored_run(&call->runs[i], &listing.json);
    json_write_array_end(&listing.json);
    if (buf_ok(&all) &&
        langgraph_choice_write(choice, buf_str(&all), &request->arena, &chosen) == ERR_OK &&
        buf_ok(&out)) {
        conversation_request_reply(request, 200, buf_str(&out));
    } else {
        err_set(&err, ERR_TOO_LARGE, "the answer is too large");
        conversation_request_fail(request, &err);
    }
    buf_fini(&all);
    buf_fini(&out);
}

void langgraph_runs_list(struct exchange *exchange)
{
    struct langgraph_choice *choice = arena_alloc(&exchange->arena, sizeof *choice);
    struct wanted wanted;
    struct problem problem;
    if (choice == NULL) {
        refuse(exchange, 503, "unavailable", "the server has no memory for this now");
        return;
    }
    if (!langgraph_choice_read(&exchange->arena, exchange->request->query, choice, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (!read_caller(exchange, true, &wanted))
        return;
    struct conversation_request *request = conversation_request_open_for(exchange, &wanted.key);
    if (request == NULL)
        return;
    request->owner = choice;
    if (request->shard->wiring->events == NULL) { /* memory is all there is */
        list_all(request);
        return;
    }
    request->ask.runs = (struct store_runs){.key = request->key, .limit = LISTED_RUNS};
    store_runs_start(&request->call, request->shard->wiring->events, &request->ask.runs,
                     conversation_request_waiter(request, list_all));
}
