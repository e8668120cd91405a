/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_body.c - a table of members, the messages of the input, the
 * modes.
 *
 * Happy path: the assistant is a graph, the input's last message the question, those before it what
 * was said, the thread the conversation.
 * Failure: a member of another type, missing or unknown: 422 with its pointer; no such graph: 404;
 * what is not built: 501. */
#include "server/facades/langgraph/langgraph_body.h"

#include "agents/memory/history.h"
#include "proto/json_write.h"
#include "proto/url.h"
#include "server/api/client_tools.h"
#include "server/api/run_body.h"
#include "server/facades/langgraph/langgraph_json.h"
#include "server/runs/shard.h"
#include "server/schedules/webhook_url.h"

static const struct facade_field fields[] = {
    {"assistant_id", FACADE_STRING},
    {"input", FACADE_OBJECT},
    {"config", FACADE_OBJECT},
    {"stream_mode", FACADE_STRING | FACADE_ARRAY},
    {"stream_subgraphs", FACADE_BOOL},
    {"stream_resumable", FACADE_BOOL}, /* every stream is */
    {"multitask_strategy", FACADE_STRING},
    {"on_disconnect", FACADE_STRING},
    {"on_completion", FACADE_STRING, "keeping runs without a thread is", {"\"delete\""}},
    {"if_not_exists", FACADE_STRING, "refusing threads that are not there is", {"\"create\""}},
    {"durability", FACADE_STRING, "a durability of one run is", {"\"async\""}},
    {"checkpoint_during", FACADE_BOOL, "checkpoints only at the end are", {"true"}},
    {"command", FACADE_OBJECT},
    {"context", FACADE_OBJECT, "a run's context is"},
    {"metadata", FACADE_OBJECT},
    {"checkpoint", FACADE_OBJECT},
    {"checkpoint_id", FACADE_STRING},
    {"interrupt_before", FACADE_STRING | FACADE_ARRAY, "interrupts at nodes are"},
    {"interrupt_after", FACADE_STRING | FACADE_ARRAY, "interrupts at nodes are"},
    {"webhook", FACADE_STRING},
    {"after_seconds", FACADE_NUMBER, "runs that begin later are", {"0"}},
    {"feedback_keys", FACADE_ARRAY, "feedback is"},
    {"strict_resume", FACADE_BOOL, "strict resumption is"},
    {"langsmith_tracer", FACADE_OBJECT, "tracing by LangSmith is"},
};

static const struct facade_field cron_fields[] = {
    {"assistant_id", FACADE_STRING},
    {"schedule", FACADE_STRING},
    {"enabled", FACADE_BOOL},
    {"input", FACADE_OBJECT},
    {"config", FACADE_OBJECT},
    {"webhook", FACADE_STRING},
    {"on_run_completed", FACADE_STRING},
    {"end_time", FACADE_STRING},
    {"timezone", FACADE_STRING},
    {"metadata", FACADE_OBJECT},
    {"context", FACADE_OBJECT, "a run's context is"},
    {"multitask_strategy", FACADE_STRING, "another strategy of crons is", {"\"reject\""}},
    {"if_not_exists", FACADE_STRING, "refusing threads that are not there is", {"\"create\""}},
    {"durability", FACADE_STRING, "a durability of one run is", {"\"async\""}},
    {"checkpoint_during", FACADE_BOOL, "checkpoints only at the end are", {"true"}},
    {"interrupt_before", FACADE_STRING | FACADE_ARRAY, "interrupts at nodes are"},
    {"interrupt_after", FACADE_STRING | FACADE_ARRAY, "interrupts at nodes are"},
};

static const struct facade_field config_fields[] = {
    {"configurable", FACADE_OBJECT},
    {"tags", FACADE_ARRAY, "tags of runs are"},
    {"metadata", FACADE_OBJECT},
    {"recursion_limit", FACADE_INTEGER, "a recursion limit of one run is"},
};

static const struct facade_field configurable_fields[] = {
    {"thread_id", FACADE_STRING}, /* the path's */
    {"user_id", FACADE_STRING},
    {"company_id", FACADE_STRING},
};

