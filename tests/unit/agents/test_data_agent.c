/* SPDX-License-Identifier: MIT */
/* The data agent over a scripted model and database: turns and calls, budgets, what is told to the
 * model, cancelled after every number of turns, without memory. */
#include "core/base/mem.h"
#include "tests/unit/agents/graph_rig.h"

#define COUNT "SELECT COUNT(*) AS n FROM employee"

static const struct llm_tool_call two_calls[] = {
    {STR("a"), STR("run_sql"), STR("{\"sql\":\"" COUNT "\"}")},
    {STR("b"), STR("describe_tables"), STR("{\"tables\":[\"employee\"]}")},
};
static const struct fake_reply looks_then_answers[] = {
    {"data_agent", "Let me look.", .calls = two_calls, .call_count = countof(two_calls)},
    {"data_agent", "There are 42 [s1]."},
};
static const struct fake_answer forty_two[] = {
    {"COUNT", .column = "n", .value = 42, .row_count = 1},
};

static bool said(const struct graph_rig *rig, const char *text)
{
    return strstr(rig->events, text) != NULL;
}

TEST(calls_and_an_answer)
{
    struct graph_rig rig;
    graph_rig_init(&rig, looks_then_answers, countof(looks_then_answers), forty_two,
                   countof(forty_two));
    graph_rig_make(&rig, "data_agent", "How many?", EVENT_NODES);
    run_start(rig.run);
    assert_true(loop_run_dry(rig.loop, 100000));
    graph_rig_collect(&rig);
    EXPECT_TRUE("started", said(&rig, "tool_start:run_sql:\"id\":\"a\",\"arguments\":"));
    EXPECT_TRUE("ended", said(&rig, "tool_end:describe_tables:\"id\":\"b\",\"result\":"));
    EXPECT_TRUE("answered", said(&rig, "There are 42 [s1]."));
    EXPECT_TRUE("cited", said(&rig, "\"statements\":[{\"id\":\"s1\",\"sql\":\"SELECT"));
    EXPECT_INT("calls of the model", rig.llm.calls, 2);
    EXPECT_INT("statements", rig.sql.calls, 1);
    EXPECT_INT("tokens", run_stats(rig.run)->completion_tokens, 10);
    graph_rig_fini(&rig);
}

static const struct llm_tool_call one_call[] = {
    {STR("a"), STR("run_sql"), STR("{\"sql\":\"" COUNT "\"}")}};
static const struct fake_reply never_ends[] = {
    {"data_agent", "Enough.", .calls = one_call, .call_count = 1},
};

TEST(a_loop_is_ended_by_its_budget)
{
    struct graph_rig rig;
    graph_rig_init(&rig, never_ends, countof(never_ends), forty_two, countof(forty_two));
    graph_rig_go(&rig, "data_agent", "How many?");
    EXPECT_TRUE("told", said(&rig, "\"spent\":\"all 15 turns are used\""));
    EXPECT_TRUE("complete", said(&rig, "complete:"));
    EXPECT_INT("turns, and the last one", rig.llm.calls, 16);
    EXPECT_TRUE("why", strstr(rig.llm.last_user, "No more tools can be called") != NULL);
    graph_rig_fini(&rig);
}

/* What does not fit into the context is left out, the oldest results first. */
TEST(old_results_give_way)
{
    struct graph_rig rig;
    struct limits limits = rig_limits;
    struct buf transcript;
    limits.max_context_tokens = 1000;
    buf_init(&transcript, 4 << 20);
    graph_rig_init_limits(&rig, &limits, never_ends, countof(never_ends), forty_two,
                          countof(forty_two));
    rig.llm.transcript = &transcript;
    graph_rig_go(&rig, "data_agent", "How many?");
    struct str all = buf_str(&transcript);
    EXPECT_TRUE("left out", str_find(all, STR("(left out: call the tool again")) != STR_NONE);
    EXPECT_TRUE("the newest are there", str_find(all, STR("\"statement\":\"s15\"")) != STR_NONE);
    graph_rig_fini(&rig);
    buf_fini(&transcript);
}

static const struct {
    const char *name;
    struct fake_reply reply;
    const char *want;
} failures[] = {
    {"not a word", {"data_agent", ""}, "error:model_unavailable:"},
    {"the model fails", {"data_agent", "x", ERR_UNAVAILABLE}, "error:model_unavailable:"},
};

TEST(failures_end_the_run)
{
    TEST_EACH(c, failures) {
        struct graph_rig rig;
        graph_rig_init(&rig, &c->reply, 1, forty_two, countof(forty_two));
        graph_rig_go(&rig, "data_agent", "How many?");
        if (!said(&rig, c->want))
            fail_msg("%s: %s", c->name, rig.events);
        graph_rig_fini(&rig);
    }
}

