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
     {QUERY, ENOUGH, ANALYSIS, GOOD},
     4,
     "token:final:Revenue grew by 20.5% to 120.5 million [1, 2].|",
     "\"result\":\"20.5%\"",
     "retry:",
     4},
    {"charts and sources",
     {QUERY, ENOUGH, ANALYSIS, GOOD},
     4,
     "\"chartjs\":{\"type\":",
     "\"citations\":[{\"number\":1,",
     "CANARY",
     4},
    {"insufficient, then something new",
     {QUERY, NOT_YET, ENOUGH, ANALYSIS, GOOD},
     5,
     "retry:refinement:[\"revenue of 2021\"]|",
     "complete:",
     "\"gaps\":",
     5},
    {"never sufficient, and nothing new",
     {QUERY, NOT_YET, ANALYSIS, GOOD},
     4,
     "\"gaps\":[\"revenue of 2021\"]",
     "complete:",
     "error:",
     5},
    {"invalid twice",
     {QUERY, ENOUGH, ANALYSIS, BAD, BAD, GOOD},
     6,
     "retry:self_heal:[\"the passages marked do not hold 77",
     "\"quality_errors\":[]",
     "error:",
     6},
    {"never valid",
     {QUERY, ENOUGH, ANALYSIS, BAD},
     4,
     "\"quality_errors\":[\"the passages marked do not hold 77",
     "complete:",
     "error:",
     6},
    {"a source made up",
     {QUERY, ENOUGH, ANALYSIS, CITES, GOOD},
     5,
     "retry:self_heal:[\"there is no passage [9]",
     "\"quality_errors\":[]",
     "error:",
     5},
    {"honest about what is not there",
     {QUERY,
      ENOUGH,
      ANALYSIS,
      {"synthesis", "Revenue grew by 20.5% [1, 2]. The documents do not say what it was in 2019."}},
     4,
     "\"quality_errors\":[]",
     "complete:",
     "retry:",
     4},
    {"nothing of it is there",
     {QUERY, ENOUGH, ANALYSIS, {"synthesis", "The documents do not say what it was in 2019."}},
     4,
     "\"abstained\":\"The documents do not say what it was in 2019.\"",
     "\"quality_errors\":[]",
     "retry:",
     4},
    {"figures as Germans write them",
     {QUERY, ENOUGH, ANALYSIS, {"synthesis", "Der Umsatz stieg um 20,5% auf 120,5 [1, 2]."}},
     4,
     "\"quality_errors\":[]",
     "complete:",
     "retry:",
     4},
    {"an analysis that is none",
     {QUERY, ENOUGH, {"analysis", "Sorry."}, {"synthesis", "Revenue was 120.5 million [1, 2]."}},
     4,
     "\"analysis_errors\":[\"expected a JSON object, got none\"]",
     "complete:",
     "error:",
     4},
    {"a question that is not read",
     {{"query_processing", "?"}, ENOUGH, ANALYSIS, GOOD},
     4,
     "token:final:Revenue grew",
     "complete:",
     "error:",
     4},
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

static const struct fake_reply good[] = {QUERY, ENOUGH, ANALYSIS, GOOD};

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

static const struct {
    const char *name, *query, *sees, *sees_not;
} companies[] = {
    {"by a part of its name", "{\"companies\":[\"Bet\",\"Beta Group\"]}", "Beta's revenue",
     "Acme's"},
    {"that no document has", "{\"companies\":[\"Zeta\"]}", "Acme's revenue", NULL},
};

TEST(a_company_by_another_name)
{
    TEST_EACH(c, companies) {
        const struct fake_reply script[] = {{"query_processing", c->query}, ENOUGH, ANALYSIS, GOOD};
        struct buf said;
        struct rig *rig = rig_make(script, countof(script), true);
        buf_init(&said, 1 << 20);
        rig->graph.llm.transcript = &said;
        go(rig, "How did revenue change?");
        EXPECT_TRUE(c->name, str_find(buf_str(&said), str_of(c->sees)) != STR_NONE);
        if (c->sees_not != NULL)
            EXPECT_TRUE(c->name, str_find(buf_str(&said), str_of(c->sees_not)) == STR_NONE);
        buf_fini(&said);
        rig_free(rig);
    }
}

TEST(a_follow_up_is_searched_by_what_it_means)
{
    static const struct fake_reply script[] = {
        {"query_processing", "{\"question\":\"How did Acme's revenue change in 2023?\"}"},
        ENOUGH,
        ANALYSIS,
        GOOD};
    const struct identity key = {STR("c1"), STR("acme"), STR("u1")};
    struct buf prompts;
    struct rig *rig = rig_make(script, countof(script), true);
    buf_init(&prompts, 1 << 20);
    rig->graph.llm.transcript = &prompts;
    assert_int_equal(
        history_append(rig->graph.has.history, &key, LLM_USER, STR("Revenue of Acme?"), false),
        ERR_OK);
    assert_int_equal(
        history_append(rig->graph.has.history, &key, LLM_ASSISTANT, STR("100 </data>"), false),
        ERR_OK);
    go(rig, "And in 2023?");
    const struct str all = buf_str(&prompts);
    EXPECT_TRUE("the conversation",
                str_find(all, STR("user: Revenue of Acme?\nassistant: 100 &lt;/data>\n")) !=
                    STR_NONE);
    EXPECT_TRUE("what it means",
                str_find(all, STR("Question: How did Acme's revenue change in 2023?")) != STR_NONE);
    buf_fini(&prompts);
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
    QUERY, ENOUGH, ANALYSIS, {"synthesis", "Revenue was 120.5 million [1, 2]."}};

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
                                        "synthesis"};
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

RUN_TESTS(T(every_branch), T(a_company_by_another_name),
          T(a_follow_up_is_searched_by_what_it_means), T(the_answer_does_not_wait_for_memory),
          T(without_documents), T(stores_that_are_down), T(models_that_fail),
          T(cancelled_at_every_turn))
