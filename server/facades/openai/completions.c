/* SPDX-License-Identifier: MIT */
/* server/facades/openai/completions.c - from a body of Chat Completions to a run.
 *
 * Happy path: each member is known and may be; model is a graph, the last message the question;
 * the run begins and completions_stream writes what it says.
 * Failure: as facade, run_body and runs say. */
#include "server/facades/openai/completions.h"

#include "server/api/api_run.h"
#include "server/facades/facade.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

/* What only tunes how a model samples, or whom to bill, has no meaning for a graph. */
static const struct facade_field fields[] = {
    {"model", FACADE_STRING},
    {"messages", FACADE_ARRAY},
    {"stream", FACADE_BOOL},
    {"stream_options", FACADE_OBJECT},
    {"user", FACADE_STRING},
    {"metadata", FACADE_OBJECT},
    {"temperature", FACADE_NUMBER},
    {"top_p", FACADE_NUMBER},
    {"presence_penalty", FACADE_NUMBER},
    {"frequency_penalty", FACADE_NUMBER},
    {"seed", FACADE_INTEGER},
    {"max_tokens", FACADE_INTEGER},
    {"max_completion_tokens", FACADE_INTEGER},
    {"reasoning_effort", FACADE_STRING},
    {"verbosity", FACADE_STRING},
    {"service_tier", FACADE_STRING},
    {"safety_identifier", FACADE_STRING},
    {"prompt_cache_key", FACADE_STRING},
    {"prompt_cache_retention", FACADE_STRING},
    {"parallel_tool_calls", FACADE_BOOL},
    {"n", FACADE_INTEGER, "more than one answer (n) is", {"1"}},
    {"tools", FACADE_ARRAY, "tools of the client are"},
    {"tool_choice",
     FACADE_STRING | FACADE_OBJECT,
     "the choice of a tool is",
     {"\"none\"", "\"auto\""}},
    {"functions", FACADE_ARRAY, "functions of the client are"},
    {"function_call",
     FACADE_STRING | FACADE_OBJECT,
     "the call of a function is",
     {"\"none\"", "\"auto\""}},
    {"response_format", FACADE_OBJECT, "another format than text is", {"{\"type\":\"text\"}"}},
    {"logprobs", FACADE_BOOL, "logprobs are"},
    {"top_logprobs", FACADE_INTEGER, "logprobs are", {"0"}},
    {"logit_bias", FACADE_OBJECT, "logit_bias is"},
    {"modalities", FACADE_ARRAY, "another modality than text is", {"[\"text\"]"}},
    {"audio", FACADE_OBJECT, "audio is"},
    {"prediction", FACADE_OBJECT, "predicted output is"},
    {"stop", FACADE_STRING | FACADE_ARRAY, "stop is"},
    {"store", FACADE_BOOL, "keeping a completion (store) is"},
    {"web_search_options", FACADE_OBJECT, "search of the web is"},
};

static const struct facade_field stream_fields[] = {
    {"include_usage", FACADE_BOOL},
    {"include_obfuscation", FACADE_BOOL},
};

static const struct facade_talk talk = {
    .pointer = "/messages", .parts = "content", .texts = {"text", "refusal"}};

static bool is_true(const struct json_value *root, const char *pointer)
{
    const struct json_value *value = json_value_find(root, pointer);
    return value != NULL && value->type == JSON_BOOL && value->boolean;
}

/* A client's own tools would be in the messages of the assistant. */
static bool has_no_tools(const struct json_value *messages, struct problem *problem)
{
    JSON_EACH(message, messages) {
        const struct json_value *calls = json_value_member(message, STR("tool_calls"));
        if (calls != NULL && calls->count > 0)
            return problem_unsupported(problem, "/messages", "tool calls in messages are");
    }
    return true;
}

bool completions_read(struct exchange *exchange, struct completions_request *request,
                      struct problem *problem)
{
    struct identity caller;
    *request = (struct completions_request){
        .run = {.pin = exchange->shard->pin, .cancel_on_disconnect = true}};
    const struct json_value *root = run_body_parse(exchange, problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), problem))
        return false;
    const struct json_value *options = json_value_member(root, STR("stream_options"));
    const struct json_value *messages = json_value_member(root, STR("messages"));
    if (options != NULL && options->type == JSON_OBJECT &&
        !facade_check(options, "/stream_options", stream_fields, countof(stream_fields), problem))
        return false;
    request->is_stream = is_true(root, "/stream");
    request->wants_usage = is_true(root, "/stream_options/include_usage");
    if (!facade_read_model(exchange, root, &request->run, problem) ||
        !facade_read_talk(exchange, messages, &talk, &request->run, problem) ||
        !has_no_tools(messages, problem) ||
        !facade_read_str(root, "/metadata/conversation_id", &caller.conversation_id, problem) ||
        !facade_read_str(root, "/metadata/company_id", &caller.company_id, problem) ||
        !facade_read_str(root, "/metadata/user_id", &caller.user_id, problem) ||
        (caller.user_id.len == 0 && !facade_read_str(root, "/user", &caller.user_id, problem)))
        return false;
    return facade_read_caller(exchange, &caller, &request->run.caller, problem) &&
           run_body_read_key(exchange, &request->run, problem);
}

void completions_create(struct exchange *exchange)
{
    struct completions_request request;
    struct problem problem;
    if (!completions_read(exchange, &request, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    const struct completions_said said = {
        .model = graph_def(request.run.graph)->name,
        .created = loop_wall_ms(exchange->shard->loop) / 1000,
        .wants_usage = request.wants_usage,
    };
    request.run.cancel_on_disconnect = str_is_absent(request.run.idempotency_key);
    if (completions_encoder(exchange, &said) != NULL)
        api_run_begin(exchange, &request.run, request.is_stream);
}
