/* SPDX-License-Identifier: MIT */
/* backends/remote: addresses and the list of them, templates, the file's mistakes; messages of the
 * Model Context Protocol; which addresses are public. */
#include "backends/http/public_address.h"
#include "backends/remote/remote_file.h"
#include "backends/remote/remote_mcp_header.h"
#include "backends/remote/remote_mcp_wire.h"
#include "core/base/mem.h"
#include "tests/lib/test.h"

static const struct {
    const char *text;
    bool is_public;
} addresses[] = {
    {"8.8.8.8", true},
    {"1.1.1.1", true},
    {"127.0.0.1", false},
    {"10.1.2.3", false},
    {"172.16.0.1", false},
    {"172.32.0.1", true},
    {"192.168.1.1", false},
    {"169.254.169.254", false},
    {"100.64.0.1", false},
    {"100.128.0.1", true},
    {"0.0.0.0", false},
    {"224.0.0.1", false},
    {"255.255.255.255", false},
    {"198.19.255.255", false},
    {"198.20.0.1", true},
    {"::1", false},
    {"::", false},
    {"fe80::1", false},
    {"fd00::1", false},
    {"2606:4700::1111", true},
    {"::ffff:10.0.0.1", false},
    {"::ffff:8.8.8.8", true},
    {"64:ff9b::a00:1", false},
    {"64:ff9b::808:808", true},
    {"2002:a00:1::", false},
    {"2001:db8::1", false},
    {"ff02::1", false},
    {"localhost", false},
    {"", false},
    {"1.2.3", false},
};

TEST(public_addresses)
{
    TEST_EACH(one, addresses) {
        EXPECT_TRUE(one->text, public_address_is_text(one->text) == one->is_public);
    }
    EXPECT_TRUE("nothing", !public_address_is_text(NULL));
}

static const struct {
    const char *url, *allowed;
    bool is_below;
} urls[] = {
    {"https://a.example/v1/x", "https://a.example/v1/", true},
    {"https://A.EXAMPLE:443/v1/x?q=1", "https://a.example/v1/", true},
    {"https://a.example/v1", "https://a.example/v1", true},
    {"https://a.example/v10", "https://a.example/v1", false},
    {"https://a.example/v1/x", "https://a.example/v1", true},
    {"https://a.example", "https://a.example/", true},
    {"http://a.example/v1/x", "https://a.example/v1/", false},
    {"https://a.example:8443/v1/x", "https://a.example/v1/", false},
    {"https://b.example/v1/x", "https://a.example/v1/", false},
    {"https://a.example.evil/v1/x", "https://a.example/v1/", false},
    {"https://a.example@evil.example/v1/x", "https://a.example/v1/", false},
    {"https://a.example/v1/../admin", "https://a.example/v1/", false},
    {"https://a.example/v1/%2e%2E/admin", "https://a.example/v1/", false},
    {"https://a.example/v1/.%2e", "https://a.example/v1/", false},
    {"https://a.example/v1/x#y", "https://a.example/v1/", false},
    {"https://a.example\\@evil.example/", "https://a.example/", false},
    {"https://[::1]:8080/x", "https://[::1]:8080/", true},
    {"https://a.example:0/", "https://a.example/", false},
    {"ftp://a.example/", "https://a.example/", false},
    {"https:///x", "https://a.example/", false},
};

TEST(addresses_below_a_list)
{
    TEST_EACH(one, urls) {
        struct remote_url url, allowed;
        assert_int_equal(remote_url_parse(str_of(one->allowed), &allowed, NULL), ERR_OK);
        bool is_below = remote_url_parse(str_of(one->url), &url, NULL) == ERR_OK &&
                        remote_url_is_below(&url, &allowed);
        EXPECT_TRUE(one->url, is_below == one->is_below);
    }
}

static struct str find(void *owner, const char *name)
{
    (void)owner;
    return strcmp(name, "KEY") == 0 ? STR("s3cret") : (struct str){NULL, 0};
}

#define TOOL(members)                                                                              \
    "{\"allow\":[\"https://a.example/v1/\"],\"http\":{\"t\":{\"description\":\"d\"," members "}}}"
#define CITY                                                                                       \
    "\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{},\"n\":{}},"                   \
    "\"required\":[\"city\"]},"

#define SERVER(members)                                                                            \
    "{\"allow\":[\"https://a.example/\"],\"mcp\":{\"s\":{\"url\":\"https://a.example/"             \
    "mcp\"," members "}}}"
