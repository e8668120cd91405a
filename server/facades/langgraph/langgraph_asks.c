/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_asks.c - one event of the run, as one interrupt or one for
 * each call.
 *
 * Failure: what is damaged asks nothing; a value for no call that waits is passed over, and the
 * call is asked for again. */
#include "server/facades/langgraph/langgraph_asks.h"

#include <stdio.h>

#include "core/base/id.h"
#include "proto/json_value.h"
#include "server/api/client_tools.h"

enum { ID_BYTES = ID_RUN_BYTES + 24, ANSWER_BYTES = 16 << 20, CALL_ID_BYTES = 1024 };

/* "RUN:EVENT", in room. */
static struct str name_ask(struct str run_id, uint64_t event_id, char *room, size_t size)
{
    (void)snprintf(room, size, "%.*s:%llu", STR_ARG(str_utf8_prefix(run_id, ID_RUN_BYTES)),
                   (unsigned long long)event_id);
    return str_of(room);
}

/* The interrupt of a call: "RUN:EVENT:CALL", in text. */
static struct str name_call(struct str ask, const struct client_tools_call *call, struct buf *text)
{
    struct str id = call->id; /* "RUN:CALL" */
    (void)str_split(&id, ':');
    buf_init(text, CALL_ID_BYTES);
    buf_push(text, ask);
    buf_push_char(text, ':');
    buf_push(text, id);
    return buf_str(text);
}

/* ---- what is asked ---- */

struct writing {
    struct json_write *json;
    struct str ask;
};

static void write_call(void *owner, const struct client_tools_call *call)
{
    struct writing *writing = owner;
    struct json_write *json = writing->json;
    struct buf id;
    json_write_object(json);
    json_write_member_str(json, STR("id"), name_call(writing->ask, call, &id));
    json_write_key(json, STR("value"));
    json_write_object(json);
    json_write_member_str(json, STR("type"), STR("tool"));
    json_write_key(json, STR("toolCall"));
    json_write_object(json);
    json_write_member_str(json, STR("id"), call->id);
    json_write_member_str(json, STR("name"), call->tool);
    json_write_member_raw(json, STR("args"), call->arguments);
    json_write_object_end(json);
    json_write_object_end(json);
    json_write_object_end(json);
    buf_fini(&id);
}

void langgraph_asks_write(struct str run_id, const struct event *event, struct json_write *json,
                          struct buf *out)
{
    char room[ID_BYTES];
    struct writing writing = {json, name_ask(run_id, event->id, room, sizeof room)};
    if (client_tools_each(event->text, run_id, write_call, &writing) > 0)
        return;
    json_write_object(json);
    json_write_member_str(json, STR("id"), writing.ask);
    json_write_key(json, STR("value"));
    json_write_object(json);
    buf_push(out, event->text);
    json_write_object_end(json);
    json_write_object_end(json);
}

/* ---- what it is answered with ---- */

struct answering {
    const struct json_value *resume;
    struct str ask;
    bool is_only;  /* there is one call: it may have the value as it is */
    bool has_keys; /* values come by ids */
    size_t count;  /* of calls */
    struct client_tools_results results;
    bool is_fine;
};

/* {"error": TEXT} and nothing else: how a tool of a client says that it failed. */
static bool is_failure(const struct json_value *value)
{
    const struct json_value *error = json_value_member(value, STR("error"));
    return error != NULL && error->type == JSON_STRING && value->count == 1;
}

static void look_for_keys(void *owner, const struct client_tools_call *call)
{
    struct answering *answering = owner;
    struct buf id;
    answering->count++;
    answering->has_keys |=
        json_value_member(answering->resume, name_call(answering->ask, call, &id)) != NULL ||
        json_value_member(answering->resume, call->id) != NULL;
    buf_fini(&id);
}

static void take_value(void *owner, const struct client_tools_call *call)
{
    struct answering *answering = owner;
    const struct json_value *resume = answering->resume;
    struct buf id;
    const struct json_value *value =
        json_value_member(resume, name_call(answering->ask, call, &id));
    const struct json_value *inside = json_value_member(value, call->id);
    buf_fini(&id);
    if (inside != NULL)
        value = inside;
    if (value == NULL)
        value = json_value_member(resume, call->id);
    if (value == NULL && answering->is_only && !answering->has_keys)
        value = resume;
    if (value != NULL)
        answering->is_fine =
            client_tools_results_add(&answering->results, call->id, value, is_failure(value)) &&
            answering->is_fine;
}

static bool take_ask(void *owner, const struct event *event)
{
    struct event *asked = owner;
    if (event->kind != EVENT_INTERRUPT)
        return true;
    *asked = *event; /* its texts are views into the past */
    return false;
}

static struct str answer_calls(struct answering *answering, const struct event *asked,
                               struct str run_id, struct arena *arena)
{
    answering->is_only = answering->count == 1;
    client_tools_results_init(&answering->results);
    client_tools_each(asked->text, run_id, take_value, answering);
    bool is_fine = answering->is_fine && answering->results.count > 0;
    struct str answer = client_tools_results_end(&answering->results, arena);
    return is_fine ? answer : (struct str){NULL, 0};
}

struct str langgraph_asks_answer(const struct stored_run *past, struct str resume,
                                 struct arena *arena)
{
    char room[ID_BYTES];
    struct err ignored;
    struct event asked = {.kind = EVENT_TOKEN};
    struct str run_id = past->run->run_id;
    (void)stored_run_each(past, take_ask, &asked, &ignored);
    const struct json_value *root = json_value_parse(arena, resume, NULL, NULL);
    if (asked.kind != EVENT_INTERRUPT || root == NULL)
        return resume;
    struct answering answering = {
        .resume = root, .ask = name_ask(run_id, asked.id, room, sizeof room), .is_fine = true};
    client_tools_each(asked.text, run_id, look_for_keys, &answering);
    const struct json_value *results = json_value_member(root, STR("results"));
    const struct json_value *keyed = json_value_member(root, answering.ask);
    if (answering.count > 0 && (results == NULL || results->type != JSON_ARRAY))
        return answer_calls(&answering, &asked, run_id, arena);
    return keyed != NULL ? json_value_text(keyed, arena, ANSWER_BYTES) : resume;
}
