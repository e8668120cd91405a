/* SPDX-License-Identifier: MIT */
/* server/facades/openai/responses.c - from a body of Responses to a run.
 *
 * Happy path: each member is known and may be; the input's last message is the question. With
 * previous_response_id or conversation the run goes on from there; without, and unless store is
 * false, in a new conversation of this worker's. In the background nobody need stay to its end.
 * Where results of the client's tools come last, the run that waits for them goes on.
 * Failure: as facade, run_body and runs say; an id that is no response's: 400. */
#include "server/facades/openai/responses.h"

#include "agents/memory/history.h"
#include "core/base/id.h"
#include "proto/json_write.h"
#include "server/api/api_await_history.h"
#include "server/api/api_resume.h"
#include "server/api/api_run.h"
#include "server/api/client_tools.h"
#include "server/facades/facade.h"
#include "server/api/run_body.h"
#include "server/records/stored_run.h"
#include "server/runs/shard.h"
#include "server/facades/openai/tool_answers.h"

enum { METADATA_BYTES = 16 * 1024, REPEATED_BYTES = 1024 * 1024, ANSWER_BYTES = 64 * 1024 };

/* What only tunes how a model samples, or whom to bill, has no meaning for a graph. */
static const struct facade_field fields[] = {
    {"model", FACADE_STRING},
    {"input", FACADE_STRING | FACADE_ARRAY},
    {"instructions", FACADE_STRING},
    {"stream", FACADE_BOOL},
    {"stream_options", FACADE_OBJECT},
    {"previous_response_id", FACADE_STRING},
    {"conversation", FACADE_STRING | FACADE_OBJECT},
    {"store", FACADE_BOOL},
    {"user", FACADE_STRING},
    {"metadata", FACADE_OBJECT},
    {"temperature", FACADE_NUMBER},
    {"top_p", FACADE_NUMBER},
    {"max_output_tokens", FACADE_INTEGER},
    {"max_tool_calls", FACADE_INTEGER},
    {"reasoning", FACADE_OBJECT},
    {"service_tier", FACADE_STRING},
    {"safety_identifier", FACADE_STRING},
    {"prompt_cache_key", FACADE_STRING},
    {"prompt_cache_options", FACADE_OBJECT},
    {"prompt_cache_retention", FACADE_STRING},
    {"parallel_tool_calls", FACADE_BOOL},
    {"truncation", FACADE_STRING},
    {"background", FACADE_BOOL},
    {"include", FACADE_ARRAY, "more output (include) is"},
    {"tools", FACADE_ARRAY},
    {"tool_choice", FACADE_STRING | FACADE_OBJECT},
    {"text", FACADE_OBJECT},
    {"prompt", FACADE_OBJECT, "stored prompts are"},
    {"top_logprobs", FACADE_INTEGER, "logprobs are", {"0"}},
    {"context_management", FACADE_ARRAY, "context_management is"},
    {"moderation", FACADE_OBJECT, "moderation is"},
};

static const struct facade_talk talk = {
    .pointer = "/input",
    .parts = "content",
    .texts = {"input_text", "output_text", "refusal"},
    /* calls before and their results: the run that waited has them */
    .passed_over = {"function_call", "function_call_output"},
};

static const struct tool_answers_form results_form = {&talk, "function_call_output", "call_id",
                                                      "output"};

/* ---- the question, or results of tools ---- */

/* What a run that called tools waits for. */
static bool read_results(struct exchange *exchange, const struct json_value *input,
                         struct responses_request *request, struct problem *problem)
{
    struct str previous = request->chain.previous_run_id;
    struct tool_answers answers;
    if (!tool_answers_read(exchange, input, &results_form, !str_is_absent(previous), &answers,
                           problem))
        return false;
    request->resumes = answers.run_id;
    request->results = answers.answer;
    return str_is_absent(answers.run_id) || str_is_absent(previous) ||
           str_equal(previous, answers.run_id) ||
           problem_field(problem, "/input",
                         "/input: the calls are not those of previous_response_id");
}

