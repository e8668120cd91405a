/* SPDX-License-Identifier: MIT */
/* server/api/run_body.c - parse, then look at one field after the other.
 *
 * Happy path: the text is one JSON object; message, conversation and options are checked; the
 * graph is found.
 * Failure: no body, no JSON, NUL, too deep: 400; a compressed body: 415; a field missing, of
 * another type, blank, too long, an unknown option or word: 422 with its pointer; no such graph in
 * the path: 404. */
#include "server/api/run_body.h"

#include <string.h>

#include "proto/json_value.h"
#include "proto/url.h"
#include "server/api/caller.h"
#include "server/api/client_tools.h"
#include "server/runs/shard.h"

enum { ID_BYTES = 128, KEY_BYTES = 255, JSON_DEPTH = 64, POINTER_BYTES = 160 };

const struct json_value *run_body_parse(struct exchange *exchange, struct problem *problem)
{
    struct err err = {0};
    const struct json_limits limits = {.depth = JSON_DEPTH, .refuse_nul = true};
    struct str body = exchange->request->body;
    struct str coding = http_request_header(exchange->request, STR("Content-Encoding"));
    if (coding.len > 0 && !str_equal_nocase(coding, STR("identity"))) {
        problem_set(problem, 415, "invalid_request",
                    "Content-Encoding: expected none, got '%.*s'; send the JSON as it is",
                    STR_ARG(str_utf8_prefix(coding, 64)));
        return NULL;
    }
    if (str_trim(body).len == 0) {
        problem_set(problem, 400, "invalid_request", "expected a JSON body, got none");
        return NULL;
    }
    const struct json_value *root = json_value_parse(&exchange->arena, body, &limits, &err);
    if (root == NULL) {
        int status = err.code == ERR_NO_MEMORY ? 503 : err.code == ERR_TOO_LARGE ? 413 : 400;
        problem_set(problem, status, problem_code(status), "the body is not JSON: %s", err.text);
        return NULL;
    }
    if (root->type != JSON_OBJECT) {
        problem_field(problem, "", "expected a JSON object, got %s", json_value_type_name(root));
        return NULL;
    }
    return root;
}

/* Text at pointer of 1 to max bytes. */
static bool read_text(const struct json_value *root, const char *pointer, size_t max,
                      struct str *text, struct problem *problem)
{
    struct err err = {0};
    enum err_code code = json_value_str(root, pointer, text, &err);
    if (code == ERR_NOT_FOUND)
        return problem_field(problem, pointer, "%s: expected a string, got nothing", pointer);
    if (code != ERR_OK)
        return problem_field(problem, pointer, "%s", err.text);
    if (text->len == 0 || text->len > max)
        return problem_field(problem, pointer, "%s: expected 1 to %zu bytes, got %zu", pointer, max,
                             text->len);
    return true;
}

static bool read_message(struct exchange *exchange, const struct json_value *root,
                         struct runs_request *request, struct problem *problem)
{
    static const char *const aliases[] = {"/input/query", "/input/question", "/input/user_query"};
    const char *pointer = "/input/message";
    const struct json_value *input = json_value_find(root, "/input");
    if (input != NULL && input->type != JSON_OBJECT)
        return problem_field(problem, "/input", "/input: expected an object, got %s",
                             json_value_type_name(input));
    for (size_t i = 0; i < countof(aliases) && json_value_find(root, pointer) == NULL; i++)
        if (json_value_find(root, aliases[i]) != NULL)
            pointer = aliases[i];
    if (!read_text(root, pointer, exchange->shard->group->config->max_message_bytes,
                   &request->message, problem))
        return false;
    if (str_trim(request->message).len == 0)
        return problem_field(problem, pointer, "%s: expected text, got only blanks", pointer);
    return true;
}

/* A name of the caller's: the body may leave out what a header or a token says. */
static bool read_name(const struct json_value *root, const char *pointer, struct str *name,
                      struct problem *problem)
{
    const struct json_value *value = json_value_find(root, pointer);
    *name = (struct str){NULL, 0};
    return value == NULL || value->type == JSON_NULL ||
           read_text(root, pointer, ID_BYTES, name, problem);
}

