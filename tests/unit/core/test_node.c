/* SPDX-License-Identifier: MIT */
/* What node functions see: await and settle, failures and their codes, visits, attempts, tokens. */
#include "tests/unit/core/walk_rig.h"

/* One node whose functions are the test's; two operations in its frame. */
struct pair {
    struct fake_op first, second;
    unsigned step;
};

static const struct slot slots[] = RIG_SLOTS(1);
static const struct graph_edge edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};

static void note(struct node *node, const char *what)
{
    node_push_item(node, TRACE, str_of(what));
}

static void start_pair(struct node *node, enum err_code first, enum err_code second)
{
    struct pair *f = node_frame(node);
    fake_start(&f->first, node_loop(node), NULL, 5, first, node_waiter(node));
    fake_start(&f->second, node_loop(node), NULL, 50, second, node_waiter(node));
}

static enum step both_ended(struct node *node)
{
    struct pair *f = node_frame(node);
    note(node, err_name(f->first.op.err.code));
    note(node, err_name(f->second.op.err.code));
    return STEP_DONE;
}

static enum step await_good(struct node *node)
{
    start_pair(node, ERR_OK, ERR_OK);
    return node_await(node, both_ended);
}

static enum step await_bad(struct node *node)
{
    start_pair(node, ERR_PROTOCOL, ERR_OK);
    return node_await(node, both_ended);
}

static enum step settle_bad(struct node *node)
{
    start_pair(node, ERR_PROTOCOL, ERR_BUSY);
    return node_settle(node, both_ended);
}

static enum step say_next(struct node *node)
{
    note(node, "next");
    return STEP_DONE;
}

static enum step await_nothing(struct node *node)
{
    note(node, "first");
    return node_await(node, say_next);
}

static enum step settle_then_fail(struct node *node)
{
    struct pair *f = node_frame(node);
    return node_fail(node, &f->second.op.err);
}

static enum step fail_with_ops_error(struct node *node)
{
    start_pair(node, ERR_OK, ERR_TIMEOUT);
    return node_settle(node, settle_then_fail);
}

static enum step fail_at_once(struct node *node)
{
    const struct err err = {ERR_INVALID, "the question is empty"};
    note(node, "lost");
    return node_fail(node, &err);
}

static enum step fail_with_code(struct node *node)
{
    const struct err err = {ERR_INTERNAL, "should_retry has neither SQL nor error"};
    start_pair(node, ERR_OK, ERR_OK); /* still in flight: cancelled */
    return node_fail_as(node, "sql_rejected", &err);
}

static enum step done_with_ops_in_flight(struct node *node)
{
    start_pair(node, ERR_OK, ERR_OK);
    note(node, "enough");
    return STEP_DONE;
}

static enum step begin_again(struct node *node)
{
    struct pair *f = node_frame(node);
    note(node, err_name(f->first.op.err.code));
    if (++f->step == 3)
        return STEP_DONE;
    fake_start(&f->first, node_loop(node), NULL, 5, ERR_OK, node_waiter(node));
    return node_await(node, begin_again);
}

static enum step ask_for_too_much(struct node *node)
{
    EXPECT_TRUE("there is not as much", arena_alloc(node_scratch(node), SIZE_MAX / 2) == NULL);
    note(node, "done without");
    return STEP_DONE;
}

