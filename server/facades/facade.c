/* SPDX-License-Identifier: MIT */
/* server/facades/facade.c - tables of members, messages, callers.
 *
 * Failure: what is missing, of another type or too long: 422 (a style may call it 400) with its
 * pointer; what is not built: 501. */
#include "server/facades/facade.h"

#include <stdio.h>

#include "agents/memory/history.h"
#include "proto/json_read.h"
#include "proto/json_write.h"
#include "server/api/caller.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { POINTER_BYTES = 120, ID_BYTES = 128, FINE_BYTES = 64, MODELS_BYTES = 256 };

/* ---- members ---- */

static bool is_empty(const struct json_value *value)
{
    return (value->type == JSON_BOOL && !value->boolean) ||
           (value->type == JSON_STRING && value->text.len == 0) ||
           ((value->type == JSON_ARRAY || value->type == JSON_OBJECT) && value->count == 0);
}

static bool is_fine(const struct json_value *value, const struct facade_field *field)
{
    struct json_write writer;
    struct buf text;
    bool fine = field->feature == NULL || is_empty(value);
    buf_init(&text, FINE_BYTES);
    json_write_init(&writer, &text);
    json_value_write(value, &writer);
    for (size_t i = 0; i < FACADE_FINE && field->fine[i] != NULL; i++)
        fine = fine || (buf_ok(&text) && str_equal(buf_str(&text), str_of(field->fine[i])));
    buf_fini(&text);
    return fine;
}

static const struct facade_field *find_field(struct str name, const struct facade_field *fields,
                                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(name, str_of(fields[i].name)))
            return &fields[i];
    return NULL;
}

bool facade_check(const struct json_value *object, const char *pointer,
                  const struct facade_field *fields, size_t count, struct problem *problem)
{
    char at[POINTER_BYTES];
    JSON_EACH(member, object) {
        const struct facade_field *field = find_field(member->key, fields, count);
        struct str name = str_utf8_prefix(member->key, POINTER_BYTES / 2);
        snprintf(at, sizeof at, "%s/%.*s", pointer, STR_ARG(name));
        if (field == NULL)
            return problem_field(problem, at, "%s: there is no such member", at);
        if (member->type == JSON_NULL)
            continue;
        if ((field->types & 1u << member->type) == 0)
            return problem_field(problem, at, "%s: %s is not what is expected here", at,
                                 json_value_type_name(member));
        if (!is_fine(member, field))
            return problem_unsupported(problem, at, field->feature);
    }
    return true;
}

bool facade_read_str(const struct json_value *root, const char *pointer, struct str *text,
                     struct problem *problem)
{
    struct err err = {0};
    *text = (struct str){NULL, 0};
    enum err_code code = json_value_str(root, pointer, text, &err);
    return code == ERR_OK || code == ERR_NOT_FOUND ||
           problem_field(problem, pointer, "%s", err.text);
}

/* ---- messages ---- */

static bool is_text(struct str type, const struct facade_talk *talk)
{
    for (size_t i = 0; i < countof(talk->texts) && talk->texts[i] != NULL; i++)
        if (str_equal(type, str_of(talk->texts[i])))
            return true;
    return false;
}

/* One part: its text behind what is there. */
static bool read_part(const struct json_value *part, const struct facade_talk *talk, bool skips,
                      const char *pointer, struct buf *text, struct problem *problem)
{
    struct str type = {NULL, 0}, said = {NULL, 0};
    if (json_value_str(part, "/type", &type, NULL) != ERR_OK)
        return problem_field(problem, pointer, "%s: a part has no type", pointer);
    if (!is_text(type, talk))
        return skips || problem_unsupported(problem, pointer, "parts that are not text are");
    if (json_value_str(part, "/text", &said, NULL) != ERR_OK)
        return problem_field(problem, pointer, "%s: a part has no text", pointer);
    if (buf_len(text) > 0)
        buf_push_char(text, '\n');
    buf_push(text, said);
    return true;
}

