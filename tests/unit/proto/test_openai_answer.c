/* SPDX-License-Identifier: MIT */
/* What servers really send: OpenAI, Azure, vLLM, gateways; and what none should. */
#include "tests/lib/test.h"

#include "proto/models/model_error.h"
#include "proto/models/openai_answer.h"

static const struct {
    const char *name, *data;
    enum err_code want;
    const char *content; /* NULL: absent; of a failure: its text */
    enum model_finish finish;
    uint64_t prompt, completion; /* 0: no usage */
} chunks[] = {
    {"first of OpenAI",
     "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-4o\","
     "\"system_fingerprint\":null,\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
     "\"content\":\"\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":null}],\"usage\":"
     "null}",
     ERR_OK, "", MODEL_FINISH_NONE, 0, 0},
    {"token", "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\" are\"}}]}", ERR_OK, " are", 0,
     0, 0},
    {"escaped token", "{\"choices\":[{\"delta\":{\"content\":\"\\n\\u00e9\\ud83d\\ude00\"}}]}",
     ERR_OK, "\n\xC3\xA9\xF0\x9F\x98\x80", 0, 0, 0},
    {"last", "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}", ERR_OK, NULL,
     MODEL_FINISH_STOP, 0, 0},
    {"length", "{\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}", ERR_OK, NULL,
     MODEL_FINISH_LENGTH, 0, 0},
    {"filtered", "{\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}", ERR_OK,
     NULL, MODEL_FINISH_CONTENT_FILTER, 0, 0},
    {"tool calls",
     "{\"choices\":[{\"delta\":{\"tool_calls\":[{}]},\"finish_reason\":\"tool_calls\"}]}", ERR_OK,
     NULL, MODEL_FINISH_TOOL_CALL, 0, 0},
    {"empty finish", "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"\"}]}",
     ERR_OK, "a", MODEL_FINISH_NONE, 0, 0},
    {"usage",
     "{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":9,\"total_tokens\":16,"
     "\"prompt_tokens_details\":{\"cached_tokens\":0}}}",
     ERR_OK, NULL, 0, 7, 9},
    {"first of Azure",
     "{\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\",\"prompt_filter_"
     "results\":"
     "[{\"prompt_index\":0,\"content_filter_results\":{\"hate\":{\"filtered\":false}}}]}",
     ERR_OK, NULL, 0, 0, 0},
    {"token of Azure",
     "{\"choices\":[{\"content_filter_results\":{},\"delta\":{\"content\":\"x\"},\"finish_reason\":"
     "null,"
     "\"index\":0,\"logprobs\":null}],\"model\":\"gpt-4o\"}",
     ERR_OK, "x", 0, 0, 0},
    {"reasoning", "{\"choices\":[{\"delta\":{\"content\":null,\"reasoning_content\":\"hm\"}}]}",
     ERR_OK, NULL, 0, 0, 0},
    {"null delta", "{\"choices\":[{\"delta\":null}]}", ERR_OK, NULL, 0, 0, 0},
    {"no choices", "{}", ERR_OK, NULL, 0, 0, 0},
    {"null choices", "{\"choices\":null}", ERR_OK, NULL, 0, 0, 0},
    {"second choice is not ours",
     "{\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{\"content\":\"b\"}}]}", ERR_OK, "a",
     0, 0, 0},
    {"odd usage", "{\"usage\":{\"prompt_tokens\":\"7\",\"completion_tokens\":-1}}", ERR_OK, NULL, 0,
     0, 0},
    {"not JSON", "data", ERR_PROTOCOL, "a model's answer is not JSON: expected a value at byte 0",
     0, 0, 0},
    {"cut", "{\"choices\":[{\"delta\":{\"content\":\"a", ERR_PROTOCOL,
     "a model's answer is not JSON: expected the end of the string at byte 34", 0, 0, 0},
    {"garbage after", "{}x", ERR_PROTOCOL,
     "a model's answer is not JSON: expected nothing after the value at byte 2", 0, 0, 0},
    {"an array", "[]", ERR_PROTOCOL, "the answer in a model's answer: expected an object", 0, 0, 0},
    {"null", "null", ERR_PROTOCOL, "the answer in a model's answer: expected an object", 0, 0, 0},
    {"content of a wrong type", "{\"choices\":[{\"delta\":{\"content\":7}}]}", ERR_PROTOCOL,
     "content in a model's answer: expected a string", 0, 0, 0},
    {"choices of a wrong type", "{\"choices\":{}}", ERR_PROTOCOL,
     "choices in a model's answer: expected an array", 0, 0, 0},
    {"error in the stream",
     "{\"error\":{\"message\":\"The server is\\noverloaded\",\"type\":\"server_error\"}}",
     ERR_UNAVAILABLE, "the model's server says: The server is overloaded", 0, 0, 0},
    {"rate limit", "{\"error\":{\"message\":\"slow\",\"code\":\"rate_limit_exceeded\"}}", ERR_BUSY,
     "the model's server says: slow", 0, 0, 0},
    {"code as a number", "{\"error\":{\"message\":\"m\",\"code\":400}}", ERR_REJECTED,
     "the model's server says: m", 0, 0, 0},
    {"error as a string", "{\"error\":\"boom\"}", ERR_UNAVAILABLE, "the model's server says: boom",
     0, 0, 0},
    {"error without words", "{\"error\":{}}", ERR_UNAVAILABLE,
     "the model's server says: an error without a message", 0, 0, 0},
    {"null error", "{\"error\":null,\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", ERR_OK, "a", 0,
     0, 0},
};

