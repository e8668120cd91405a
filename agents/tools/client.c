/* SPDX-License-Identifier: MIT */
/* agents/tools/client.c - a call of a client's tool: its result is what the client sent, or it
 * waits.
 *
 * Failure: a list that is none (of a record that somebody else wrote) has no tools. */
#include "agents/tools/client.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { CONTENT_BYTES = 4 << 20 };

static struct str text_of(const struct json_value *object, const char *member)
{
    const struct json_value *value = json_value_member(object, str_of(member));
    return value == NULL || value->type != JSON_STRING ? STR("") : value->text;
}

/* ---- how they may be called ---- */

static const struct json_value *read_choice(struct node *node)
{
    struct str choice = node_session(node)->client_choice;
    return str_is_empty(choice) ? NULL : json_value_parse(node_arena(node), choice, NULL, NULL);
}

static bool is_on(const struct json_value *choice, const char *member)
{
    const struct json_value *value = json_value_member(choice, str_of(member));
    return value != NULL && value->type == JSON_BOOL && value->boolean;
}

static bool allows(const struct json_value *choice, struct str name)
{
    const struct json_value *only = json_value_member(choice, STR("only"));
    if (only == NULL || only->type != JSON_ARRAY)
        return true;
    JSON_EACH(one, only)
        if (one->type == JSON_STRING && str_equal(one->text, name))
            return true;
    return false;
}

bool tools_client_is_forced(struct node *node)
{
    return is_on(read_choice(node), "forced");
}

const struct tool *const *tools_client_choose(struct node *node, const struct tool *const *tools,
                                              bool is_forced)
{
    const struct json_value *choice = read_choice(node);
    size_t count = 0, kept = 0;
    while (tools[count] != NULL)
        count++;
    const struct tool **chosen = arena_array(node_arena(node), count + 1, sizeof *chosen);
    for (size_t i = 0; chosen != NULL && i < count; i++)
        if (tools[i]->is_client ? allows(choice, str_of(tools[i]->name)) : !is_forced)
            chosen[kept++] = tools[i];
    return chosen;
}

/* ---- a call ---- */

static const struct json_value *find_result(const struct tool_call *call)
{
    const struct json_value *said =
        str_is_absent(call->said)
            ? NULL
            : json_value_parse(node_arena(call->node), call->said, NULL, NULL);
    const struct json_value *results = json_value_member(said, STR("results"));
    if (results != NULL && results->type == JSON_ARRAY)
        JSON_EACH(one, results) {
            if (str_equal(text_of(one, "id"), call->id) &&
                json_value_member(one, STR("content")) != NULL)
                return one;
        }
    return NULL;
}

static void start(struct tool_call *call)
{
    const struct json_value *result = find_result(call);
    const struct json_value *content = json_value_member(result, STR("content"));
    const struct json_value *error = json_value_member(result, STR("is_error"));
    if (result == NULL && !allows(read_choice(call->node), call->name)) {
        tools_call_end(call, STR("The client does not allow this tool now."), true);
        return;
    }
    if (result == NULL) {
        tools_call_ask(call, STR("\"type\":\"client_tools\""));
        return;
    }
    struct str text = content->type == JSON_STRING
                          ? content->text
                          : json_value_text(content, node_arena(call->node), CONTENT_BYTES);
    tools_call_end(call, str_is_absent(text) ? STR("(too long)") : text,
                   error != NULL && error->type == JSON_BOOL && error->boolean);
}

bool tools_client_make(struct str list, struct arena *arena, const struct tool **tools,
                       size_t *count)
{
    const struct json_value *root =
        str_is_absent(list) ? NULL : json_value_parse(arena, list, NULL, NULL);
    *count = 0;
    *tools = NULL;
    if (root == NULL || root->type != JSON_ARRAY)
        return true;
    struct tool *made = arena_array(arena, root->count + 1, sizeof *made);
    if (made == NULL)
        return false;
    JSON_EACH(item, root) {
        const struct json_value *schema = json_value_member(item, STR("parameters"));
        struct str parameters =
            schema == NULL ? STR("{}") : json_value_text(schema, arena, CONTENT_BYTES);
        struct tool *tool = &made[(*count)++];
        *tool = (struct tool){.name = arena_cstr(arena, text_of(item, "name")),
                              .description = arena_cstr(arena, text_of(item, "description")),
                              .parameters = arena_cstr(arena, parameters),
                              .start = start,
                              .is_client = true};
        if (tool->name == NULL || tool->description == NULL || tool->parameters == NULL)
            return false;
    }
    *tools = made;
    return true;
}

struct str tools_client_message(struct str answer, struct arena *arena)
{
    const struct json_value *said =
        str_is_absent(answer) ? NULL : json_value_parse(arena, answer, NULL, NULL);
    return json_value_member(said, STR("results")) == NULL ? STR("") : text_of(said, "message");
}

struct str tools_client_details(const struct tool_call *calls, size_t count, struct arena *arena)
{
    struct buf out;
    struct json_write json;
    size_t waiting = 0, most = count;
    if (count > 0 && is_on(read_choice(calls[0].node), "one"))
        most = 1;
    buf_init(&out, CONTENT_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("type"), STR("client_tools"));
    json_write_key(&json, STR("calls"));
    json_write_array(&json);
    for (size_t i = 0; i < count && waiting < most; i++) {
        const struct tool_call *call = &calls[i];
        if (str_is_absent(call->asks) || call->tool == NULL || !call->tool->is_client)
            continue;
        waiting++;
        json_write_object(&json);
        json_write_member_str(&json, STR("id"), call->id);
        json_write_member_str(&json, STR("tool"), call->name);
        json_write_key(&json, STR("arguments"));
        json_value_write(call->arguments, &json);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
    struct str object = buf_str(&out), members = {NULL, 0};
    if (waiting > 0 && buf_ok(&out))
        members = arena_str(arena, str_slice(object, 1, object.len - 1));
    buf_fini(&out);
    return members;
}