static bool read_text(struct exchange *exchange, const struct json_value *content,
                      const struct facade_talk *talk, const char *pointer,
                      struct history_message *to, struct problem *problem)
{
    struct buf all;
    bool fine = true, skips = talk->skips_parts && to->role == LLM_ASSISTANT;
    to->text = STR("");
    if (content == NULL || content->type == JSON_NULL)
        return true;
    if (content->type == JSON_STRING) {
        to->text = content->text;
        return true;
    }
    if (content->type != JSON_ARRAY)
        return problem_field(problem, pointer, "%s: expected a string or parts, got %s", pointer,
                             json_value_type_name(content));
    buf_init(&all, exchange->request->body.len + 1); /* texts are in there, commas between them */
    JSON_EACH(part, content)
        fine = fine && read_part(part, talk, skips, pointer, &all, problem);
    to->text = arena_str(&exchange->arena, buf_str(&all));
    if (fine && (!buf_ok(&all) || str_is_absent(to->text)))
        fine = problem_set(problem, 503, "overloaded", "no memory for another request");
    buf_fini(&all);
    return fine;
}

static bool read_role(const struct json_value *message, const struct facade_talk *talk,
                      const char *pointer, enum llm_role *role, struct problem *problem)
{
    static const char *const users[] = {"user", "system", "developer", "human"};
    struct str name = {NULL, 0};
    if (message->type != JSON_OBJECT ||
        (json_value_str(message, "/role", &name, NULL) != ERR_OK &&
         (!talk->has_types || json_value_str(message, "/type", &name, NULL) != ERR_OK)))
        return problem_field(problem, pointer, "%s: expected a message with a role", pointer);
    bool is_ai = str_equal(name, STR("assistant")) || str_equal(name, STR("ai"));
    *role = is_ai ? LLM_ASSISTANT : LLM_USER;
    for (size_t i = 0; i < countof(users); i++)
        if (str_equal(name, str_of(users[i])))
            return true;
    return is_ai ||
           problem_unsupported(problem, pointer, "the results of a client's own tools are");
}

bool facade_set_question(struct exchange *exchange, const struct history_message *last,
                         const char *pointer, struct runs_request *request, struct problem *problem)
{
    size_t max = exchange->shard->group->config->max_message_bytes;
    if (last->role != LLM_USER)
        return problem_field(problem, pointer, "%s: the last message must be the user's", pointer);
    if (last->text.len > max)
        return problem_field(problem, pointer, "%s: expected at most %zu bytes of text, got %zu",
                             pointer, max, last->text.len);
    if (str_trim(last->text).len == 0)
        return problem_field(problem, pointer, "%s: expected text, got only blanks", pointer);
    request->message = last->text;
    return true;
}

static bool is_passed_over(const struct json_value *message, const struct facade_talk *talk)
{
    struct str role = {NULL, 0}, type = {NULL, 0};
    (void)!json_value_str(message, "/role", &role, NULL);
    (void)!json_value_str(message, "/type", &type, NULL);
    for (size_t i = 0; i < countof(talk->passed_over) && talk->passed_over[i] != NULL; i++)
        if (str_equal(role, str_of(talk->passed_over[i])) ||
            str_equal(type, str_of(talk->passed_over[i])))
            return true;
    return false;
}

bool facade_read_talk(struct exchange *exchange, const struct json_value *messages,
                      const struct facade_talk *talk, struct runs_request *request,
                      struct problem *problem)
{
    char pointer[POINTER_BYTES];
    size_t place = 0, count = 0;
    if (messages == NULL || messages->type != JSON_ARRAY || messages->count == 0)
        return problem_field(problem, talk->pointer, "%s: expected an array of messages, got %s",
                             talk->pointer, json_value_type_name(messages));
    struct history_message *said = arena_array(&exchange->arena, messages->count, sizeof *said);
    if (said == NULL)
        return problem_set(problem, 503, "overloaded", "no memory for another request");
    JSON_EACH(message, messages) {
        struct history_message *to = &said[count];
        snprintf(pointer, sizeof pointer, "%s/%zu", talk->pointer, place++);
        if (is_passed_over(message, talk))
            continue;
        if (!read_role(message, talk, pointer, &to->role, problem) ||
            !read_text(exchange, json_value_member(message, str_of(talk->parts)), talk, pointer, to,
                       problem))
            return false;
        if (to->text.len > 0 || place == messages->count)
            count++;
    }
    if (count == 0)
        return problem_field(problem, talk->pointer, "%s: expected a message of the user's",
                             talk->pointer);
    if (!facade_set_question(exchange, &said[count - 1], pointer, request, problem))
        return false;
    request->said = said;
    request->said_count = count - 1;
    return true;
}

/* ---- the caller ---- */

static struct str first_of(struct str a, struct str b, struct str c)
{
    return a.len > 0 ? a : b.len > 0 ? b : c;
}

