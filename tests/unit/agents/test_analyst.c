/* SPDX-License-Identifier: MIT */
/* The analyst over scripted models and stores: every branch of its three sub-graphs, stores that
 * are down, cancels, memory that ends. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/docs/ingest.h"
#include "agents/search/hybrid.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_text.h"
#include "tests/lib/fake_vec.h"

#define EXPECT_HAS(name, rig, piece)                                                               \
    do {                                                                                           \
        if (strstr((rig)->graph.events, piece) == NULL)                                            \
            fail_msg("%s: '%s' is not in: %s", name, piece, (rig)->graph.events);                  \
    } while (0)
#define EXPECT_HAS_NOT(name, rig, piece)                                                           \
    do {                                                                                           \
        if (strstr((rig)->graph.events, piece) != NULL)                                            \
            fail_msg("%s: '%s' is in: %s", name, piece, (rig)->graph.events);                      \
    } while (0)

struct rig {
    struct graph_rig graph;
    struct fake_embed embed;
    struct fake_vec vec;
    struct fake_text text;
};

static const struct {
    const char *id, *heading, *text, *year, *company_id;
} passages[] = {
    {"acme-2022#1", "Results 2022", "Acme's revenue was 100.0 million dollars in 2022.", "2022",
     ""},
    {"acme-2023#1", "Results 2023", "Acme's revenue was 120.5 million dollars in 2023.", "2023",
     ""},
    {"globex#1", "Results", "CANARY: Acme's revenue was 999 million dollars.", "2023", "globex"},
};

static void on_stored(struct op *op)
{
    (void)op;
}

static void store(struct rig *rig)
{
    struct docs_ingest *ingest = mem_zalloc(1, sizeof *ingest);
    struct passage_field fields[countof(passages)][5];
    struct docs_item items[countof(passages)];
    for (size_t i = 0; i < countof(passages); i++) {
        fields[i][0] = (struct passage_field){STR("document"), STR("acme.md")};
        fields[i][1] = (struct passage_field){STR("heading"), str_of(passages[i].heading)};
        fields[i][2] = (struct passage_field){STR("company_id"), str_of(passages[i].company_id)};
        fields[i][3] = (struct passage_field){STR("year"), str_of(passages[i].year)};
        fields[i][4] = (struct passage_field){STR("company"), STR("Acme")};
        items[i] =
            (struct docs_item){{str_of(passages[i].id), str_of(passages[i].text), fields[i], 5},
                               str_of(passages[i].text)};
    }
    const struct docs_ingest_request request = {
        .collection = HYBRID_FINANCIAL, .items = items, .count = countof(items)};
    docs_ingest_start(ingest, &rig->graph.has, &request, (struct op_waiter){on_stored, NULL, NULL});
    assert_true(loop_run_dry(rig->graph.loop, 1000));
    EXPECT_INT("stored", ingest->op.err.code, ERR_OK);
    op_release(&ingest->op);
    mem_free(ingest);
}

static struct rig *rig_make(const struct fake_reply *replies, size_t count, bool with_documents)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    graph_rig_init(&rig->graph, replies, count, NULL, 0);
    fake_embed_init(&rig->embed, rig->graph.loop);
    fake_vec_init(&rig->vec, rig->graph.loop);
    fake_text_init(&rig->text, rig->graph.loop);
    rig->graph.has.embed = &rig->embed.embed;
    rig->graph.has.vec = &rig->vec.vec;
    rig->graph.has.text = &rig->text.text;
    if (with_documents)
        store(rig);
    return rig;
}

static void rig_free(struct rig *rig)
{
    graph_rig_fini(&rig->graph);
    fake_vec_fini(&rig->vec);
    fake_text_fini(&rig->text);
    mem_free(rig);
}

/* As graph_rig_go, with the retries. */
static void go(struct rig *rig, const char *question)
{
    struct graph_rig *graph = &rig->graph;
    struct event event;
    size_t len = 0;
    enum event_kind last = EVENT_KIND_COUNT;
    graph_rig_make(graph, "analyst", question, EVENT_NODES);
    run_start(graph->run);
    assert_true(loop_run_dry(graph->loop, 100000));
    EXPECT_INT("one end", graph->ends, 1);
    for (uint64_t id = 0; event_log_after(run_log(graph->run), id, &event) == ERR_OK; id++) {
        if (event_level(event.kind) != EVENT_CORE && event.kind != EVENT_RETRY)
            continue;
        bool joined = event.kind == EVENT_TOKEN && last == EVENT_TOKEN && event.number > 0;
        len += joined ? (size_t)snprintf(graph->events + len, sizeof graph->events - len, "%.*s",
                                         STR_ARG(event.text))
                      : (size_t)snprintf(graph->events + len, sizeof graph->events - len,
                                         "|%s:%.*s:%.*s", event_name(event.kind),
                                         STR_ARG(event.name), STR_ARG(event.text));
        last = event.kind;
        assert_true(len < sizeof graph->events);
    }
}

