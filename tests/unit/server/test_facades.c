/* SPDX-License-Identifier: MIT */
/* The doors of OpenAI's clients and the AI SDK without a socket: sequences of events -> exact
 * bytes, and the same bytes from wherever a client goes on. */
#include "agents/memory/history.h"
#include "server/facades/openai/completions.h"
#include "server/facades/facade.h"
#include "server/facades/openai/responses.h"
#include "server/facades/ai_sdk/ui_chat.h"
#include "server/runs/shard.h"
#include "tests/lib/test.h"

#define RUN "run_00abcdefabcdabcdefabcdefabcdefabcd"

enum { MAX_EVENTS = 8, ARENA_BYTES = 1 << 20, OUT_BYTES = 1 << 20 };

enum door { NATIVE, CHAT, CHAT_USAGE, RESPONSES, RESPONSES_KEPT, UI };

static struct encoder *make(struct exchange *exchange, enum door door)
{
    const struct completions_said chat = {
        .model = "orchestrator", .created = 7, .wants_usage = door == CHAT_USAGE};
    const struct responses_said response = {
        .model = "orchestrator",
        .created = 7,
        .metadata = STR("{\"k\":\"v\"}"),
        .conversation = door == RESPONSES_KEPT ? STR("c\"1") : STR(""),
        .previous = door == RESPONSES_KEPT ? STR("resp_x") : (struct str){NULL, 0},
        .is_named = door == RESPONSES_KEPT};
    switch (door) {
    case NATIVE:
        return encoder_of(exchange);
    case CHAT:
    case CHAT_USAGE:
        return completions_encoder(exchange, &chat);
    case RESPONSES:
    case RESPONSES_KEPT:
        return responses_encoder(exchange, &response);
    case UI:
        return ui_chat_encoder(exchange);
    }
    return NULL;
}

#define TOKEN(words, attempt)                                                                      \
    {                                                                                              \
        .kind = EVENT_TOKEN, .name = STR("final"), .text = STR(words), .number = (attempt)         \
    }
#define ANOTHER(words, attempt) /* the first of it */                                              \
    {                                                                                              \
        .kind = EVENT_TOKEN, .name = STR("final"), .text = STR(words), .number = (attempt),        \
        .more = STR(EVENT_RESET)                                                                   \
    }
#define STATS "\"stats\":{\"tokens\":2,\"prompt_tokens\":3,\"completion_tokens\":2}"
#define CHUNK                                                                                      \
    "data: {\"id\":\"chatcmpl-" RUN "\",\"object\":\"chat.completion.chunk\",\"created\":7,"       \
    "\"model\":\"orchestrator\""
#define DELTA(delta, reason)                                                                       \
    CHUNK ",\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" reason "}]"
#define ROLE      DELTA("{\"role\":\"assistant\",\"content\":\"\"}", "null") "}\n\n"
#define SAY(text) DELTA("{\"content\":" text "}", "null") "}\n\n"

/* clang-format off */
static const char chat_answer[] =
    ROLE
    DELTA("{}", "null") ",\"x_event\":{\"event\":\"route_decision\",\"route\":\"sql\"}}\n\n"
    DELTA("{\"reasoning_content\":\"sql_agent\\n\"}", "null")
    ",\"x_event\":{\"event\":\"tool_start\",\"tool\":\"sql_agent\"}}\n\n"
    SAY("\"Hi \\\"you\\\"\\n\"") SAY("\"!\"")
    DELTA("{}", "\"stop\"") ",\"x_event\":{\"event\":\"complete\"," STATS "}}\n\n";
static const char chat_usage[] =
    ROLE SAY("\"one\"") SAY("\"\\n\\n\"") SAY("\"two\"")
    DELTA("{}", "\"stop\"") ",\"x_event\":{\"event\":\"complete\"," STATS "}}\n\n"
    CHUNK ",\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,"
    "\"total_tokens\":5}}\n\n"
    "data: [DONE]\n\n";