static const struct fake_answer broken[] = {{"COUNT", ERR_UNAVAILABLE, "the database is away"}};

TEST(a_database_that_is_away_is_told_to_the_model)
{
    struct graph_rig rig;
    struct buf transcript;
    buf_init(&transcript, 1 << 20);
    graph_rig_init(&rig, looks_then_answers, countof(looks_then_answers), broken, countof(broken));
    rig.llm.transcript = &transcript;
    graph_rig_go(&rig, "data_agent", "How many?");
    EXPECT_TRUE("complete", said(&rig, "complete:"));
    EXPECT_TRUE("told", str_find(buf_str(&transcript), STR("The database says:")) != STR_NONE);
    EXPECT_TRUE("as data", str_find(buf_str(&transcript), STR("<data>\n")) != STR_NONE);
    graph_rig_fini(&rig);
    buf_fini(&transcript);
}

static const struct fake_answer full[] = {{"COUNT", ERR_BUSY, "no place is free"}};

/* A full pool is waited for, and then told. */
TEST(a_database_without_a_place_is_asked_again)
{
    struct graph_rig rig;
    graph_rig_init(&rig, looks_then_answers, countof(looks_then_answers), full, countof(full));
    graph_rig_make(&rig, "data_agent", "How many?", EVENT_NODES);
    run_start(rig.run);
    for (unsigned i = 0; i < 1000 && rig.ends == 0; i++) {
        loop_advance(rig.loop, 100);
        loop_turn(rig.loop, 20);
    }
    graph_rig_collect(&rig);
    EXPECT_INT("ends", rig.ends, 1);
    EXPECT_INT("asked again", rig.sql.calls, 8);
    EXPECT_INT("counted once", run_stats(rig.run)->sql_attempts, 1);
    EXPECT_TRUE("told", said(&rig, "The database says:"));
    graph_rig_fini(&rig);
}

TEST(no_model_no_agent)
{
    struct limits limits = rig_limits;
    struct registry *registry;
    struct err err;
    limits.no_model = true;
    assert_int_equal(registry_create(&limits, &registry, &err), ERR_OK);
    EXPECT_INT("not there", registry_find(registry, STR("data_agent")), -1);
    EXPECT_TRUE("others are", registry_find(registry, STR("analyst")) > 0);
    registry_destroy(registry);
}

TEST(cancelled_at_every_turn)
{
    bool completed = false;
    for (unsigned turns = 0; !completed; turns++) {
        struct graph_rig rig;
        graph_rig_init(&rig, looks_then_answers, countof(looks_then_answers), forty_two,
                       countof(forty_two));
        graph_rig_make(&rig, "data_agent", "How many?", EVENT_DEBUG);
        run_start(rig.run);
        loop_turn(rig.loop, turns);
        completed = rig.ends == 1;
        run_cancel(rig.run, "cancelled", "somebody asked");
        assert_true(loop_run_dry(rig.loop, 100000));
        EXPECT_INT("ends", rig.ends, 1);
        graph_rig_collect(&rig);
        EXPECT_TRUE("terminal", said(&rig, completed ? "complete:" : "error:cancelled:"));
        graph_rig_fini(&rig);
        assert_true(turns < 500);
    }
}

/* Whatever allocation fails, the run comes to one end. */
TEST(copes_without_memory)
{
    bool reached = true;
    for (uint64_t n = 1; reached && n < 3000; n++) {
        struct graph_rig rig;
        graph_rig_init(&rig, looks_then_answers, countof(looks_then_answers), forty_two,
                       countof(forty_two));
        graph_rig_make(&rig, "data_agent", "How many?", EVENT_NODES);
        uint64_t before = mem_alloc_count();
        mem_fail_nth(n);
        run_start(rig.run);
        assert_true(loop_run_dry(rig.loop, 100000));
        mem_fail_nth(0);
        reached = mem_alloc_count() - before >= n;
        EXPECT_INT("ends", rig.ends, 1);
        graph_rig_fini(&rig);
    }
    EXPECT_TRUE("it went well at last", !reached);
}

RUN_TESTS(T(calls_and_an_answer), T(a_loop_is_ended_by_its_budget), T(old_results_give_way),
          T(failures_end_the_run), T(a_database_that_is_away_is_told_to_the_model),
          T(a_database_without_a_place_is_asked_again), T(no_model_no_agent),
          T(cancelled_at_every_turn), T(copes_without_memory))
