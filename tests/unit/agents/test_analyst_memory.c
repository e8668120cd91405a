/* SPDX-License-Identifier: MIT */
/* What the analyst remembers and sums up; stores that are down at one step alone; memory that
 * ends. */
#include "tests/unit/agents/analyst_rig.h"

enum { MOST_ALLOCATIONS = 4000 };

#define SUMMED                                                                                     \
    {                                                                                              \
        "memory_compression", "They asked about Acme."                                             \
    }

static const struct fake_reply good[] = {QUERY, ENOUGH, ANALYSIS, GOOD, SUMMED};
static const struct fake_reply not_summed[] = {
    QUERY, ENOUGH, ANALYSIS, GOOD, {"memory_compression", "", ERR_UNAVAILABLE}};

static void ask_again(struct rig *rig, const char *question)
{
    if (rig->graph.run != NULL)
        graph_rig_drop_run(&rig->graph);
    memset(rig->graph.llm.used, 0, sizeof rig->graph.llm.used);
    rig->graph.events[0] = '\0';
    go(rig, question);
}

TEST(the_next_conversation_sees_it)
{
    struct rig *rig = rig_make(good, countof(good), true);
    const struct identity key = {STR("c1"), STR("acme"), STR("u1")};
    struct buf said;
    buf_init(&said, 1 << 20);
    ask_again(rig, QUESTION);
    EXPECT_INT("both stores", fake_vec_count(&rig->vec, HYBRID_MEMORY), 1);
    EXPECT_INT("both stores", fake_text_count(&rig->text, HYBRID_MEMORY), 1);
    EXPECT_INT("the conversation", history_count(rig->graph.has.history, &key), 2);
    rig->graph.llm.transcript = &said;
    ask_again(rig, "How is the revenue of Acme in all?");
    EXPECT_TRUE("in the prompt of synthesis",
                str_find(buf_str(&said), STR("Question: " QUESTION "\nAnswer: Revenue grew")) !=
                    STR_NONE);
    buf_fini(&said);
    rig_free(rig);
}

static const struct {
    const char *name;
    const struct fake_reply *script;
    size_t count;
    size_t passages; /* after eleven turns */
    bool has_summary;
} long_ones[] = {
    {"summed up", good, countof(good), 2, true},
    {"not summed up", not_summed, countof(not_summed), 11, false},
};

TEST(a_long_conversation_is_summed_up)
{
    TEST_EACH(c, long_ones) {
        struct rig *rig = rig_make(c->script, c->count, true);
        struct buf said;
        buf_init(&said, 4 << 20);
        rig->graph.llm.transcript = &said;
        for (unsigned turn = 1; turn <= 11; turn++) {
            char question[64];
            snprintf(question, sizeof question, "Revenue of Acme, turn %u?", turn);
            ask_again(rig, question);
            EXPECT_HAS(c->name, rig, "complete:");
            if (turn == 10)
                EXPECT_INT("ten by themselves", fake_vec_count(&rig->vec, HYBRID_MEMORY), 10);
        }
        EXPECT_INT(c->name, fake_vec_count(&rig->vec, HYBRID_MEMORY), c->passages);
        EXPECT_INT(c->name, fake_text_count(&rig->text, HYBRID_MEMORY), c->passages);
        struct str asked = buf_str(&said);
        EXPECT_TRUE("the ten before",
                    str_find(asked, STR("user: Revenue of Acme, turn 1?")) >= 0 &&
                        str_find(asked, STR("user: Revenue of Acme, turn 10?")) >= 0);
        EXPECT_TRUE("not this one",
                    str_find(asked, STR("user: Revenue of Acme, turn 11?\nassistant")) == STR_NONE);
        buf_clear(&said);
        ask_again(rig, "What was asked about Acme?");
        EXPECT_INT(c->name, str_find(buf_str(&said), STR("Earlier in the conversation:")) >= 0,
                   c->has_summary);
        buf_fini(&said);
        rig_free(rig);
    }
}

/* ---- stores that are down at one step ---- */

static void start(struct rig *rig)
{
    graph_rig_make(&rig->graph, "analyst", QUESTION, EVENT_CORE);
    run_start(rig->graph.run);
}

static void end(struct rig *rig)
{
    assert_true(loop_run_dry(rig->graph.loop, 100000));
    EXPECT_INT("one end", rig->graph.ends, 1);
    graph_rig_collect(&rig->graph);
}

TEST(stores_that_go_down_before_the_second_look)
{
    static const struct fake_reply lacking[] = {QUERY, NOT_YET, ANALYSIS, GOOD};
    struct rig *rig = rig_make(lacking, countof(lacking), true);
    start(rig);
    for (unsigned turn = 0; turn < 10000 && rig->graph.llm.calls < 2; turn++)
        loop_turn(rig->graph.loop, 1);
    EXPECT_INT("the first look is judged", rig->graph.llm.calls, 2);
    rig->vec.failure = rig->text.failure = ERR_UNAVAILABLE;
    end(rig);
    EXPECT_HAS("said", rig, "error:retrieval_unavailable");
    rig_free(rig);
}

TEST(stores_that_go_down_before_it_is_remembered)
{
    struct rig *rig = rig_make(good, countof(good), true);
    start(rig);
    for (unsigned turn = 0; turn < 10000 && !event_log_is_closed(run_log(rig->graph.run)); turn++)
        loop_turn(rig->graph.loop, 1);
    rig->vec.failure = rig->text.failure = ERR_UNAVAILABLE;
    end(rig);
    EXPECT_HAS("the answer stands", rig, "complete:");
    EXPECT_INT("nothing is remembered", fake_text_count(&rig->text, HYBRID_MEMORY), 0);
    rig_free(rig);
}

/* ---- memory that ends ---- */

TEST(the_nth_allocation_fails)
{
    bool failed = false, passed = false;
    for (uint64_t n = 1; n < MOST_ALLOCATIONS; n += 1 + n / 8) {
        struct rig *rig = rig_make(good, countof(good), true);
        graph_rig_make(&rig->graph, "analyst", QUESTION, EVENT_CORE);
        mem_fail_nth(n);
        run_start(rig->graph.run);
        assert_true(loop_run_dry(rig->graph.loop, 100000));
        mem_fail_nth(0);
        EXPECT_INT("one end", rig->graph.ends, 1);
        EXPECT_TRUE("said", event_log_is_closed(run_log(rig->graph.run)));
        graph_rig_collect(&rig->graph);
        bool is_complete = strstr(rig->graph.events, "complete:") != NULL;
        failed = failed || !is_complete;
        passed = is_complete;
        rig_free(rig);
    }
    EXPECT_TRUE("some runs failed, and it passes in the end", failed && passed);
}

RUN_TESTS(T(the_next_conversation_sees_it), T(a_long_conversation_is_summed_up),
          T(stores_that_go_down_before_the_second_look),
          T(stores_that_go_down_before_it_is_remembered), T(the_nth_allocation_fails))
