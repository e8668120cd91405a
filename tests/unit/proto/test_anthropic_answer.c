/* SPDX-License-Identifier: MIT */
/* proto/models/anthropic_answer: the events of a stream, whole messages, and what neither is. */
#include "proto/models/anthropic_answer.h"

#include "tests/lib/test.h"

static const struct {
    const char *name, *data;
    enum err_code want;
    const char *content; /* NULL: absent; of a failure: its text */
    struct model_answer rest;
} events[] = {
    {"message_start",
     "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":"
     "\"assistant\",\"content\":[],\"model\":\"claude-x\",\"stop_reason\":null,\"stop_sequence\":"
     "null,\"usage\":{\"input_tokens\":25,\"cache_creation_input_tokens\":3,"
     "\"cache_read_input_tokens\":1000,\"cache_creation\":{\"ephemeral_5m_input_tokens\":3},"
     "\"output_tokens\":1}}}",
     ERR_OK,
     NULL,
     {.model = STR("claude-x"),
      .has_usage = true,
      .usage = {.prompt_tokens = 1028, .completion_tokens = 1, .cached_tokens = 1000}}},
    {"block of text",
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
     "\"text\",\"text\":\"\"}}",
     ERR_OK,
     "",
     {.is_done = false}},
    {"block of thoughts",
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
     "\"thinking\",\"thinking\":\"\"}}",
     ERR_OK,
     NULL,
     {.has_reasoning = true}},
    {"block of a tool",
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
     "\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}}",
     ERR_OK,
     NULL,
     {.has_tool_call = true}},
    {"text",
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
     "\"text\":\"a\\n\\u00e9\"}}",
     ERR_OK,
     "a\n\xC3\xA9",
     {.is_done = false}},
    {"thought",
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
     "\"thinking_delta\",\"thinking\":\"hm\"}}",
     ERR_OK,
     NULL,
     {.has_reasoning = true}},
    {"signature",
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":"
     "\"signature_delta\",\"signature\":\"x\"}}",
     ERR_OK,
     NULL,
     {.is_done = false}},
    {"block's end",
     "{\"type\":\"content_block_stop\",\"index\":0}",
     ERR_OK,
     NULL,
     {.is_done = false}},
    {"end of turn",
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\","
     "\"stop_sequence\":null},\"usage\":{\"output_tokens\":15}}",
     ERR_OK,
     NULL,
     {.finish = MODEL_FINISH_STOP, .has_usage = true, .usage = {.completion_tokens = 15}}},
    {"cut",
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}",
     ERR_OK,
     NULL,
     {.finish = MODEL_FINISH_LENGTH}},
    {"declined",
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}",
     ERR_OK,
     NULL,
     {.finish = MODEL_FINISH_REFUSAL}},
    {"tool",
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}",
     ERR_OK,
     NULL,
     {.finish = MODEL_FINISH_TOOL_CALL}},
    {"a new reason",
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"pause_turn\"}}",
     ERR_OK,
     NULL,
     {.finish = MODEL_FINISH_OTHER}},
    {"message_stop", "{\"type\":\"message_stop\"}", ERR_OK, NULL, {.is_done = true}},
    {"ping", "{\"type\": \"ping\"}", ERR_OK, NULL, {.is_done = false}},
    {"an event to come", "{\"type\":\"new\",\"x\":[{}]}", ERR_OK, NULL, {.is_done = false}},
    {"overloaded",
     "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
     "\"Overloaded\"}}",
     ERR_UNAVAILABLE,
     "the model's server says: Overloaded",
     {.is_done = false}},
    {"too many",
     "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"r\"}}",
     ERR_BUSY,
     "the model's server says: r",
     {.is_done = false}},
    {"wrong key",
     "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":"
     "\"k\"}}",
     ERR_DENIED,
     "the model's server says: k",
     {.is_done = false}},
    {"wrong request",
     "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
     "\"message\":\"i\"}}",
     ERR_REJECTED,
     "the model's server says: i",
     {.is_done = false}},
    {"text of a wrong type",
     "{\"type\":\"content_block_delta\",\"delta\":{\"text\":7}}",
     ERR_PROTOCOL,
     "text in a model's answer: expected a string",
     {.is_done = false}},
    {"another wire's end",
     "[DONE]",
     ERR_PROTOCOL,
     "the answer in a model's answer: expected an object",
     {.is_done = false}},
};

static void expect_rest(const char *name, const struct model_answer *got,
                        const struct model_answer *want)
{
    EXPECT_STR(name, got->model, want->model);
    EXPECT_INT(name, got->finish, want->finish);
    EXPECT_INT(name, got->has_reasoning, want->has_reasoning);
    EXPECT_INT(name, got->has_tool_call, want->has_tool_call);
    EXPECT_INT(name, got->has_usage, want->has_usage);
    EXPECT_INT(name, got->usage.prompt_tokens, want->usage.prompt_tokens);
    EXPECT_INT(name, got->usage.completion_tokens, want->usage.completion_tokens);
    EXPECT_INT(name, got->usage.cached_tokens, want->usage.cached_tokens);
    EXPECT_INT(name, got->is_done, want->is_done);
}

TEST(stream)
{
    struct buf scratch;
    buf_init(&scratch, 1 << 16);
    TEST_EACH(c, events) {
        struct model_answer answer;
        struct err err = {0};
        EXPECT_INT(c->name, anthropic_answer_event(str_of(c->data), &scratch, &answer, &err),
                   c->want);
        if (c->want != ERR_OK) {
            EXPECT_STR(c->name, str_of(err.text), str_of(c->content));
            continue;
        }
        EXPECT_INT(c->name, str_is_absent(answer.content), c->content == NULL);
        EXPECT_STR(c->name, answer.content, str_of(c->content));
        expect_rest(c->name, &answer, &c->rest);
    }
    buf_fini(&scratch);
}

TEST(whole)
{
    struct buf scratch;
    struct model_answer answer;
    buf_init(&scratch, 1 << 16);
    EXPECT_INT(
        "ok",
        anthropic_answer_whole(
            STR("{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"c\","
                "\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\","
                "\"text\":\"a\\n\"},{\"text\":\"b\",\"type\":\"text\"},{\"type\":\"text\","
                "\"text\":\"\\tc\"}],\"stop_reason\":\"end_turn\",\"usage\":{"
                "\"input_tokens\":1,\"output_tokens\":2}}"),
            &scratch, &answer, NULL),
        ERR_OK);
    EXPECT_STR("joined", answer.content, STR("a\nb\tc"));
    EXPECT_TRUE("thoughts", answer.has_reasoning);
    EXPECT_INT("usage", answer.usage.completion_tokens, 2);
    EXPECT_INT("finish", answer.finish, MODEL_FINISH_STOP);
    buf_fini(&scratch);
}

RUN_TESTS(T(stream), T(whole))
