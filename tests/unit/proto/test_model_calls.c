/* SPDX-License-Identifier: MIT */
/* Calls of tools as servers really stream them, and as models write them into their text. */
#include "tests/lib/test.h"

#include "proto/models/anthropic_answer.h"
#include "proto/models/model_calls.h"
#include "proto/models/openai_answer.h"

enum { LIMIT = 1 << 16, MOST_EVENTS = 8 };

#define CALL(members) "{\"choices\":[{\"delta\":{\"tool_calls\":[" members "]}}]}"
#define WHOLE(members)                                                                             \
    "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[" members "]}}]}"

/* Calls as "id name arguments", one a line. */
static const struct {
    const char *name;
    model_answer_fn *read;
    const char *events[MOST_EVENTS];
    const char *want;
} streams[] = {
    {"OpenAI: two in parallel, in pieces",
     openai_answer_chunk,
     {CALL("{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\","
           "\"arguments\":\"\"}}"),
      CALL("{\"index\":0,\"function\":{\"arguments\":\"{\\\"x\\\":\"}}"),
      CALL("{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"\"}}"),
      CALL("{\"index\":1,\"function\":{\"arguments\":\"{}\"}}"),
      CALL("{\"index\":0,\"function\":{\"arguments\":\"1}\"}}")},
     "a f {\"x\":1}\nb g {}\n"},
    {"Ollama: one number for all, each whole",
     openai_answer_chunk,
     {CALL("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}"
           "}"),
      CALL("{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":2}\"}"
           "}"),
      CALL("{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}")},
     "a f {\"x\":1}\nb f {\"x\":2}\nc g {}\n"},
    {"LM Studio: a new id on each piece",
     openai_answer_chunk,
     {CALL("{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}"),
      CALL("{\"index\":0,\"id\":\"2\",\"function\":{\"arguments\":\"{\\\"x\\\":\"}}"),
      CALL("{\"index\":0,\"id\":\"3\",\"function\":{\"name\":null,\"arguments\":\"1}\"}}")},
     "1 f {\"x\":1}\n"},
    {"vLLM: a new id and the name on each piece",
     openai_answer_chunk,
     {CALL(
          "{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":\"}}"),
      CALL("{\"index\":0,\"id\":\"2\",\"function\":{\"name\":\"f\",\"arguments\":\"1}\"}}"),
      CALL("{\"index\":0,\"id\":\"3\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}")},
     "1 f {\"x\":1}\n"},
    {"no numbers: the id tells",
     openai_answer_chunk,
     {CALL("{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}"),
      CALL("{\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{\"}}"),
      CALL("{\"id\":\"a\",\"function\":{\"arguments\":\"}\"}}"),
      CALL("{\"id\":\"b\",\"function\":{\"arguments\":\"}\"}}")},
     "a f {}\nb g {}\n"},
    {"neither numbers nor ids",
     openai_answer_chunk,
     {CALL("{\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}"),
      CALL("{\"function\":{\"arguments\":\"}\"}}"),
      CALL("{\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}")},
     " f {}\n g {}\n"},
    {"arguments as an object",
     openai_answer_chunk,
     {CALL("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":{\"x\":[1]}}}")},
     "a f {\"x\":[1]}\n"},
    {"no arguments",
     openai_answer_chunk,
     {CALL("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\"}}")},
     "a f {}\n"},
    {"the older form",
     openai_answer_chunk,
     {"{\"choices\":[{\"delta\":{\"function_call\":{\"name\":\"f\",\"arguments\":\"\"}}}]}",
      "{\"choices\":[{\"delta\":{\"function_call\":{\"arguments\":\"{}\"}}}]}"},
     " f {}\n"},
    {"a piece of a call that nobody began",
     openai_answer_chunk,
     {CALL("{\"index\":3,\"function\":{\"arguments\":\"{}\"}}")},
     ""},
    {"whole, in parallel",
     openai_answer_whole,
     {WHOLE(
         "{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"s\\\":\\\"\\\\n\\\"}\"}},"
         "{\"id\":\"b\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}")},
     "a f {\"s\":\"\\n\"}\nb f {}\n"},
    {"Anthropic: text, then two blocks",
     anthropic_answer_event,
     {"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":"
      "\"\"}}",
      "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\","
      "\"id\":\"a\",\"name\":\"f\",\"input\":{}}}",
      "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
      "\"partial_json\":\"\"}}",
      "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
      "\"partial_json\":\"{\\\"x\\\":\"}}",
      "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\","
      "\"partial_json\":\"1}\"}}",
      "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\","
      "\"id\":\"b\",\"name\":\"g\",\"input\":{}}}"},
     "a f {\"x\":1}\nb g {}\n"},
    {"Anthropic: a tool of the server's own",
     anthropic_answer_event,
     {"{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
      "\"server_tool_use\",\"id\":\"a\",\"name\":\"web_search\",\"input\":{}}}",
      "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\","
      "\"partial_json\":\"{}\"}}"},
     ""},
    {"Anthropic: whole",
     anthropic_answer_whole,
     {"{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"hm\"},{\"type\":\"tool_"
      "use\",\"id\":\"a\",\"name\":\"f\",\"input\":{\"x\":1}},{\"type\":\"tool_use\",\"id\":\"b\","
      "\"name\":\"f\",\"input\":{}}]}"},
     "a f {\"x\":1}\nb f {}\n"},
};

