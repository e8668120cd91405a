/* SPDX-License-Identifier: MIT */
/* server/facades/ai_sdk/ui_chat.c - from UI messages to a run, and back to one that goes on.
 *
 * Happy path: the chat's id is the conversation's; the last message is the question, those before
 * it what was said; or it is the assistant's, with results of the client's tools for a run that
 * waits. To resume is to read the conversation's run again from its first event, out of
 * the store when it goes on elsewhere.
 * Failure paths:
 * - no run goes on in the chat, or it is somebody else's: 204, there is nothing to resume;
 * - else as facade, run_body and runs say, in plain text. */
#include "server/facades/ai_sdk/ui_chat.h"

#include "proto/url.h"
#include "server/api/api_resume.h"
#include "server/api/api_run.h"
#include "server/api/client_tools.h"
#include "server/api/conversations/conversation_request.h"
#include "server/facades/facade.h"
#include "server/streams/replay_stream.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { LISTED_RUNS = 8 };

static const struct facade_field fields[] = {
    {"id", FACADE_STRING},        {"messages", FACADE_ARRAY}, {"trigger", FACADE_STRING},
    {"messageId", FACADE_STRING}, {"model", FACADE_STRING},   {"metadata", FACADE_OBJECT},
    {"tools", FACADE_ARRAY},
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

/* ---- results of the client's tools ---- */

static struct str text_of(const struct json_value *object, const char *member)
{
    const struct json_value *value = json_value_member(object, str_of(member));
    return value == NULL || value->type != JSON_STRING ? STR("") : value->text;
}

/* The id of a tool's part that has its end; empty: it is another part. */
static struct str ended_call(const struct json_value *part)
{
    struct str state = text_of(part, "state");
    bool has_ended =
        str_equal(state, STR("output-available")) || str_equal(state, STR("output-error"));
    return has_ended ? text_of(part, "toolCallId") : STR("");
}

static struct str run_of(struct str call_id)
{
    return str_split(&call_id, ':');
}

/* The results in parts, of the run that is named last: parts before it are of its past. */
static void add_results(const struct json_value *parts, struct client_tools_results *results)
{
    struct str run_id = STR("");
    JSON_EACH(part, parts)
        if (ended_call(part).len > 0)
            run_id = run_of(ended_call(part));
    JSON_EACH(part, parts) {
        struct str id = ended_call(part);
        bool is_error = str_equal(text_of(part, "state"), STR("output-error"));
        if (id.len > 0 && str_equal(run_of(id), run_id))
            (void)!client_tools_results_add(
                results, id, json_value_member(part, is_error ? STR("errorText") : STR("output")),
                is_error);
    }
}

/* Where the assistant's message is the last one, its tools have ended at the client: the run that
 * waits for them goes on. */
static bool read_results(struct exchange *exchange, const struct json_value *messages,
                         struct ui_chat_input *input, struct problem *problem)
{
    struct client_tools_results results;
    const struct json_value *last = messages == NULL ? NULL : messages->first;
    while (last != NULL && last->next != NULL)
        last = last->next;
    const struct json_value *parts = json_value_member(last, STR("parts"));
    if (parts == NULL || parts->type != JSON_ARRAY ||
        !str_equal(text_of(last, "role"), STR("assistant")))
        return true;
    client_tools_results_init(&results);
    add_results(parts, &results);
    size_t count = results.count;
    struct str answer = client_tools_results_end(&results, &exchange->arena);
    if (count == 0)
        return true;
    input->resumes = results.run_id;
    input->results = answer;
    return !str_is_absent(answer) ||
           problem_set(problem, 503, "overloaded", "no memory for another request");
}

bool ui_chat_read(struct exchange *exchange, struct ui_chat_input *input, struct problem *problem)
{
    struct runs_request *request = &input->run;
    struct identity caller;
    *input = (struct ui_chat_input){.run = {.pin = exchange->shard->pin, .detail = EVENT_NODES},
                                    .resumes = {NULL, 0}};
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
    const struct json_value *messages = json_value_member(root, STR("messages"));
    return read_results(exchange, messages, input, problem) &&
           (!str_is_absent(input->resumes) ||
            facade_read_talk(exchange, messages, &talk, request, problem)) &&
           client_tools_read(exchange, json_value_member(root, STR("tools")), "/tools", request,
                             problem) &&
           facade_read_str(root, "/id", &caller.conversation_id, problem) &&
           facade_read_str(root, "/metadata/company_id", &caller.company_id, problem) &&
           facade_read_str(root, "/metadata/user_id", &caller.user_id, problem) &&
           facade_read_caller(exchange, &caller, &request->caller, problem) &&
           run_body_read_key(exchange, request, problem);
}

void ui_chat_ask(struct exchange *exchange)
{
    struct ui_chat_input input;
    struct problem problem;
    if (!ui_chat_read(exchange, &input, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (ui_chat_encoder(exchange) == NULL)
        return;
    const struct api_resume_options resumed = {
        .run = &input.run, .run_id = input.resumes, .answer = input.results};
    if (str_is_absent(input.resumes))
        api_run_begin(exchange, &input.run, true);
    else
        api_resume_start(exchange, &resumed);
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
