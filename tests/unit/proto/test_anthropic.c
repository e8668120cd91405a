/* SPDX-License-Identifier: MIT */
/* proto/models/anthropic: the request as a server of the Messages API takes it. */
#include "proto/models/anthropic.h"

#include "tests/lib/test.h"

TEST(addresses)
{
    static const char *const cases[][2] = {
        {"https://api.anthropic.com", "https://api.anthropic.com/v1/messages"},
        {"https://gateway.example/anthropic/", "https://gateway.example/anthropic/v1/messages"},
        {"http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/messages"},
    };
    TEST_EACH(c, cases) {
        const struct model_endpoint endpoint = {
            .dialect = MODEL_WIRE_ANTHROPIC, .base_url = str_of((*c)[0]), .key = STR("sk-ant")};
        struct buf url;
        buf_init(&url, 1 << 10);
        anthropic_write_url(&url, &endpoint);
        EXPECT_STR((*c)[0], buf_str(&url), str_of((*c)[1]));
        EXPECT_STR((*c)[0], model_wire_auth_name(&endpoint), STR("x-api-key"));
        buf_clear(&url);
        model_wire_write_auth(&url, &endpoint);
        EXPECT_STR((*c)[0], buf_str(&url), STR("sk-ant"));
        buf_fini(&url);
    }
}

#define BEGINS "{\"model\":\"m\",\"max_tokens\":5,"
#define SYSTEM(text)                                                                               \
    "\"system\":[{\"type\":\"text\",\"text\":\"" text                                              \
    "\",\"cache_control\":{\"type\":\"ephemeral\"}}],"
#define BLOCK(text)           "{\"type\":\"text\",\"text\":\"" text "\"}"
#define MESSAGE(role, blocks) "{\"role\":\"" role "\",\"content\":[" blocks "]}"

TEST(bodies)
{
    static const struct {
        const char *name;
        struct model_message messages[5];
        size_t count;
        const char *want;
    } cases[] = {
        {"system apart, cached",
         {{STR("system"), STR("Be \"brief\".")}, {STR("user"), STR("Hi \n")}},
         2,
         BEGINS SYSTEM("Be \\\"brief\\\".") "\"messages\":[" MESSAGE("user", BLOCK("Hi")) "]}"},
        {"turns",
         {{STR("user"), STR("a")}, {STR("assistant"), STR("b")}, {STR("user"), STR("c")}},
         3,
         BEGINS "\"messages\":[" MESSAGE("user", BLOCK("a")) "," MESSAGE(
             "assistant", BLOCK("b")) "," MESSAGE("user", BLOCK("c")) "]}"},
        {"neighbours are joined",
         {{STR("user"), STR("a")}, {STR("user"), STR("b")}},
         2,
         BEGINS "\"messages\":[" MESSAGE("user", BLOCK("a") "," BLOCK("b")) "]}"},
        {"blank ones are left out",
         {{STR("system"), STR(" ")}, {STR("user"), STR("a")}, {STR("assistant"), STR("\n")}},
         3,
         BEGINS "\"messages\":[" MESSAGE("user", BLOCK("a")) "]}"},
        {"the user begins",
         {{STR("assistant"), STR("b")}, {STR("user"), STR("c")}},
         2,
         BEGINS "\"messages\":[" MESSAGE("user", BLOCK("...")) "," MESSAGE(
             "assistant", BLOCK("b")) "," MESSAGE("user", BLOCK("c")) "]}"},
        {"nothing but the system",
         {{STR("system"), STR("s")}},
         1,
         BEGINS SYSTEM("s") "\"messages\":[" MESSAGE("user", BLOCK("Go on.")) "]}"},
    };
    TEST_EACH(c, cases) {
        const struct model_request request = {
            .model = STR("m"), .messages = c->messages, .message_count = c->count, .max_tokens = 5};
        struct buf buf;
        buf_init(&buf, 1 << 12);
        anthropic_write_chat(&buf, &request);
        EXPECT_STR(c->name, buf_str(&buf), str_of(c->want));
        buf_fini(&buf);
    }
}

TEST(settings)
{
    static const struct str stop[] = {STR("END")};
    static const struct model_message hello = {STR("user"), STR("a")};
    const struct model_request request = {.model = STR("m"),
                                          .messages = &hello,
                                          .message_count = 1,
                                          .max_tokens = 5,
                                          .has_temperature = true,
                                          .temperature = 1.5,
                                          .stop = stop,
                                          .stop_count = 1,
                                          .stream = true};
    struct buf buf;
    buf_init(&buf, 1 << 12);
    anthropic_write_chat(&buf, &request);
    EXPECT_STR("all", buf_str(&buf),
               STR(BEGINS "\"messages\":[" MESSAGE(
                   "user", BLOCK("a")) "],\"temperature\":1,"
                                       "\"stop_sequences\":[\"END\"],\"stream\":true}"));
    buf_fini(&buf);
}

static const struct model_call two_calls[] = {
    {STR("a"), STR("f"), STR("{\"x\":1}")},
    {STR("b"), STR("f"), STR("{oops")},
};
static const struct model_message tool_turns[] = {
    {STR("user"), STR("q")},
    {STR("assistant"), STR("Hm."), .calls = two_calls, .call_count = 2},
    {STR("tool"), STR("one"), .call_id = STR("a")},
    {STR("tool"), STR("bad"), .call_id = STR("b"), .is_error = true},
};
static const struct model_tool one_tool = {STR("f"), STR("Runs."), STR("{\"type\":\"object\"}")};

TEST(tools)
{
    const struct model_request request = {.model = STR("m"),
                                          .messages = tool_turns,
                                          .message_count = countof(tool_turns),
                                          .tools = &one_tool,
                                          .tool_count = 1,
                                          .tool_choice = MODEL_TOOLS_NONE,
                                          .max_tokens = 5};
    struct buf buf;
    buf_init(&buf, 1 << 12);
    anthropic_write_chat(&buf, &request);
    EXPECT_STR("all", buf_str(&buf),
               STR(BEGINS
                   "\"tools\":[{\"name\":\"f\",\"description\":\"Runs.\",\"input_schema\":{"
                   "\"type\":"
                   "\"object\"}}],\"tool_choice\":{\"type\":\"none\"},\"messages\":"
                   "[" MESSAGE("user", BLOCK("q")) ",{\"role\":\"assistant\",\"content\":"
                                                   "[" BLOCK("Hm.") ",{\"type\":\"tool_use\","
                                                                    "\"id\":\"a\",\"name\":\"f\","
                                                                    "\"input\":{\"x\":1}},"
                                                                    "{\"type\":\"tool_use\","
                                                                    "\"id\":\"b\",\"name\":\"f\","
                                                                    "\"input\":{\"unreadable\":"
                                                                    "\"{oops\"}}]},{\"role\":"
                                                                    "\"user\",\"content\":[{"
                                                                    "\"type\":\"tool_result\","
                                                                    "\"tool_use_id\":\"a\","
                                                                    "\"content\":\"one\"},{"
                                                                    "\"type\":\"tool_result\","
                                                                    "\"tool_use_id\":\"b\","
                                                                    "\"content\":\"bad\",\"is_"
                                                                    "error\":true}]}]}"));
    buf_fini(&buf);
}

RUN_TESTS(T(tools), T(addresses), T(bodies), T(settings))