static bool read_caller(struct exchange *exchange, const struct json_value *root,
                        struct identity *caller, struct problem *problem)
{
    static const char *const user = "/conversation/user_id";
    static const char *const company = "/conversation/company_id";
    return read_name(root, user, &caller->user_id, problem) &&
           read_name(root, company, &caller->company_id, problem) &&
           caller_take(exchange, caller, 422, problem) &&
           (caller->user_id.len > 0 ||
            read_text(root, user, ID_BYTES, &caller->user_id, problem)) &&
           (caller->company_id.len > 0 ||
            read_text(root, company, ID_BYTES, &caller->company_id, problem));
}

static bool read_conversation(struct exchange *exchange, const struct json_value *root,
                              bool is_needed, struct runs_request *request, struct problem *problem)
{
    static const char *const ids[] = {"/conversation/id", "/conversation/thread_id",
                                      "/conversation/session_id", "/conversation/conversation_id"};
    const struct json_value *conversation = json_value_member(root, STR("conversation"));
    const char *id = ids[0];
    bool missing = conversation == NULL || conversation->type == JSON_NULL;
    if (missing && !is_needed)
        return caller_take(exchange, &request->caller, 422, problem);
    if (!missing && conversation->type != JSON_OBJECT)
        return problem_field(problem, "/conversation", "/conversation: expected an object, got %s",
                             json_value_type_name(conversation));
    for (size_t i = countof(ids); i-- > 0;)
        if (json_value_find(root, ids[i]) != NULL)
            id = ids[i];
    return read_text(root, id, ID_BYTES, &request->caller.conversation_id, problem) &&
           read_caller(exchange, root, &request->caller, problem);
}

/* The place of option's value among words; false: problem. */
static bool read_word(const struct json_value *option, const char *pointer,
                      const char *const *words, size_t count, unsigned *place,
                      struct problem *problem)
{
    for (unsigned i = 0; option->type == JSON_STRING && i < count; i++)
        if (str_equal(option->text, str_of(words[i]))) {
            *place = i;
            return true;
        }
    if (option->type != JSON_STRING)
        return problem_field(problem, pointer, "%s: expected a string, got %s", pointer,
                             json_value_type_name(option));
    return problem_field(problem, pointer, "%s: expected %s, %s%s%s; got '%.*s'", pointer, words[0],
                         words[1], count > 2 ? " or " : "", count > 2 ? words[2] : "",
                         STR_ARG(str_utf8_prefix(option->text, 64)));
}

/* The language of the answer's reader, before what a header says. */
static bool read_language(struct exchange *exchange, const struct json_value *option,
                          const char *pointer, struct problem *problem)
{
    if (option->type == JSON_STRING && language_of(option->text, &exchange->language))
        return true;
    return problem_field(problem, pointer, "%s: expected en, de or es", pointer);
}

static bool read_graph_option(struct exchange *exchange, const struct json_value *option,
                              struct runs_request *request, struct problem *problem)
{
    if (option->type != JSON_STRING)
        return problem_field(problem, "/options/graph", "/options/graph: expected a string, got %s",
                             json_value_type_name(option));
    if (!run_body_set_graph(exchange, option->text, request))
        return problem_field(problem, "/options/graph", "/options/graph: there is no graph '%.*s'",
                             STR_ARG(str_utf8_prefix(option->text, 64)));
    return true;
}

/* The JSON pointer of the option name, as much of it as there is room for. */
static void point_at_option(struct str name, char *pointer)
{
    struct buf out;
    buf_init(&out, POINTER_BYTES);
    buf_push(&out, STR("/options/"));
    name = str_utf8_prefix(name, POINTER_BYTES / 2 - buf_len(&out));
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == '~' || name.at[i] == '/')
            buf_push(&out, name.at[i] == '~' ? STR("~0") : STR("~1"));
        else
            buf_push_char(&out, name.at[i]);
    }
    struct str text = buf_ok(&out) ? buf_str(&out) : STR("/options");
    memcpy(pointer, text.at, text.len);
    pointer[text.len] = '\0';
    buf_fini(&out);
}

