/* SPDX-License-Identifier: MIT */
/* A run's beginning and end: one terminal event on every path, members, stats, flow, deadline. */
#include "tests/unit/core/walk_rig.h"

static const struct slot slots[] = RIG_SLOTS(1);
static const char *const words[] = {"Hello", ",", " world", NULL};
static const struct script speaking = {.step_ms = 10, .tokens = words, .put = "answer"};
static const struct graph_node speaking_nodes[] = {{"say", &scripted, &speaking, .tool = true}};
static const struct graph_edge edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};

static void report_answer(const struct state *state, struct buf *out)
{
    buf_printf(out, "\"answer\":\"%.*s\"", STR_ARG(state_str(state, INPUT)));
}

static const struct graph_def speaker = {
    .name = "speaker",
    .schema = {slots, SLOT_COUNT},
    .nodes = speaking_nodes,
    .node_count = 1,
    .edges = edges,
    .edge_count = 2,
    .report = report_answer,
};

static void finish_stats(struct run *run, struct buf *members)
{
    const struct run_stats *stats = run_stats(run);
    buf_printf(members, "\"route\":\"%.*s\",\"tokens\":%d,\"ttft\":%d,\"ms\":%d",
               STR_ARG(run_route(run)), (int)stats->answer_tokens, (int)stats->ttft_ms,
               (int)stats->duration_ms);
}

static void finish_nothing(struct run *run, struct buf *members)
{
    (void)run;
    (void)members;
}

TEST(a_run_says_its_route_its_tokens_and_one_end)
{
    struct walk_rig rig;
    walk_rig_init(&rig, &speaker);
    struct run_options options = walk_rig_options(&rig);
    options.finish = finish_stats;
    options.conversation_id = STR("c1");
    walk_rig_start(&rig, &options);
    EXPECT_INT("active", run_phase(rig.run), RUN_ACTIVE);
    loop_rig_dry(&rig.base);
    assert_string_equal(walk_rig_transcript(&rig),
                        "route_decision speaker\ntool_start say\n"
                        "token final Hello 1\ntoken final , 1\ntoken final  world 1\n"
                        "complete \"answer\":\"answer\","
                        "\"route\":\"speaker\",\"tokens\":3,\"ttft\":10,\"ms\":40\n");
    EXPECT_TRUE("counted, not told", run_stats(rig.run)->estimated);
    EXPECT_STR("conversation", run_conversation_id(rig.run), STR("c1"));
    walk_rig_fini(&rig, "speaker");
}

static const char *fail_politely(const struct state *state, struct str *message)
{
    *message = state_str(state, INPUT);
    return "sql_failed";
}

TEST(endings)
{
    static const struct {
        const char *name;
        const char *(*failure)(const struct state *state, struct str *message);
        void (*report)(const struct state *state, struct buf *out);
        void (*finish)(struct run *run, struct buf *members);
        size_t members_bytes;
        uint64_t deadline_ms;
        const char *end;
    } cases[] = {
        {"bare", NULL, NULL, NULL, 0, 0, "complete\n"},
        {"finish adds nothing", NULL, report_answer, finish_nothing, 0, 0,
         "complete \"answer\":\"answer\"\n"},
        {"only finish", NULL, NULL, finish_stats, 0, 0,
         "complete \"route\":\"speaker\",\"tokens\":3,\"ttft\":10,\"ms\":40\n"},
        {"the graph says it failed", fail_politely, report_answer, NULL, 0, 0,
         "error sql_failed answer + \"answer\":\"answer\"\n"},
        {"too large", NULL, report_answer, NULL, 12, 0,
         "error internal the answer does not fit in 12 bytes\n"},
        {"deadline", NULL, report_answer, finish_stats, 0, 25,
         "error deadline_exceeded the run took longer than 25 ms + "
         "\"route\":\"speaker\",\"tokens\":2,\"ttft\":10,\"ms\":25 1\n"},
        {"deadline not reached", NULL, NULL, NULL, 0, 50, "complete\n"},
    };
    TEST_EACH(c, cases) {
        struct graph_def def = speaker;
        struct walk_rig rig;
        def.failure = c->failure;
        def.report = c->report;
        walk_rig_init(&rig, &def);
        struct run_options options = walk_rig_options(&rig);
        options.finish = c->finish;
        options.limits.members_bytes = c->members_bytes;
        options.limits.deadline_ms = c->deadline_ms;
        walk_rig_start(&rig, &options);
        loop_rig_dry(&rig.base);
        if (!str_ends_with(str_of(walk_rig_transcript(&rig)), str_of(c->end)))
            fail_msg("%s: %s", c->name, rig.said);
        walk_rig_fini(&rig, c->name);
    }
}

