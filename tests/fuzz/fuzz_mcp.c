/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_mcp.c - any body is a message of the Model Context Protocol or a problem with it;
 * a call's arguments are read or refused; what is said back is JSON on one line. */
#include <stdint.h>

#include "proto/json_value.h"
#include "server/facades/mcp/mcp_tools.h"
#include "server/facades/mcp/mcp_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(struct arena *arena, const struct buf *out)
{
    const struct json_limits limits = {.allow_duplicates = true};
    struct err err = {0};
    CHECK(buf_ok(out) && str_find_char(buf_str(out), '\n') == STR_NONE);
    CHECK(json_value_parse(arena, buf_str(out), &limits, &err) != NULL);
}

static void read_call(const struct mcp_message *message)
{
    struct mcp_arguments read;
    struct err err = {0};
    enum mcp_tool tool;
    const struct json_value *name = json_value_member(message->params, STR("name"));
    const struct json_value *arguments = json_value_member(message->params, STR("arguments"));
    if (name == NULL || name->type != JSON_STRING || !mcp_tools_find(name->text, &tool))
        return;
    if (arguments != NULL && arguments->type != JSON_OBJECT)
        return;
    enum err_code code = mcp_tools_read(tool, arguments, 1024, &read, &err);
    CHECK(code == ERR_OK || (code == ERR_INVALID && str_is_utf8(str_of(err.text))));
    CHECK(code != ERR_OK || tool == MCP_LIST_TABLES || read.message.len > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mcp_headers headers = {.version = {NULL, 0}};
    struct str body = {(const char *)data, size};
    struct mcp_message message;
    struct mcp_problem problem;
    struct arena arena;
    struct buf out;
    if (size > 8192)
        return 0;
    arena_init(&arena, 16 << 20);
    buf_init(&out, 1 << 20);
    if (mcp_message_read(&arena, body, &headers, &message, &problem)) {
        CHECK(message.id == NULL || message.method.len > 0);
        read_call(&message);
        if (message.id != NULL)
            mcp_write_empty(&message, &out);
    } else {
        CHECK(problem.status >= 400 && problem.code < 0);
        mcp_write_problem(&problem, &out);
    }
    if (buf_len(&out) > 0)
        check_json(&arena, &out);
    buf_fini(&out);
    arena_fini(&arena);
    return 0;
}
