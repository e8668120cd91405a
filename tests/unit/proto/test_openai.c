/* SPDX-License-Identifier: MIT */
/* The request as a server sees it, in both dialects. */
#include "tests/lib/test.h"

#include "proto/models/openai.h"

TEST(addresses)
{
    static const struct {
        struct model_endpoint endpoint;
        const char *url, *name, *value;
    } cases[] = {
        {{.base_url = STR("https://api.openai.com/v1"), .key = STR("sk-1")},
         "https://api.openai.com/v1/chat/completions",
         "Authorization",
         "Bearer sk-1"},
        {{.base_url = STR("http://127.0.0.1:8000/v1/")},
         "http://127.0.0.1:8000/v1/chat/completions",
         NULL,
         ""},
        {{.dialect = MODEL_WIRE_AZURE,
          .base_url = STR("https://x.openai.azure.com/"),
          .deployment = STR("gpt 4/o"),
          .api_version = STR("2024-06-01"),
          .key = STR("k")},
         "https://x.openai.azure.com/openai/deployments/gpt%204%2Fo/chat/completions"
         "?api-version=2024-06-01",
         "api-key",
         "k"},
    };
    TEST_EACH(c, cases) {
        struct buf url, value;
        buf_init(&url, 1 << 10);
        buf_init(&value, 1 << 10);
        openai_write_url(&url, &c->endpoint);
        model_wire_write_auth(&value, &c->endpoint);
        EXPECT_STR(c->url, buf_str(&url), str_of(c->url));
        EXPECT_STR(c->url, model_wire_auth_name(&c->endpoint), str_of(c->name));
        EXPECT_STR(c->url, buf_str(&value), str_of(c->value));
        buf_clear(&url);
        openai_write_embeddings_url(&url, &c->endpoint);
        EXPECT_TRUE(c->url, str_find(buf_str(&url), STR("/embeddings")) > 0);
        EXPECT_TRUE(c->url, str_find(buf_str(&url), STR("chat")) == STR_NONE);
        buf_fini(&url);
        buf_fini(&value);
    }
}

TEST(texts)
{
    static const struct str texts[] = {STR("one \"two\""), STR("\n")};
    static const struct {
        struct openai_texts texts;
        const char *want;
    } cases[] = {
        {{.model = STR("m"), .texts = texts, .count = 2, .dimensions = 512, .base64 = true},
         "{\"model\":\"m\",\"input\":[\"one \\\"two\\\"\",\"\\n\"],"
         "\"encoding_format\":\"base64\",\"dimensions\":512}"},
        {{.texts = texts + 1, .count = 1}, "{\"input\":[\"\\n\"],\"encoding_format\":\"float\"}"},
    };
    TEST_EACH(c, cases) {
        struct buf buf;
        buf_init(&buf, 1 << 12);
        openai_write_texts(&buf, &c->texts);
        EXPECT_STR("body", buf_str(&buf), str_of(c->want));
        buf_fini(&buf);
    }
}

TEST(bodies)
{
    static const struct model_message messages[] = {{STR("system"), STR("Be \"brief\".")},
                                                    {STR("user"), STR("")}};
    static const struct str stop[] = {STR("\n\n"), STR("END")};
    static const struct {
        struct model_request chat;
        const char *want;
    } cases[] = {
        {{.model = STR("m"),
          .messages = messages,
          .message_count = 2,
          .has_temperature = true,
          .max_tokens = 4000,
          .stream = true,
          .asks_usage = true},
         "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be \\\"brief\\\".\"},"
         "{\"role\":\"user\",\"content\":\"\"}],\"temperature\":0,\"max_tokens\":4000,"
         "\"stream\":true,\"stream_options\":{\"include_usage\":true}}"},
        {{.messages = messages + 1,
          .message_count = 1,
          .max_tokens = 5,
          .limit = MODEL_LIMIT_MAX_COMPLETION_TOKENS,
          .stop = stop,
          .stop_count = 2,
          .form = STR("{\"type\":\"object\"}"),
          .form_name = STR("classify")},
         "{\"messages\":[{\"role\":\"user\",\"content\":\"\"}],\"max_completion_tokens\":5,"
         "\"stop\":[\"\\n\\n\",\"END\"],"
         "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"classify\","
         "\"strict\":true,\"schema\":{\"type\":\"object\"}}}}"},
        {{.has_temperature = true, .temperature = 0.1}, "{\"messages\":[],\"temperature\":0.1}"},
    };
    TEST_EACH(c, cases) {
        struct buf buf;
        buf_init(&buf, 1 << 12);
        openai_write_chat(&buf, &c->chat);
        EXPECT_STR("body", buf_str(&buf), str_of(c->want));
        buf_fini(&buf);
    }
}

static const struct model_call two_calls[] = {
    {STR("a"), STR("f"), STR("{\"x\":1}")},
    {STR("b"), STR("f"), STR("{oops")},
};
static const struct model_message tool_turns[] = {
    {STR("user"), STR("q")},
    {STR("assistant"), STR(""), .calls = two_calls, .call_count = 2},
    {STR("tool"), STR("one"), .call_id = STR("a")},
};
static const struct model_tool one_tool = {STR("f"), STR("Runs."), STR("{\"type\":\"object\"}")};

TEST(tools)
{
    const struct model_request request = {.messages = tool_turns,
                                          .message_count = countof(tool_turns),
                                          .tools = &one_tool,
                                          .tool_count = 1,
                                          .tool_choice = MODEL_TOOLS_REQUIRED};
    struct buf buf;
    buf_init(&buf, 1 << 12);
    openai_write_chat(&buf, &request);
    EXPECT_STR("all", buf_str(&buf),
               STR("{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\","
                   "\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\","
                   "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}},"
                   "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                   "\"arguments\":\"{oops\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"a\","
                   "\"content\":\"one\"}],\"tools\":[{\"type\":\"function\",\"function\":{"
                   "\"name\":\"f\",\"description\":\"Runs.\",\"parameters\":{\"type\":"
                   "\"object\"}}}],\"tool_choice\":\"required\"}"));
    buf_fini(&buf);
}

RUN_TESTS(T(tools), T(addresses), T(texts), T(bodies))
