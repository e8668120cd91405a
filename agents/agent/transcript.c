/* SPDX-License-Identifier: MIT */
/* agents/agent/transcript.c - JSON items to and from messages.
 *
 * Failure: no memory; an item that is none (of a state that somebody else wrote) is passed over. */
#include "agents/agent/transcript.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { ITEM_BYTES = 4 << 20 };

static struct str take_item(struct arena *arena, struct buf *out)
{
    struct str item = buf_ok(out) ? arena_str(arena, buf_str(out)) : (struct str){NULL, 0};
    buf_fini(out);
    return item;
}

struct str agent_transcript_turn(struct arena *arena, struct str text,
                                 const struct llm_tool_call *calls, size_t count, struct str forced)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, ITEM_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("role"), STR("assistant"));
    json_write_member_str(&writer, STR("content"), str_is_absent(text) ? STR("") : text);
    json_write_key(&writer, STR("calls"));
    json_write_array(&writer);
    for (size_t i = 0; i < count; i++) {
        json_write_object(&writer);
        json_write_member_str(&writer, STR("id"), calls[i].id);
        json_write_member_str(&writer, STR("name"), calls[i].name);
        json_write_member_str(&writer, STR("arguments"), calls[i].arguments);
        json_write_object_end(&writer);
    }
    json_write_array_end(&writer);
    if (!str_is_absent(forced))
        json_write_member_str(&writer, STR("forced"), forced);
    json_write_object_end(&writer);
    return take_item(arena, &out);
}

struct str agent_transcript_result(struct arena *arena, const struct llm_tool_call *call,
                                   struct str text, bool is_error)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, ITEM_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("role"), STR("tool"));
    json_write_member_str(&writer, STR("id"), call->id);
    json_write_member_str(&writer, STR("name"), call->name);
    json_write_member_str(&writer, STR("content"), text);
    if (is_error)
        json_write_member_bool(&writer, STR("error"), true);
    json_write_object_end(&writer);
    return take_item(arena, &out);
}

struct str agent_transcript_said(struct arena *arena, struct str text)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, ITEM_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("role"), STR("user"));
    json_write_member_str(&writer, STR("content"), text);
    json_write_object_end(&writer);
    return take_item(arena, &out);
}

static struct str member(const struct json_value *item, const char *name)
{
    const struct json_value *value = json_value_member(item, str_of(name));
    return value != NULL && value->type == JSON_STRING ? value->text : STR("");
}

static size_t read_calls(struct arena *arena, const struct json_value *item,
                         const struct llm_tool_call **calls)
{
    const struct json_value *list = json_value_member(item, STR("calls"));
    if (list == NULL || list->count == 0)
        return 0;
    struct llm_tool_call *made = arena_array(arena, list->count, sizeof *made);
    size_t count = 0;
    if (made == NULL)
        return 0;
    JSON_EACH(one, list)
        made[count++] = (struct llm_tool_call){member(one, "id"), member(one, "name"),
                                               member(one, "arguments")};
    *calls = made;
    return count;
}

size_t agent_transcript_calls(struct node *node, unsigned slot, const struct llm_tool_call **calls)
{
    struct arena *arena = node_arena(node);
    for (size_t i = state_list_count(node_state(node), slot); i-- > 0;) {
        const struct json_value *item =
            json_value_parse(arena, state_list_item(node_state(node), slot, i), NULL, NULL);
        if (str_equal(member(item, "role"), STR("assistant")))
            return read_calls(arena, item, calls);
    }
    return 0;
}

bool agent_transcript_was_forced(struct node *node, unsigned slot, struct str run_id)
{
    const struct state *state = node_state(node);
    for (size_t i = 0; i < state_list_count(state, slot); i++) {
        const struct json_value *item =
            json_value_parse(node_arena(node), state_list_item(state, slot, i), NULL, NULL);
        if (str_equal(member(item, "forced"), run_id))
            return true;
    }
    return false;
}

unsigned agent_transcript_count(struct node *node, unsigned slot, struct str name)
{
    const struct state *state = node_state(node);
    struct str mark = arena_printf(node_arena(node), "\"name\":\"%.*s\",", STR_ARG(name));
    unsigned count = 0; /* quotes inside of texts are escaped: the mark is a member */
    for (size_t i = 0; !str_is_absent(mark) && i < state_list_count(state, slot); i++) {
        struct str text = state_list_item(state, slot, i);
        count +=
            str_starts_with(text, STR("{\"role\":\"tool\"")) && str_find(text, mark) != STR_NONE;
    }
    return count;
}

const struct json_value *agent_transcript_find(struct node *node, unsigned slot,
                                               struct str statement)
{
    const struct state *state = node_state(node);
    struct arena *arena = node_arena(node);
    struct str mark = arena_printf(arena, "\\\"statement\\\":\\\"%.*s\\\"", STR_ARG(statement));
    for (size_t i = 0; i < state_list_count(state, slot); i++) {
        struct str text = state_list_item(state, slot, i);
        if (str_is_absent(mark) || str_find(text, mark) == STR_NONE)
            continue;
        const struct json_value *item = json_value_parse(arena, text, NULL, NULL);
        const struct json_value *result =
            json_value_parse(arena, member(item, "content"), NULL, NULL);
        if (result != NULL && str_equal(member(result, "statement"), statement))
            return result;
    }
    return NULL;
}

/* A result as a prompt has it: each "<" is "&lt;", so that it cannot close its block. */
static struct str quote(struct arena *arena, struct str text)
{
    struct buf out;
    buf_init(&out, ITEM_BYTES);
    buf_push(&out, STR("<data>\n"));
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] == '<')
            buf_push(&out, STR("&lt;"));
        else
            buf_push_char(&out, text.at[i]);
    buf_push(&out, STR("\n</data>"));
    return take_item(arena, &out);
}

/* False: it is no item. */
static bool read_item(struct arena *arena, struct str text, struct llm_message *message)
{
    const struct json_value *item = json_value_parse(arena, text, NULL, NULL);
    const struct json_value *error = json_value_member(item, STR("error"));
    *message = (struct llm_message){.text = member(item, "content")};
    if (str_equal(member(item, "role"), STR("assistant"))) {
        message->role = LLM_ASSISTANT;
        message->call_count = read_calls(arena, item, &message->calls);
        return true;
    }
    if (str_equal(member(item, "role"), STR("user"))) {
        message->role = LLM_USER;
        return true;
    }
    message->role = LLM_TOOL;
    message->call_id = member(item, "id");
    message->is_error = error != NULL && error->boolean;
    return str_equal(member(item, "role"), STR("tool"));
}

const struct llm_message *agent_transcript_messages(struct node *node, unsigned slot,
                                                    size_t most_bytes, size_t *count)
{
    const struct state *state = node_state(node);
    struct arena *arena = node_arena(node);
    size_t items = state_list_count(state, slot), bytes = 0;
    struct llm_message *messages = arena_array(arena, items + 1, sizeof *messages);
    *count = 0;
    for (size_t i = 0; messages != NULL && i < items; i++)
        if (read_item(arena, state_list_item(state, slot, i), &messages[*count]))
            bytes += messages[(*count)++].text.len;
    for (size_t i = 0; i < *count; i++) {
        struct llm_message *message = &messages[i];
        if (message->role != LLM_TOOL)
            continue;
        if (bytes > most_bytes) {
            bytes -= message->text.len;
            message->text = STR("(left out: call the tool again if you need it)");
        } else {
            message->text = quote(arena, message->text);
        }
    }
    return arena_ok(arena) ? messages : NULL;
}
