/* SPDX-License-Identifier: MIT */
/* server/facades/openai/responses_again.c - a response that is asked for by its id: as it is now,
 * or its events once more from any number on.
 *
 * Happy path: the run is in memory, or the store has what it said. Numbers of events follow from
 * what the run said alone, so they are the same here as where it was first streamed.
 * - metadata and previous_response_id were the request's: they are not repeated.
 * Failure paths: no such response, or somebody else's, or one that was not to be stored: 404; its
 * events are gone: 410; a parameter that is not built: as openai_problem has it. */
#include "server/facades/openai/responses.h"

#include <stdio.h>

#include "core/run/event_log.h"
#include "proto/url.h"
#include "server/api/api_run.h"
#include "server/api/conversations/conversation_request.h"
#include "server/facades/facade.h"
#include "server/streams/replay_stream.h"
#include "server/runs/shard.h"

enum { ANSWER_BYTES = 32 * 1024 * 1024 };

struct again { /* in the exchange's arena */
    struct str run_id;
    struct identity key; /* of its conversation */
    struct responses_said said;
    bool is_stream;
};

static void refuse(struct exchange *exchange)
{
    struct problem problem;
    problem_set(&problem, 404, "not_found", "there is no such response");
    exchange_problem(exchange, &problem);
}

/* ---- what is asked ---- */

static bool refuse_param(struct str name, struct problem *problem)
{
    char pointer[PROBLEM_POINTER_BYTES];
    snprintf(pointer, sizeof pointer, "/%.*s", STR_ARG(str_utf8_prefix(name, 64)));
    return problem_unsupported(problem, pointer, "it is");
}

static bool take_param(struct str name, struct str value, struct again *again,
                       struct problem *problem)
{
    if (str_equal(name, STR("stream")))
        again->is_stream = str_equal(value, STR("true"));
    else if (str_equal(name, STR("starting_after")))
        again->said.skips = str_to_u64(value, &again->said.skips_to);
    else if (!str_equal(name, STR("include_obfuscation")))
        return refuse_param(name, problem);
    return !str_equal(name, STR("starting_after")) || again->said.skips ||
           problem_set(problem, 400, "invalid_request", "starting_after: expected a number");
}

static bool read_query(struct exchange *exchange, struct again *again, struct problem *problem)
{
    struct str rest = exchange->request->query, name = {NULL, 0}, value;
    struct err err = {0};
    while (!str_is_absent(rest)) {
        if (url_next_param(&exchange->arena, &rest, &name, &value, &err) != ERR_OK)
            return problem_set(problem, 400, "invalid_request", "the query: %s", err.text);
        if (str_is_absent(name))
            break;
        if (!take_param(name, value, again, problem))
            return false;
    }
    return !again->said.skips || again->is_stream ||
           problem_set(problem, 400, "invalid_request", "starting_after: only with stream=true");
}

/* NULL: answered, or handed over to the worker that has the run. */
static struct again *read(struct exchange *exchange)
{
    struct again *again = arena_alloc(&exchange->arena, sizeof *again);
    struct identity caller = {.user_id = {NULL, 0}};
    struct problem problem;
    struct str id, conversation;
    problem_set(&problem, 503, "overloaded", "no memory for another request");
    bool fine = again != NULL;
    if (fine)
        *again = (struct again){.said = {.metadata = STR("{}")}};
    if (fine &&
        (url_decode(&exchange->arena, exchange->match.params[0], &id, &problem.err) != ERR_OK ||
         !responses_split_id(id, &again->run_id, &conversation))) {
        refuse(exchange);
        return NULL;
    }
    if (!fine || !read_query(exchange, again, &problem) ||
        !facade_read_caller(exchange, &(struct identity){.user_id = {NULL, 0}}, &caller,
                            &problem)) {
        exchange_problem(exchange, &problem);
        return NULL;
    }
    again->said.conversation = conversation;
    again->key = identity_in(&caller, conversation);
    size_t home = shard_of_run(exchange->shard, again->run_id);
    if (home < exchange->shard->group->count && home != exchange->shard->index) {
        exchange_hand_over(exchange, home);
        return NULL;
    }
    return again;
}

/* ---- one response ---- */

struct gathering {
    struct exchange *exchange;
    struct encoder *encoder;
    struct buf *out, dropped; /* what a stream would have had */
    bool is_over;
};

static bool gather(void *owner, const struct event *event)
{
    struct gathering *gathering = owner;
    bool ends = event_is_terminal(event->kind);
    event = exchange_tell(gathering->exchange, event);
    buf_clear(&gathering->dropped);
    if (!ends)
        gathering->encoder->kind->event(gathering->encoder, event, &gathering->dropped);
    else
        responses_write(gathering->encoder, event, gathering->out);
    gathering->is_over = ends;
    return !ends;
}

