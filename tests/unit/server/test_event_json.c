/* SPDX-License-Identifier: MIT */
#include "server/records/event_json.h"
#include "tests/lib/test.h"

static const struct {
    struct event event;
    const char *want;
} cases[] = {
    {{.kind = EVENT_ROUTE_DECISION, .name = STR("sql")},
     "{\"event\":\"route_decision\",\"route\":\"sql\"}"},
    {{.kind = EVENT_TOOL_START, .name = STR("sql_agent")},
     "{\"event\":\"tool_start\",\"tool\":\"sql_agent\"}"},
    {{.kind = EVENT_TOKEN, .name = STR("final"), .text = STR(" are\n\"x\""), .number = 1},
     "{\"event\":\"token\",\"channel\":\"final\",\"content\":\" are\\n\\\"x\\\"\"}"},
    {{.kind = EVENT_TOKEN, .name = STR("final"), .number = 2, .more = STR(EVENT_RESET)},
     "{\"event\":\"token\",\"channel\":\"final\",\"content\":\"\",\"attempt\":2,\"reset\":true}"},
    {{.kind = EVENT_COMPLETE, .text = STR("\"sql\":\"SELECT 1\"")},
     "{\"event\":\"complete\",\"sql\":\"SELECT 1\"}"},
    {{.kind = EVENT_COMPLETE}, "{\"event\":\"complete\"}"},
    {{.kind = EVENT_ERROR,
      .name = STR("sql_failed"),
      .text = STR("no"),
      .number = 1,
      .more = STR("\"run_id\":\"r\"")},
     "{\"event\":\"error\",\"code\":\"sql_failed\",\"message\":\"no\",\"retryable\":true,"
     "\"run_id\":\"r\"}"},
    {{.kind = EVENT_NODE_START, .name = STR("a/b")}, "{\"event\":\"node_start\",\"node\":\"a/b\"}"},
    {{.kind = EVENT_NODE_END, .name = STR("a"), .number = 7},
     "{\"event\":\"node_end\",\"node\":\"a\",\"ms\":7}"},
    {{.kind = EVENT_ERROR, .name = STR("overloaded"), .text = STR("full"), .number = 1},
     "{\"event\":\"error\",\"code\":\"overloaded\",\"message\":\"full\",\"retryable\":true,"
     "\"retry_after\":1}"},
    {{.kind = EVENT_TOOL_END, .name = STR("a"), .number = 0},
     "{\"event\":\"tool_end\",\"tool\":\"a\",\"ms\":0}"},
    {{.kind = EVENT_TOOL_PROGRESS, .name = STR("a"), .text = STR("\"message\":\"half\"")},
     "{\"event\":\"tool_progress\",\"tool\":\"a\",\"message\":\"half\"}"},
    {{.kind = EVENT_RETRY, .name = STR("retry"), .text = STR("why"), .number = 1},
     "{\"event\":\"retry\",\"budget\":\"retry\",\"reason\":\"why\",\"used\":1}"},
    {{.kind = EVENT_STATE, .name = STR("a"), .text = STR("\"x\":null")},
     "{\"event\":\"state\",\"node\":\"a\",\"fields\":{\"x\":null}}"},
    {{.kind = EVENT_QUEUED, .name = STR("llm"), .number = 3},
     "{\"event\":\"queued\",\"gate\":\"llm\",\"position\":3}"},
    {{.kind = EVENT_WARNING, .name = STR("rule"), .text = STR("careful")},
     "{\"event\":\"warning\",\"rule\":\"rule\",\"message\":\"careful\"}"},
    {{.kind = EVENT_DATA, .text = STR("\"data\":{}")}, "{\"event\":\"data\",\"data\":{}}"},
    {{.kind = EVENT_INTERRUPT, .name = STR("ask"), .text = STR("\"q\":1")},
     "{\"event\":\"interrupt\",\"node\":\"ask\",\"q\":1}"},
};

TEST(golden_lines)
{
    TEST_EACH(c, cases) {
        struct buf out;
        buf_init(&out, 4096);
        event_json_write(&out, &c->event);
        EXPECT_STR(event_name(c->event.kind), buf_str(&out), str_of(c->want));
        buf_fini(&out);
    }
}

TEST(a_token_costs_no_allocation)
{
    struct buf out;
    const struct event token = {
        .kind = EVENT_TOKEN, .name = STR("final"), .text = STR("hello"), .number = 1};
    buf_init(&out, 4096);
    event_json_write(&out, &token);
    uint64_t before = mem_alloc_count();
    for (unsigned i = 0; i < 100; i++) {
        buf_clear(&out);
        event_json_write(&out, &token);
    }
    EXPECT_INT("allocations", mem_alloc_count() - before, 0);
    buf_fini(&out);
}

RUN_TESTS(T(golden_lines), T(a_token_costs_no_allocation))