TEST(stream)
{
    struct buf scratch;
    buf_init(&scratch, 1 << 16);
    TEST_EACH(c, chunks) {
        struct model_answer answer;
        struct err err = {0};
        EXPECT_INT(c->name, openai_answer_chunk(str_of(c->data), &scratch, &answer, &err), c->want);
        if (c->want != ERR_OK) {
            EXPECT_INT(c->name, err.code, c->want);
            EXPECT_STR(c->name, str_of(err.text), str_of(c->content));
            continue;
        }
        EXPECT_INT(c->name, str_is_absent(answer.content), c->content == NULL);
        EXPECT_STR(c->name, answer.content, str_of(c->content));
        EXPECT_INT(c->name, answer.finish, c->finish);
        EXPECT_INT(c->name, answer.has_usage, c->prompt != 0);
        EXPECT_INT(c->name, answer.usage.prompt_tokens, c->prompt);
        EXPECT_INT(c->name, answer.usage.completion_tokens, c->completion);
        EXPECT_TRUE(c->name, !answer.is_done);
    }
    buf_fini(&scratch);
}

static const struct {
    const char *name, *data, *content;
    struct model_answer rest;
} more[] = {
    {"parts",
     "{\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\","
     "\"text\":\"b\"},\"c\",7,null]}}]}",
     "abc",
     {.finish = MODEL_FINISH_NONE}},
    {"parts with escapes",
     "{\"model\":\"m\\tm\",\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":"
     "\"a\"},{\"text\":\"\\n\",\"type\":\"text\"},{\"type\":\"te\\u0078t\",\"text\":\"b\"},{"
     "\"type\":"
     "\"text\",\"text\":\"\\tc\"}]}}]}",
     "a\nb\tc",
     {.finish = MODEL_FINISH_NONE}},
    {"thoughts among parts",
     "{\"choices\":[{\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":"
     "\"text\","
     "\"text\":\"hm\"}]},{\"type\":\"text\",\"text\":\"b\"}]}}]}",
     "b",
     {.has_reasoning = true}},
    {"no parts", "{\"choices\":[{\"delta\":{\"content\":[]}}]}", NULL, {.has_reasoning = false}},
    {"refusal",
     "{\"choices\":[{\"delta\":{\"content\":null,\"refusal\":\"I cannot\"}}]}",
     NULL,
     {.refusal = STR("I cannot")}},
    {"reasoning",
     "{\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}",
     NULL,
     {.has_reasoning = true}},
    {"its details",
     "{\"choices\":[{\"delta\":{\"reasoning_details\":[{}]}}]}",
     NULL,
     {.has_reasoning = true}},
    {"none",
     "{\"choices\":[{\"delta\":{\"reasoning\":null,\"reasoning_content\":\"\",\"tool_calls\":[]}}]"
     "}",
     NULL,
     {.has_reasoning = false}},
    {"tool call",
     "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0}]}}]}",
     NULL,
     {.has_tool_call = true}},
    {"Gemini's filter",
     "{\"choices\":[{\"delta\":{},\"finish_reason\":\"SAFETY\"}]}",
     NULL,
     {.finish = MODEL_FINISH_CONTENT_FILTER}},
    {"Mistral's limit",
     "{\"choices\":[{\"delta\":{},\"finish_reason\":\"model_length\"}]}",
     NULL,
     {.finish = MODEL_FINISH_LENGTH}},
    {"details of usage",
     "{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":8,"
     "\"prompt_tokens_details\":{\"cached_tokens\":5,\"audio_tokens\":0},"
     "\"completion_tokens_details\":{\"reasoning_tokens\":6}}}",
     NULL,
     {.usage = {9, 8, 5, 6}}},
    {"odd details",
     "{\"usage\":{\"prompt_tokens\":9,\"prompt_tokens_details\":null,"
     "\"completion_tokens_details\":[1]}}",
     NULL,
     {.usage = {9, 0, 0, 0}}},
    {"DeepSeek's cache",
     "{\"usage\":{\"prompt_tokens\":9,\"prompt_cache_hit_tokens\":4}}",
     NULL,
     {.usage = {9, 0, 4, 0}}},
};