TEST(cancelled_before_it_started)
{
    struct walk_rig rig;
    struct str code, message;
    walk_rig_init(&rig, &speaker);
    struct run_options options = walk_rig_options(&rig);
    rig.run = run_create(&options);
    run_cancel(rig.run, "cancelled", "never mind");
    run_start(rig.run);
    EXPECT_INT("not from inside", rig.end_count, 0);
    loop_rig_dry(&rig.base);
    assert_string_equal(walk_rig_transcript(&rig),
                        "route_decision speaker\nerror cancelled never mind 1\n");
    EXPECT_INT("result", run_result(rig.run, &code, &message), ERR_CANCELLED);
    EXPECT_STR("code", code, STR("cancelled"));
    EXPECT_STR("message", message, STR("never mind"));
    walk_rig_fini(&rig, "before");
}

TEST(never_started_is_fine)
{
    struct walk_rig rig;
    walk_rig_init(&rig, &speaker);
    struct run_options options = walk_rig_options(&rig);
    struct run *run = run_create(&options);
    run_destroy(run);
    run_destroy(NULL);
    walk_rig_fini(&rig, "never");
}

static void destroy_on_end(struct run *run)
{
    struct walk_rig *rig = run_owner(run);
    rig->end_count++;
    rig->run = NULL;
    run_destroy(run);
}

TEST(on_end_may_destroy_the_run)
{
    for (unsigned turn = 0; turn < 30; turn++) {
        struct walk_rig rig;
        walk_rig_init(&rig, &speaker);
        struct run_options options = walk_rig_options(&rig);
        options.on_end = destroy_on_end;
        walk_rig_start(&rig, &options);
        for (unsigned i = 0; i < turn && rig.run != NULL; i++) {
            loop_advance(rig.base.loop, 5);
            loop_turn(rig.base.loop, 1);
        }
        if (rig.run != NULL)
            run_cancel(rig.run, "cancelled", "enough");
        loop_rig_dry(&rig.base);
        EXPECT_INT("ended", rig.end_count, 1);
        walk_rig_fini(&rig, "destroyed");
    }
}

struct slow_reader {
    struct event_reader reader;
    struct event_log *log;
    unsigned tokens;
};

static void read_all(struct event_reader *reader)
{
    struct slow_reader *slow = reader->owner;
    struct event event;
    while (event_log_next(slow->log, reader, &event) == ERR_OK) {
        slow->tokens += event.kind == EVENT_TOKEN;
        event_log_advance(slow->log, reader, event.id);
    }
}

TEST(a_full_log_holds_the_run_until_it_is_read)
{
    enum { WORDS = 2000 };
    static const char *many[WORDS + 1];
    static const struct script chatty = {.step_ms = 1, .tokens = many};
    static const struct graph_node nodes[] = {{"say", &scripted, &chatty}};
    struct graph_def def = speaker;
    struct walk_rig rig;
    for (unsigned i = 0; i < WORDS; i++)
        many[i] = "word";
    def.nodes = nodes;
    walk_rig_init(&rig, &def);
    struct run_options options = walk_rig_options(&rig);
    options.limits.log_bytes = 8192;
    walk_rig_start(&rig, &options);
    loop_rig_dry(&rig.base);
    EXPECT_INT("held, for nobody reads", run_phase(rig.run), RUN_ACTIVE);
    EXPECT_TRUE("bounded", event_log_bytes(run_log(rig.run)) < 12000);
    struct slow_reader slow = {.reader = {.on_grown = read_all}, .log = run_log(rig.run)};
    slow.reader.owner = &slow;
    assert_int_equal(event_log_attach(slow.log, &slow.reader, 0), ERR_OK);
    loop_rig_dry(&rig.base);
    EXPECT_INT("all were read", slow.tokens, WORDS);
    event_log_detach(slow.log, &slow.reader);
    walk_rig_fini(&rig, "full");
}

RUN_TESTS(T(a_run_says_its_route_its_tokens_and_one_end), T(endings),
          T(cancelled_before_it_started), T(never_started_is_fine), T(on_end_may_destroy_the_run),
          T(a_full_log_holds_the_run_until_it_is_read))