/* ---- the input ---- */

static const struct facade_talk talk = {
    .pointer = "/input/messages", .parts = "content", .texts = {"text"}, .has_types = true};

static bool read_input(struct exchange *exchange, const struct json_value *root,
                       struct runs_request *request, struct problem *problem)
{
    static const char *const names[] = {"/input/message", "/input/question", "/input/query",
                                        "/input/user_query"};
    const struct json_value *messages = json_value_find(root, "/input/messages");
    size_t max = exchange->shard->group->config->max_message_bytes;
    request->message = (struct str){NULL, 0};
    for (size_t i = 0; i < countof(names) && str_is_absent(request->message); i++)
        if (!facade_read_str(root, names[i], &request->message, problem))
            return false;
    if (messages != NULL && messages->type == JSON_ARRAY) {
        if (!facade_read_talk(exchange, messages, &talk, request, problem))
            return false;
    } else if (str_is_absent(request->message)) {
        return problem_field(problem, "/input", "/input: expected messages, or a question");
    }
    if (request->message.len > max || str_trim(request->message).len == 0)
        return problem_field(problem, "/input",
                             "/input: expected a question of 1 to %zu bytes, got %zu", max,
                             request->message.len);
    return true;
}

/* ---- modes ---- */

static const struct {
    const char *name;
    unsigned bit; /* 0: not built */
} modes[] = {
    {"values", LANGGRAPH_VALUES},
    {"updates", LANGGRAPH_UPDATES},
    {"custom", LANGGRAPH_CUSTOM},
    {"messages-tuple", LANGGRAPH_MESSAGES},
    {"events", LANGGRAPH_EVENTS},
    {"messages", 0},
    {"debug", 0},
    {"tasks", 0},
    {"checkpoints", 0},
    {"tools", 0},
};

static bool add_mode(struct str name, unsigned *bits, struct problem *problem)
{
    for (size_t i = 0; i < countof(modes); i++) {
        if (!str_equal(name, str_of(modes[i].name)))
            continue;
        *bits |= modes[i].bit;
        if (modes[i].bit != 0)
            return true;
        return problem_set(problem, 501, "unsupported",
                           "/stream_mode: the mode '%s' is not supported here; there are values, "
                           "updates, messages-tuple, custom and events",
                           modes[i].name);
    }
    return problem_field(problem, "/stream_mode", "/stream_mode: there is no mode '%.*s'",
                         STR_ARG(str_utf8_prefix(name, 64)));
}

static bool add_modes(const struct json_value *value, unsigned *bits, struct problem *problem)
{
    if (value->type == JSON_STRING)
        return add_mode(value->text, bits, problem);
    JSON_EACH(item, value)
        if (item->type != JSON_STRING
                ? !problem_field(problem, "/stream_mode", "/stream_mode: expected strings")
                : !add_mode(item->text, bits, problem))
            return false;
    return true;
}

static bool read_view(const struct json_value *root, struct langgraph_view *view,
                      struct problem *problem)
{
    const struct json_value *mode = json_value_member(root, STR("stream_mode"));
    const struct json_value *subgraphs = json_value_member(root, STR("stream_subgraphs"));
    *view = (struct langgraph_view){0};
    if (mode != NULL && mode->type != JSON_NULL && !add_modes(mode, &view->modes, problem))
        return false;
    if (mode == NULL || mode->type == JSON_NULL)
        view->modes = LANGGRAPH_VALUES;
    view->subgraphs = subgraphs != NULL && subgraphs->type == JSON_BOOL && subgraphs->boolean;
    return true;
}

/* The two clients write lists differently: as JSON, or by repeating the name. */
static bool add_param(struct exchange *exchange, struct str value, unsigned *bits,
                      struct problem *problem)
{
    struct err err = {0};
    if (!str_starts_with(value, STR("[")) && !str_starts_with(value, STR("\"")))
        return add_mode(value, bits, problem);
    const struct json_value *list = json_value_parse(&exchange->arena, value, NULL, &err);
    if (list == NULL)
        return problem_set(problem, 400, "invalid_request", "stream_mode: %s", err.text);
    return add_modes(list, bits, problem);
}