TEST(steps)
{
    static const struct {
        const char *name;
        node_fn *enter;
        const char *trace, *end;
        uint64_t took_ms;
    } cases[] = {
        {"all good", await_good, "ok ok", "complete\n", 50},
        {"await cancels the rest", await_bad, "",
         "error model_unavailable the model's answer could not be understood 1\n", 5},
        {"settle waits for all", settle_bad, "protocol busy", "complete\n", 50},
        {"nothing to wait for", await_nothing, "first next", "complete\n", 0},
        {"an operation's error", fail_with_ops_error, "",
         "error model_timeout the model did not answer in time 1\n", 50},
        {"an error of its own", fail_at_once, "", "error invalid_request the question is empty\n",
         0},
        {"a code of its own", fail_with_code, "",
         "error sql_rejected should_retry has neither SQL nor error\n", 0},
        {"done too early", done_with_ops_in_flight, "enough", "complete\n", 0},
        {"memory that it did not get", ask_for_too_much, "",
         "error internal graph 'g': the run's memory budget is spent\n", 0},
        {"the same operation again", begin_again, "ok ok ok", "complete\n", 10},
    };
    TEST_EACH(c, cases) {
        const struct graph_node_type type = {c->enter, sizeof(struct pair)};
        const struct graph_node nodes[] = {{"n", &type}};
        const struct graph_def def = {"g", "", {slots, SLOT_COUNT}, nodes, 1, edges, 2};
        struct walk_rig rig;
        walk_rig_init(&rig, &def);
        uint64_t began = loop_now_ms(rig.base.loop);
        struct run_options options = walk_rig_options(&rig);
        walk_rig_start(&rig, &options);
        loop_rig_dry(&rig.base);
        EXPECT_STR(c->name, str_of(walk_rig_trace(&rig)), str_of(c->trace));
        if (!str_ends_with(str_of(walk_rig_transcript(&rig)), str_of(c->end)))
            fail_msg("%s: %s", c->name, rig.said);
        EXPECT_INT(c->name, loop_now_ms(rig.base.loop) - began, c->took_ms);
        walk_rig_fini(&rig, c->name);
    }
}

/* ---- nodes that leave before their operations have ended ---- */

static struct {
    unsigned count;
    enum err_code second;
} left;

static enum step count_late(struct node *node)
{
    const struct pair *f = node_frame(node);
    left.count++;
    left.second = f->second.op.err.code;
    return STEP_DONE;
}

static enum step leave_early(struct node *node)
{
    note(node, "early");
    return node_leave(node, count_late);
}

static enum step look_early(struct node *node)
{
    note(node, "looked");
    return node_await(node, both_ended);
}

static enum step fail_early(struct node *node)
{
    const struct err err = {ERR_INVALID, "the question is empty"};
    return node_fail(node, &err);
}

static enum step hasten_to(struct node *node, node_fn *early, uint64_t second_ms,
                           enum err_code second)
{
    struct pair *f = node_frame(node);
    fake_start(&f->first, node_loop(node), NULL, 5, ERR_OK, node_waiter(node));
    fake_start(&f->second, node_loop(node), NULL, second_ms, second, node_waiter(node));
    node_hasten(node, early);
    return node_await(node, both_ended);
}

static enum step enter_leaving(struct node *node)
{
    return hasten_to(node, leave_early, 50, ERR_OK);
}

static enum step enter_leaving_what_fails(struct node *node)
{
    return hasten_to(node, leave_early, 50, ERR_PROTOCOL);
}

static enum step enter_leaving_for_long(struct node *node)
{
    return hasten_to(node, leave_early, 60000, ERR_OK);
}

static enum step enter_looking(struct node *node)
{
    return hasten_to(node, look_early, 50, ERR_OK);
}

static enum step enter_failing(struct node *node)
{
    return hasten_to(node, fail_early, 50, ERR_OK);
}

static enum step go_further(struct node *node)
{
    struct pair *f = node_frame(node);
    fake_start(&f->first, node_loop(node), NULL, 5, ERR_OK, node_waiter(node));
    return node_await(node, both_ended);
}

static struct timer soon;
static struct node *hasting;

static void on_soon(struct timer *timer)
{
    (void)timer;
    node_hasten(hasting, leave_early);
}

/* All that it awaits ends in the turn in which it hastens. */
static enum step enter_hasting_in_vain(struct node *node)
{
    struct pair *f = node_frame(node);
    hasting = node;
    timer_start(&soon, node_loop(node), 5, on_soon);
    fake_start(&f->second, node_loop(node), NULL, 5, ERR_OK, node_waiter(node));
    return node_await(node, go_further);
}

static struct run *to_cancel;

static enum step leave_a_cancelled_run(struct node *node)
{
    run_cancel(to_cancel, "cancelled", "enough");
    return leave_early(node);
}

