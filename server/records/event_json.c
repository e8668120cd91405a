/* SPDX-License-Identifier: MIT */
/* server/records/event_json.c - one table: which member holds which field of an event.
 *
 * Happy path: "event", then the members of its kind; absent and empty members are left out, except
 * the content of a token.
 * Failure: none but a full buf. */
#include "server/records/event_json.h"

#include "proto/json_write.h"
#include "server/http/problem.h"

struct shape {
    const char *name, *text, *number; /* member names; NULL: not written */
    const char *fields;               /* event.text is members: put them into this object */
    bool is_open;                     /* event.text is members: put them beside the others */
};

static const struct shape shapes[EVENT_KIND_COUNT] = {
    [EVENT_ROUTE_DECISION] = {.name = "route"},
    [EVENT_TOOL_START] = {.name = "tool", .is_open = true},
    [EVENT_COMPLETE] = {.is_open = true},
    [EVENT_NODE_START] = {.name = "node"},
    [EVENT_NODE_END] = {.name = "node", .number = "ms"},
    [EVENT_TOOL_END] = {.name = "tool", .number = "ms", .is_open = true},
    [EVENT_TOOL_PROGRESS] = {.name = "tool", .is_open = true},
    [EVENT_RETRY] = {.name = "budget", .text = "reason", .number = "used"},
    [EVENT_STATE] = {.name = "node", .fields = "fields"},
    [EVENT_QUEUED] = {.name = "gate", .number = "position"},
    [EVENT_WARNING] = {.name = "rule", .text = "message"},
    [EVENT_DATA] = {.is_open = true},
    [EVENT_INTERRUPT] = {.name = "node", .is_open = true},
};

static void push_members(struct buf *out, struct str members)
{
    if (members.len == 0)
        return;
    buf_push_char(out, ',');
    buf_push(out, members);
}

/* Most events are tokens, so what is the same in all of them is pushed in one piece. */
static void write_token(struct buf *out, const struct event *event)
{
    buf_push(out, STR("{\"event\":\"token\",\"channel\":"));
    json_write_quoted(out, event->name);
    buf_push(out, STR(",\"content\":"));
    json_write_quoted(out, event->text);
    if (event->number > 1) {
        buf_push(out, STR(",\"attempt\":"));
        buf_push_i64(out, event->number);
    }
    if (str_equal(event->more, STR(EVENT_RESET)))
        buf_push(out, STR(",\"reset\":true"));
    buf_push_char(out, '}');
}

static void write_shape(struct json_write *json, struct buf *out, const struct event *event)
{
    const struct shape *shape = &shapes[event->kind];
    if (shape->name != NULL && event->name.len > 0)
        json_write_member_str(json, str_of(shape->name), event->name);
    if (shape->text != NULL && event->text.len > 0)
        json_write_member_str(json, str_of(shape->text), event->text);
    if (shape->number != NULL)
        json_write_member_i64(json, str_of(shape->number), event->number);
    if (shape->fields != NULL) {
        json_write_key(json, str_of(shape->fields));
        json_write_object(json);
        buf_push(out, event->text);
        json_write_object_end(json);
    }
    if (shape->is_open)
        push_members(out, event->text);
}

void event_json_write(struct buf *out, const struct event *event)
{
    struct json_write json;
    if (event->kind == EVENT_TOKEN) {
        write_token(out, event);
        return;
    }
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("event"), str_of(event_name(event->kind)));
    if (event->kind == EVENT_ERROR) {
        json_write_member_str(&json, STR("code"), event->name);
        json_write_member_str(&json, STR("message"), event->text);
        json_write_member_bool(&json, STR("retryable"), event->number != 0);
        if (str_equal(event->name, STR("overloaded")))
            json_write_member_u64(&json, STR("retry_after"), PROBLEM_RETRY_AFTER);
        push_members(out, event->more);
    } else {
        write_shape(&json, out, event);
    }
    json_write_object_end(&json);
}

void event_json_write_error(struct buf *out, const char *code, const char *message, bool retryable,
                            struct str run_id)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("event"), STR("error"));
    json_write_member_str(&json, STR("code"), str_of(code));
    json_write_member_str(&json, STR("message"), str_of(message));
    json_write_member_bool(&json, STR("retryable"), retryable);
    json_write_member_str(&json, STR("run_id"), run_id);
    json_write_object_end(&json);
}

/* All models that wrote, where it was not one alone. */
static void write_models(struct json_write *json, const struct run_stats *stats)
{
    if (stats->model_count < 2)
        return;
    json_write_key(json, STR("models"));
    json_write_array(json);
    for (size_t i = 0; i < stats->model_count; i++)
        json_write_str(json, stats->models[i]);
    json_write_array_end(json);
}

static void write_stats(struct json_write *json, const struct run_stats *stats)
{
    json_write_object(json);
    json_write_member_u64(json, STR("tokens"), stats->answer_tokens);
    if (stats->estimated)
        json_write_member_bool(json, STR("estimated"), true);
    json_write_member_u64(json, STR("prompt_tokens"), stats->prompt_tokens);
    json_write_member_u64(json, STR("completion_tokens"), stats->completion_tokens);
    json_write_member_u64(json, STR("llm_calls"), stats->llm_calls);
    json_write_member_u64(json, STR("sql_attempts"), stats->sql_attempts);
    if (stats->candidates > 0) {
        json_write_member_u64(json, STR("candidates"), stats->candidates);
        json_write_member_bool(json, STR("decided"), stats->decided);
    }
    json_write_member_u64(json, STR("duration_ms"), stats->duration_ms);
    if (stats->ttft_ms > 0)
        json_write_member_u64(json, STR("ttft_ms"), stats->ttft_ms);
    if (stats->model.len > 0)
        json_write_member_str(json, STR("model"), stats->model);
    if (stats->cached_tokens > 0)
        json_write_member_u64(json, STR("cached_tokens"), stats->cached_tokens);
    if (stats->reasoning_tokens > 0)
        json_write_member_u64(json, STR("reasoning_tokens"), stats->reasoning_tokens);
    if (stats->cost > 0)
        json_write_member_double(json, STR("cost"), stats->cost);
    write_models(json, stats);
    json_write_object_end(json);
}

void event_json_finish(struct run *run, struct buf *members)
{
    struct json_write json;
    struct str id = str_of(run_id(run)), conversation = run_conversation_id(run);
    json_write_init(&json, members);
    json_write_object(&json);
    buf_truncate(members, buf_len(members) - (buf_ok(members) ? 1 : 0)); /* members only */
    json_write_member_str(&json, STR("run_id"), id);
    if (conversation.len > 0)
        json_write_member_str(&json, STR("conversation_id"), conversation);
    json_write_member_str(&json, STR("route"), run_route(run));
    json_write_key(&json, STR("stats"));
    write_stats(&json, run_stats(run));
    json_write_object_end(&json);
    if (buf_ok(members))
        buf_truncate(members, buf_len(members) - 1);
}
