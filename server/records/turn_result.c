/* SPDX-License-Identifier: MIT */
/* server/records/turn_result.c - one walk over the members of the terminal event that copies them
 * as they are, then one over the rows, which get the room that is left by them and by calls.
 *
 * Failure: members that do not fit are left out, rows from the first on that does not fit; members
 * beyond READ_BYTES are not looked at at all. */
#include "server/records/turn_result.h"

#include <string.h>

#include "proto/json_read.h"

enum {
    READ_BYTES = 1024 * 1024, /* a few milliseconds of the loop */
    DATA_BYTES = 512,         /* of "data" around its rows */
    CALL_BYTES = 16 * 1024,   /* of a member of a call's event */
    CALLS_BYTES = 16 * 1024,  /* of TURN_RESULT_BYTES, for calls */
};

/* The value behind the key that reader just gave, as it is written. Absent: the text is broken. */
static struct str take_value(struct json_read *reader, struct str text)
{
    size_t from = json_read_offset(reader);
    if (!json_read_skip(reader, JSON_TOKEN_KEY))
        return (struct str){0};
    struct str value = str_slice(text, from, json_read_offset(reader));
    while (value.len > 0 && (value.at[0] == ':' || value.at[0] == ' '))
        value = str_slice(value, 1, value.len);
    return value;
}

/* The value of a member of an event's members, as it is written; absent: there is none. */
static struct str find_member(struct str members, struct str name, struct buf *bytes)
{
    struct json_read reader;
    buf_clear(bytes);
    buf_printf(bytes, "{%.*s}", STR_ARG(members));
    struct str whole = buf_str(bytes);
    json_read_init(&reader, whole);
    if (!buf_ok(bytes) || json_read_next(&reader) != JSON_TOKEN_OBJECT)
        return (struct str){0};
    while (json_read_next(&reader) == JSON_TOKEN_KEY) {
        bool is_it = json_read_is(&reader, name);
        struct str value = take_value(&reader, whole);
        if (is_it || value.len == 0)
            return value;
    }
    return (struct str){0};
}

static void end_call(struct turn_result *result, const struct event *event)
{
    struct buf ended, begun;
    buf_init(&ended, CALL_BYTES);
    buf_init(&begun, CALL_BYTES);
    struct str id = find_member(event->text, STR("id"), &ended);
    for (size_t i = result->call_count; id.len > 0 && i-- > 0;) {
        struct turn_call *call = &result->calls[i];
        if (call->ended.at != NULL || !str_equal(find_member(call->begun, STR("id"), &begun), id))
            continue;
        call->ended = event->text;
        call->ms = event->number;
        break;
    }
    buf_fini(&begun);
    buf_fini(&ended);
}

void turn_result_hear(struct turn_result *result, const struct event *event)
{
    if (event_is_terminal(event->kind)) {
        result->last = *event;
    } else if (event->kind == EVENT_NODE_START && result->step_count < TURN_RESULT_STEPS) {
        result->steps[result->step_count++] = (struct turn_step){event->name, -1};
    } else if (event->kind == EVENT_TOOL_START && event->text.len > 0 &&
               result->call_count < TURN_RESULT_CALLS) {
        result->calls[result->call_count++] =
            (struct turn_call){.tool = event->name, .begun = event->text};
    } else if (event->kind == EVENT_TOOL_END && event->text.len > 0) {
        end_call(result, event);
    } else if (event->kind == EVENT_NODE_END) {
        for (size_t i = result->step_count; i-- > 0;) {
            struct turn_step *step = &result->steps[i];
            if (step->ms < 0 && str_equal(step->node, event->name)) {
                step->ms = event->number;
                return;
            }
        }
    }
}