static bool read_option(struct exchange *exchange, const struct json_value *option,
                        bool may_choose_graph, struct runs_request *request,
                        struct problem *problem)
{
    static const char *const details[] = {"core", "nodes", "debug"};
    static const char *const datas[] = {"complete", "first"};
    static const char *const leavings[] = {"continue", "cancel"};
    static const char *const tasks[] = {"reject", "enqueue", "interrupt", "rollback"};
    char pointer[POINTER_BYTES];
    unsigned place = 0;
    point_at_option(option->key, pointer);
    if (str_equal(option->key, STR("graph")) && may_choose_graph)
        return read_graph_option(exchange, option, request, problem);
    if (str_equal(option->key, STR("detail"))) {
        bool fine = read_word(option, pointer, details, countof(details), &place, problem);
        request->detail = (enum event_level)place;
        return fine;
    }
    if (str_equal(option->key, STR("data"))) {
        bool fine = read_word(option, pointer, datas, countof(datas), &place, problem);
        request->wants_data = place == 1;
        return fine;
    }
    if (str_equal(option->key, STR("on_disconnect"))) {
        bool fine = read_word(option, pointer, leavings, countof(leavings), &place, problem);
        request->cancel_on_disconnect = place == 1;
        return fine;
    }
    if (str_equal(option->key, STR("language")))
        return read_language(exchange, option, pointer, problem);
    if (str_equal(option->key, STR("multitask"))) {
        bool fine = read_word(option, pointer, tasks, countof(tasks), &place, problem);
        request->multitask = (enum runs_multitask)place;
        return fine;
    }
    return problem_field(problem, pointer, "%s: there is no such option", pointer);
}

static bool read_options(struct exchange *exchange, const struct json_value *root,
                         bool may_choose_graph, struct runs_request *request,
                         struct problem *problem)
{
    const struct json_value *options = json_value_member(root, STR("options"));
    if (options == NULL || options->type == JSON_NULL)
        return true;
    if (options->type != JSON_OBJECT)
        return problem_field(problem, "/options", "/options: expected an object, got %s",
                             json_value_type_name(options));
    JSON_EACH(option, options)
        if (!read_option(exchange, option, may_choose_graph, request, problem))
            return false;
    return true;
}

bool run_body_read_key(struct exchange *exchange, struct runs_request *request,
                       struct problem *problem)
{
    request->idempotency_key = http_request_header(exchange->request, STR("Idempotency-Key"));
    if (str_is_absent(request->idempotency_key))
        return true;
    if (request->idempotency_key.len > 0 && request->idempotency_key.len <= KEY_BYTES)
        return true;
    return problem_set(problem, 400, "invalid_request",
                       "Idempotency-Key: expected 1 to %d bytes, got %zu", KEY_BYTES,
                       request->idempotency_key.len);
}

static void set_graph(const struct registry *registry, int place, struct runs_request *request)
{
    request->graph = registry_graph(registry, (size_t)place);
    request->entry = registry_entry(registry, (size_t)place);
}

bool run_body_set_graph(struct exchange *exchange, struct str name, struct runs_request *request)
{
    const struct registry *registry = exchange->shard->group->registry;
    int place = registry_find(registry, name);
    if (place < 0 || registry_entry(registry, (size_t)place)->is_tool)
        return false;
    set_graph(registry, place, request);
    return true;
}

void run_body_set_tool(struct exchange *exchange, struct str name, struct runs_request *request)
{
    const struct registry *registry = exchange->shard->group->registry;
    int place = registry_find(registry, name);
    CHECK(place >= 0);
    set_graph(registry, place, request);
}

static bool set_graph_of_path(struct exchange *exchange, struct runs_request *request,
                              struct problem *problem)
{
    struct str name;
    struct err err = {0};
    if (url_decode(&exchange->arena, exchange->match.params[0], &name, &err) != ERR_OK)
        return problem_set(problem, 400, "invalid_request", "the path: %s", err.text);
    if (!run_body_set_graph(exchange, name, request))
        return problem_set(problem, 404, "not_found", "there is no graph '%.*s'",
                           STR_ARG(str_utf8_prefix(name, 64)));
    return true;
}