static void begin_gathering(struct gathering *gathering, struct exchange *exchange,
                            const struct again *again, struct buf *out)
{
    *gathering = (struct gathering){.exchange = exchange, .encoder = exchange->encoder, .out = out};
    buf_init(&gathering->dropped, ANSWER_BYTES);
    buf_init(out, ANSWER_BYTES);
    gathering->encoder->kind->begin(gathering->encoder, again->run_id, &gathering->dropped);
}

static void end_gathering(struct gathering *gathering, struct exchange *exchange)
{
    if (!gathering->is_over)
        responses_write(gathering->encoder, NULL, gathering->out);
    gathering->out->failed |= !buf_ok(&gathering->dropped);
    buf_fini(&gathering->dropped);
    exchange_reply_json(exchange, 200, gathering->out);
}

static void show_here(struct exchange *exchange, const struct again *again,
                      struct runs_entry *entry)
{
    struct event_log *log = run_log(runs_run(entry));
    struct gathering gathering;
    struct event event;
    struct buf out;
    begin_gathering(&gathering, exchange, again, &out);
    for (uint64_t id = 0; event_log_after(log, id, &event) == ERR_OK; id = event.id)
        if (!gather(&gathering, &event))
            break;
    end_gathering(&gathering, exchange);
}

/* ---- in the store ---- */

static struct again *again_of(const struct conversation_request *request)
{
    return request->owner;
}

static void show_past(struct conversation_request *request)
{
    const struct again *again = again_of(request);
    struct gathering gathering;
    struct err err = {0};
    struct buf out;
    begin_gathering(&gathering, request->wait.exchange, again, &out);
    if (stored_run_each(&request->past, gather, &gathering, &err) != ERR_OK) {
        buf_fini(&gathering.dropped);
        buf_fini(&out);
        conversation_request_fail(request, &err);
        return;
    }
    end_gathering(&gathering, conversation_request_leave(request));
}

/* A request to the store about the response, from this worker: the run's id has led here. NULL:
 * answered. */
static struct conversation_request *open_request(struct exchange *exchange, struct again *again)
{
    const struct identity key = identity_user(&again->key);
    struct conversation_request *request = conversation_request_open_for(exchange, &key);
    if (request == NULL)
        return NULL;
    request->owner = again;
    request->ask.find = (struct store_find){.key = request->key,
                                            .run_id = arena_str(&request->arena, again->run_id)};
    return request;
}

static void read_past(struct exchange *exchange, struct again *again)
{
    struct conversation_request *request = open_request(exchange, again);
    if (request != NULL)
        stored_run_start(&request->past, request->shard->wiring->events, NULL,
                         &request->ask.find.key, request->ask.find.run_id,
                         conversation_request_waiter(request, show_past));
}

/* The encoder answers the exchange when there is no memory for it: the request has left by then. */
static void go_on(struct conversation_request *request)
{
    const struct store_run *run = &request->call.runs[0];
    struct again *again = again_of(request);
    struct store *events = request->shard->wiring->events;
    bool is_its = str_equal(run->key.conversation_id, again->key.conversation_id);
    again->said.created = run->began_ms / 1000;
    again->said.model = arena_cstr(&request->wait.exchange->arena, run->graph);
    struct exchange *exchange = conversation_request_leave(request);
    if (!is_its || again->said.model == NULL)
        refuse(exchange);
    else if (responses_encoder(exchange, &again->said) == NULL)
        return;
    else if (again->is_stream)
        replay_stream_start(exchange, events, &again->key, again->run_id, 0);
    else
        read_past(exchange, again);
}

static void find_stored(struct exchange *exchange, struct again *again)
{
    struct conversation_request *request = open_request(exchange, again);
    if (request != NULL)
        store_find_start(&request->call, request->shard->wiring->events, &request->ask.find,
                         conversation_request_waiter(request, go_on));
}

void responses_retrieve(struct exchange *exchange)
{
    struct again *again = read(exchange);
    if (again == NULL)
        return;
    struct shard *shard = exchange->shard;
    struct runs_entry *entry = runs_find(shard->runs, again->run_id);
    if (entry != NULL && !identity_equal(runs_caller(entry), &again->key)) {
        refuse(exchange);
        return;
    }
    if (entry == NULL || !api_run_has(entry, 0)) {
        if (shard->wiring->events == NULL)
            refuse(exchange);
        else
            find_stored(exchange, again);
        return;
    }
    again->said.model = graph_def(run_graph(runs_run(entry)))->name;
    again->said.created = run_stats(runs_run(entry))->started_ms / 1000;
    if (responses_encoder(exchange, &again->said) == NULL)
        return;
    if (again->is_stream)
        api_run_rejoin(exchange, entry, 0);
    else
        show_here(exchange, again, entry);
}