#define OAUTH(members) SERVER("\"oauth\":{" members "}")
#define LOGIN          "\"issuer\":\"https://a.example/login\","

static const struct {
    const char *text, *wanted;
} mistakes[] = {
    {"[]", "f: : expected an object"},
    {"{}", "f: /allow: expected an array, got nothing"},
    {"{\"allow\":[\"x\"]}", "f: /allow/0: expected an address"},
    {TOOL("\"url\":\"https://a.example/v2/\""), "f: /http/t/url: it is below none of /allow"},
    {TOOL("\"url\":\"https://a.example/v1/{x}\""), "f: /http/t/url: {x} is no property"},
    {TOOL(CITY "\"url\":\"https://a.example/v1/{n}\""), "f: /http/t/url: {n} is not among the req"},
    {TOOL(CITY "\"url\":\"https://{city}/v1/\""), "f: /http/t/url: "},
    {TOOL(CITY "\"url\":\"https://a.example/v1/{city\""), "f: /http/t/url: a brace is opened"},
    {TOOL("\"url\":\"https://a.example/v1/\",\"method\":\"HEAD\""), "f: /http/t/method: expected"},
    {TOOL("\"url\":\"https://a.example/v1/\",\"body\":{}"), "f: /http/t/body: a GET has none"},
    {TOOL("\"url\":\"https://a.example/v1/\",\"headers\":{\"A\":\"${NONE}\"}"),
     "f: /http/t/headers/A: the variable NONE is not set"},
    {TOOL("\"url\":\"https://a.example/v1/\",\"headers\":{\"A B\":\"x\"}"),
     "f: /http/t/headers: 'A B' is no name of a header"},
    {TOOL("\"url\":\"https://a.example/v1/\",\"retries\":11"), "f: /http/t/retries: expected"},
    {"{\"allow\":[\"https://a.example/\"],\"mcp\":{\"s\":{\"url\":\"https://b.example/\"}}}",
     "f: /mcp/s/url: it is below none of /allow"},
    {"{\"allow\":[],\"http\":{\"a b\":{}}}", "f: /http/a b: a tool's name"},
    {OAUTH("\"client_id\":\"i\",\"client_secret\":\"${KEY}\""),
     "f: /mcp/s/oauth/issuer: expected a text, got nothing"},
    {OAUTH("\"issuer\":\"https://b.example\",\"client_id\":\"i\",\"client_secret\":\"${KEY}\""),
     "f: /mcp/s/oauth/issuer: it is below none of /allow"},
    {OAUTH(LOGIN "\"client_id\":\"i\",\"client_secret\":\"${NONE}\""),
     "f: /mcp/s/oauth/client_secret: the variable NONE is not set"},
    {OAUTH(LOGIN "\"client_id\":\"i\""),
     "f: /mcp/s/oauth: expected client_secret or private_key, one of them"},
    {OAUTH(LOGIN "\"client_id\":\"i\",\"client_secret\":\"x\",\"private_key\":\"y\""),
     "f: /mcp/s/oauth: expected client_secret or private_key, one of them"},
    {OAUTH(LOGIN "\"client_id\":\"i\",\"private_key\":\"${KEY}\""),
     "f: /mcp/s/oauth/private_key: expected a private key in PEM"},
    {OAUTH(LOGIN "\"client_id\":\"i\",\"colour\":\"y\""), "f: /mcp/s/oauth: there is no member"},
    {SERVER("\"headers\":{\"authorization\":\"Bearer ${KEY}\"},\"oauth\":{}"),
     "f: /mcp/s/oauth: /headers has an Authorization already"},
};

TEST(each_mistake_has_its_place)
{
    TEST_EACH(mistake, mistakes) {
        struct remote_file *file = NULL;
        struct err err = {0};
        EXPECT_TRUE(mistake->text, remote_file_read("f", str_of(mistake->text), find, NULL, &file,
                                                    &err) == ERR_INVALID);
        if (strncmp(err.text, mistake->wanted, strlen(mistake->wanted)) != 0)
            fail_msg("%s\n got: %s\nwant: %s", mistake->text, err.text, mistake->wanted);
    }
}