bool run_body_read(struct exchange *exchange, const char *default_graph,
                   struct runs_request *request, struct problem *problem)
{
    bool is_chat = default_graph != NULL;
    *request = (struct runs_request){.pin = exchange->shard->pin};
    if (!is_chat && !set_graph_of_path(exchange, request, problem))
        return false;
    const struct json_value *root = run_body_parse(exchange, problem);
    if (root == NULL)
        return false;
    if (is_chat && !run_body_set_graph(exchange, str_of(default_graph), request))
        return problem_set(problem, 500, "internal", "there is no graph '%s'", default_graph);
    return read_message(exchange, root, request, problem) &&
           read_conversation(exchange, root, is_chat, request, problem) &&
           read_options(exchange, root, is_chat, request, problem) &&
           client_tools_read(exchange, json_value_member(root, STR("tools")), "/tools", request,
                             problem) &&
           run_body_read_key(exchange, request, problem);
}

bool run_body_read_later(struct exchange *exchange, const struct json_value *root,
                         struct runs_request *request, struct problem *problem)
{
    static const char *const ids[] = {"/conversation/id", "/conversation/thread_id",
                                      "/conversation/session_id", "/conversation/conversation_id"};
    const struct json_value *conversation = json_value_member(root, STR("conversation"));
    struct str *id = &request->caller.conversation_id;
    if (conversation != NULL && conversation->type != JSON_NULL &&
        conversation->type != JSON_OBJECT)
        return problem_field(problem, "/conversation", "/conversation: expected an object, got %s",
                             json_value_type_name(conversation));
    for (size_t i = 0; i < countof(ids) && str_is_absent(*id); i++)
        if (!read_name(root, ids[i], id, problem))
            return false;
    return read_message(exchange, root, request, problem) &&
           read_caller(exchange, root, &request->caller, problem) &&
           read_options(exchange, root, true, request, problem);
}

bool run_body_read_ask(struct exchange *exchange, struct runs_request *request,
                       struct problem *problem)
{
    *request = (struct runs_request){.pin = exchange->shard->pin, .cancel_on_disconnect = true};
    const struct json_value *root = run_body_parse(exchange, problem);
    struct err err = {0};
    if (root == NULL || !caller_take(exchange, &request->caller, 422, problem))
        return false;
    if (!run_body_set_graph(exchange, STR("banking"), request))
        return problem_set(problem, 404, "not_found", "there is no graph 'banking'");
    enum err_code code = json_value_str(root, "/query", &request->message, &err);
    size_t max = exchange->shard->group->config->max_message_bytes;
    if (code == ERR_NOT_FOUND)
        return problem_field(problem, "/query", "/query: expected a string, got nothing");
    if (code != ERR_OK)
        return problem_field(problem, "/query", "%s", err.text);
    if (request->message.len > max)
        return problem_field(problem, "/query", "/query: expected at most %zu bytes, got %zu", max,
                             request->message.len);
    return true;
}

bool run_body_read_cursor(struct exchange *exchange, struct str run_id,
                          struct run_body_cursor *cursor, struct problem *problem)
{
    struct str header = http_request_header(exchange->request, STR("Last-Event-ID"));
    struct str rest = header, id = {NULL, 0};
    unsigned worker;
    *cursor = (struct run_body_cursor){.run_id = run_id};
    if (header.len == 0)
        return true;
    if (str_find_char(header, ':') != STR_NONE)
        id = str_split(&rest, ':');
    else if (str_is_absent(run_id))
        rest = (struct str){NULL, 0};
    bool fine = !str_is_absent(rest) && str_to_u64(rest, &cursor->after_id) &&
                (str_is_absent(id) || id_run_worker(id, &worker)) &&
                (str_is_absent(id) || str_is_absent(run_id) || str_equal(id, run_id));
    if (!fine)
        return problem_set(problem, 400, "invalid_request",
                           "Last-Event-ID: expected <run id>:<number>, got '%.*s'",
                           STR_ARG(str_utf8_prefix(header, 80)));
    if (str_is_absent(run_id))
        cursor->run_id = id;
    return true;
}
