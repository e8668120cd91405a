/* SPDX-License-Identifier: MIT */
/* proto/models/model_traits: refusals as providers write them, and what they teach. */
#include "proto/models/model_traits.h"

#include "tests/lib/test.h"

static struct model_request whole_request(enum model_limit limit)
{
    return (struct model_request){.has_temperature = true,
                                  .temperature = 0.1,
                                  .max_tokens = 4000,
                                  .limit = limit,
                                  .stream = true,
                                  .asks_usage = true,
                                  .form = STR("{}"),
                                  .reasoning_effort = STR("low")};
}

static const struct {
    const char *name, *body;
    enum model_wire wire;
    struct model_traits before;
    enum model_lesson want;
    struct model_traits after;
} cases[] = {
    {"OpenAI's other name",
     "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with this "
     "model. Use 'max_completion_tokens' instead.\",\"param\":\"max_tokens\"}}",
     MODEL_WIRE_OPENAI,
     {0},
     MODEL_LESSON_FOR_GOOD,
     {.limit = MODEL_LIMIT_MAX_COMPLETION_TOKENS}},
    {"an older server's name",
     "{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"max_completion_tokens\"]}]}",
     MODEL_WIRE_OPENAI,
     {.limit = MODEL_LIMIT_MAX_COMPLETION_TOKENS},
     MODEL_LESSON_FOR_GOOD,
     {.limit = MODEL_LIMIT_NONE}},
    {"OpenAI's temperature",
     "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) "
     "value is supported.",
     MODEL_WIRE_OPENAI,
     {0},
     MODEL_LESSON_FOR_GOOD,
     {.no_temperature = true}},
    {"Mistral's stream_options",
     "{\"message\":{\"detail\":[{\"loc\":[\"body\",\"stream_options\",\"include_usage\"]}]}}",
     MODEL_WIRE_OPENAI,
     {0},
     MODEL_LESSON_FOR_GOOD,
     {.no_stream_options = true}},
    {"response_format",
     "'response_format' of type 'json_object' is not supported",
     MODEL_WIRE_OPENAI,
     {0},
     MODEL_LESSON_FOR_GOOD,
     {.no_response_format = true}},
    {"a form in words of its own",
     "This model does not support response format `json_schema`",
     MODEL_WIRE_OPENAI,
     {0},
     MODEL_LESSON_FOR_GOOD,
     {.no_response_format = true}},
    {"Anthropic's output_config",
     "output_config: Extra inputs are not permitted",
     MODEL_WIRE_ANTHROPIC,
     {0},
     MODEL_LESSON_FOR_GOOD,
     {.no_response_format = true}},
    {"reasoning_effort",
     "Unrecognized request argument supplied: reasoning_effort",
     MODEL_WIRE_AZURE,
     {0},
     MODEL_LESSON_FOR_GOOD,
     {.no_reasoning_effort = true}},
    {"vLLM's number",
     "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context "
     "length is 4096 tokens",
     MODEL_WIRE_OPENAI,
     {0},
     MODEL_LESSON_FOR_CALL,
     {.limit = MODEL_LIMIT_NONE}},
    {"a number that room made",
     "max_tokens: 16000 > 8192, which is the maximum",
     MODEL_WIRE_ANTHROPIC,
     {.needs_room = true},
     MODEL_LESSON_FOR_CALL,
     {0}},
    {"Anthropic must have its number",
     "max_tokens: 4000 > 1024",
     MODEL_WIRE_ANTHROPIC,
     {0},
     MODEL_LESSON_NONE,
     {0}},
    {"what is not sent is not learned",
     "temperature",
     MODEL_WIRE_OPENAI,
     {.no_temperature = true},
     MODEL_LESSON_NONE,
     {.no_temperature = true}},
    {"another parameter",
     "my_max_tokens and max_tokens_2, untemperatures",
     MODEL_WIRE_OPENAI,
     {0},
     MODEL_LESSON_NONE,
     {0}},
    {"something else", "the context is too long", MODEL_WIRE_OPENAI, {0}, MODEL_LESSON_NONE, {0}},
};

static void expect_same(const char *name, const struct model_traits *got,
                        const struct model_traits *want)
{
    EXPECT_INT(name, got->limit, want->limit);
    EXPECT_INT(name, got->no_temperature, want->no_temperature);
    EXPECT_INT(name, got->no_stream_options, want->no_stream_options);
    EXPECT_INT(name, got->no_response_format, want->no_response_format);
    EXPECT_INT(name, got->no_reasoning_effort, want->no_reasoning_effort);
    EXPECT_INT(name, got->needs_room, want->needs_room);
}

TEST(refusals_teach)
{
    TEST_EACH(c, cases) {
        struct model_traits traits = c->before;
        struct model_request sent = whole_request(c->before.limit);
        model_traits_apply(&traits, c->wire, &sent);
        EXPECT_INT(c->name, model_traits_learn(&traits, c->wire, &sent, str_of(c->body)), c->want);
        expect_same(c->name, &traits, &c->after);
    }
}

/* Whatever a server says to every request, a call learns a few times and then gives up. */
TEST(learning_ends)
{
    struct model_traits traits = {0};
    struct str body = STR("max_tokens max_completion_tokens temperature stream_options "
                          "response_format reasoning_effort");
    unsigned lessons = 0;
    for (;; lessons++) {
        struct model_request sent = whole_request(MODEL_LIMIT_MAX_TOKENS);
        model_traits_apply(&traits, MODEL_WIRE_OPENAI, &sent);
        if (model_traits_learn(&traits, MODEL_WIRE_OPENAI, &sent, body) == MODEL_LESSON_NONE)
            break;
        EXPECT_TRUE("bounded", lessons < 7);
    }
    EXPECT_INT("each once, the limit twice", lessons, 6);
}

TEST(what_is_kept)
{
    struct model_traits known = {.no_temperature = true};
    const struct model_traits learned = {.limit = MODEL_LIMIT_MAX_COMPLETION_TOKENS,
                                         .no_stream_options = true};
    const struct model_traits want = {.limit = MODEL_LIMIT_MAX_COMPLETION_TOKENS,
                                      .no_temperature = true,
                                      .no_stream_options = true};
    model_traits_keep(&known, &learned);
    expect_same("both", &known, &want);
}

TEST(room)
{
    const struct model_traits traits = {.needs_room = true};
    struct model_request request = whole_request(MODEL_LIMIT_MAX_TOKENS);
    model_traits_apply(&traits, MODEL_WIRE_ANTHROPIC, &request);
    EXPECT_INT("more", request.max_tokens, 4000 * MODEL_TRAITS_ROOM);
    EXPECT_TRUE("not of this wire", !request.asks_usage);
    EXPECT_INT("not of this wire", request.reasoning_effort.len, 0);
}

RUN_TESTS(T(refusals_teach), T(learning_ends), T(what_is_kept), T(room))
