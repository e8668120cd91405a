/* SPDX-License-Identifier: MIT */
/* agents/tools/ask_user.c - the tool that asks the user back: the run ends with the question and,
 * perhaps, readings to choose from, as agents/sql_agent/clarify.h has them. */
#include "agents/tools/call.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { TEXT_BYTES = 16 * 1024 };

static void start(struct tool_call *call)
{
    const struct json_value *options = json_value_member(call->arguments, STR("options"));
    struct buf out;
    struct json_write writer;
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("question"), tools_call_str(call, STR("question")));
    json_write_key(&writer, STR("options"));
    json_write_array(&writer);
    for (const struct json_value *one = options == NULL ? NULL : options->first; one != NULL;
         one = one->next)
        json_write_str(&writer, one->text);
    json_write_array_end(&writer);
    json_write_object_end(&writer);
    if (buf_ok(&out)) {
        call->result.clarify = arena_str(node_arena(call->node), buf_str(&out));
        tools_call_done(call, STR("The user is asked."));
    } else {
        tools_call_fail(call, "The question is too long: ask in fewer words.");
    }
    buf_fini(&out);
}

const struct tool tools_ask_user = {
    .name = "ask_user",
    .description = "Asks the user back instead of answering, when the question can be read in ways "
                   "that give different answers and the data does not tell which is meant.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"question\":{\"type\":\"string\","
                  "\"minLength\":1,\"maxLength\":1000},\"options\":{\"type\":\"array\",\"items\":{"
                  "\"type\":\"string\",\"minLength\":1,\"maxLength\":300},\"maxItems\":4}},"
                  "\"required\":[\"question\"],\"additionalProperties\":false}",
    .start = start,
};