static bool read_input(struct exchange *exchange, const struct json_value *root,
                       struct responses_request *request, struct problem *problem)
{
    const struct json_value *input = json_value_member(root, STR("input"));
    if (!read_results(exchange, input, request, problem))
        return false;
    if (!str_is_absent(request->resumes))
        return true;
    if (input == NULL || input->type != JSON_STRING)
        return facade_read_talk(exchange, input, &talk, &request->run, problem);
    const struct history_message question = {.role = LLM_USER, .text = input->text};
    return facade_set_question(exchange, &question, "/input", &request->run, problem);
}

/* ---- the form of the answer ---- */

static const struct facade_field text_fields[] = {
    {"format", FACADE_OBJECT},
    {"verbosity", FACADE_STRING},
};

static const struct facade_field format_fields[] = {
    {"type", FACADE_STRING},   {"name", FACADE_STRING}, {"description", FACADE_STRING},
    {"schema", FACADE_OBJECT}, {"strict", FACADE_BOOL}, /* it always is */
};

/* The schema of the form in which the answer's data is wanted, where one is. */
static bool read_format(const struct json_value *root, struct responses_request *request,
                        struct problem *problem)
{
    const struct json_value *text = json_value_member(root, STR("text"));
    const struct json_value *format = json_value_member(text, STR("format"));
    struct str type = STR("text");
    if (text == NULL || text->type == JSON_NULL)
        return true;
    if (!facade_check(text, "/text", text_fields, countof(text_fields), problem))
        return false;
    if (format == NULL || format->type == JSON_NULL)
        return true;
    if (!facade_check(format, "/text/format", format_fields, countof(format_fields), problem) ||
        !facade_read_str(format, "/type", &type, problem))
        return false;
    if (str_equal(type, STR("text")))
        return true;
    if (!str_equal(type, STR("json_schema")))
        return problem_unsupported(problem, "/text/format",
                                   "another format than text and json_schema is");
    if (request->said.is_background)
        return problem_unsupported(problem, "/text/format",
                                   "another format than text in the background is");
    request->said.schema = json_value_member(format, STR("schema"));
    return (request->said.schema != NULL && request->said.schema->type == JSON_OBJECT) ||
           problem_field(problem, "/text/format", "/text/format: expected a name and a schema");
}

/* ---- tools ---- */

/* A copy of member as JSON, to be repeated in answers. False: no memory. */
static bool keep_member(struct exchange *exchange, const struct json_value *root,
                        const char *member, struct str *kept)
{
    const struct json_value *value = json_value_member(root, str_of(member));
    *kept = (struct str){NULL, 0};
    if (value == NULL || value->type == JSON_NULL)
        return true;
    *kept = json_value_text(value, &exchange->arena, REPEATED_BYTES);
    return !str_is_absent(*kept);
}

static bool read_tools(struct exchange *exchange, const struct json_value *root,
                       struct responses_request *request, struct problem *problem)
{
    const struct json_value *parallel = json_value_member(root, STR("parallel_tool_calls"));
    request->said.is_serial = parallel != NULL && parallel->type == JSON_BOOL && !parallel->boolean;
    if (!client_tools_are_off(root) &&
        !client_tools_read(exchange, json_value_member(root, STR("tools")), "/tools", &request->run,
                           problem))
        return false;
    return client_tools_read_choice(exchange, root, &request->run, problem) &&
           ((keep_member(exchange, root, "tools", &request->said.tools) &&
             keep_member(exchange, root, "text", &request->said.text) &&
             keep_member(exchange, root, "tool_choice", &request->said.tool_choice)) ||
            problem_set(problem, 503, "overloaded", "no memory for another request"));
}

/* Put the request's instructions in front of what was said; a graph has instructions of its own. */
static bool add_instructions(struct exchange *exchange, const struct json_value *root,
                             struct runs_request *run, struct problem *problem)
{
    struct str text;
    if (!facade_read_str(root, "/instructions", &text, problem))
        return false;
    if (text.len == 0)
        return true;
    struct history_message *said = arena_array(&exchange->arena, run->said_count + 1, sizeof *said);
    if (said == NULL)
        return problem_set(problem, 503, "overloaded", "no memory for another request");
    said[0] = (struct history_message){.role = LLM_USER, .text = text};
    for (size_t i = 0; i < run->said_count; i++)
        said[i + 1] = run->said[i];
    run->said = said;
    run->said_count++;
    return true;
}