TEST(quirks)
{
    struct buf scratch;
    buf_init(&scratch, 1 << 16);
    TEST_EACH(c, more) {
        struct model_answer answer;
        struct err err = {0};
        if (openai_answer_chunk(str_of(c->data), &scratch, &answer, &err) != ERR_OK)
            fail_msg("%s: %s", c->name, err.text);
        EXPECT_STR(c->name, answer.content, str_of(c->content));
        EXPECT_STR(c->name, answer.refusal, c->rest.refusal);
        EXPECT_INT(c->name, answer.has_reasoning, c->rest.has_reasoning);
        EXPECT_INT(c->name, answer.has_tool_call, c->rest.has_tool_call);
        EXPECT_INT(c->name, answer.finish, c->rest.finish);
        EXPECT_INT(c->name, answer.usage.prompt_tokens, c->rest.usage.prompt_tokens);
        EXPECT_INT(c->name, answer.usage.completion_tokens, c->rest.usage.completion_tokens);
        EXPECT_INT(c->name, answer.usage.cached_tokens, c->rest.usage.cached_tokens);
        EXPECT_INT(c->name, answer.usage.reasoning_tokens, c->rest.usage.reasoning_tokens);
    }
    buf_fini(&scratch);
}

TEST(done)
{
    struct buf scratch;
    struct model_answer answer;
    buf_init(&scratch, 0);
    EXPECT_INT("done", openai_answer_chunk(STR("[DONE]"), &scratch, &answer, NULL), ERR_OK);
    EXPECT_TRUE("done", answer.is_done);
    EXPECT_INT("blank", openai_answer_chunk(STR("[DONE] "), &scratch, &answer, NULL), ERR_OK);
    EXPECT_TRUE("blank", answer.is_done);
    EXPECT_INT("no scratch",
               openai_answer_chunk(STR("{\"model\":\"\\n\"}"), &scratch, &answer, NULL),
               ERR_NO_MEMORY);
    buf_fini(&scratch);
}

TEST(several_escaped_views_hold)
{
    static const struct str data = STR("{\"model\":\"m\\t1\",\"choices\":[{\"delta\":{\"role\":"
                                       "\"a\\tb\",\"content\":\"c\\td\"}}]}");
    struct buf scratch;
    struct model_answer answer;
    buf_init(&scratch, 1 << 16);
    EXPECT_INT("ok", openai_answer_chunk(data, &scratch, &answer, NULL), ERR_OK);
    uint64_t before = mem_alloc_count();
    EXPECT_INT("ok", openai_answer_chunk(data, &scratch, &answer, NULL), ERR_OK);
    EXPECT_INT("allocations", mem_alloc_count() - before, 0);
    EXPECT_STR("model", answer.model, STR("m\t1"));
    EXPECT_STR("role", answer.role, STR("a\tb"));
    EXPECT_STR("content", answer.content, STR("c\td"));
    buf_fini(&scratch);
}