static const char chat_error[] =
    ROLE SAY("\"one\"")
    "data: {\"error\":{\"message\":\"no\",\"type\":\"server_error\",\"param\":null,"
    "\"code\":\"model_timeout\"}}\n\n";

#define FRAME(type, number)                                                                        \
    "event: response." type "\ndata: {\"type\":\"response." type "\",\"sequence_number\":" number
#define PLACE ",\"item_id\":\"msg_" RUN "\",\"output_index\":0,\"content_index\":0"
#define RESPONSE(id, status, error, usual)                                                         \
    ",\"response\":{\"id\":\"resp_" RUN id "\",\"object\":\"response\",\"created_at\":7,"          \
    "\"status\":\"" status "\",\"error\":" error ",\"model\":\"orchestrator\","                    \
    "\"metadata\":{\"k\":\"v\"},\"previous_response_id\":" usual ",\"instructions\":null,"         \
    "\"incomplete_details\":null,\"temperature\":null,\"top_p\":null,"                             \
    "\"parallel_tool_calls\":true,\"tools\":[],\"tool_choice\":\"auto\","                          \
    "\"text\":{\"format\":{\"type\":\"text\"}},\"store\":"
#define PART(text)                                                                                 \
    "{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"" text "\"}"
#define ITEM(status, content)                                                                      \
    "{\"id\":\"msg_" RUN "\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"" status     \
    "\",\"content\":[" content "]}"
#define TEXT_DELTA(text, number)                                                                   \
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\""            \
    PLACE ",\"logprobs\":[],\"delta\":\"" text "\",\"sequence_number\":" number "}\n\n"
#define ADDED                                                                                      \
    FRAME("output_item.added", "2") ",\"output_index\":0,\"item\":" ITEM("in_progress", "")        \
    "}\n\n" FRAME("content_part.added", "3") PLACE ",\"part\":" PART("") "}\n\n"
#define DONE(text, a, b, c)                                                                        \
    FRAME("output_text.done", a) PLACE ",\"logprobs\":[],\"text\":\"" text "\"}\n\n"               \
    FRAME("content_part.done", b) PLACE ",\"part\":" PART(text) "}\n\n"                            \
    FRAME("output_item.done", c) ",\"output_index\":0,\"item\":"                                   \
    ITEM("completed", PART(text)) "}\n\n"

static const char response_answer[] =
    FRAME("created", "0") RESPONSE("", "in_progress", "null", "null") "false,\"output\":[]}}\n\n"
    FRAME("in_progress", "1") RESPONSE("", "in_progress", "null", "null")
    "false,\"output\":[]}}\n\n"
    ADDED TEXT_DELTA("Hi \\\"you\\\"\\n", "4") TEXT_DELTA("!", "5")
    DONE("Hi \\\"you\\\"\\n!", "6", "7", "8")
    FRAME("completed", "9") RESPONSE("", "completed", "null", "null")
    "false,\"usage\":{\"input_tokens\":3,\"input_tokens_details\":{\"cached_tokens\":0},"
    "\"output_tokens\":2,\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":5},"
    "\"output\":[" ITEM("completed", PART("Hi \\\"you\\\"\\n!")) "],"
    "\"x_event\":{\"event\":\"complete\"," STATS "}}}\n\n";
/* A pause of the run; the model's id of the second call has a quote. */
#define PAUSE                                                                                      \
    EVENT_PAUSED_MEMBERS                                                                           \
    ",\"run_id\":\"" RUN "\",\"interrupts\":[{\"type\":\"client_tools\",\"calls\":["               \
    "{\"id\":\"c1\",\"tool\":\"f\",\"arguments\":{\"a\":1}},"                                      \
    "{\"id\":\"c\\\"2\",\"tool\":\"g\",\"arguments\":{}}]}]"
#define FUNCTION(id, status, name, arguments)                                                      \
    "{\"id\":\"fc_" RUN ":" id "\",\"type\":\"function_call\",\"status\":\"" status                \
    "\",\"call_id\":\"" RUN ":" id "\",\"name\":\"" name "\",\"arguments\":\"" arguments "\"}"