static bool is_id(struct str id, const char *what, struct problem *problem)
{
    return id.len <= ID_BYTES ||
           problem_set(problem, 422, "invalid_request", "the %s: expected 1 to %d bytes, got %zu",
                       what, ID_BYTES, id.len);
}

bool facade_read_caller(struct exchange *exchange, const struct identity *body,
                        struct identity *caller, struct problem *problem)
{
    const struct http_request *http = exchange->request;
    const struct config *config = exchange->shard->group->config;
    struct str user = http_request_header(http, STR("X-OpenWebUI-User-Id"));
    struct str chat = http_request_header(http, STR("X-OpenWebUI-Chat-Id"));
    *caller = (struct identity){.company_id = body->company_id,
                                .user_id = first_of(body->user_id, user, STR(""))};
    if (!caller_take(exchange, caller, 422, problem))
        return false;
    caller->user_id = first_of(caller->user_id, STR(CONFIG_PAGE_USER), STR(""));
    caller->company_id =
        first_of(caller->company_id, str_of(config->page_company_id), STR(CONFIG_PAGE_COMPANY));
    caller->conversation_id = first_of(http_request_header(http, STR("X-Askd-Conversation-Id")),
                                       body->conversation_id, chat);
    return is_id(caller->conversation_id, "conversation's id", problem) &&
           is_id(caller->user_id, "user's id", problem) &&
           is_id(caller->company_id, "company's id", problem);
}

/* ---- the model ---- */

bool facade_read_model(struct exchange *exchange, const struct json_value *root,
                       struct runs_request *request, struct problem *problem)
{
    const struct registry *registry = exchange->shard->group->registry;
    struct str name = {NULL, 0};
    struct buf names;
    if (!facade_read_str(root, "/model", &name, problem))
        return false;
    if (name.len == 0)
        return problem_field(problem, "/model", "/model: expected the name of a graph");
    if (run_body_set_graph(exchange, name, request))
        return true;
    buf_init(&names, MODELS_BYTES);
    for (size_t i = 0; i < registry_count(registry); i++)
        if (shard_offers(exchange->shard, i))
            buf_printf(&names, "%s%s", buf_len(&names) == 0 ? "" : ", ",
                       registry_entry(registry, i)->def->name);
    problem_field(problem, "/model", "/model: there is no '%.*s'; there are %.*s",
                  STR_ARG(str_utf8_prefix(name, 64)), STR_ARG(buf_str(&names)));
    buf_fini(&names);
    problem->status = 404;
    problem->code = "model_not_found";
    return false;
}

/* ---- the end ---- */

struct facade_usage facade_usage_of(struct str members)
{
    static const struct str name = STR("\"stats\":"); /* no text can hold it: quotes are escaped */
    struct facade_usage usage = {0, 0};
    struct json_read reader;
    int64_t value;
    for (ptrdiff_t at; (at = str_find(members, name)) != STR_NONE;) /* the last one is the run's */
        members = str_from(members, (size_t)at + name.len);
    json_read_init(&reader, members);
    for (enum json_token token = json_read_next(&reader);
         token == JSON_TOKEN_OBJECT || token == JSON_TOKEN_KEY;) {
        bool prompt = token == JSON_TOKEN_KEY && json_read_is(&reader, STR("prompt_tokens"));
        bool completion =
            token == JSON_TOKEN_KEY && json_read_is(&reader, STR("completion_tokens"));
        enum json_token next = json_read_next(&reader);
        if ((prompt || completion) && next == JSON_TOKEN_NUMBER && json_read_i64(&reader, &value) &&
            value >= 0)
            *(prompt ? &usage.prompt_tokens : &usage.completion_tokens) = (uint64_t)value;
        token = next == JSON_TOKEN_KEY ? next : json_read_next(&reader);
    }
    return usage;
}

bool facade_last_event(struct run *run, struct event *event)
{
    struct event_log *log = run_log(run);
    uint64_t last = event_log_last_id(log);
    return last > 0 && event_log_after(log, last - 1, event) == ERR_OK;
}

struct encoder *facade_encoder(struct exchange *exchange, size_t size,
                               const struct encoder_kind *kind)
{
    struct encoder *encoder = arena_alloc(&exchange->arena, size);
    if (encoder == NULL) {
        struct err err;
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return NULL;
    }
    encoder->kind = kind;
    exchange->encoder = encoder;
    return encoder;
}
