/* SPDX-License-Identifier: MIT */
/* server/facades/ai_sdk/ui_chat.c - from UI messages to a run, and back to one that goes on.
 *
 * Happy path: the chat's id is the conversation's; the last message is the question, those before
 * it what was said. To resume is to read the conversation's run again from its first event, out of
 * the store when it goes on elsewhere.
 * Failure paths:
 * - no run goes on in the chat, or it is somebody else's: 204, there is nothing to resume;
 * - else as facade, run_body and runs say, in plain text. */
#include "server/facades/ai_sdk/ui_chat.h"

#include "proto/url.h"
#include "server/api/api_run.h"
#include "server/api/conversation_request.h"
#include "server/facades/facade.h"
#include "server/streams/replay_stream.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { LISTED_RUNS = 8 };

static const struct facade_field fields[] = {
    {"id", FACADE_STRING},        {"messages", FACADE_ARRAY}, {"trigger", FACADE_STRING},
    {"messageId", FACADE_STRING}, {"model", FACADE_STRING},   {"metadata", FACADE_OBJECT},
};

static const struct facade_talk talk = {
    .pointer = "/messages", .parts = "parts", .texts = {"text"}, .skips_parts = true};

static bool read_trigger(const struct json_value *root, struct problem *problem)
{
    struct str trigger;
    if (!facade_read_str(root, "/trigger", &trigger, problem))
        return false;
    return str_is_absent(trigger) || str_equal(trigger, STR("submit-message")) ||
           str_equal(trigger, STR("regenerate-message")) ||
           problem_unsupported(problem, "/trigger", "other triggers are");
}

bool ui_chat_read(struct exchange *exchange, struct runs_request *request, struct problem *problem)
{
    struct identity caller;
    *request = (struct runs_request){.pin = exchange->shard->pin, .detail = EVENT_NODES};
    const struct json_value *root = run_body_parse(exchange, problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), problem) ||
        !read_trigger(root, problem))
        return false;
    if (json_value_find(root, "/model") == NULL) {
        if (!run_body_set_graph(exchange, STR("orchestrator"), request))
            return problem_set(problem, 500, "internal", "there is no graph 'orchestrator'");
    } else if (!facade_read_model(exchange, root, request, problem)) {
        return false;
    }
    return facade_read_talk(exchange, json_value_member(root, STR("messages")), &talk, request,
                            problem) &&
           facade_read_str(root, "/id", &caller.conversation_id, problem) &&
           facade_read_str(root, "/metadata/company_id", &caller.company_id, problem) &&
           facade_read_str(root, "/metadata/user_id", &caller.user_id, problem) &&
           facade_read_caller(exchange, &caller, &request->caller, problem) &&
           run_body_read_key(exchange, request, problem);
}

void ui_chat_ask(struct exchange *exchange)
{
    struct runs_request request;
    struct problem problem;
    if (!ui_chat_read(exchange, &request, &problem))
        exchange_problem(exchange, &problem);
    else if (ui_chat_encoder(exchange) != NULL)
        api_run_begin(exchange, &request, true);
}

/* ---- resuming ---- */

/* Whether the run has said its last word here: the store may hear of it later than its readers. */
static bool has_answered(struct shard *shard, struct str run_id)
{
    struct runs_entry *entry = runs_find(shard->runs, run_id);
    return entry != NULL && runs_has_answered(entry);
}

/* The running run that began last; NULL: no run goes on. */
static const struct store_run *find_running(struct shard *shard, const struct store_call *call)
{
    for (size_t i = 0; i < call->run_count; i++)
        if (call->runs[i].status == STORE_RUNNING && !has_answered(shard, call->runs[i].run_id))
            return &call->runs[i];
    return NULL;
}

/* The chat's runs that go on, here or elsewhere, are known: stream the last one. */
static void stream_stored(struct conversation_request *request)
{
    const struct store_run *run = find_running(request->wait.exchange->shard, &request->call);
    if (run == NULL) {
        exchange_reply(conversation_request_leave(request), 204, "", STR(""));
        return;
    }
    struct arena *arena = &request->wait.exchange->arena;
    const struct identity user = identity_user(&run->key);
    const struct identity key = identity_copy(arena, &user);
    struct str run_id = arena_str(arena, run->run_id);
    struct exchange *exchange = conversation_request_leave(request);
    if (ui_chat_encoder(exchange) != NULL)
        replay_stream_start(exchange, exchange->shard->wiring->events, &key, run_id, 0);
}

static void resume_stored(struct exchange *exchange, const struct identity *caller)
{
    struct conversation_request *request = conversation_request_open_for(exchange, caller);
    if (request == NULL)
        return;
    request->ask.runs =
        (struct store_runs){.key = request->key, .limit = LISTED_RUNS, .only_open = true};
    store_runs_start(&request->call, exchange->shard->wiring->events, &request->ask.runs,
                     conversation_request_waiter(request, stream_stored));
}

void ui_chat_resume(struct exchange *exchange)
{
    struct runs_request request = {0};
    struct identity body = {.user_id = {NULL, 0}};
    struct problem problem;
    if (url_decode(&exchange->arena, exchange->match.params[0], &body.conversation_id,
                   &problem.err) != ERR_OK) {
        problem_set(&problem, 400, "invalid_request", "the path: expected a chat's id");
        exchange_problem(exchange, &problem);
        return;
    }
    if (!facade_read_caller(exchange, &body, &request.caller, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (api_run_goes_elsewhere(exchange, &request))
        return;
    struct shard *shard = exchange->shard;
    struct runs_entry *entry = runs_find_conversation(shard->runs, &request.caller);
    bool is_here = entry != NULL && !runs_has_answered(entry) && api_run_has(entry, 0);
    if (is_here && ui_chat_encoder(exchange) != NULL)
        api_run_rejoin(exchange, entry, 0);
    else if (!is_here && shard->wiring->events != NULL &&
             conversations_store(shard->conversations) != NULL)
        resume_stored(exchange, &request.caller);
    else if (!is_here)
        exchange_reply(exchange, 204, "", STR(""));
}