#define FUNCTION_FRAMES(place, id, name, arguments, n1, n2, n3, n4)                                \
    FRAME("output_item.added", n1)                                                                 \
    ",\"output_index\":" place ",\"item\":" FUNCTION(id, "in_progress", name, "") "}\n\n"          \
    FRAME("function_call_arguments.delta", n2)                                                     \
    ",\"output_index\":" place ",\"item_id\":\"fc_" RUN ":" id                                     \
    "\",\"delta\":\"" arguments "\"}\n\n"                                                          \
    FRAME("function_call_arguments.done", n3)                                                      \
    ",\"output_index\":" place ",\"item_id\":\"fc_" RUN ":" id "\",\"name\":\"" name               \
    "\",\"arguments\":\"" arguments "\"}\n\n"                                                      \
    FRAME("output_item.done", n4)                                                                  \
    ",\"output_index\":" place ",\"item\":" FUNCTION(id, "completed", name, arguments) "}\n\n"
static const char response_calls[] =
    FRAME("created", "0") RESPONSE("", "in_progress", "null", "null") "false,\"output\":[]}}\n\n"
    FRAME("in_progress", "1") RESPONSE("", "in_progress", "null", "null")
    "false,\"output\":[]}}\n\n"
    ADDED TEXT_DELTA("!", "4") DONE("!", "5", "6", "7")
    FUNCTION_FRAMES("1", "c1", "f", "{\\\"a\\\":1}", "8", "9", "10", "11")
    FUNCTION_FRAMES("2", "c\\\"2", "g", "{}", "12", "13", "14", "15")
    FRAME("completed", "16") RESPONSE("", "completed", "null", "null")
    "false,\"usage\":{\"input_tokens\":3,\"input_tokens_details\":{\"cached_tokens\":0},"
    "\"output_tokens\":2,\"output_tokens_details\":{\"reasoning_tokens\":0},"
    "\"total_tokens\":5},\"output\":[" ITEM("completed", PART("!")) ","
    FUNCTION("c1", "completed", "f", "{\\\"a\\\":1}") ","
    FUNCTION("c\\\"2", "completed", "g", "{}") "],"
    "\"x_event\":{\"event\":\"complete\"," PAUSE "," STATS "}}}\n\n";
#define NAMED "\"resp_x\",\"conversation\":{\"id\":\"c\\\"1\"}"
static const char response_error[] =
    FRAME("created", "0") RESPONSE(".c\\\"1", "in_progress", "null", NAMED)
    "true,\"output\":[]}}\n\n"
    FRAME("in_progress", "1") RESPONSE(".c\\\"1", "in_progress", "null", NAMED)
    "true,\"output\":[]}}\n\n"
    FRAME("failed", "2")
    RESPONSE(".c\\\"1", "failed", "{\"code\":\"model_timeout\",\"message\":\"no\"}", NAMED)
    "true,\"output\":[]}}\n\n";

#define CALL(id) "\"toolCallId\":\"tool-" id "\",\"dynamic\":true,\"providerExecuted\":true"
#define START                                                                                      \
    "data: {\"type\":\"start\",\"messageId\":\"" RUN "\"}\n\n" PART_OF("start-step", "")
#define PART_OF(type, more) "data: {\"type\":\"" type "\"" more "}\n\n"
#define TOOL(id, name)                                                                             \
    PART_OF("tool-input-start", "," CALL(id) ",\"toolName\":\"" name "\"")                         \
    PART_OF("tool-input-available", "," CALL(id) ",\"toolName\":\"" name "\",\"input\":{}")
