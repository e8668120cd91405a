/* SPDX-License-Identifier: MIT */
/* AG-UI without a socket: sequences of events -> exact frames; what is open when a run ends. */
#include "server/facades/agui/agui_encoder.h"
#include "tests/lib/test.h"

#define RUN "run_00abcdefabcdefabcdefabcdef"
#define HEAD                                                                                       \
    "{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\",\"protocolVersion\":\"1.0\"}\n"  \
    "{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"run_id\":\"" RUN "\"}}\n"
#define STEP(kind, name) "{\"type\":\"STEP_" kind "\",\"stepName\":\"" name "\"}\n"
#define USAGE(in, out, all)                                                                        \
    "\"usage\":[{\"inputTokens\":" in ",\"outputTokens\":" out ",\"totalTokens\":" all "}]"
#define CALL(id)          "\"toolCallId\":\"" RUN ":" id "\""
#define MESSAGE(kind, id) "{\"type\":\"TEXT_MESSAGE_" kind "\",\"messageId\":\"" RUN ":" id "\""

enum { MAX_EVENTS = 8, ARENA_BYTES = 1 << 16, OUT_BYTES = 1 << 16 };

/* clang-format off */
static const char answer[] =
    HEAD MESSAGE("START", "1") ",\"role\":\"assistant\"}\n"
    MESSAGE("CONTENT", "1") ",\"delta\":\"Hi \\\"you\\\"\\n\"}\n"
    MESSAGE("CONTENT", "1") ",\"delta\":\"!\"}\n"
    MESSAGE("END", "1") "}\n"
    "{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\",\"result\":{\"stats\":{"
    "\"prompt_tokens\":3,\"completion_tokens\":2}},\"outcome\":{\"type\":\"success\"},"
    USAGE("3", "2", "5") "}\n";

static const char steps[] =
    HEAD STEP("STARTED", "a/b") STEP("STARTED", "c")
    "{\"type\":\"TOOL_CALL_START\"," CALL("3") ",\"toolCallName\":\"x\"}\n"
    "{\"type\":\"TOOL_CALL_ARGS\"," CALL("3") ",\"delta\":\"{}\"}\n"
    "{\"type\":\"TOOL_CALL_END\"," CALL("3") "}\n"
    STEP("FINISHED", "a/b")
    "{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"" RUN ":3:result\"," CALL("3")
    ",\"content\":\"done in 5 ms\",\"role\":\"tool\"}\n"
    "{\"type\":\"TOOL_CALL_START\"," CALL("6") ",\"toolCallName\":\"y\"}\n"
    "{\"type\":\"TOOL_CALL_ARGS\"," CALL("6") ",\"delta\":\"{}\"}\n"
    "{\"type\":\"TOOL_CALL_END\"," CALL("6") "}\n"
    "{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"" RUN ":6:result\"," CALL("6")
    ",\"content\":\"done\",\"role\":\"tool\"}\n"
    STEP("FINISHED", "c")
    "{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\",\"result\":{},"
    "\"outcome\":{\"type\":\"success\"}," USAGE("0", "0", "0") "}\n";

static const char attempts[] =
    HEAD MESSAGE("START", "1") ",\"role\":\"assistant\"}\n"
    MESSAGE("CONTENT", "1") ",\"delta\":\"one\"}\n"
    MESSAGE("END", "1") "}\n"
    "{\"type\":\"CUSTOM\",\"name\":\"reset\",\"value\":{\"messageId\":\"" RUN ":1\"}}\n"
    MESSAGE("START", "2") ",\"role\":\"assistant\"}\n"
    MESSAGE("CONTENT", "2") ",\"delta\":\"two\"}\n"
    MESSAGE("END", "2") "}\n"
    "{\"type\":\"RUN_ERROR\",\"message\":\"no\",\"code\":\"model_timeout\","
    USAGE("0", "0", "0") "}\n";

static const char state[] =
    HEAD "{\"type\":\"STATE_DELTA\",\"delta\":[{\"op\":\"add\",\"path\":\"/a~1b~0c\",\"value\":{"
    "\"x\":null,\"y\":[1]}}]}\n"
    "{\"type\":\"CUSTOM\",\"name\":\"route_decision\",\"value\":{\"event\":\"route_decision\","
    "\"route\":\"sql\"}}\n"
    "{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\",\"outcome\":{\"type\":"
    "\"cancelled\"}," USAGE("0", "0", "0") "}\n";
/* clang-format on */

