/* SPDX-License-Identifier: MIT */
/* The analyst over scripted models and stores: every branch of its three sub-graphs, stores that
 * are down, cancels. */
#include "tests/unit/agents/analyst_rig.h"

static const struct branch {
    const char *name;
    struct fake_reply script[10];
    size_t count;
    const char *has, *also, *has_not;
    unsigned calls;
} branches[] = {
    {"all well",
     {QUERY, ENOUGH, ANALYSIS, EXPLAINED, GOOD},
     5,
     "token:final:Revenue grew by 20.5% to 120.5 million [1, 2].|",
     "\"result\":\"20.5%\"",
     "retry:",
     5},
    {"charts and sources",
     {QUERY, ENOUGH, ANALYSIS, EXPLAINED, GOOD},
     5,
     "\"chartjs\":{\"type\":",
     "\"citations\":[{\"number\":1,",
     "CANARY",
     5},
    {"insufficient twice",
     {QUERY, NOT_YET, NOT_YET, ENOUGH, ANALYSIS, EXPLAINED, GOOD},
     7,
     "retry:refinement:[\"revenue of 2021\"]|",
     "complete:",
     "\"gaps\":",
     7},
    {"never sufficient",
     {QUERY, NOT_YET, ANALYSIS, EXPLAINED, GOOD},
     5,
     "\"gaps\":[\"revenue of 2021\"]",
     "complete:",
     "error:",
     8},
    {"invalid twice",
     {QUERY, ENOUGH, ANALYSIS, EXPLAINED, BAD, BAD, GOOD, HEALED},
     8,
     "retry:self_heal:[\"the passages marked do not hold 77",
     "\"quality_errors\":[]",
     "error:",
     9},
    {"never valid",
     {QUERY, ENOUGH, ANALYSIS, EXPLAINED, BAD, HEALED},
     6,
     "\"quality_errors\":[\"the passages marked do not hold 77",
     "complete:",
     "error:",
     9},
    {"a source made up",
     {QUERY, ENOUGH, ANALYSIS, EXPLAINED, CITES, GOOD, HEALED},
     7,
     "retry:self_heal:[\"there is no passage [9]",
     "\"quality_errors\":[]",
     "error:",
     7},
    {"a chart that is broken",
     {QUERY, ENOUGH, ANALYSIS, BROKEN, GOOD, HEALED},
     6,
     "retry:self_heal:[\"chart 0: ",
     "\"quality_errors\":[]",
     "error:",
     7},
    {"an analysis that is none",
     {QUERY,
      ENOUGH,
      {"analysis", "Sorry."},
      EXPLAINED,
      {"synthesis", "Revenue was 120.5 million [1, 2]."}},
     5,
     "\"analysis_errors\":[\"expected a JSON object, got none\"]",
     "complete:",
     "error:",
     5},
    {"a question that is not read",
     {{"query_processing", "?"}, ENOUGH, ANALYSIS, EXPLAINED, GOOD},
     5,
     "token:final:Revenue grew",
     "complete:",
     "error:",
     5},
};

TEST(every_branch)
{
    TEST_EACH(c, branches) {
        struct rig *rig = rig_make(c->script, c->count, true);
        go(rig, QUESTION);
        EXPECT_HAS(c->name, rig, c->has);
        EXPECT_HAS(c->name, rig, c->also);
        EXPECT_HAS_NOT(c->name, rig, c->has_not);
        EXPECT_INT(c->name, rig->graph.llm.calls, c->calls);
        rig_free(rig);
    }
}

static const struct fake_reply good[] = {QUERY, ENOUGH, ANALYSIS, EXPLAINED, GOOD};

