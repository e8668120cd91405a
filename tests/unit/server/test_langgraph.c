/* SPDX-License-Identifier: MIT */
/* The LangGraph API without a socket: sequences of events -> exact frames by mode, frames that a
 * client has seen, times. */
#include "server/facades/langgraph/langgraph_encoder.h"
#include "server/facades/langgraph/langgraph_json.h"
#include "tests/lib/test.h"

#define RUN "run_00abcdefabcdefabcdefabcdef"

enum { MAX_EVENTS = 6, ARENA_BYTES = 1 << 16, OUT_BYTES = 1 << 16 };

/* clang-format off */
#define METADATA                                                                                   \
    "id: 0.1\nevent: metadata\ndata: {\"run_id\":\"" RUN "\",\"thread_id\":\"t\"}\n\n"
#define END(id, status)                                                                            \
    "id: " id "\nevent: end\ndata: {\"run_id\":\"" RUN "\",\"status\":\"" status "\"}\n\n"
#define CHUNK(text, n)                                                                             \
    "{\"type\":\"AIMessageChunk\",\"id\":\"" RUN ":ai" n "\",\"content\":\"" text "\"}"
#define ABOUT "{\"langgraph_node\":\"answer\",\"run_id\":\"" RUN "\"}"
#define CHAIN(id, what)                                                                            \
    "id: " id "\nevent: events\ndata: {\"event\":\"on_chain_" what "\",\"name\":\"answer\","    \
    "\"run_id\":\"" RUN "\",\"data\":{}}\n\n"
/* clang-format on */

#define NODE_BEGINS                                                                                \
    {                                                                                              \
        .kind = EVENT_NODE_START, .name = STR("answer")                                            \
    }
#define FINAL(text_, attempt)                                                                      \
    {                                                                                              \
        .kind = EVENT_TOKEN, .name = STR("final"), .text = STR(text_), .number = attempt           \
    }

static const struct {
    const char *name;
    struct langgraph_view view;
    struct langgraph_cursor seen;
    struct event events[MAX_EVENTS]; /* numbered from 1; a terminal one ends them */
    const char *want;
} cases[] = {
    {"tokens",
     {.modes = LANGGRAPH_MESSAGES},
     {0, 0},
     {NODE_BEGINS, FINAL("Hi\n", 1), FINAL("", 1), {.kind = EVENT_COMPLETE}},
     METADATA "id: 2.1\nevent: messages\ndata: [" CHUNK("Hi\\n", "") "," ABOUT
                                                                     "]\n\n" END("4.1", "success")},
    {"an attempt that is void is another message",
     {.modes = LANGGRAPH_MESSAGES},
     {0, 0},
     {NODE_BEGINS, FINAL("a", 1), FINAL("b", 2), {.kind = EVENT_COMPLETE}},
     METADATA "id: 2.1\nevent: messages\ndata: [" CHUNK(
         "a", "") "," ABOUT "]\n\n"
                  "id: 3.1\nevent: messages\ndata: [" CHUNK("b", "-2") "," ABOUT "]\n\n" END(
                      "4.1", "success")},
    {"events",
     {.modes = LANGGRAPH_EVENTS},
     {0, 0},
     {NODE_BEGINS,
      FINAL("a", 1),
      {.kind = EVENT_NODE_END, .name = STR("answer")},
      {.kind = EVENT_COMPLETE}},
     METADATA CHAIN("1.1", "start") "id: 2.1\nevent: events\ndata: "
                                    "{\"event\":\"on_chat_model_stream\",\"name\":\"answer\","
                                    "\"run_id\":\"" RUN "\",\"data\":{\"chunk\":" CHUNK(
                                        "a", "") "}}\n\n" CHAIN("3.1", "end")
                                        END("4.1", "success")},
    {"updates, of the graph itself",
     {.modes = LANGGRAPH_UPDATES},
     {0, 0},
     {{.kind = EVENT_STATE, .name = STR("a"), .text = STR("\"x\":1")},
      {.kind = EVENT_STATE, .name = STR("b/c"), .text = STR("\"y\":2")},
      {.kind = EVENT_ERROR, .name = STR("model_timeout"), .text = STR("no")}},
     METADATA "id: 1.1\nevent: updates\ndata: {\"a\":{\"x\":1}}\n\n"
              "id: 3.1\nevent: error\ndata: {\"error\":\"model_timeout\",\"message\":\"no\","
              "\"run_id\":\"" RUN "\"}\n\n" END("3.2", "error")},
    {"and of its sub-graphs",
     {.modes = LANGGRAPH_UPDATES, .subgraphs = true},
     {0, 0},
     {{.kind = EVENT_STATE, .name = STR("b/c"), .text = STR("\"y\":2")},
      {.kind = EVENT_ERROR, .name = STR("cancelled"), .text = STR("no")}},
     METADATA "id: 1.1\nevent: updates|b\ndata: {\"c\":{\"y\":2}}\n\n" END("2.1", "interrupted")},
    {"what else happens",
     {.modes = LANGGRAPH_CUSTOM},
     {0, 0},
     {{.kind = EVENT_TOOL_START, .name = STR("x")}, FINAL("not here", 1), {.kind = EVENT_COMPLETE}},
     METADATA "id: 1.1\nevent: custom\ndata: {\"event\":\"tool_start\",\"tool\":\"x\"}\n\n" END(
         "3.1", "success")},
    {"values without a thread in memory",
     {.modes = LANGGRAPH_VALUES},
     {0, 0},
     {{.kind = EVENT_COMPLETE, .text = STR("\"route\":\"sql\"")}},
     METADATA "id: 1.1\nevent: values\ndata: {\"route\":\"sql\"}\n\n" END("1.2", "success")},
    {"frames that were seen",
     {.modes = LANGGRAPH_MESSAGES | LANGGRAPH_EVENTS},
     {2, 1},
     {NODE_BEGINS, FINAL("a", 1), {.kind = EVENT_COMPLETE}},
     "id: 2.2\nevent: events\ndata: {\"event\":\"on_chat_model_stream\",\"name\":\"answer\","
     "\"run_id\":\"" RUN "\",\"data\":{\"chunk\":" CHUNK("a", "") "}}\n\n" END("3.1", "success")},
    {"all of them were", {.modes = LANGGRAPH_VALUES}, {1, 2}, {{.kind = EVENT_COMPLETE}}, ""},
};