static void write_calls(const struct model_calls *calls, struct buf *out)
{
    for (size_t i = 0; i < calls->count; i++) {
        struct model_call call = model_calls_get(calls, i);
        buf_printf(out, "%.*s %.*s %.*s\n", STR_ARG(call.id), STR_ARG(call.name),
                   STR_ARG(call.arguments));
    }
}

TEST(pieces)
{
    struct buf scratch, got;
    buf_init(&scratch, LIMIT);
    buf_init(&got, LIMIT);
    TEST_EACH(c, streams) {
        struct model_calls calls = {0};
        struct err err = {0};
        for (size_t i = 0; i < MOST_EVENTS && c->events[i] != NULL; i++) {
            struct model_answer answer;
            if (c->read(str_of(c->events[i]), &scratch, &answer, &err) != ERR_OK)
                fail_msg("%s: %s", c->name, err.text);
            for (size_t j = 0; j < answer.call_count; j++)
                EXPECT_INT(c->name, model_calls_take(&calls, &answer.calls[j], LIMIT, &err),
                           ERR_OK);
        }
        buf_clear(&got);
        write_calls(&calls, &got);
        EXPECT_STR(c->name, buf_str(&got), str_of(c->want));
        model_calls_clear(&calls);
    }
    buf_fini(&scratch);
    buf_fini(&got);
}

TEST(bounds)
{
    struct model_calls calls = {0};
    struct err err = {0};
    char name[400];
    memset(name, 'n', sizeof name);
    struct model_call_piece piece = {.index = -1, .name = str_make(name, sizeof name)};
    EXPECT_INT("name", model_calls_take(&calls, &piece, LIMIT, &err), ERR_PROTOCOL);
    for (int64_t i = 0; i <= MODEL_MOST_CALLS; i++) {
        piece = (struct model_call_piece){.index = i, .name = STR("f"), .arguments = STR("{}")};
        EXPECT_INT("many", model_calls_take(&calls, &piece, LIMIT, &err),
                   i < MODEL_MOST_CALLS ? ERR_OK : ERR_PROTOCOL);
    }
    piece = (struct model_call_piece){.index = 0, .arguments = STR("12345678")};
    EXPECT_INT("bytes", model_calls_take(&calls, &piece, 64, &err), ERR_TOO_LARGE);
    model_calls_clear(&calls);
    EXPECT_INT("cleared", calls.count, 0);
}

static const struct {
    const char *name, *text, *want, *before;
} texts[] = {
    {"Hermes", "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": 1}}\n</tool_call>",
     " f {\"x\": 1}\n", ""},
    {"after words, two",
     "Let me look.\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n"
     "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
     " f {}\n g {}\n", "Let me look."},
    {"not closed", "<tool_call>{\"name\":\"f\",\"arguments\":{}}", " f {}\n", ""},
    {"Llama", "{\"name\": \"f\", \"parameters\": {\"x\": \"}\"}}", " f {\"x\": \"}\"}\n", ""},
    {"Mistral", "[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{}},{\"name\":\"g\",\"arguments\":{}}]",
     " f {}\n g {}\n", ""},
    {"fenced", "```json\n{\"name\":\"f\",\"arguments\":{}}\n```", " f {}\n", ""},
    {"an answer in JSON", "{\"name\":\"Ann\",\"arguments\":{}}", "", ""},
    {"JSON, then words", "{\"name\":\"f\",\"arguments\":{}} is how it is called", "", ""},
    {"no arguments", "{\"name\":\"f\"}", "", ""},
    {"arguments that are none", "{\"name\":\"f\",\"arguments\":\"x\"}", "", ""},
    {"cut", "<tool_call>{\"name\":\"f\",\"arguments\":{", "", ""},
    {"words", "I would call f", "", ""},
    {"nothing", "", "", ""},
};

TEST(in_text)
{
    static const struct model_tool offered[] = {{.name = STR("f")}, {.name = STR("g")}};
    struct buf got;
    buf_init(&got, LIMIT);
    TEST_EACH(c, texts) {
        struct model_calls calls = {0};
        struct str before;
        size_t count = model_calls_read_text(&calls, str_of(c->text), offered, countof(offered),
                                             LIMIT, &before);
        buf_clear(&got);
        write_calls(&calls, &got);
        EXPECT_INT(c->name, count, calls.count);
        EXPECT_STR(c->name, buf_str(&got), str_of(c->want));
        if (count > 0)
            EXPECT_STR(c->name, before, str_of(c->before));
        model_calls_clear(&calls);
    }
    buf_fini(&got);
}

RUN_TESTS(T(pieces), T(bounds), T(in_text))
