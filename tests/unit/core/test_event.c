/* SPDX-License-Identifier: MIT */
/* Names, levels and which kinds end a log. */
#include "tests/lib/test.h"

#include "core/store/event.h"

TEST(kinds)
{
    static const struct {
        const char *name;
        enum event_kind kind;
        enum event_level level;
        bool terminal;
    } cases[] = {
        {"route_decision", EVENT_ROUTE_DECISION, EVENT_CORE, false},
        {"tool_start", EVENT_TOOL_START, EVENT_CORE, false},
        {"token", EVENT_TOKEN, EVENT_CORE, false},
        {"complete", EVENT_COMPLETE, EVENT_CORE, true},
        {"error", EVENT_ERROR, EVENT_CORE, true},
        {"node_start", EVENT_NODE_START, EVENT_NODES, false},
        {"node_end", EVENT_NODE_END, EVENT_NODES, false},
        {"tool_end", EVENT_TOOL_END, EVENT_NODES, false},
        {"retry", EVENT_RETRY, EVENT_NODES, false},
        {"state", EVENT_STATE, EVENT_NODES, false},
        {"queued", EVENT_QUEUED, EVENT_NODES, false},
        {"warning", EVENT_WARNING, EVENT_NODES, false},
        {"interrupt", EVENT_INTERRUPT, EVENT_CORE, false},
        {"data", EVENT_DATA, EVENT_ASKED, false},
        {"tool_progress", EVENT_TOOL_PROGRESS, EVENT_NODES, false},
    };
    EXPECT_INT("every kind is here", countof(cases), EVENT_KIND_COUNT);
    TEST_EACH(c, cases) {
        EXPECT_STR(c->name, str_of(event_name(c->kind)), str_of(c->name));
        EXPECT_INT(c->name, event_level(c->kind), c->level);
        EXPECT_INT(c->name, event_is_terminal(c->kind), c->terminal);
    }
}

/* Each server of a run has ids of its own. */
TEST(ids_that_may_come_next)
{
    static const struct {
        const char *name;
        uint64_t id, last_id, epoch;
        bool may;
    } cases[] = {
        {"the first", 1, 0, 1, true},
        {"the next", 8, 7, 1, true},
        {"one is missing", 9, 7, 1, false},
        {"it is there", 7, 7, 1, false},
        {"from the beginning", 1, 7, 1, false},
        {"the next server's first", 1000000001, 7, 2, true},
        {"and next", 1000000002, 1000000001, 2, true},
        {"where the one before was", 8, 7, 2, true}, /* a program that knew no better */
        {"not its first", 1000000002, 7, 2, false},
        {"a later server's", 2000000001, 7, 2, false},
        {"which has said nothing", 2000000001, 7, 3, true},
        {"again", 1000000001, 1000000009, 2, false},
    };
    TEST_EACH(c, cases)
        EXPECT_INT(c->name, event_comes_next(c->id, c->last_id, c->epoch), c->may);
}

RUN_TESTS(T(kinds), T(ids_that_may_come_next))