TEST(templates_are_filled_in)
{
    struct remote_file *file = NULL;
    struct err err = {0};
    struct arena arena;
    struct buf out;
    const struct identity caller = {.company_id = STR("a b"), .user_id = STR("")};
    arena_init(&arena, 1 << 16);
    buf_init(&out, 1024);
    assert_int_equal(
        remote_file_read("f",
                         STR(TOOL(CITY "\"url\":\"https://a.example/v1/{city}\",\"query\":{\"c\":"
                                       "\"{caller.company_id}\",\"u\":\"{caller.user_id}\"},"
                                       "\"headers\":{\"A\":\"Bearer ${KEY}\"}")),
                         find, NULL, &file, &err),
        ERR_OK);
    const struct json_value *arguments =
        json_value_parse(&arena, STR("{\"city\":\"Z\\u00fcrich\"}"), NULL, NULL);
    const struct remote_file_http *tool = &file->http[0];
    EXPECT_TRUE("url", remote_file_write(&tool->url, arguments, &caller, true, &out));
    EXPECT_TRUE("company",
                remote_file_write(&tool->query[0].value, arguments, &caller, true, &out));
    EXPECT_TRUE("no user",
                !remote_file_write(&tool->query[1].value, arguments, &caller, true, &out));
    EXPECT_TRUE("secret",
                remote_file_write(&tool->reach.headers[0].value, NULL, &caller, false, &out));
    EXPECT_STR("all", buf_str(&out), STR("https://a.example/v1/Z%C3%BCricha%20bBearer s3cret"));
    EXPECT_TRUE("has", remote_file_may_have(file, STR("t")));
    EXPECT_TRUE("has not", !remote_file_may_have(file, STR("u")));
    buf_fini(&out);
    arena_fini(&arena);
    remote_file_unref(file);
}

TEST(without_memory)
{
    for (size_t n = 0; n < 8; n++) {
        struct remote_file *file = NULL;
        struct err err = {0};
        mem_fail_nth(n + 1);
        enum err_code code = remote_file_read("f", STR(TOOL("\"url\":\"https://a.example/v1/\"")),
                                              find, NULL, &file, &err);
        mem_fail_nth(0);
        EXPECT_TRUE("ends well or says why", code == ERR_OK ? file != NULL : err.text[0] != '\0');
        if (code == ERR_OK)
            remote_file_unref(file);
    }
}

TEST(results_of_mcp)
{
    static const struct {
        const char *result, *text;
    } results[] = {
        {"{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}",
         "a\nb"},
        {"{\"content\":[{\"type\":\"image\",\"data\":\"x\"}]}", "(image, which is no text)"},
        {"{\"content\":[],\"structuredContent\":{\"n\":1}}", "{\"n\":1}"},
        {"{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"r\"}}]}", "r"},
        {"{}", "(nothing)"},
    };
    TEST_EACH(one, results) {
        struct arena arena;
        arena_init(&arena, 1 << 16);
        const struct json_value *root = json_value_parse(&arena, str_of(one->result), NULL, NULL);
        EXPECT_STR(one->result, remote_mcp_wire_text(root, &arena, 1024), str_of(one->text));
        arena_fini(&arena);
    }
}

static const struct {
    const char *result, *error; /* NULL: none */
    enum remote_mcp_wire_era era;
} eras[] = {
    {"{\"supportedVersions\":[\"2027-01-01\",\"2026-07-28\"]}", NULL, REMOTE_MCP_WIRE_MODERN},
    {"{\"supportedVersions\":[\"2025-06-18\",\"2026-01-01\"]}", NULL, REMOTE_MCP_WIRE_LEGACY},
    {"{\"supportedVersions\":[\"2027-01-01\",7]}", NULL, REMOTE_MCP_WIRE_NEITHER},
    {"{\"protocolVersion\":\"2025-06-18\"}", NULL, REMOTE_MCP_WIRE_LEGACY},
    {NULL, "{\"code\":-32022,\"data\":{\"supported\":[\"2026-07-28\"]}}", REMOTE_MCP_WIRE_MODERN},
    {NULL, "{\"code\":-32022,\"data\":{\"supported\":[\"2025-11-25\"]}}", REMOTE_MCP_WIRE_LEGACY},
    {NULL, "{\"code\":-32022,\"data\":{\"supported\":[\"1900-01-01\"]}}", REMOTE_MCP_WIRE_NEITHER},
    {NULL, "{\"code\":-32022}", REMOTE_MCP_WIRE_LEGACY},
    {NULL, "{\"code\":-32020}", REMOTE_MCP_WIRE_REFUSES},
    {NULL, "{\"code\":-32021}", REMOTE_MCP_WIRE_REFUSES},
    {NULL, "{\"code\":-32601}", REMOTE_MCP_WIRE_LEGACY},
    {NULL, "{\"code\":\"-32022\"}", REMOTE_MCP_WIRE_LEGACY},
    {NULL, NULL, REMOTE_MCP_WIRE_LEGACY},
};