static enum step enter_leaving_a_cancelled_run(struct node *node)
{
    return hasten_to(node, leave_a_cancelled_run, 50, ERR_OK);
}

TEST(leaving)
{
    static const struct script then = {.step_ms = 20};
    static const struct {
        const char *name;
        node_fn *enter;
        const char *trace, *end;
        uint64_t said_ms, took_ms; /* when the terminal event was there; when all was over */
        unsigned count;            /* of calls of last */
        enum err_code second;      /* what it saw */
    } cases[] = {
        {"the graph goes on", enter_leaving, "early then", "complete\n", 20, 50, 1, ERR_OK},
        {"what fails later is nobody's failure", enter_leaving_what_fails, "early then",
         "complete\n", 20, 50, 1, ERR_PROTOCOL},
        {"what takes long is cancelled", enter_leaving_for_long, "early then", "complete\n", 20,
         250, 1, ERR_CANCELLED},
        {"it may go on waiting", enter_looking, "looked ok ok then", "complete\n", 70, 70, 0,
         ERR_OK},
        {"what it awaited has ended", enter_hasting_in_vain, "ok ok then", "complete\n", 30, 30, 0,
         ERR_OK},
        {"the run was cancelled", enter_leaving_a_cancelled_run, "", "error cancelled enough 1\n",
         0, 0, 1, ERR_CANCELLED},
        {"it may fail", enter_failing, "", "error invalid_request the question is empty\n", 0, 0, 0,
         ERR_OK},
    };
    static const struct graph_edge two[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};
    static const struct slot own[] = RIG_SLOTS(2);
    TEST_EACH(c, cases) {
        const struct graph_node_type type = {c->enter, sizeof(struct pair)};
        const struct graph_node nodes[] = {{"n", &type}, {"then", &scripted, &then}};
        const struct graph_def def = {"g", "", {own, SLOT_COUNT}, nodes, 2, two, 3};
        struct walk_rig rig;
        left.count = 0;
        left.second = ERR_OK;
        walk_rig_init(&rig, &def);
        uint64_t began = loop_now_ms(rig.base.loop), said_ms = UINT64_MAX;
        struct run_options options = walk_rig_options(&rig);
        walk_rig_start(&rig, &options);
        to_cancel = rig.run;
        for (unsigned ms = 0; ms < 100 && said_ms == UINT64_MAX; ms++) {
            loop_turn(rig.base.loop, 20);
            if (event_log_is_closed(run_log(rig.run)))
                said_ms = loop_now_ms(rig.base.loop) - began;
            else
                loop_advance(rig.base.loop, 1);
        }
        loop_rig_dry(&rig.base);
        EXPECT_INT(c->name, said_ms, c->said_ms);
        EXPECT_INT(c->name, loop_now_ms(rig.base.loop) - began, c->took_ms);
        EXPECT_STR(c->name, str_of(walk_rig_trace(&rig)), str_of(c->trace));
        if (!str_ends_with(str_of(walk_rig_transcript(&rig)), str_of(c->end)))
            fail_msg("%s: %s", c->name, rig.said);
        EXPECT_INT(c->name, left.count, c->count);
        EXPECT_INT(c->name, left.second, c->second);
        walk_rig_fini(&rig, c->name);
    }
}

TEST(a_run_that_is_cancelled_ends_what_was_left)
{
    static const struct script then = {.step_ms = 1000};
    static const struct graph_edge two[] = {{GRAPH_START, 0}, {0, 1}, {1, GRAPH_END}};
    static const struct slot own[] = RIG_SLOTS(2);
    static const struct graph_node_type type = {enter_leaving_for_long, sizeof(struct pair)};
    static const struct graph_node nodes[] = {{"n", &type}, {"then", &scripted, &then}};
    static const struct graph_def def = {"g", "", {own, SLOT_COUNT}, nodes, 2, two, 3};
    struct walk_rig rig;
    left.count = 0;
    walk_rig_init(&rig, &def);
    uint64_t began = loop_now_ms(rig.base.loop);
    struct run_options options = walk_rig_options(&rig);
    walk_rig_start(&rig, &options);
    loop_turn(rig.base.loop, 50);
    run_cancel(rig.run, "cancelled", "enough");
    loop_rig_dry(&rig.base);
    EXPECT_INT("at once", loop_now_ms(rig.base.loop) - began, 0);
    EXPECT_INT("counted", left.count, 1);
    EXPECT_INT("cancelled", left.second, ERR_CANCELLED);
    walk_rig_fini(&rig, "cancelled");
}