/* ---- the conversation ---- */

bool responses_split_id(struct str response, struct str *run_id, struct str *conversation)
{
    unsigned worker;
    if (!str_starts_with(response, STR("resp_")))
        return false;
    *conversation = str_from(response, STR("resp_").len);
    *run_id = str_split(conversation, '.');
    return id_run_worker(*run_id, &worker) && conversation->len > 0;
}

static bool read_conversation(const struct json_value *root, struct responses_request *request,
                              struct problem *problem)
{
    struct responses_said *said = &request->said;
    const struct json_value *named = json_value_member(root, STR("conversation"));
    const char *pointer =
        named != NULL && named->type == JSON_OBJECT ? "/conversation/id" : "/conversation";
    if (!facade_read_str(root, pointer, &said->conversation, problem) ||
        !facade_read_str(root, "/previous_response_id", &said->previous, problem))
        return false;
    said->is_named = said->conversation.len > 0;
    if (said->previous.len == 0)
        return true;
    if (said->is_named)
        return problem_field(problem, "/conversation",
                             "/conversation: not together with previous_response_id");
    return responses_split_id(said->previous, &request->chain.previous_run_id,
                              &said->conversation) ||
           problem_field(problem, "/previous_response_id",
                         "/previous_response_id: expected the id of a response that was stored");
}

static bool is_kept(const struct json_value *root)
{
    const struct json_value *store = json_value_member(root, STR("store"));
    return store == NULL || store->type != JSON_BOOL || store->boolean;
}

static bool read_caller(struct exchange *exchange, const struct json_value *root,
                        struct responses_request *request, struct problem *problem)
{
    struct identity caller;
    struct runs_request *run = &request->run;
    if (!facade_read_str(root, "/metadata/company_id", &caller.company_id, problem) ||
        !facade_read_str(root, "/metadata/user_id", &caller.user_id, problem) ||
        (caller.user_id.len == 0 && !facade_read_str(root, "/user", &caller.user_id, problem)))
        return false;
    caller.conversation_id = request->said.conversation;
    if (!facade_read_caller(exchange, &caller, &run->caller, problem) ||
        !run_body_read_key(exchange, run, problem))
        return false;
    if (run->caller.conversation_id.len == 0 && is_kept(root) && run->idempotency_key.len == 0 &&
        str_is_absent(request->resumes))
        run->caller.conversation_id = shard_make_name(exchange->shard, &exchange->arena);
    if (str_is_absent(run->caller.conversation_id) && !arena_ok(&exchange->arena))
        return problem_set(problem, 503, "overloaded", "no memory for another request");
    request->said.conversation = run->caller.conversation_id;
    run->said_adds = true;
    return true;
}

/* Keep metadata as they came, to be repeated in answers. */
static bool keep_metadata(struct exchange *exchange, const struct json_value *root,
                          struct str *metadata, struct problem *problem)
{
    const struct json_value *value = json_value_member(root, STR("metadata"));
    *metadata = STR("{}");
    if (value == NULL || value->type != JSON_OBJECT)
        return true;
    *metadata = json_value_text(value, &exchange->arena, METADATA_BYTES);
    return !str_is_absent(*metadata) ||
           problem_field(problem, "/metadata", "/metadata: expected at most %d bytes",
                         METADATA_BYTES);
}

/* Only what is kept can be asked for later. */
static bool check_background(const struct responses_request *request, struct problem *problem)
{
    if (!request->said.is_background || !str_is_absent(request->resumes))
        return true;
    if (request->said.conversation.len == 0)
        return problem_field(problem, "/background", "/background: not with store false");
    return request->is_stream || request->run.idempotency_key.len == 0 ||
           problem_unsupported(problem, "/background",
                               "an Idempotency-Key in the background, without a stream, is");
}

static responses_chain_fn begin;