static void write_steps(const struct turn_result *result, struct json_write *json)
{
    json_write_key(json, STR("steps"));
    json_write_array(json);
    for (size_t i = 0; i < result->step_count; i++) {
        json_write_object(json);
        json_write_member_str(json, STR("node"), result->steps[i].node);
        if (result->steps[i].ms >= 0)
            json_write_member_i64(json, STR("ms"), result->steps[i].ms);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* Write a member of an event's members where it fits. */
static void write_call_member(struct str members, const char *name, size_t *room,
                              struct json_write *json)
{
    struct buf bytes;
    buf_init(&bytes, CALL_BYTES);
    struct str value = find_member(members, str_of(name), &bytes);
    if (value.len > 0 && value.len <= *room) {
        json_write_member_raw(json, str_of(name), value);
        *room -= value.len;
    }
    buf_fini(&bytes);
}

static void write_calls(const struct turn_result *result, struct json_write *json)
{
    size_t room = CALLS_BYTES;
    json_write_key(json, STR("tools"));
    json_write_array(json);
    for (size_t i = 0; i < result->call_count; i++) {
        const struct turn_call *call = &result->calls[i];
        json_write_object(json);
        json_write_member_str(json, STR("tool"), call->tool);
        write_call_member(call->begun, "id", &room, json);
        write_call_member(call->begun, "arguments", &room, json);
        if (call->ended.at != NULL) {
            json_write_member_i64(json, STR("ms"), call->ms);
            write_call_member(call->ended, "failed", &room, json);
            write_call_member(call->ended, "result", &room, json);
        }
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* What a turn has elsewhere, or what is of the stream alone. */
static bool is_told_elsewhere(const struct json_read *reader)
{
    static const char *const names[] = {"run_id", "conversation_id", "route",
                                        "sql",    "interrupted",     "interrupts",
                                        "answer", "message",         "data"};
    for (size_t i = 0; i < countof(names); i++)
        if (json_read_is(reader, str_of(names[i])))
            return true;
    return false;
}

/* Copy the rows that fit in *room; whether all of them did. */
static bool write_rows(struct str rows, size_t *room, struct json_write *json)
{
    struct json_read reader;
    json_read_init(&reader, rows);
    json_write_key(json, STR("rows"));
    json_write_array(json);
    enum json_token token = json_read_next(&reader); /* '[' */
    bool fits = token == JSON_TOKEN_ARRAY;
    while (fits && (token = json_read_next(&reader)) == JSON_TOKEN_ARRAY) {
        size_t from = json_read_offset(&reader) - 1;
        if (!json_read_skip(&reader, token))
            break;
        struct str row = str_slice(rows, from, json_read_offset(&reader));
        fits = row.len + 1 <= *room;
        if (fits) {
            json_write_raw(json, row);
            *room -= row.len + 1;
        }
    }
    json_write_array_end(json);
    return fits && token == JSON_TOKEN_ARRAY_END;
}

static void write_data(struct str data, size_t room, struct json_write *json)
{
    struct json_read reader;
    json_read_init(&reader, data);
    json_write_key(json, STR("data"));
    json_write_object(json);
    struct str rows = {0};
    if (json_read_next(&reader) == JSON_TOKEN_OBJECT)
        while (json_read_next(&reader) == JSON_TOKEN_KEY) {
            struct str name = reader.text;
            bool is_rows = json_read_is(&reader, STR("rows"));
            struct str value = take_value(&reader, data);
            if (is_rows)
                rows = value;
            else if (value.len + name.len + 4 <= room) {
                json_write_member_raw(json, name, value);
                room -= value.len + name.len + 4;
            }
        }
    if (rows.len > 0 && !write_rows(rows, &room, json))
        json_write_member_bool(json, STR("cut"), true);
    json_write_object_end(json);
}

/* Copy the members of whole, an object, but for "data", which is written last. */
static void write_members(struct str whole, size_t room, struct json_write *json)
{
    struct json_read reader;
    struct str data = {0};
    json_read_init(&reader, whole);
    if (json_read_next(&reader) != JSON_TOKEN_OBJECT)
        return;
    while (json_read_next(&reader) == JSON_TOKEN_KEY) {
        struct str name = reader.text;
        bool is_data = json_read_is(&reader, STR("data"));
        bool is_left_out = is_told_elsewhere(&reader);
        struct str value = take_value(&reader, whole);
        if (is_data)
            data = value;
        else if (!is_left_out && value.len > 0 && value.len + name.len + 4 <= room) {
            json_write_member_raw(json, name, value);
            room -= value.len + name.len + 4;
        }
    }
    if (data.len > 0 && room > DATA_BYTES)
        write_data(data, room, json);
}

static void write_result(struct str members, size_t room, struct json_write *json)
{
    struct json_write inner;
    struct buf whole, out;
    buf_init(&whole, READ_BYTES);
    buf_init(&out, 2 * TURN_RESULT_BYTES);
    buf_printf(&whole, "{%.*s}", STR_ARG(members));
    if (buf_ok(&whole)) {
        json_write_init(&inner, &out);
        json_write_object(&inner);
        write_members(buf_str(&whole), room, &inner);
        json_write_object_end(&inner);
    }
    if (buf_ok(&out) && buf_len(&out) > strlen("{}"))
        json_write_member_raw(json, STR("result"), buf_str(&out));
    buf_fini(&whole);
    buf_fini(&out);
}

void turn_result_write(const struct turn_result *result, struct json_write *json)
{
    const struct event *last = &result->last;
    if (result->step_count > 0)
        write_steps(result, json);
    if (result->call_count > 0)
        write_calls(result, json);
    if (!event_is_terminal(last->kind))
        return;
    if (last->kind == EVENT_ERROR) {
        json_write_key(json, STR("error"));
        json_write_object(json);
        json_write_member_str(json, STR("code"), last->name);
        json_write_member_str(json, STR("message"), last->text);
        json_write_object_end(json);
    }
    write_result(last->kind == EVENT_ERROR ? last->more : last->text,
                 TURN_RESULT_BYTES - (result->call_count > 0 ? CALLS_BYTES : 0), json);
}