static const char ui_answer[] =
    START
    PART_OF("data-route", ",\"data\":{\"event\":\"route_decision\",\"route\":\"rag\"},"
    "\"transient\":true")
    TOOL("2", "rag_agent")
    PART_OF("text-start", ",\"id\":\"text-1\"")
    PART_OF("text-delta", ",\"id\":\"text-1\",\"delta\":\"Hi \\\"you\\\"\\n\"")
    PART_OF("tool-output-available", "," CALL("2") ",\"output\":{\"ms\":5}")
    PART_OF("text-end", ",\"id\":\"text-1\"")
    PART_OF("source-document", ",\"sourceId\":\"a#1\",\"mediaType\":\"text/plain\","
    "\"title\":\"A\",\"filename\":\"a.md\"")
    PART_OF("source-document", ",\"sourceId\":\"b#1\",\"mediaType\":\"text/plain\","
    "\"title\":\"b.md\",\"filename\":\"b.md\"")
    PART_OF("finish-step", "")
    "data: {\"type\":\"finish\",\"finishReason\":\"stop\",\"messageMetadata\":{\"citations\":["
    "{\"document\":\"a.md\",\"chunk\":\"a#1\",\"title\":\"A\"},{\"document\":\"b.md\","
    "\"chunk\":\"b#1\"},{\"document\":\"c.md\"}]," STATS "}}\n\n"
    "data: [DONE]\n\n";
static const char ui_error[] =
    START TOOL("1", "x") PART_OF("text-start", ",\"id\":\"text-1\"")
    PART_OF("text-delta", ",\"id\":\"text-1\",\"delta\":\"one\"")
    PART_OF("text-end", ",\"id\":\"text-1\"") PART_OF("text-start", ",\"id\":\"text-2\"")
    PART_OF("text-delta", ",\"id\":\"text-2\",\"delta\":\"two\"")
    PART_OF("data-interrupt", ",\"data\":{\"event\":\"interrupt\",\"node\":\"ask\",\"q\":1}")
    PART_OF("text-end", ",\"id\":\"text-2\"")
    PART_OF("tool-output-error", "," CALL("1") ",\"errorText\":\"no\"")
    PART_OF("error", ",\"errorText\":\"no\",\"code\":\"model_timeout\"") "data: [DONE]\n\n";
static const char native_answer[] =
    "id: " RUN ":1\ndata: {\"event\":\"token\",\"channel\":\"final\",\"content\":\"one\"}\n\n"
    "id: " RUN ":2\ndata: {\"event\":\"token\",\"channel\":\"final\",\"content\":\"two\","
    "\"attempt\":2,\"reset\":true}\n\n"
    "id: " RUN ":3\ndata: {\"event\":\"token\",\"channel\":\"final\",\"content\":\"!\","
    "\"attempt\":2}\n\n"
    "id: " RUN ":4\ndata: {\"event\":\"complete\"," STATS "}\n\n";
/* clang-format on */