bool responses_read(struct exchange *exchange, struct responses_request *request,
                    struct problem *problem)
{
    static const struct facade_field stream_fields[] = {{"include_obfuscation", FACADE_BOOL}};
    *request = (struct responses_request){
        .run = {.pin = exchange->shard->pin},
        .chain = {.run = &request->run, .go_on = begin, .owner = request}};
    const struct json_value *root = run_body_parse(exchange, problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), problem))
        return false;
    const struct json_value *options = json_value_member(root, STR("stream_options"));
    const struct json_value *stream = json_value_member(root, STR("stream"));
    if (options != NULL && options->type == JSON_OBJECT &&
        !facade_check(options, "/stream_options", stream_fields, countof(stream_fields), problem))
        return false;
    const struct json_value *background = json_value_member(root, STR("background"));
    request->said.is_background =
        background != NULL && background->type == JSON_BOOL && background->boolean;
    request->is_stream = stream != NULL && stream->type == JSON_BOOL && stream->boolean;
    if (!read_format(root, request, problem) ||
        !facade_read_model(exchange, root, &request->run, problem) ||
        !read_conversation(root, request, problem) ||
        !read_input(exchange, root, request, problem) ||
        !read_tools(exchange, root, request, problem) ||
        !add_instructions(exchange, root, &request->run, problem) ||
        !read_caller(exchange, root, request, problem) ||
        !keep_metadata(exchange, root, &request->said.metadata, problem))
        return false;
    request->said.model = graph_def(request->run.graph)->name;
    request->run.outlives_readers = request->said.is_background;
    request->run.cancel_on_disconnect =
        str_is_absent(request->run.idempotency_key) && !request->said.is_background;
    return check_background(request, problem);
}

static void tell_run(struct exchange *exchange, struct runs_entry *entry)
{
    struct buf out;
    struct str id = str_of(run_id(runs_run(entry)));
    buf_init(&out, ANSWER_BYTES);
    exchange->encoder->kind->begin(exchange->encoder, id, &out);
    buf_clear(&out);
    responses_write(exchange->encoder, NULL, &out);
    exchange_reply_run(exchange, 200, buf_ok(&out) ? buf_str(&out) : STR("{}"), id.at, false);
    buf_fini(&out);
}

/* The conversation is open: the run begins, and nobody waits for it. */
static void begin_alone(struct exchange *exchange, struct runs_request *run)
{
    api_run_begin_alone(exchange, run, tell_run);
}

static void begin(struct exchange *exchange, void *owner)
{
    struct responses_request *request = owner;
    request->said.conversation = request->run.caller.conversation_id;
    request->said.created = loop_wall_ms(exchange->shard->loop) / 1000;
    if (responses_encoder(exchange, &request->said) == NULL)
        return;
    if (request->is_stream || !request->said.is_background)
        api_run_begin(exchange, &request->run, request->is_stream);
    else if (!api_run_goes_elsewhere(exchange, &request->run))
        api_await_history_conversation(exchange, &request->run, begin_alone);
}

/* Where the run that goes on is kept is said by the one that waited. */
static struct str name_conversation(struct exchange *exchange, const struct stored_run *past,
                                    struct str answer)
{
    responses_set_conversation(exchange->encoder, past->run->key.conversation_id);
    return answer;
}

/* The run that waits for the results goes on. */
static void resume(struct exchange *exchange, struct responses_request *request)
{
    const struct api_resume_options options = {
        .run = &request->run,
        .run_id = request->resumes,
        .answer = request->results,
        .tell = request->is_stream            ? NULL
                : request->said.is_background ? tell_run
                                              : api_resume_whole,
        .on_found = name_conversation,
    };
    request->said.created = loop_wall_ms(exchange->shard->loop) / 1000;
    if (responses_encoder(exchange, &request->said) != NULL)
        api_resume_start(exchange, &options);
}

void responses_create(struct exchange *exchange)
{
    struct responses_request *request = arena_alloc(&exchange->arena, sizeof *request);
    struct problem problem;
    if (request == NULL)
        problem_set(&problem, 503, "overloaded", "no memory for another request");
    if (request == NULL || !responses_read(exchange, request, &problem))
        exchange_problem(exchange, &problem);
    else if (!str_is_absent(request->resumes))
        resume(exchange, request);
    else if (str_is_absent(request->chain.previous_run_id))
        begin(exchange, request);
    else
        responses_chain_find(exchange, &request->chain);
}
