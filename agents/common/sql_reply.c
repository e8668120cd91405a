/* SPDX-License-Identifier: MIT */
/* agents/common/sql_reply.c - an object's members, else what is picked from the text.
 *
 * Happy path: {"sql": ..., "cannot": ...}, bare or fenced, or a statement in a text. Failure: an
 * object with neither member is a query over metrics, which is for others to read. */
#include "agents/common/sql_reply.h"

#include "agents/common/extract.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { QUERY_BYTES = 16 * 1024 };

static const struct str none = {NULL, 0};

/* A text, or an object, which is a query over metrics, as its text. */
static struct str take_statement(struct arena *arena, const struct json_value *value)
{
    if (value->type == JSON_STRING)
        return extract_sql(value->text);
    return value->type == JSON_OBJECT ? json_value_text(value, arena, QUERY_BYTES) : none;
}

/* Read the first object in text with members sql, or cannot; false: it is another one, or none. */
static bool read_object(struct arena *arena, struct str text, struct sql_reply *reply)
{
    struct str json = extract_json(text, '{');
    const struct json_value *object =
        str_is_absent(json) ? NULL : json_value_parse(arena, json, NULL, NULL);
    const struct json_value *sql = json_value_member(object, STR("sql"));
    const struct json_value *cannot = json_value_member(object, STR("cannot"));
    if (sql == NULL && cannot == NULL)
        return false;
    if (sql != NULL)
        reply->sql = take_statement(arena, sql);
    if (str_is_empty(reply->sql)) {
        reply->sql = none;
        reply->cannot =
            cannot != NULL && cannot->type == JSON_STRING ? str_trim(cannot->text) : STR("");
        if (reply->cannot.len == 0)
            reply->cannot = STR("no statement over these tables answers it");
    }
    return true;
}

struct sql_reply sql_reply_read(struct arena *arena, struct str text)
{
    struct sql_reply reply = {none, none};
    struct str sql;
    if (read_object(arena, text, &reply))
        return reply;
    reply.cannot = extract_refusal(text);
    if (str_is_absent(reply.cannot) && extract_finds_sql(text, &sql))
        reply.sql = sql;
    return reply;
}

bool sql_reply_is_prose(struct str text)
{
    struct str sql;
    return str_trim(text).len > 0 && str_is_absent(extract_refusal(text)) &&
           !extract_finds_sql(text, &sql);
}
