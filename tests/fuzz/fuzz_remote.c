/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_remote.c - any bytes as a file of tools, as an address, and as what an MCP server
 * says, a schema and arguments of it and its words about tokens among that: refused with a reason,
 * or read; what is allowed once is allowed again. */
#include "backends/remote/remote_file.h"
#include "backends/remote/remote_mcp_header.h"
#include "backends/remote/remote_mcp_wire.h"
#include "backends/remote/remote_oauth_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str find(void *owner, const char *name)
{
    (void)owner;
    return str_of(name);
}

static void try_address(struct str text)
{
    struct remote_url url;
    if (remote_url_parse(text, &url, NULL) == ERR_OK)
        CHECK(remote_url_is_below(&url, &url) && url.host.len > 0 && url.path.len > 0);
}

static void try_file(struct str text)
{
    struct remote_file *file = NULL;
    struct err err = {0};
    if (remote_file_read("f", text, find, NULL, &file, &err) != ERR_OK) {
        CHECK(err.text[0] != '\0' && str_is_utf8(str_of(err.text)));
        return;
    }
    const struct identity caller = {.company_id = STR("c"), .user_id = STR("u")};
    for (size_t i = 0; i < file->http_count; i++) {
        struct buf out;
        buf_init(&out, 1 << 16);
        (void)!remote_file_write(&file->http[i].url, NULL, &caller, true, &out);
        buf_fini(&out);
    }
    remote_file_unref(file);
}

/* As a schema: what it wants as headers is looked for in it as arguments. */
static void try_headers(const struct json_value *root, struct arena *arena)
{
    const struct remote_mcp_header *list;
    size_t count;
    const char *why = remote_mcp_header_read(root, arena, &list, &count);
    CHECK(why == NULL || count == 0);
    for (size_t i = 0; i < count; i++) {
        struct str value;
        (void)!remote_mcp_header_value(&list[i], root, arena, &value);
        for (size_t j = 0; j < value.len; j++)
            CHECK(value.at[j] == '\t' || (value.at[j] >= ' ' && value.at[j] <= '~'));
    }
}

static void try_message(struct str text)
{
    struct arena arena;
    struct remote_mcp_wire_tool tool;
    struct buf out;
    arena_init(&arena, 4 << 20);
    const struct json_value *root = json_value_parse(&arena, text, NULL, NULL);
    if (root != NULL) {
        struct str said = remote_mcp_wire_text(root, &arena, 1 << 16);
        CHECK(str_is_absent(said) || said.len > 0);
        if (remote_mcp_wire_tool(root, &arena, &tool))
            CHECK(tool.name.len > 0 && tool.parameters.len > 0);
        try_headers(root, &arena);
        struct str inputs = remote_mcp_wire_inputs(root, &arena, 1 << 16);
        CHECK(str_is_absent(inputs) || json_value_parse(&arena, inputs, NULL, NULL) != NULL ||
              !arena_ok(&arena));
        (void)remote_mcp_wire_era(root, root);
        buf_init(&out, 1 << 16);
        if (remote_mcp_wire_is_question(root)) {
            remote_mcp_wire_answer(&out, root);
            CHECK(!buf_ok(&out) || json_value_parse(&arena, buf_str(&out), NULL, NULL) != NULL ||
                  !arena_ok(&arena));
        }
        buf_fini(&out);
    }
    arena_fini(&arena);
}

/* As a refusal, as metadata and as an answer with a token. */
static void try_oauth(struct str text)
{
    struct remote_oauth_resource resource;
    struct remote_oauth_issuer issuer;
    struct remote_oauth_token token;
    struct arena arena;
    struct err err = {0};
    arena_init(&arena, 4 << 20);
    struct remote_oauth_challenge said = remote_oauth_wire_challenge(text, &arena);
    CHECK(str_is_utf8(said.metadata) && str_is_utf8(said.scope) && str_is_utf8(said.error));
    for (unsigned i = 0; i < 4; i++) {
        struct remote_url url;
        struct str at = remote_oauth_wire_issuer_url(text, i, &arena);
        CHECK(str_is_absent(at) || remote_url_parse(at, &url, NULL) == ERR_OK);
        at = remote_oauth_wire_resource_url(text, i, &arena);
        CHECK(str_is_absent(at) || remote_oauth_wire_is_beside(at, text));
    }
    if (remote_oauth_wire_resource(text, STR("https://a/mcp"), STR("https://b"), &arena, &resource,
                                   &err) == ERR_OK)
        CHECK(remote_oauth_wire_is_beside(resource.resource, STR("https://a")));
    if (remote_oauth_wire_issuer(text, STR("https://b"), &arena, &issuer, &err) == ERR_OK)
        CHECK(!str_is_absent(issuer.token_url));
    if (remote_oauth_wire_token(text, &arena, &token, &err) == ERR_OK)
        CHECK(token.text.len > 0 && str_find_char(token.text, '\n') == STR_NONE);
    CHECK(str_is_utf8(str_of(err.text)));
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_make((const char *)data, size);
    if (size > 8192)
        return 0;
    try_address(text);
    try_file(text);
    try_message(text);
    try_oauth(text);
    return 0;
}