/* C19. */
TEST(the_answer_does_not_wait_for_memory)
{
    struct rig *rig = rig_make(good, countof(good), true);
    struct event event = {0};
    bool is_complete = false;
    graph_rig_make(&rig->graph, "analyst", QUESTION, EVENT_CORE);
    run_start(rig->graph.run);
    for (unsigned turn = 0; turn < 10000 && !is_complete; turn++) {
        loop_turn(rig->graph.loop, 1);
        for (uint64_t id = 0; event_log_after(run_log(rig->graph.run), id, &event) == ERR_OK; id++)
            is_complete = is_complete || event.kind == EVENT_COMPLETE;
    }
    EXPECT_TRUE("said", is_complete);
    EXPECT_INT("before it is remembered", fake_vec_count(&rig->vec, HYBRID_MEMORY), 0);
    EXPECT_INT("the run waits", rig->graph.ends, 0);
    assert_true(loop_run_dry(rig->graph.loop, 100000));
    EXPECT_INT("which is then", fake_vec_count(&rig->vec, HYBRID_MEMORY), 1);
    rig_free(rig);
}

TEST(without_documents)
{
    struct rig *rig = rig_make(good, countof(good), false);
    go(rig, QUESTION);
    EXPECT_INT("the question alone is read", rig->graph.llm.calls, 1);
    EXPECT_HAS("said", rig, "token:final:There are no documents");
    EXPECT_HAS("complete", rig, "\"abstained\":\"There are no documents");
    rig_free(rig);
}

static const struct {
    const char *name;
    enum err_code embed, vec, text;
    const char *has;
} down[] = {
    {"no vectors", ERR_OK, ERR_UNAVAILABLE, ERR_OK, "Only one of two searches"},
    {"no words", ERR_OK, ERR_OK, ERR_UNAVAILABLE, "Only one of two searches"},
    {"no embeddings", ERR_TIMEOUT, ERR_OK, ERR_OK, "Only one of two searches"},
    {"neither", ERR_OK, ERR_UNAVAILABLE, ERR_UNAVAILABLE, "error:retrieval_unavailable"},
};

/* Says nothing that depends on the order in which passages are found. */
static const struct fake_reply plain[] = {
    QUERY, ENOUGH, ANALYSIS, EXPLAINED, {"synthesis", "Revenue was 120.5 million [1, 2]."}};

TEST(stores_that_are_down)
{
    TEST_EACH(c, down) {
        struct rig *rig = rig_make(plain, countof(plain), true);
        rig->embed.failure = c->embed;
        rig->vec.failure = c->vec;
        rig->text.failure = c->text;
        go(rig, QUESTION);
        EXPECT_HAS(c->name, rig, c->has);
        rig_free(rig);
    }
    struct rig *rig = rig_make(plain, countof(plain), true);
    rig->vec.failure = ERR_UNAVAILABLE;
    rig->vec.fails = "conversation_memory";
    go(rig, QUESTION);
    EXPECT_HAS("memory is no need", rig, "complete:");
    rig_free(rig);
}

TEST(models_that_fail)
{
    static const char *const tasks[] = {"query_processing", "context_validation", "analysis",
                                        "text_explanation", "synthesis"};
    for (size_t i = 0; i < countof(tasks); i++) {
        struct fake_reply script[countof(good)];
        memcpy(script, good, sizeof good);
        script[i].failure = ERR_UNAVAILABLE;
        struct rig *rig = rig_make(script, countof(script), true);
        go(rig, QUESTION);
        EXPECT_HAS(tasks[i], rig, "error:model_unavailable");
        rig_free(rig);
    }
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turn = 0; !ended; turn++) {
        struct rig *rig = rig_make(good, countof(good), true);
        EXPECT_TRUE("it ends", turn < 1000);
        graph_rig_make(&rig->graph, "analyst", QUESTION, EVENT_CORE);
        run_start(rig->graph.run);
        loop_turn(rig->graph.loop, turn);
        ended = rig->graph.ends == 1;
        run_cancel(rig->graph.run, "cancelled", "test");
        assert_true(loop_run_dry(rig->graph.loop, 100000));
        EXPECT_INT("one end", rig->graph.ends, 1);
        rig_free(rig);
    }
}

RUN_TESTS(T(every_branch), T(the_answer_does_not_wait_for_memory), T(without_documents),
          T(stores_that_are_down), T(models_that_fail), T(cancelled_at_every_turn))