static const struct {
    const char *name;
    struct event events[MAX_EVENTS]; /* numbered from 1; a terminal one ends them */
    const char *want;                /* the data of each frame, one a line */
} cases[] = {
    {"an answer",
     {{.kind = EVENT_TOKEN, .name = STR("final"), .text = STR("Hi \"you\"\n"), .number = 1},
      {.kind = EVENT_TOKEN, .name = STR("final"), .text = STR("!"), .number = 1},
      {.kind = EVENT_TOKEN, .name = STR("draft"), .text = STR("not shown"), .number = 1},
      {.kind = EVENT_COMPLETE,
       .text = STR("\"stats\":{\"prompt_tokens\":3,\"completion_tokens\":2}")}},
     answer},
    {"steps and tools, one of each left open",
     {{.kind = EVENT_NODE_START, .name = STR("a/b")},
      {.kind = EVENT_NODE_START, .name = STR("c")},
      {.kind = EVENT_TOOL_START, .name = STR("x")},
      {.kind = EVENT_NODE_END, .name = STR("a/b"), .number = 7},
      {.kind = EVENT_TOOL_END, .name = STR("x"), .number = 5},
      {.kind = EVENT_TOOL_START, .name = STR("y")},
      {.kind = EVENT_NODE_END, .name = STR("never begun"), .number = 7},
      {.kind = EVENT_COMPLETE}},
     steps},
    {"an attempt that is void",
     {{.kind = EVENT_TOKEN, .name = STR("final"), .text = STR("one"), .number = 1},
      {.kind = EVENT_TOKEN, .name = STR("final"), .text = STR("two"), .number = 2},
      {.kind = EVENT_ERROR, .name = STR("model_timeout"), .text = STR("no"), .number = 1}},
     attempts},
    {"state, and what has no event of its own",
     {{.kind = EVENT_STATE, .name = STR("a/b~c"), .text = STR("\"x\":null,\"y\":[1]")},
      {.kind = EVENT_ROUTE_DECISION, .name = STR("sql")},
      {.kind = EVENT_ERROR, .name = STR("cancelled"), .text = STR("somebody asked")}},
     state},
};

/* The data of each frame on a line of its own; anything but data lines is a failure. */
static void strip(struct str frames, struct buf *lines)
{
    while (!str_is_absent(frames)) {
        struct str line = str_split(&frames, '\n');
        if (line.len == 0)
            continue;
        assert_true(str_starts_with(line, STR("data: ")));
        buf_push(lines, str_from(line, 6));
        buf_push_char(lines, '\n');
    }
}

TEST(sequences)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        struct buf out, lines;
        arena_init(&arena, ARENA_BYTES);
        buf_init(&out, OUT_BYTES);
        buf_init(&lines, OUT_BYTES);
        const struct agui_encoder_options options = {&arena, STR("t"), STR("r")};
        struct encoder *encoder = agui_encoder_create(&options);
        encoder->kind->begin(encoder, STR(RUN), &out);
        for (size_t i = 0; i < MAX_EVENTS; i++) {
            struct event event = c->events[i];
            event.id = i + 1;
            encoder->kind->event(encoder, &event, &out);
            if (event_is_terminal(event.kind))
                break;
        }
        strip(buf_str(&out), &lines);
        EXPECT_STR(c->name, buf_str(&lines), str_of(c->want));
        buf_fini(&out);
        buf_fini(&lines);
        arena_fini(&arena);
    }
}

TEST(a_token_costs_no_allocation)
{
    const struct event token = {
        .id = 1, .kind = EVENT_TOKEN, .name = STR("final"), .text = STR("hello"), .number = 1};
    struct arena arena;
    struct buf out;
    arena_init(&arena, ARENA_BYTES);
    buf_init(&out, OUT_BYTES);
    const struct agui_encoder_options options = {&arena, STR("t"), STR("r")};
    struct encoder *encoder = agui_encoder_create(&options);
    encoder->kind->begin(encoder, STR(RUN), &out);
    encoder->kind->event(encoder, &token, &out);
    uint64_t before = mem_alloc_count();
    for (unsigned i = 0; i < 100; i++) {
        buf_clear(&out);
        encoder->kind->event(encoder, &token, &out);
    }
    EXPECT_INT("allocations", mem_alloc_count() - before, 0);
    buf_fini(&out);
    arena_fini(&arena);
}

/* What cannot be remembered is not shown; the run still begins and ends. */
TEST(an_arena_that_is_spent)
{
    struct arena arena;
    struct buf out;
    const struct agui_encoder_options options = {&arena, STR("t"), STR("r")};
    arena_init(&arena, ARENA_BYTES);
    buf_init(&out, OUT_BYTES);
    struct encoder *encoder = agui_encoder_create(&options);
    encoder->kind->begin(encoder, STR(RUN), &out);
    while (arena_alloc(&arena, 64) != NULL)
        continue;
    const struct event step = {.id = 1, .kind = EVENT_NODE_START, .name = STR("a")};
    const struct event end = {.id = 2, .kind = EVENT_COMPLETE};
    encoder->kind->event(encoder, &step, &out);
    encoder->kind->event(encoder, &end, &out);
    assert_true(buf_ok(&out) && str_find(buf_str(&out), STR("STEP_")) == STR_NONE);
    assert_true(str_find(buf_str(&out), STR("RUN_FINISHED")) != STR_NONE);
    EXPECT_TRUE("no encoder", agui_encoder_create(&options) == NULL);
    buf_fini(&out);
    arena_fini(&arena);
}

RUN_TESTS(T(sequences), T(a_token_costs_no_allocation), T(an_arena_that_is_spent))