/* ---- attempts ---- */

static const char *const words[] = {"half", NULL};

TEST(tokens_carry_the_attempt)
{
    static const struct script early = {.step_ms = 1, .code = ERR_UNAVAILABLE, .fails = 2},
                               late = {.step_ms = 1,
                                       .code = ERR_UNAVAILABLE,
                                       .fails = 2,
                                       .tokens = words};
    static const struct {
        const char *name;
        const struct script *script;
        const char *said;
    } cases[] = {
        {"nothing was said before it failed", &early, "route_decision g\ncomplete\n"},
        {"it had streamed", &late,
         "route_decision g\ntoken final half 1\ntoken final half + reset 2\n"
         "token final half + reset 3\ncomplete\n"},
    };
    TEST_EACH(c, cases) {
        const struct graph_node nodes[] = {{"n", &scripted, c->script, .retries = 2}};
        const struct graph_def def = {"g", "", {slots, SLOT_COUNT}, nodes, 1, edges, 2};
        struct walk_rig rig;
        walk_rig_run(&rig, &def);
        EXPECT_STR(c->name, str_of(walk_rig_transcript(&rig)), str_of(c->said));
        walk_rig_fini(&rig, c->name);
    }
}

/* ---- tokens, counters, what a node can ask ---- */

enum { LONG = 20000 };

static enum step speak(struct node *node)
{
    static char text[LONG * 3];
    for (size_t i = 0; i < LONG; i++)
        memcpy(text + i * 3, "\xe2\x82\xac", 3);
    node_emit_token(node, EVENT_FINAL_CHANNEL, str_make(text, sizeof text));
    node_emit_token(node, EVENT_FINAL_CHANNEL, STR(""));
    node_emit_token(node, node_name(node), STR("inner voice"));
    node_emit(node, EVENT_WARNING, STR("rule"), STR("careful"), 0);
    node_emit(node, EVENT_INTERRUPT, STR("n"), str_make(text, sizeof text), 0); /* too large */
    const struct node_usage usage = {100, 20, 7, 3, 0.5, .final_channel = true, .model = STR("m1")};
    const struct node_usage more = {10, 5, .estimated = true, .model = STR("m2")};
    node_count_llm(node, &usage);
    node_count_llm(node, &more);
    node_count_sql(node);
    return STEP_DONE;
}

TEST(long_text_is_cut_at_characters)
{
    static const struct graph_node_type type = {speak, 0};
    static const struct graph_node nodes[] = {{"n", &type}};
    static const struct graph_def def = {"g", "", {slots, SLOT_COUNT}, nodes, 1, edges, 2};
    for (enum event_level detail = EVENT_CORE; detail <= EVENT_DEBUG; detail++) {
        struct walk_rig rig;
        struct event event = {0};
        size_t bytes = 0, others = 0, warnings = 0;
        walk_rig_init(&rig, &def);
        struct run_options options = walk_rig_options(&rig);
        options.detail = detail;
        walk_rig_start(&rig, &options);
        loop_rig_dry(&rig.base);
        while (event_log_after(run_log(rig.run), event.id, &event) == ERR_OK) {
            bool final = str_equal(event.name, STR(EVENT_FINAL_CHANNEL));
            EXPECT_TRUE("whole characters", str_is_utf8(event.text));
            bytes += event.kind == EVENT_TOKEN && final ? event.text.len : 0;
            others += event.kind == EVENT_TOKEN && !final;
            warnings += event.kind == EVENT_WARNING;
        }
        EXPECT_INT("nothing is lost", bytes, LONG * 3);
        EXPECT_INT("other channels", others, detail == EVENT_DEBUG);
        EXPECT_INT("warnings", warnings, detail >= EVENT_NODES);
        const struct run_stats *stats = run_stats(rig.run);
        EXPECT_INT("answer", stats->answer_tokens, 20);
        EXPECT_INT("prompt", stats->prompt_tokens, 110);
        EXPECT_INT("completion", stats->completion_tokens, 25);
        EXPECT_INT("calls", stats->llm_calls, 2);
        EXPECT_INT("sql", stats->sql_attempts, 1);
        EXPECT_TRUE("estimated", stats->estimated);
        EXPECT_STR("model", stats->model, STR("m1"));
        EXPECT_INT("models", stats->model_count, 2);
        EXPECT_STR("models", stats->models[1], STR("m2"));
        EXPECT_INT("cached", stats->cached_tokens, 7);
        EXPECT_INT("reasoning", stats->reasoning_tokens, 3);
        EXPECT_TRUE("cost", stats->cost > 0.4 && stats->cost < 0.6);
        walk_rig_fini(&rig, "tokens");
    }
}