#define QUESTION "How did the revenue of Acme change?"
#define QUERY                                                                                      \
    {                                                                                              \
        "query_processing", "{\"companies\":[\"Acme\"],\"augmented_query\":\"Acme revenue\"}"      \
    }
#define ENOUGH                                                                                     \
    {                                                                                              \
        "context_validation", "{\"sufficient\":true,\"gaps\":[]}"                                  \
    }
#define NOT_YET                                                                                    \
    {                                                                                              \
        "context_validation", "{\"sufficient\":false,\"gaps\":[\"revenue of 2021\"]}"              \
    }
#define ANALYSIS                                                                                   \
    {                                                                                              \
        "analysis", "{\"primary_metric\":\"revenue\",\"values\":["                                 \
                    "{\"company\":\"Acme\",\"metric\":\"revenue\",\"period\":\"2022\","            \
                    "\"value\":\"100.0\",\"unit\":\"USD million\",\"chunk\":2},"                   \
                    "{\"company\":\"Acme\",\"metric\":\"revenue\",\"period\":\"2023\","            \
                    "\"value\":\"120.5\",\"unit\":\"USD million\",\"chunk\":1}],"                  \
                    "\"calculations\":[{\"kind\":\"growth\",\"of\":[0,1],\"claimed\":20.5}],"      \
                    "\"text\":\"It grew by 20.5%.\"}"                                              \
    }
#define EXPLAINED                                                                                  \
    {                                                                                              \
        "text_explanation", "It grew [1, 2]: $$\\frac{120.5 - 100.0}{100.0} = 20.5\\%$$"           \
    }
#define GOOD                                                                                       \
    {                                                                                              \
        "synthesis", "Revenue grew by 20.5% to 120.5 million [1, 2]."                              \
    }
#define BAD                                                                                        \
    {                                                                                              \
        "synthesis", "Revenue grew by 77% [1, 2]."                                                 \
    }
#define CITES                                                                                      \
    {                                                                                              \
        "synthesis", "Revenue was 120.5 million [9]. It was 100 million [1, 2]."                   \
    }
#define HEALED                                                                                     \
    {                                                                                              \
        "self_heal", "It grew by 20.5% [1, 2]."                                                    \
    }
#define BROKEN                                                                                     \
    {                                                                                              \
        "text_explanation",                                                                        \
            "It grew [1].\n```chartjs\n{\"type\":\"bar\",\"data\":{\"labels\":[\"a\"],"            \
            "\"datasets\":[{\"data\":[1,2]}]}}\n```"                                               \
    }

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

TEST(what_is_remembered)
{
    struct rig *rig = rig_make(good, countof(good), true);
    const struct history_key key = {STR("c1"), STR("acme"), STR("u1")};
    go(rig, QUESTION);
    EXPECT_INT("both stores", fake_vec_count(&rig->vec, HYBRID_MEMORY), 1);
    EXPECT_INT("both stores", fake_text_count(&rig->text, HYBRID_MEMORY), 1);
    EXPECT_INT("the conversation", history_count(rig->graph.has.history, &key), 2);
    graph_rig_drop_run(&rig->graph);
    memset(rig->graph.llm.used, 0, sizeof rig->graph.llm.used);
    rig->graph.llm.script_count = countof(good) - 1;
    go(rig, QUESTION);
    EXPECT_TRUE("seen again", strstr(rig->graph.llm.last_system, "text_explanation") == NULL);
    rig_free(rig);
}

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

RUN_TESTS(T(every_branch), T(what_is_remembered), T(the_answer_does_not_wait_for_memory),
          T(without_documents), T(stores_that_are_down), T(models_that_fail),
          T(cancelled_at_every_turn))