bool langgraph_body_read_query(struct exchange *exchange, struct langgraph_view *view,
                               struct problem *problem)
{
    struct str rest = exchange->request->query, name = {NULL, 0}, value;
    struct err err = {0};
    bool fine = true;
    *view = (struct langgraph_view){0};
    while (fine && !str_is_absent(rest)) {
        if (url_next_param(&exchange->arena, &rest, &name, &value, &err) != ERR_OK)
            return problem_set(problem, 400, "invalid_request", "the query: %s", err.text);
        if (str_is_absent(name))
            break;
        if (str_equal(name, STR("stream_mode")))
            fine = add_param(exchange, value, &view->modes, problem);
        else if (str_equal(name, STR("stream_subgraphs")))
            view->subgraphs = str_equal(value, STR("true"));
        else if (str_equal(name, STR("cancel_on_disconnect")) && str_equal(value, STR("1")))
            fine = problem_set(problem, 501, "unsupported",
                               "cancel_on_disconnect: a reader that ends the run is not supported "
                               "here; send on_disconnect with the run");
    }
    if (view->modes == 0)
        view->modes = LANGGRAPH_ALL;
    return fine;
}

bool langgraph_body_read_cursor(struct exchange *exchange, struct langgraph_cursor *cursor,
                                struct problem *problem)
{
    struct str header = http_request_header(exchange->request, STR("Last-Event-ID"));
    struct str rest = header, event = str_split(&rest, '.');
    uint64_t frames = 0;
    *cursor = (struct langgraph_cursor){0};
    if (header.len == 0 || str_equal(header, STR("-1")) || str_equal(header, STR("null")))
        return true;
    if (str_to_u64(event, &cursor->event) && str_to_u64(rest, &frames) && frames <= 1000) {
        cursor->frames = (unsigned)frames;
        return true;
    }
    return problem_set(problem, 400, "invalid_request",
                       "Last-Event-ID: expected <event>.<frame>, got '%.*s'",
                       STR_ARG(str_utf8_prefix(header, 80)));
}

void langgraph_body_write_query(const struct langgraph_view *view, struct buf *out)
{
    char separator = '?';
    for (size_t i = 0; i < countof(modes); i++)
        if ((view->modes & modes[i].bit) != 0) {
            buf_printf(out, "%cstream_mode=%s", separator, modes[i].name);
            separator = '&';
        }
    if (view->subgraphs)
        buf_printf(out, "%cstream_subgraphs=true", separator);
}

/* ---- the whole ---- */

static bool read_word(const struct json_value *root, const char *pointer, const char *const *words,
                      size_t count, unsigned *place, struct problem *problem)
{
    struct str word;
    if (!facade_read_str(root, pointer, &word, problem))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (str_equal(word, str_of(words[i]))) {
            *place = i;
            return true;
        }
    return str_is_absent(word) ||
           problem_field(problem, pointer, "%s: '%.*s' is not what is expected here", pointer,
                         STR_ARG(str_utf8_prefix(word, 64)));
}

static bool read_strategy(const struct json_value *root, struct runs_request *request,
                          struct problem *problem)
{
    static const char *const tasks[] = {"reject", "enqueue", "interrupt", "rollback"};
    static const char *const leavings[] = {"continue", "cancel"};
    unsigned task = RUNS_ENQUEUE, leaving = 0;
    if (!read_word(root, "/multitask_strategy", tasks, countof(tasks), &task, problem) ||
        !read_word(root, "/on_disconnect", leavings, countof(leavings), &leaving, problem))
        return false;
    request->multitask = (enum runs_multitask)task;
    request->cancel_on_disconnect = leaving == 1;
    request->outlives_readers = leaving == 0;
    return true;
}

static bool read_assistant(struct exchange *exchange, const struct json_value *root,
                           struct runs_request *request, struct problem *problem)
{
    struct str name;
    if (!facade_read_str(root, "/assistant_id", &name, problem))
        return false;
    if (name.len == 0)
        return problem_field(problem, "/assistant_id", "/assistant_id: expected a graph's name");
    if (run_body_set_graph(exchange, name, request))
        return true;
    return problem_set(problem, 404, "not_found", "there is no assistant '%.*s'",
                       STR_ARG(str_utf8_prefix(name, 64)));
}

