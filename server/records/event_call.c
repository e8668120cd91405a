/* SPDX-License-Identifier: MIT */
/* server/records/event_call.c - the members of the event, read as an object.
 *
 * Failure: members that are none, of an event that another version wrote: there is no call. */
#include "server/records/event_call.h"

#include "proto/json_read.h"

enum { MOST_BYTES = 4 << 20 };

static bool take_member(struct event_call *call, struct json_read *reader)
{
    struct str *value = json_read_is(reader, STR("id"))          ? &call->id
                        : json_read_is(reader, STR("arguments")) ? &call->said
                        : json_read_is(reader, STR("result"))    ? &call->said
                                                                 : NULL;
    bool is_failed = json_read_is(reader, STR("failed"));
    enum json_token token = json_read_next(reader);
    if (value != NULL && token == JSON_TOKEN_STRING) {
        *value = json_read_unescape(reader, &call->scratch);
        return !str_is_absent(*value);
    }
    call->failed |= is_failed && token == JSON_TOKEN_TRUE;
    return json_read_skip(reader, token);
}

bool event_call_read(const struct event *event, struct event_call *call)
{
    struct json_read reader;
    enum json_token token;
    *call = (struct event_call){.failed = false};
    buf_init(&call->text, MOST_BYTES);
    buf_init(&call->scratch, MOST_BYTES);
    if (event->text.len == 0)
        return false;
    buf_printf(&call->text, "{%.*s}", STR_ARG(event->text));
    if (!buf_ok(&call->text) || buf_reserve(&call->scratch, event->text.len) == NULL)
        return false; /* reserved, so that no view of scratch moves */
    json_read_init(&reader, buf_str(&call->text));
    if (json_read_next(&reader) != JSON_TOKEN_OBJECT)
        return false;
    while ((token = json_read_next(&reader)) == JSON_TOKEN_KEY)
        if (!take_member(call, &reader))
            return false;
    return token == JSON_TOKEN_OBJECT_END && call->id.len > 0;
}

void event_call_fini(struct event_call *call)
{
    buf_fini(&call->text);
    buf_fini(&call->scratch);
}

bool event_call_is_object(struct str text)
{
    struct json_read reader;
    json_read_init(&reader, text);
    enum json_token token = json_read_next(&reader);
    return token == JSON_TOKEN_OBJECT && json_read_skip(&reader, token) &&
           json_read_next(&reader) == JSON_TOKEN_END;
}