static const struct json_value *parse(struct arena *arena, const char *text)
{
    struct err err;
    const struct json_value *value =
        text == NULL ? NULL : json_value_parse(arena, str_of(text), NULL, &err);
    EXPECT_TRUE(text == NULL ? "nothing" : text, (value == NULL) == (text == NULL));
    return value;
}

TEST(eras_of_servers)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    TEST_EACH(one, eras) {
        EXPECT_INT(one->result != NULL  ? one->result
                   : one->error != NULL ? one->error
                                        : "silent",
                   remote_mcp_wire_era(parse(&arena, one->result), parse(&arena, one->error)),
                   one->era);
    }
    arena_fini(&arena);
}

static const struct {
    const char *result, *inputs; /* NULL: it cannot be answered */
} asked[] = {
    {"{\"resultType\":\"input_required\",\"requestState\":\"x\"}", "{}"},
    {"{\"inputRequests\":{\"a b\":{\"method\":\"elicitation/create\"},\"r\":{\"method\":"
     "\"roots/list\"}}}",
     "{\"a b\":{\"action\":\"cancel\"},\"r\":{\"roots\":[]}}"},
    {"{\"inputRequests\":{\"s\":{\"method\":\"sampling/createMessage\"}}}", NULL},
    {"{\"inputRequests\":{\"s\":7}}", NULL},
};

TEST(what_a_server_asks_for)
{
    struct arena arena;
    arena_init(&arena, 1 << 20);
    TEST_EACH(one, asked) {
        EXPECT_STR(one->result, remote_mcp_wire_inputs(parse(&arena, one->result), &arena, 1 << 16),
                   str_of(one->inputs));
    }
    EXPECT_TRUE("asks", remote_mcp_wire_asks(parse(&arena, asked[0].result)));
    EXPECT_TRUE("is complete unless it says so", !remote_mcp_wire_asks(parse(&arena, "{}")));
    arena_fini(&arena);
}

#define PROPERTY(more) "{\"properties\":{\"a\":{" more "}}}"
#define HEADER(name)   "\"x-mcp-header\":\"" name "\""

static const struct {
    const char *schema, *why; /* NULL: fine */
    const char *names;        /* "name=pointer ..." */
} schemas[] = {
    {"{}", NULL, ""},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", NULL, ""},
    {PROPERTY("\"type\":\"string\"," HEADER("Region")), NULL, "Mcp-Param-Region=/a "},
    {PROPERTY("\"type\":[\"integer\",\"null\"]," HEADER("N")), NULL, "Mcp-Param-N=/a "},
    {"{\"properties\":{\"a/b~\":{\"type\":\"object\",\"properties\":{\"properties\":{\"type\":"
     "\"boolean\"," HEADER("x.y") "}}}}}",
     NULL, "Mcp-Param-x.y=/a~1b~0/properties "},
    {"{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}", NULL, ""},
    {PROPERTY("\"type\":\"string\",\"default\":{" HEADER("no") "}"), NULL, ""},
    {PROPERTY("\"type\":\"number\"," HEADER("N")), "no string, integer or boolean", ""},
    {PROPERTY("\"type\":\"object\"," HEADER("N")), "no string, integer or boolean", ""},
    {PROPERTY("\"type\":[\"null\"]," HEADER("N")), "no string, integer or boolean", ""},
    {PROPERTY("\"type\":[\"string\",\"number\"]," HEADER("N")), "no string, integer", ""},
    {PROPERTY(HEADER("N")), "no string, integer or boolean", ""},
    {PROPERTY("\"type\":\"string\"," HEADER("")), "no name of a header", ""},
    {PROPERTY("\"type\":\"string\"," HEADER("a b")), "no name of a header", ""},
    {PROPERTY("\"type\":\"string\"," HEADER("a:b")), "no name of a header", ""},
    {PROPERTY("\"type\":\"string\"," HEADER("R\u00e9gion")), "no name of a header", ""},
    {PROPERTY("\"type\":\"string\"," HEADER("a\\r\\nB")), "no name of a header", ""},
    {PROPERTY("\"type\":\"string\",\"x-mcp-header\":7"), "no name of a header", ""},
    {"{\"properties\":{\"a\":{\"type\":\"string\"," HEADER(
         "Is") "},\"b\":{\"type\":\"string\"," HEADER("iS") "}}}",
     "the same x-mcp-header", ""},
    {"{" HEADER("N") "}", "not of an argument", ""},
    {PROPERTY("\"type\":\"array\",\"items\":{\"type\":\"string\"," HEADER("N") "}"),
     "by properties alone", ""},
    {"{\"anyOf\":[{},{\"properties\":{\"a\":{\"type\":\"string\"," HEADER("N") "}}}]}",
     "by properties alone", ""},
    {"{\"$defs\":{\"d\":{\"type\":\"string\"," HEADER("N") "}}}", "by properties alone", ""},
    {"{\"if\":{\"properties\":{\"a\":{" HEADER("N") "}}}}", "by properties alone", ""},
};