static const struct {
    const char *name;
    enum door door;
    struct event events[MAX_EVENTS]; /* numbered from 1; a terminal one ends them */
    const char *want;
    bool no_done; /* want is without [DONE], which follows */
} cases[] = {
    {"native",
     NATIVE,
     {TOKEN("one", 1),
      ANOTHER("two", 2),
      TOKEN("!", 2),
      {.kind = EVENT_COMPLETE, .text = STR(STATS)}},
     native_answer},
    {"chat: an answer",
     CHAT,
     {{.kind = EVENT_ROUTE_DECISION, .name = STR("sql")},
      {.kind = EVENT_TOOL_START, .name = STR("sql_agent")},
      TOKEN("Hi \"you\"\n", 1),
      {.kind = EVENT_TOKEN, .name = STR("draft"), .text = STR("not shown"), .number = 1},
      TOKEN("!", 1),
      {.kind = EVENT_COMPLETE, .text = STR(STATS)}},
     chat_answer,
     true},
    {"chat: usage, an attempt that is void",
     CHAT_USAGE,
     {TOKEN("one", 1), ANOTHER("two", 2), {.kind = EVENT_COMPLETE, .text = STR(STATS)}},
     chat_usage},
    {"chat: a failure",
     CHAT,
     {TOKEN("one", 1),
      {.kind = EVENT_ERROR, .name = STR("model_timeout"), .text = STR("no"), .number = 1}},
     chat_error},
    {"responses: an answer",
     RESPONSES,
     {TOKEN("Hi \"you\"\n", 1), TOKEN("!", 1), {.kind = EVENT_COMPLETE, .text = STR(STATS)}},
     response_answer},
    {"responses: calls of the client's tools behind a message",
     RESPONSES,
     {TOKEN("!", 1), {.kind = EVENT_COMPLETE, .text = STR(PAUSE "," STATS)}},
     response_calls},
    {"responses: a failure, in a conversation",
     RESPONSES_KEPT,
     {{.kind = EVENT_TOOL_START, .name = STR("x")},
      {.kind = EVENT_ERROR, .name = STR("model_timeout"), .text = STR("no"), .number = 1}},
     response_error},
    {"ui: an answer with its sources",
     UI,
     {{.kind = EVENT_ROUTE_DECISION, .name = STR("rag")},
      {.kind = EVENT_TOOL_START, .name = STR("rag_agent")},
      {.kind = EVENT_NODE_START, .name = STR("answer")},
      TOKEN("Hi \"you\"\n", 1),
      {.kind = EVENT_TOOL_END, .name = STR("rag_agent"), .number = 5},
      {.kind = EVENT_TOOL_END, .name = STR("never begun"), .number = 5},
      {.kind = EVENT_COMPLETE,
       .text = STR("\"citations\":[{\"document\":\"a.md\",\"chunk\":\"a#1\",\"title\":\"A\"},"
                   "{\"document\":\"b.md\",\"chunk\":\"b#1\"},{\"document\":\"c.md\"}]," STATS)}},
     ui_answer},
    {"ui: a failure, an attempt that is void, a question to a person",
     UI,
     {{.kind = EVENT_TOOL_START, .name = STR("x")},
      TOKEN("one", 1),
      ANOTHER("two", 2),
      {.kind = EVENT_INTERRUPT, .name = STR("ask"), .text = STR("\"q\":1")},
      {.kind = EVENT_ERROR, .name = STR("model_timeout"), .text = STR("no"), .number = 1}},
     ui_error},
};

/* What a client gets that has had the first after events already, by the rule of encoder.h;
 * returns the number of events. */
static size_t encode(enum door door, const struct event *events, size_t after, struct buf *out)
{
    struct exchange exchange = {0};
    size_t count = 0;
    arena_init(&exchange.arena, ARENA_BYTES);
    struct encoder *encoder = make(&exchange, door);
    assert_non_null(encoder);
    encoder->kind->begin(encoder, STR(RUN), out);
    for (bool ended = false; !ended; count++) {
        struct event event = events[count];
        event.id = count + 1;
        if (count < after || (count == after && after > 0))
            buf_clear(out);
        encoder->kind->event(encoder, &event, out);
        ended = event_is_terminal(event.kind);
    }
    if (encoder->kind->finish != NULL)
        encoder->kind->finish(encoder, out);
    assert_true(buf_ok(out));
    arena_fini(&exchange.arena);
    return count;
}

TEST(sequences)
{
    TEST_EACH(c, cases) {
        struct buf out, want;
        buf_init(&out, OUT_BYTES);
        buf_init(&want, OUT_BYTES);
        buf_push(&want, str_of(c->want));
        if (c->no_done)
            buf_push(&want, STR("data: [DONE]\n\n"));
        encode(c->door, c->events, 0, &out);
        EXPECT_STR(c->name, buf_str(&out), buf_str(&want));
        buf_fini(&out);
        buf_fini(&want);
    }
}

TEST(going_on_after_every_event)
{
    TEST_EACH(c, cases) {
        struct buf whole, rest;
        buf_init(&whole, OUT_BYTES);
        buf_init(&rest, OUT_BYTES);
        size_t count = encode(c->door, c->events, 0, &whole);
        for (size_t after = 1; after < count; after++) {
            buf_clear(&rest);
            encode(c->door, c->events, after, &rest);
            assert_true(buf_len(&rest) > 0 && buf_len(&rest) < buf_len(&whole));
            EXPECT_TRUE(c->name, str_ends_with(buf_str(&whole), buf_str(&rest)));
        }
        buf_fini(&whole);
        buf_fini(&rest);
    }
}