TEST(whole)
{
    struct buf scratch;
    struct model_answer answer;
    buf_init(&scratch, 1 << 16);
    EXPECT_INT("ok",
               openai_answer_whole(
                   STR("{\"model\":\"m\",\"choices\":[{\"message\":{\"role\":\"assistant\","
                       "\"content\":\"hi\"},\"finish_reason\":\"stop\"}],"
                       "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}"),
                   &scratch, &answer, NULL),
               ERR_OK);
    EXPECT_STR("content", answer.content, STR("hi"));
    EXPECT_STR("model", answer.model, STR("m"));
    EXPECT_INT("usage", answer.usage.completion_tokens, 2);
    buf_fini(&scratch);
}

TEST(errors)
{
    static const struct {
        int status;
        struct str body;
        enum err_code want;
        const char *text;
    } cases[] = {
        {401, STR("{\"error\":{\"message\":\"Incorrect API key\",\"code\":\"invalid_api_key\"}}"),
         ERR_DENIED, "401: Incorrect API key"},
        {429, STR("{\"error\":{\"message\":\"Rate limit\",\"type\":\"tokens\"}}"), ERR_BUSY,
         "429: Rate limit"},
        {429, STR("{\"error\":{\"message\":\"Pay\",\"type\":\"insufficient_quota\"}}"),
         ERR_REJECTED, "429: Pay"},
        {404, STR("{\"object\":\"error\",\"message\":\"no such model\",\"code\":404}"),
         ERR_REJECTED, "404: no such model"},
        {403, STR("{\"error\":{\"message\":\"Not allowed\"}}"), ERR_DENIED, "403: Not allowed"},
        {403, STR("{\"error\":{\"message\":\"it was flagged\",\"code\":403}}"), ERR_REJECTED,
         "403: it was flagged"},
        {403, STR("{\"error\":{\"code\":\"content_policy_violation\",\"message\":\"m\"}}"),
         ERR_REJECTED, "403: m"},
        {529,
         STR("{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"O\"}}"),
         ERR_UNAVAILABLE, "529: O"},
        {422, STR("{\"detail\":[{\"loc\":[]}]}"), ERR_REJECTED, "422: {\"detail\":[{\"loc\":[]}]}"},
        {400, STR("{\"detail\":\"bad\"}"), ERR_REJECTED, "400: bad"},
        {500, STR(""), ERR_UNAVAILABLE, "500: no message"},
        {502, STR("<html>\r\n<b>Bad\0Gateway</b>"), ERR_UNAVAILABLE,
         "502: <html>  <b>Bad Gateway</b>"},
        {503, STR("\xFF\xFE busy"), ERR_UNAVAILABLE, "503:    busy"},
        {408, STR("x"), ERR_UNAVAILABLE, "408: x"},
        {418, STR("x"), ERR_REJECTED, "418: x"},
    };
    struct err err;
    TEST_EACH(c, cases) {
        EXPECT_INT(c->text, model_error(c->status, c->body, NULL, &err), c->want);
        EXPECT_STR(c->text, str_of(err.text), str_of(c->text));
    }
    char huge[4096];
    memset(huge, 'x', sizeof huge);
    EXPECT_INT("huge", model_error(500, str_make(huge, sizeof huge), NULL, &err), ERR_UNAVAILABLE);
    EXPECT_TRUE("cut", strlen(err.text) < ERR_TEXT_BYTES);
    mem_fail_nth(1);
    EXPECT_INT("no memory", model_error(500, STR("{\"error\":\"a\\nb\"}"), NULL, &err),
               ERR_UNAVAILABLE);
    mem_fail_nth(0);
}

RUN_TESTS(T(stream), T(quirks), T(done), T(several_escaped_views_hold), T(whole), T(errors))