TEST(headers_of_schemas)
{
    TEST_EACH(one, schemas) {
        struct arena arena;
        struct buf names;
        const struct remote_mcp_header *list;
        size_t count;
        arena_init(&arena, 1 << 20);
        buf_init(&names, 1024);
        const char *why = remote_mcp_header_read(parse(&arena, one->schema), &arena, &list, &count);
        for (size_t i = 0; i < count; i++)
            buf_printf(&names, "%s=%s ", list[i].name, list[i].pointer);
        EXPECT_TRUE(one->schema, (why == NULL) == (one->why == NULL));
        EXPECT_TRUE(one->schema, why == NULL || strstr(why, one->why) != NULL);
        EXPECT_STR(one->schema, buf_str(&names), str_of(one->names));
        buf_fini(&names);
        arena_fini(&arena);
    }
}

static const struct {
    const char *arguments, *value; /* NULL: no header */
    enum err_code code;
} values[] = {
    {"{\"a\":{\"b\":\"us west\"}}", "us west", ERR_OK},
    {"{\"a\":{\"b\":\"\"}}", "", ERR_OK},
    {"{\"a\":{\"b\":42}}", "42", ERR_OK},
    {"{\"a\":{\"b\":-7.0}}", "-7", ERR_OK},
    {"{\"a\":{\"b\":false}}", "false", ERR_OK},
    {"{\"a\":{\"b\":null}}", NULL, ERR_OK},
    {"{\"a\":{}}", NULL, ERR_OK},
    {"{\"a\":7}", NULL, ERR_OK},
    {"{\"a\":{\"b\":\"Hello, \u4e16\u754c\"}}", "=?base64?SGVsbG8sIOS4lueVjA==?=", ERR_OK},
    {"{\"a\":{\"b\":\" padded \"}}", "=?base64?IHBhZGRlZCA=?=", ERR_OK},
    {"{\"a\":{\"b\":\"line1\\nline2\"}}", "=?base64?bGluZTEKbGluZTI=?=", ERR_OK},
    {"{\"a\":{\"b\":\"=?base64?literal?=\"}}", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", ERR_OK},
    {"{\"a\":{\"b\":\"=?base64?open\"}}", "=?base64?open", ERR_OK},
    {"{\"a\":{\"b\":9007199254740993}}", NULL, ERR_INVALID},
    {"{\"a\":{\"b\":1.5}}", NULL, ERR_INVALID},
    {"{\"a\":{\"b\":[1]}}", NULL, ERR_INVALID},
};

TEST(headers_of_arguments)
{
    static const struct remote_mcp_header header = {"Mcp-Param-B", "/a/b"};
    TEST_EACH(one, values) {
        struct arena arena;
        struct str value;
        arena_init(&arena, 1 << 20);
        EXPECT_INT(one->arguments,
                   remote_mcp_header_value(&header, parse(&arena, one->arguments), &arena, &value),
                   one->code);
        EXPECT_TRUE(one->arguments, str_is_absent(value) == (one->value == NULL));
        EXPECT_STR(one->arguments, value, str_of(one->value));
        arena_fini(&arena);
    }
}

TEST(headers_without_memory)
{
    const char *why = "none yet";
    for (uint64_t nth = 1; why != NULL; nth++) {
        struct arena arena, of_schema;
        const struct remote_mcp_header *list;
        size_t count;
        arena_init(&arena, 1 << 20);
        arena_init(&of_schema, 1 << 20);
        const struct json_value *schema = parse(&of_schema, schemas[4].schema);
        mem_fail_nth(nth);
        why = remote_mcp_header_read(schema, &arena, &list, &count);
        mem_fail_nth(0);
        EXPECT_TRUE("told", why == NULL || strstr(why, "memory") != NULL);
        arena_fini(&of_schema);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(public_addresses), T(addresses_below_a_list), T(each_mistake_has_its_place),
          T(templates_are_filled_in), T(without_memory), T(results_of_mcp), T(eras_of_servers),
          T(what_a_server_asks_for), T(headers_of_schemas), T(headers_of_arguments),
          T(headers_without_memory))