TEST(a_reader_that_was_too_slow)
{
    static const char *const wants[] = {[NATIVE] = "\"code\":\"lagged\"",
                                        [CHAT] = "{\"error\":{",
                                        [RESPONSES] = "response.failed",
                                        [UI] = "\"type\":\"error\""};
    static const enum door doors[] = {NATIVE, CHAT, RESPONSES, UI};
    TEST_EACH(door, doors) {
        struct exchange exchange = {0};
        struct buf out;
        buf_init(&out, OUT_BYTES);
        arena_init(&exchange.arena, ARENA_BYTES);
        struct encoder *encoder = make(&exchange, *door);
        encoder->kind->begin(encoder, STR(RUN), &out);
        encoder->kind->error(encoder, "lagged", "too slow", &out);
        assert_true(str_find(buf_str(&out), str_of(wants[*door])) != STR_NONE);
        assert_true(str_find(buf_str(&out), STR("lagged")) != STR_NONE);
        buf_fini(&out);
        arena_fini(&exchange.arena);
    }
}

/* Numbers of a response's events, as the run's own, leave out what the server before may have said
 * and nobody stored. */
TEST(numbers_of_a_response_that_was_taken_over)
{
    const struct event said[] = {
        {.id = 1, .kind = EVENT_TOKEN, .name = STR("final"), .text = STR("a"), .number = 1},
        {.id = event_first_id(2),
         .kind = EVENT_TOKEN,
         .name = STR("final"),
         .text = STR("b"),
         .number = 2,
         .more = STR(EVENT_RESET)},
        {.id = event_first_id(2) + 1,
         .kind = EVENT_TOKEN,
         .name = STR("final"),
         .text = STR("c"),
         .number = 2},
    };
    static const char *const wants[] = {"\"sequence_number\":4}", "\"sequence_number\":1000000001}",
                                        "\"sequence_number\":1000000002}"};
    struct exchange exchange = {0};
    struct buf out;
    buf_init(&out, OUT_BYTES);
    arena_init(&exchange.arena, ARENA_BYTES);
    struct encoder *encoder = make(&exchange, RESPONSES);
    encoder->kind->begin(encoder, STR(RUN), &out);
    for (size_t i = 0; i < countof(said); i++) {
        buf_clear(&out);
        encoder->kind->event(encoder, &said[i], &out);
        EXPECT_TRUE(wants[i], str_find(buf_str(&out), str_of(wants[i])) != STR_NONE);
    }
    buf_fini(&out);
    arena_fini(&exchange.arena);
}

TEST(a_token_costs_no_allocation)
{
    static const enum door doors[] = {NATIVE, CHAT, RESPONSES, UI};
    TEST_EACH(door, doors) {
        const struct event token = {
            .id = 1, .kind = EVENT_TOKEN, .name = STR("final"), .text = STR("hello"), .number = 1};
        struct exchange exchange = {0};
        struct buf out;
        buf_init(&out, OUT_BYTES);
        arena_init(&exchange.arena, ARENA_BYTES);
        struct encoder *encoder = make(&exchange, *door);
        encoder->kind->begin(encoder, STR(RUN), &out);
        encoder->kind->event(encoder, &token, &out);
        uint64_t before = mem_alloc_count();
        for (unsigned i = 0; i < 100; i++) {
            buf_clear(&out);
            encoder->kind->event(encoder, &token, &out);
        }
        EXPECT_INT("allocations", mem_alloc_count() - before, 0);
        buf_fini(&out);
        arena_fini(&exchange.arena);
    }
}

TEST(usage)
{
    static const struct {
        const char *members;
        unsigned prompt, completion;
    } reports[] = {
        {"", 0, 0},
        {"\"run_id\":\"x\"", 0, 0},
        {"\"stats\":{}", 0, 0},
        {STATS, 3, 2},
        {"\"data\":{\"stats\":{\"prompt_tokens\":9}},\"text\":\"\\\"stats\\\":{\"," STATS, 3, 2},
        {"\"stats\":{\"estimated\":true,\"prompt_tokens\":-1,\"completion_tokens\":1.5}", 0, 0},
        {"\"stats\":{\"prompt_tokens\":", 0, 0},
    };
    TEST_EACH(c, reports) {
        struct facade_usage got = facade_usage_of(str_of(c->members));
        EXPECT_INT(c->members, got.prompt_tokens, c->prompt);
        EXPECT_INT(c->members, got.completion_tokens, c->completion);
    }
}

