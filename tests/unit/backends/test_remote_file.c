/* SPDX-License-Identifier: MIT */
/* backends/remote: addresses and the list of them, templates, the file's mistakes; messages of the
 * Model Context Protocol; which addresses are public. */
#include "backends/http/public_address.h"
#include "backends/remote/remote_file.h"
#include "backends/remote/remote_mcp_wire.h"
#include "core/base/mem.h"
#include "tests/lib/test.h"

static const struct {
    const char *text;
    bool is_public;
} addresses[] = {
    {"8.8.8.8", true},       {"1.1.1.1", true},           {"127.0.0.1", false},
    {"10.1.2.3", false},     {"172.16.0.1", false},       {"172.32.0.1", true},
    {"192.168.1.1", false},  {"169.254.169.254", false},  {"100.64.0.1", false},
    {"100.128.0.1", true},   {"0.0.0.0", false},          {"224.0.0.1", false},
    {"255.255.255.255", false}, {"198.19.255.255", false}, {"198.20.0.1", true},
    {"::1", false},          {"::", false},               {"fe80::1", false},
    {"fd00::1", false},      {"2606:4700::1111", true},   {"::ffff:10.0.0.1", false},
    {"::ffff:8.8.8.8", true}, {"64:ff9b::a00:1", false},  {"64:ff9b::808:808", true},
    {"2002:a00:1::", false}, {"2001:db8::1", false},      {"ff02::1", false},
    {"localhost", false},    {"", false},                 {"1.2.3", false},
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
        enum err_code code = remote_file_read(
            "f", STR(TOOL("\"url\":\"https://a.example/v1/\"")), find, NULL, &file, &err);
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

RUN_TESTS(T(public_addresses), T(addresses_below_a_list), T(each_mistake_has_its_place),
          T(templates_are_filled_in), T(without_memory), T(results_of_mcp))
