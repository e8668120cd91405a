/* SPDX-License-Identifier: MIT */
/* agents/tools/verified.c - arguments as literals in a verified statement, which then runs as one
 * of a model's does: past the guard, with the caller's rows.
 *
 * Failure: an argument that is no text, number or truth, or a text with a backslash, which MySQL
 * reads as its own sign: told to the model. */
#include "agents/tools/verified.h"

#include "agents/semantic/places.h"
#include "agents/sql/catalog/quote.h"
#include "agents/tools/run_sql.h"
#include "proto/json_value.h"

enum { SQL_BYTES = 64 * 1024 };

static bool fill_text(const struct tool_call *call, struct str text, struct buf *out)
{
    sql_quote_text(knowledge(call->node)->dialect, text, out);
    return true;
}

static bool fill(void *owner, struct str name, struct buf *out, struct err *err)
{
    struct tool_call *call = owner;
    const struct identity *caller = &node_session(call->node)->caller;
    bool is_company = str_equal(name, STR(SEMANTIC_PLACES_COMPANY));
    if (is_company || str_equal(name, STR(SEMANTIC_PLACES_USER))) {
        struct str fact = is_company ? caller->company_id : caller->user_id;
        if (fact.len > 0)
            return fill_text(call, fact, out);
        err_set(err, ERR_INVALID, "who asks has no %s", is_company ? "company" : "name");
        return false;
    }
    const struct json_value *value = json_value_member(call->arguments, name);
    if (value == NULL || value->type == JSON_NULL)
        buf_push(out, STR("NULL"));
    else if (value->type == JSON_STRING)
        return fill_text(call, value->text, out);
    else if (value->type == JSON_INT || value->type == JSON_DOUBLE)
        buf_push(out, value->text);
    else if (value->type == JSON_BOOL)
        buf_push(out, value->boolean ? STR("TRUE") : STR("FALSE"));
    else
        err_set(err, ERR_INVALID, "'%.*s' is neither a text, a number nor a truth",
                STR_ARG(str_utf8_prefix(name, 64)));
    return value == NULL || (value->type != JSON_ARRAY && value->type != JSON_OBJECT);
}

static void start(struct tool_call *call)
{
    const struct semantic_verified *verified = call->tool->data;
    struct err err = {0};
    struct buf sql;
    buf_init(&sql, SQL_BYTES);
    if (semantic_places_fill(verified->sql, fill, call, &sql, &err) != ERR_OK)
        tools_call_fail(call, "The arguments do not fit: %s.", err.text);
    else if (!buf_ok(&sql))
        tools_call_fail(call, "The arguments are too long.");
    else
        tools_run_sql_start(call, arena_str(node_arena(call->node), buf_str(&sql)));
    buf_fini(&sql);
}

bool tools_verified_make(const struct semantic_verified *from, struct arena *arena,
                         struct tool *tool)
{
    static const char nothing[] =
        "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";
    *tool = (struct tool){
        .name = arena_cstr(arena, from->name),
        .description =
            arena_cstr(arena, from->description.len > 0 ? from->description : from->question),
        .parameters = from->parameters.len > 0 ? arena_cstr(arena, from->parameters) : nothing,
        .start = start,
        .frame_bytes = tools_run_sql_frame_bytes(),
        .data = from,
        .asks = from->confirm,
        .asks_itself = true,
    };
    return tool->name != NULL && tool->description != NULL && tool->parameters != NULL;
}