struct looked_at { /* services of look_around's run */
    int number;
    const struct walk_rig *rig;
};

static enum step look_around(struct node *node)
{
    struct pair *f = node_frame(node);
    struct pair zero = {0};
    EXPECT_INT("frame is zeroed", memcmp(f, &zero, sizeof zero), 0);
    EXPECT_STR("input", node_str(node, INPUT), STR("question"));
    EXPECT_TRUE("has", node_has(node, INPUT) && !node_has(node, ERROR));
    EXPECT_INT("int", node_int(node, SUM), 0);
    EXPECT_TRUE("config", *(const int *)node_config(node) == 42);
    const struct looked_at *services = node_services(node);
    EXPECT_TRUE("services", services->number == 43);
    EXPECT_STR("name", str_of(node_name(node)), STR("n"));
    EXPECT_INT("visit", node_visit(node), 1);
    EXPECT_INT("attempt", node_attempt(node), 1);
    EXPECT_TRUE("graph", node_graph(node) == run_graph(services->rig->run));
    EXPECT_TRUE("arena", node_arena(node) == run_arena(services->rig->run));
    EXPECT_STR("run id in the log", str_of(node_log(node)->run_id), STR("run_test"));
    node_put_str(node, INPUT, STR("new"));
    EXPECT_STR("reads see the state on entry", node_str(node, INPUT), STR("question"));
    node_clear(node, INPUT);
    node_put_str(node, REASON, STR("why"));
    return STEP_DONE;
}

static void describe_slots(const struct state *state, uint64_t changed, struct buf *members)
{
    for (unsigned i = 0; i < state_schema(state)->slot_count; i++)
        if ((changed >> i & 1) != 0)
            buf_printf(members, "[%s]", state_schema(state)->slots[i].name);
}

TEST(what_a_node_can_ask)
{
    static const struct graph_node_type type = {look_around, sizeof(struct pair)};
    static const int config = 42;
    struct slot own[] = RIG_SLOTS(1);
    const struct graph_node nodes[] = {{"n", &type, &config}};
    const struct graph_def def = {"g", "", {own, SLOT_COUNT}, nodes, 1, edges, 2};
    for (unsigned secret = 0; secret < 2; secret++) {
        struct walk_rig rig;
        struct looked_at services = {43, &rig};
        own[REASON].secret = secret;
        walk_rig_init(&rig, &def);
        struct run_options options = walk_rig_options(&rig);
        options.services = &services;
        options.describe = describe_slots;
        options.detail = EVENT_NODES;
        walk_rig_start(&rig, &options);
        loop_rig_dry(&rig.base);
        EXPECT_TRUE("cleared", !state_has(run_state(rig.run), INPUT));
        EXPECT_TRUE("state event",
                    strstr(walk_rig_transcript(&rig),
                           secret ? "state n [input]\n" : "state n [input][reason]\n") != NULL);
        walk_rig_fini(&rig, "look around");
    }
}

RUN_TESTS(T(steps), T(leaving), T(a_run_that_is_cancelled_ends_what_was_left),
          T(tokens_carry_the_attempt), T(long_text_is_cut_at_characters), T(what_a_node_can_ask))
