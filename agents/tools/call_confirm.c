/* SPDX-License-Identifier: MIT */
/* agents/tools/call_confirm.c - the question as JSON, and the answer.
 *
 * Happy path: a yes is kept with the arguments that it was given for, as a memo of the visit, so
 * that a call that pauses later is not asked about twice. Failure: an answer that is none of the
 * three is asked about again. */
#include "agents/tools/call_internal.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { QUESTION_BYTES = 256 * 1024 };

static void ask(struct tool_call *call, const char *error)
{
    struct buf out;
    struct json_write json;
    struct str details = {NULL, 0};
    buf_init(&out, QUESTION_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("type"), STR("tool_approval"));
    json_write_member_str(&json, STR("id"), call->id);
    json_write_member_str(&json, STR("tool"), call->name);
    json_write_key(&json, STR("arguments"));
    json_value_write(call->arguments, &json);
    if (error != NULL)
        json_write_member_str(&json, STR("error"), str_of(error));
    json_write_object_end(&json);
    struct str object = buf_str(&out);
    if (buf_ok(&out))
        details = arena_str(node_arena(call->node), str_slice(object, 1, object.len - 1));
    buf_fini(&out);
    tools_call_ask(call, details);
}

static bool take_edited(struct tool_call *call, const struct json_value *edited)
{
    if (edited == NULL || edited->type != JSON_OBJECT) {
        ask(call, "expected arguments, an object, with the action edit");
        return false;
    }
    struct str written = json_value_text(edited, node_arena(call->node), QUESTION_BYTES);
    call->written = str_is_absent(written) ? STR("?") : written;
    return tools_call_read(call);
}

static struct str name_yes(struct tool_call *call)
{
    return arena_printf(node_arena(call->node), "allowed %.*s", STR_ARG(tools_call_key(call)));
}

/* The call was allowed with what is written; what is said from now on is for the tool. */
static bool keep_yes(struct tool_call *call)
{
    node_put_memo(call->node, name_yes(call), call->written);
    call->said = (struct str){NULL, 0};
    return true;
}

bool tools_call_confirm(struct tool_call *call)
{
    struct str allowed = node_find_memo(call->node, name_yes(call));
    if (!str_is_absent(allowed)) {
        call->written = allowed;
        return tools_call_read(call);
    }
    if (str_is_absent(call->said)) {
        ask(call, NULL);
        return false;
    }
    const struct json_value *said =
        json_value_parse(node_arena(call->node), call->said, NULL, NULL);
    const struct json_value *member = json_value_member(said, STR("action"));
    const struct json_value *action = said != NULL && said->type == JSON_STRING ? said : member;
    struct str word = action != NULL && action->type == JSON_STRING ? action->text : STR("");
    if (str_equal(word, STR("approve")))
        return keep_yes(call);
    if (str_equal(word, STR("edit")))
        return take_edited(call, json_value_member(said, STR("arguments"))) && keep_yes(call);
    if (str_equal(word, STR("refuse")))
        tools_call_fail(call, "A person refused the call: it was not made, and is not to be made "
                              "again.");
    else
        ask(call, "expected {\"action\":\"approve\"}, {\"action\":\"edit\",\"arguments\":{...}} or "
                  "{\"action\":\"refuse\"}");
    return false;
}