static bool read_config(const struct json_value *root, struct identity *caller,
                        struct problem *problem)
{
    const struct json_value *config = json_value_member(root, STR("config"));
    const struct json_value *configurable = json_value_member(config, STR("configurable"));
    if (config != NULL && config->type == JSON_OBJECT &&
        !facade_check(config, "/config", config_fields, countof(config_fields), problem))
        return false;
    if (configurable != NULL && configurable->type == JSON_OBJECT &&
        !facade_check(configurable, "/config/configurable", configurable_fields,
                      countof(configurable_fields), problem))
        return false;
    return facade_read_str(root, "/config/configurable/user_id", &caller->user_id, problem) &&
           facade_read_str(root, "/config/configurable/company_id", &caller->company_id, problem);
}

static void write_members(const struct json_value *object, const struct json_value *but,
                          struct json_write *json)
{
    if (object != NULL && object->type == JSON_OBJECT)
        JSON_EACH(member, object)
            if (json_value_member(but, member->key) == NULL) {
                json_write_key(json, member->key);
                json_value_write(member, json);
            }
}

/* What is kept with the run: the body's metadata, and those of its config that it does not have. */
static bool read_metadata(struct exchange *exchange, const struct json_value *root,
                          struct runs_request *request, struct problem *problem)
{
    const struct json_value *own = json_value_member(root, STR("metadata"));
    const struct json_value *more = json_value_find(root, "/config/metadata");
    struct json_write json;
    struct buf out;
    buf_init(&out, LANGGRAPH_METADATA_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    write_members(own, NULL, &json);
    write_members(more, own, &json);
    json_write_object_end(&json);
    bool fits = buf_ok(&out);
    if (fits && buf_len(&out) > sizeof "{}" - 1)
        request->metadata = arena_str(&exchange->arena, buf_str(&out));
    buf_fini(&out);
    return fits || problem_field(problem, "/metadata", "/metadata: expected at most %d bytes",
                                 LANGGRAPH_METADATA_BYTES);
}

/* The path rules, whatever a header says. */
static bool set_thread(struct str thread_id, struct runs_request *request)
{
    request->caller.conversation_id = thread_id;
    return true;
}

static const struct facade_field checkpoint_fields[] = {
    {"thread_id", FACADE_STRING}, /* the path's */
    {"checkpoint_id", FACADE_STRING},
    {"checkpoint_ns", FACADE_STRING, "the checkpoint of a sub-graph is"},
    {"checkpoint_map", FACADE_OBJECT, "the checkpoint of a sub-graph is"},
};

bool langgraph_body_checkpoint(const struct json_value *root, struct str *checkpoint_id,
                               struct problem *problem)
{
    const struct json_value *checkpoint = json_value_member(root, STR("checkpoint"));
    *checkpoint_id = (struct str){NULL, 0};
    return checkpoint == NULL || checkpoint->type != JSON_OBJECT ||
           (facade_check(checkpoint, "/checkpoint", checkpoint_fields, countof(checkpoint_fields),
                         problem) &&
            facade_read_str(root, "/checkpoint/checkpoint_id", checkpoint_id, problem));
}

static bool read_checkpoint(const struct json_value *root, struct langgraph_asked *asked,
                            struct problem *problem)
{
    const struct json_value *checkpoint = json_value_member(root, STR("checkpoint"));
    bool is_object = checkpoint != NULL && checkpoint->type == JSON_OBJECT;
    const char *pointer = is_object ? "/checkpoint/checkpoint_id" : "/checkpoint_id";
    if (is_object ? !langgraph_body_checkpoint(root, &asked->checkpoint_id, problem)
                  : !facade_read_str(root, pointer, &asked->checkpoint_id, problem))
        return false;
    return str_is_absent(asked->checkpoint_id) ||
           !str_is_absent(asked->request.caller.conversation_id) ||
           problem_field(problem, pointer, "%s: only a thread has checkpoints", pointer);
}

static const struct facade_field command_fields[] = {
    {"resume", FACADE_BOOL | FACADE_NUMBER | FACADE_STRING | FACADE_ARRAY | FACADE_OBJECT},
    {"keyedByInterruptId", FACADE_BOOL}, /* seen by the keys */
    {"update", FACADE_OBJECT | FACADE_ARRAY, "updating a state is"},
    {"goto", FACADE_STRING | FACADE_OBJECT | FACADE_ARRAY, "going to a node is"},
};

/* A new question, or the answer to what the thread's run asked. */
static bool read_question(struct exchange *exchange, const struct json_value *root,
                          struct langgraph_asked *asked, struct problem *problem)
{
    const struct json_value *command = json_value_member(root, STR("command"));
    const struct json_value *resume = json_value_member(command, STR("resume"));
    if (command != NULL && command->type == JSON_OBJECT &&
        !facade_check(command, "/command", command_fields, countof(command_fields), problem))
        return false;
    if (resume == NULL)
        return read_input(exchange, root, &asked->request, problem);
    asked->resume = json_value_text(resume, &exchange->arena, exchange->request->body.len * 6 + 64);
    return !str_is_absent(asked->resume) ||
           problem_set(problem, 503, "overloaded", "no memory for another request");
}

static bool read_webhook(struct exchange *exchange, const struct json_value *root,
                         struct langgraph_asked *asked, struct problem *problem)
{
    struct err err = {0};
    if (!facade_read_str(root, "/webhook", &asked->webhook, problem))
        return false;
    return asked->webhook.len == 0 ||
           webhook_url_check(exchange->shard->group->config, asked->webhook, &err) == ERR_OK ||
           problem_field(problem, "/webhook", "/webhook: %s", err.text);
}

bool langgraph_body_read(struct exchange *exchange, struct str thread_id,
                         const struct json_value *root, struct langgraph_asked *asked,
                         struct problem *problem)
{
    struct identity caller = {.conversation_id = thread_id};
    struct runs_request *request = &asked->request;
    *asked =
        (struct langgraph_asked){.request = {.pin = exchange->shard->pin, .detail = EVENT_NODES}};
    return facade_check(root, "", fields, countof(fields), problem) &&
           read_assistant(exchange, root, request, problem) &&
           read_view(root, &asked->view, problem) && read_strategy(root, request, problem) &&
           read_question(exchange, root, asked, problem) &&
           client_tools_read(exchange, json_value_find(root, "/input/tools"), "/input/tools",
                             request, problem) &&
           read_config(root, &caller, problem) && read_metadata(exchange, root, request, problem) &&
           facade_read_caller(exchange, &caller, &request->caller, problem) &&
           set_thread(thread_id, request) && read_checkpoint(root, asked, problem) &&
           read_webhook(exchange, root, asked, problem);
}

bool langgraph_body_check_cron(const struct json_value *root, struct problem *problem)
{
    return facade_check(root, "", cron_fields, countof(cron_fields), problem);
}

bool langgraph_body_read_cron(struct exchange *exchange, struct str thread_id,
                              const struct json_value *root, struct langgraph_asked *asked,
                              struct problem *problem)
{
    struct identity caller = {.conversation_id = thread_id};
    struct runs_request *request = &asked->request;
    *asked = (struct langgraph_asked){.request = {.pin = exchange->shard->pin}};
    const struct json_value *more = json_value_find(root, "/config/metadata");
    if (more != NULL && more->type != JSON_NULL)
        return problem_unsupported(problem, "/config/metadata", "metadata of a cron's runs is");
    return langgraph_body_check_cron(root, problem) &&
           read_assistant(exchange, root, request, problem) &&
           read_input(exchange, root, request, problem) && read_config(root, &caller, problem) &&
           facade_read_caller(exchange, &caller, &request->caller, problem) &&
           set_thread(thread_id, request);
}

bool langgraph_body_read_message(struct exchange *exchange, const struct json_value *root,
                                 struct str *message, struct problem *problem)
{
    struct runs_request request = {0};
    bool fine = read_input(exchange, root, &request, problem);
    *message = request.message;
    return fine;
}
