/* SPDX-License-Identifier: MIT */
/* server/facades/openai/completions.c - from a body of Chat Completions to a run.
 *
 * Happy path: each member is known and may be; model is a graph, the last message the question;
 * the run begins and completions_stream writes what it says. Where results of the client's tools
 * come last, the run that waits for them goes on.
 * Failure: as facade, run_body and runs say. */
#include "server/facades/openai/completions.h"

#include "server/api/api_resume.h"
#include "server/api/api_run.h"
#include "server/api/client_tools.h"
#include "server/facades/facade.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"
#include "server/facades/openai/tool_answers.h"

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
    {"tools", FACADE_ARRAY},
    {"tool_choice", FACADE_STRING | FACADE_OBJECT},
    {"functions", FACADE_ARRAY, "functions of the client are"},
    {"function_call",
     FACADE_STRING | FACADE_OBJECT,
     "the call of a function is",
     {"\"none\"", "\"auto\""}},
    {"response_format", FACADE_OBJECT},
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
    .pointer = "/messages",
    .parts = "content",
    .texts = {"text", "refusal"},
    .passed_over = {"tool"}, /* results of calls before: the run that waited has them */
};

static const struct tool_answers_form results_form = {&talk, "tool", "tool_call_id", "content"};

static const struct facade_field format_fields[] = {
    {"type", FACADE_STRING},
    {"json_schema", FACADE_OBJECT},
};

static const struct facade_field schema_fields[] = {
    {"name", FACADE_STRING},
    {"description", FACADE_STRING},
    {"schema", FACADE_OBJECT},
    {"strict", FACADE_BOOL}, /* it always is */
};

/* The schema of the form in which the answer's data is wanted; NULL: as text. */
static bool read_format(const struct json_value *root, const struct json_value **schema,
                        struct problem *problem)
{
    const struct json_value *format = json_value_member(root, STR("response_format"));
    struct str type = STR("text");
    *schema = NULL;
    if (format == NULL || format->type == JSON_NULL)
        return true;
    if (!facade_check(format, "/response_format", format_fields, countof(format_fields), problem) ||
        !facade_read_str(format, "/type", &type, problem))
        return false;
    if (str_equal(type, STR("text")))
        return true;
    if (!str_equal(type, STR("json_schema")))
        return problem_unsupported(problem, "/response_format",
                                   "another format than text and json_schema is");
    const struct json_value *wanted = json_value_member(format, STR("json_schema"));
    *schema = json_value_member(wanted, STR("schema"));
    return (wanted == NULL || facade_check(wanted, "/response_format/json_schema", schema_fields,
                                           countof(schema_fields), problem)) &&
           ((*schema != NULL && (*schema)->type == JSON_OBJECT) ||
            problem_field(problem, "/response_format/json_schema",
                          "/response_format/json_schema: expected a name and a schema"));
}

static bool is_true(const struct json_value *root, const char *pointer)
{
    const struct json_value *value = json_value_find(root, pointer);
    return value != NULL && value->type == JSON_BOOL && value->boolean;
}

/* What a run that called tools waits for. */
static bool read_results(struct exchange *exchange, const struct json_value *messages,
                         struct completions_request *request, struct problem *problem)
{
    struct tool_answers answers;
    if (!tool_answers_read(exchange, messages, &results_form, false, &answers, problem))
        return false;
    request->resumes = answers.run_id;
    request->results = answers.answer;
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
    if (!read_format(root, &request->schema, problem))
        return false;
    request->is_stream = is_true(root, "/stream");
    request->wants_usage = is_true(root, "/stream_options/include_usage");
    const struct json_value *tools = json_value_member(root, STR("tools"));
    bool offers = !client_tools_are_off(root);
    if (!facade_read_model(exchange, root, &request->run, problem) ||
        !read_results(exchange, messages, request, problem) ||
        (str_is_absent(request->resumes) &&
         !facade_read_talk(exchange, messages, &talk, &request->run, problem)) ||
        (offers && !client_tools_read(exchange, tools, "/tools", &request->run, problem)) ||
        !client_tools_read_choice(exchange, root, &request->run, problem) ||
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
        .schema = request.schema,
    };
    request.run.cancel_on_disconnect = str_is_absent(request.run.idempotency_key);
    if (completions_encoder(exchange, &said) == NULL)
        return;
    const struct api_resume_options resumed = {.run = &request.run,
                                               .run_id = request.resumes,
                                               .answer = request.results,
                                               .tell = request.is_stream ? NULL : api_resume_whole};
    if (!str_is_absent(request.resumes))
        api_resume_start(exchange, &resumed);
    else
        api_run_begin(exchange, &request.run, request.is_stream);
}