TEST(sequences)
{
    TEST_EACH(c, cases) {
        struct arena arena;
        struct buf out;
        const struct langgraph_encoder_options options = {
            .arena = &arena, .thread_id = STR("t"), .view = c->view, .seen = c->seen};
        arena_init(&arena, ARENA_BYTES);
        buf_init(&out, OUT_BYTES);
        struct encoder *encoder = langgraph_encoder_create(&options);
        encoder->kind->begin(encoder, STR(RUN), &out);
        for (size_t i = 0; i < MAX_EVENTS; i++) {
            struct event event = c->events[i];
            event.id = i + 1;
            encoder->kind->event(encoder, &event, &out);
            if (event_is_terminal(event.kind))
                break;
        }
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

TEST(heads)
{
    struct arena arena;
    struct buf out;
    arena_init(&arena, ARENA_BYTES);
    buf_init(&out, OUT_BYTES);
    const struct langgraph_encoder_options options = {
        .arena = &arena,
        .thread_id = STR("a/b"),
        .view = {.modes = LANGGRAPH_VALUES | LANGGRAPH_MESSAGES, .subgraphs = true}};
    struct encoder *encoder = langgraph_encoder_create(&options);
    encoder->kind->head(encoder, STR(RUN), &out);
    EXPECT_STR("with a thread", buf_str(&out),
               STR("Content-Location: /threads/a%2Fb/runs/" RUN
                   "\r\nLocation: /threads/a%2Fb/runs/" RUN
                   "/stream?stream_mode=values&stream_mode=messages-tuple&"
                   "stream_subgraphs=true\r\n"));
    EXPECT_TRUE("an arena that is spent", arena_alloc(&arena, 2 * ARENA_BYTES) == NULL &&
                                              langgraph_encoder_create(&options) == NULL);
    buf_fini(&out);
    arena_fini(&arena);
}

TEST(a_token_costs_no_allocation)
{
    const struct event token = FINAL("hello", 1);
    struct arena arena;
    struct buf out;
    arena_init(&arena, ARENA_BYTES);
    buf_init(&out, OUT_BYTES);
    const struct langgraph_encoder_options options = {.arena = &arena,
                                                      .view = {.modes = LANGGRAPH_ALL}};
    struct encoder *encoder = langgraph_encoder_create(&options);
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

/* Of three turns, the state after two. */
TEST(states)
{
    const struct store_turn turns[] = {
        {.version = 2,
         .time_ms = 1000,
         .run_id = STR("r1"),
         .question = STR("a"),
         .answer = STR("b"),
         .details = STR("{\"sql\":\"SELECT 1\"}")},
        {.version = 5,
         .time_ms = UINT64_C(1764590401005),
         .run_id = STR("r2"),
         .question = STR("c"),
         .answer = STR("d"),
         .details = STR("{}")},
    };
    const struct langgraph_thread thread = {.thread_id = STR("t"), .turns = turns, .turn_count = 2};
    struct json_write json;
    struct buf out;
    buf_init(&out, OUT_BYTES);
    json_write_init(&json, &out);
    langgraph_json_state(&thread, 2, &json, &out);
    EXPECT_STR(
        "the last", buf_str(&out),
        STR("{\"values\":{\"messages\":[{\"type\":\"human\",\"id\":\"r1:human\",\"content\":\"a\"},"
            "{\"type\":\"ai\",\"id\":\"r1:ai\",\"content\":\"b\"},{\"type\":\"human\",\"id\":"
            "\"r2:human\",\"content\":\"c\"},{\"type\":\"ai\",\"id\":\"r2:ai\",\"content\":\"d\"}]"
            "},\"next\":[],\"tasks\":[],\"interrupts\":[],\"metadata\":{},\"checkpoint\":{"
            "\"thread_id\":\"t\",\"checkpoint_ns\":\"\",\"checkpoint_id\":\"5\"},"
            "\"parent_checkpoint\":{\"thread_id\":\"t\",\"checkpoint_ns\":\"\",\"checkpoint_id\":"
            "\"2\"},\"created_at\":\"2025-12-01T12:00:01.005Z\"}"));
    buf_clear(&out);
    json_write_init(&json, &out);
    langgraph_json_state(&thread, 1, &json, &out);
    assert_true(str_find(buf_str(&out), STR("\"content\":\"b\"}],\"sql\":\"SELECT 1\"}")) !=
                STR_NONE);
    buf_fini(&out);
}

RUN_TESTS(T(sequences), T(heads), T(a_token_costs_no_allocation), T(states))