/* ---- bodies ---- */

static const char *const bodies[] = {
    [CHAT] =
        "{\"model\":\"orchestrator\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
        "\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]},{\"role\":\"assistant\","
        "\"content\":\"c\"},{\"role\":\"user\",\"content\":\"d\"}],\"user\":\"u\"}",
    [RESPONSES] =
        "{\"model\":\"orchestrator\",\"input\":[{\"role\":\"user\",\"content\":\"a\\nb\"},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"c\"}]},"
        "{\"role\":\"user\",\"content\":\"d\"}],\"user\":\"u\",\"metadata\":{\"k\":\"v\"}}",
    [UI] =
        "{\"id\":\"chat\",\"messages\":[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":"
        "\"a\\nb\"}]},{\"role\":\"assistant\",\"parts\":[{\"type\":\"step-start\"},{\"type\":"
        "\"text\",\"text\":\"c\"}]},{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":"
        "\"d\"}]}],\"metadata\":{\"user_id\":\"u\"}}",
};

static bool read_body(struct exchange *exchange, enum door door, struct runs_request *run,
                      struct problem *problem)
{
    struct completions_request chat;
    struct responses_request response;
    struct ui_chat_input input;
    bool fine = false;
    if (door == UI) {
        fine = ui_chat_read(exchange, &input, problem);
        *run = input.run;
    } else if (door == CHAT) {
        fine = completions_read(exchange, &chat, problem);
        *run = chat.run;
    } else {
        fine = responses_read(exchange, &response, problem);
        *run = response.run;
    }
    return fine;
}

/* Each body is read alike, and when the n-th allocation fails it is a problem and no half answer.
 */
TEST(bodies_whatever_memory_there_is)
{
    static const enum door doors[] = {CHAT, RESPONSES, UI};
    const struct limits limits = {.sql_agent_max_iterations = 15, .sql_correction_max_attempts = 3};
    char company[] = "c";
    const struct config config = {.max_message_bytes = 256, .page_company_id = company};
    struct registry *registry;
    assert_int_equal(registry_create(&limits, &registry, NULL), ERR_OK);
    const struct shard_group group = {.config = &config, .registry = registry, .count = 1};
    struct shard shard = {.group = &group};
    TEST_EACH(door, doors) {
        const struct http_request http = {.body = str_of(bodies[*door])};
        bool fine = false;
        for (uint64_t nth = 1; !fine; nth++) {
            struct exchange exchange = {.shard = &shard, .request = &http};
            struct runs_request run = {0};
            struct problem problem = {0};
            arena_init(&exchange.arena, ARENA_BYTES);
            mem_fail_nth(nth);
            fine = read_body(&exchange, *door, &run, &problem);
            mem_fail_nth(0);
            if (fine) {
                EXPECT_STR("the question", run.message, STR("d"));
                EXPECT_INT("said before", run.said_count, 2);
                EXPECT_STR("by the user", run.said[0].text, STR("a\nb"));
                EXPECT_STR("by the assistant", run.said[1].text, STR("c"));
                EXPECT_STR("the user", run.caller.user_id, STR("u"));
                EXPECT_STR("the company", run.caller.company_id, STR("c"));
            } else {
                assert_true(problem.status >= 400 && problem.err.text[0] != '\0');
            }
            arena_fini(&exchange.arena);
        }
    }
    registry_destroy(registry);
}

RUN_TESTS(T(bodies_whatever_memory_there_is), T(sequences), T(going_on_after_every_event),
          T(a_reader_that_was_too_slow), T(numbers_of_a_response_that_was_taken_over),
          T(a_token_costs_no_allocation), T(usage))
