/* SPDX-License-Identifier: MIT */
/* agents/nodes/candidates in a run of a graph: cancelled, stopped, held and late at every turn and
 * at every wait; every call fails in every way; every allocation fails. */
#include "tests/unit/agents/graph_rig.h"

enum { MOST_TURNS = 2000, MOST_CALLS = 8, DEADLINE_MS = 600000 };

#define FIRST "SELECT COUNT(*) AS n FROM employee WHERE isActive = 1"
#define OTHER "SELECT COUNT(*) AS m FROM employee WHERE isActive = 0"
#define THIRD "SELECT COUNT(*) AS k FROM employee WHERE isActive = 2"
#define PLAN                                                                                       \
    "{\"query_block\":{\"select_id\":1,\"table\":{\"table_name\":\"employee\","                    \
    "\"access_type\":\"ALL\",\"rows\":10,\"filtered\":100}}}"

/* Calls: the model's statement, its other statement, its decision, its answer; the database's plan
 * and rows of each statement. */
struct world {
    struct fake_reply replies[4];
    struct fake_answer answers[4];
    struct limits limits;
};

/* The second statement's rows differ, and the model decides for them. */
static void make_world(struct world *w)
{
    *w = (struct world){
        .replies = {{"sql_generation", FIRST},
                    {"sql_generation", OTHER},
                    {"sql_decision", "{\"choice\": 2}"},
                    {"sql_response", "Here it is."}},
        .answers = {{"EXPLAIN FORMAT=JSON " OTHER, .column = "EXPLAIN", .text = PLAN,
                     .row_count = 1},
                    {"EXPLAIN", .column = "EXPLAIN", .text = PLAN, .row_count = 1},
                    {"isActive = 1", .column = "n", .value = 10, .row_count = 1},
                    {"isActive = 0", .column = "m", .value = 7, .row_count = 1}},
        .limits = rig_limits,
    };
    w->limits.sql_candidates = 2;
}

static void begin(struct graph_rig *rig, const struct world *w, bool weighed)
{
    graph_rig_init_limits(rig, &w->limits, w->replies, countof(w->replies), w->answers,
                          countof(w->answers));
    rig->knows.dialect = SQL_MYSQL;
    rig->policy.max_plan_rows = weighed ? 1e6 : 0;
    graph_rig_make(rig, "text_to_sql", "How many employees are active?", EVENT_DEBUG);
}

/* A question that is open: the rows of its readings, in a graph that asks back. */
static void begin_open(struct graph_rig *rig, struct world *w, int64_t other)
{
    make_world(w);
    w->replies[0] = (struct fake_reply){"table_selection", "{\"tables\": [\"employee\"]}"};
    w->replies[1].reply = "CANNOT: which ones\nOPTION: the active\nREADS: \"" FIRST
                          "\"\nOPTION: the others\nREADS: \"" OTHER "\"";
    w->replies[2] = (struct fake_reply){"sql_answer", "Here it is."};
    w->answers[3].value = other;
    graph_rig_init_limits(rig, &w->limits, w->replies, 3, w->answers, countof(w->answers));
    rig->knows.dialect = SQL_MYSQL;
    graph_rig_make(rig, "sql_agent", "How many employees are active?", EVENT_DEBUG);
}

static void end(struct graph_rig *rig)
{
    assert_true(loop_run_dry(rig->loop, 100000));
    EXPECT_INT("ends once", rig->ends, 1);
    EXPECT_INT("no statement is left", rig->sql.pending, 0);
    graph_rig_collect(rig);
}

static bool has(const struct graph_rig *rig, const char *piece)
{
    return strstr(rig->events, piece) != NULL;
}

static void expect_has(const struct graph_rig *rig, const char *name, const char *piece)
{
    if (!has(rig, piece))
        fail_msg("%s: '%s' is not in: %s", name, piece, rig->events);
}

static void expect_rows(const struct graph_rig *rig, const char *name, bool first, bool doubted)
{
    expect_has(rig, name, "complete:");
    expect_has(rig, name, first ? "\"rows\":[[10]]" : "\"rows\":[[7]]");
    EXPECT_INT(name, has(rig, "read in two ways"), doubted);
}

TEST(the_decided_one_answers)
{
    for (int weighed = 0; weighed < 2; weighed++) {
        struct graph_rig rig;
        struct world w;
        make_world(&w);
        begin(&rig, &w, weighed);
        run_start(rig.run);
        end(&rig);
        expect_rows(&rig, "decided", false, false);
        EXPECT_INT("calls of the model", rig.llm.calls, 4);
        EXPECT_INT("of the database", rig.sql.calls, weighed ? 4 : 2);
        graph_rig_fini(&rig);
    }
}

TEST(cancelled_and_stopped_at_every_turn)
{
    static const char *const codes[] = {"cancelled", "server_shutdown"};
    for (size_t i = 0; i < 2 * countof(codes); i++) {
        bool completed = false, at_statement[MOST_CALLS] = {false}, at_model[MOST_CALLS] = {false};
        const char *code = codes[i / 2];
        for (unsigned turns = 0; !completed; turns++) {
            struct graph_rig rig;
            struct world w;
            char want[64];
            make_world(&w);
            begin(&rig, &w, i % 2);
            run_start(rig.run);
            loop_turn(rig.loop, turns);
            completed = rig.ends == 1;
            at_statement[rig.sql.calls] = at_model[rig.llm.calls] = true;
            run_cancel(rig.run, code, "that is all");
            end(&rig);
            snprintf(want, sizeof want, "error:%s:that is all", code);
            expect_has(&rig, "terminal", completed ? "complete:" : want);
            graph_rig_fini(&rig);
            assert_true(turns < MOST_TURNS);
        }
        for (size_t n = 0; n <= 4; n++)
            EXPECT_TRUE("every step of the model was met", at_model[n]);
        for (size_t n = 0; n <= (i % 2 ? 4 : 2); n++)
            EXPECT_TRUE("every statement was met", at_statement[n]);
    }
}

/* What is held goes on where it was, and ends as ever. */
TEST(readings_cancelled_at_every_turn)
{
    static const int64_t others[] = {10, 11}; /* the rows of the first, or other ones */
    TEST_EACH(other, others) {
        bool completed = false, at_statement[MOST_CALLS] = {false};
        for (unsigned turns = 0; !completed; turns++) {
            struct graph_rig rig;
            struct world w;
            begin_open(&rig, &w, *other);
            run_start(rig.run);
            loop_turn(rig.loop, turns);
            completed = rig.ends == 1;
            at_statement[rig.sql.calls] = true;
            run_cancel(rig.run, "cancelled", "that is all");
            end(&rig);
            if (completed) {
                expect_has(&rig, "terminal", "complete:");
                expect_has(&rig, "answered, or asked back",
                           *other == 10 ? "Here it is." : "Which one is meant?");
                const char *told = strstr(rig.events, "complete:");
                EXPECT_TRUE("options only where it is asked back",
                            (strstr(told, "\"clarify\":{") != NULL) == (*other != 10));
                EXPECT_TRUE("rows only where it is not",
                            (strstr(told, "\"rows\":[[10]]") != NULL) == (*other == 10));
            } else {
                expect_has(&rig, "terminal", "error:cancelled:that is all");
            }
            graph_rig_fini(&rig);
            assert_true(turns < MOST_TURNS);
        }
        EXPECT_TRUE("both statements were met", at_statement[1] && at_statement[2]);
    }
}

TEST(held_at_every_turn)
{
    bool completed = false;
    for (unsigned turns = 0; !completed; turns++) {
        struct graph_rig rig;
        struct world w;
        make_world(&w);
        begin(&rig, &w, turns % 2);
        run_start(rig.run);
        loop_turn(rig.loop, turns);
        completed = rig.ends == 1;
        run_hold(rig.run);
        loop_turn(rig.loop, 100);
        run_go(rig.run);
        end(&rig);
        expect_rows(&rig, "held", false, false);
        graph_rig_fini(&rig);
        assert_true(turns < MOST_TURNS);
    }
}

/* ---- one call never ends by itself ---- */

/* As far as the n-th call of the database, or of the model, which gives no answer. */
static void go_until(struct graph_rig *rig, bool database, unsigned n)
{
    const unsigned *calls = database ? &rig->sql.calls : &rig->llm.calls;
    run_start(rig->run);
    for (unsigned turns = 0; *calls < n; turns++) {
        rig->sql.stall = database && *calls == n - 1;
        loop_turn(rig->loop, 1);
        assert_true(turns < MOST_TURNS);
    }
    rig->llm.stall = !database;
    loop_turn(rig->loop, 100);
    EXPECT_INT("it waits", rig->ends, 0);
    EXPECT_INT("for the n-th", *calls, n);
    EXPECT_INT("of the database", rig->sql.pending, database);
}

TEST(cancelled_and_late_at_every_wait)
{
    for (unsigned late = 0; late < 2; late++)
        for (unsigned database = 0; database < 2; database++)
            for (unsigned n = 1; n <= 4; n++) {
                struct graph_rig rig;
                struct world w;
                make_world(&w);
                begin(&rig, &w, true);
                go_until(&rig, database, n);
                if (late)
                    loop_advance(rig.loop, DEADLINE_MS + 1);
                else
                    run_cancel(rig.run, "cancelled", "that is all");
                end(&rig);
                expect_has(&rig, "terminal",
                           late ? "error:deadline_exceeded:" : "error:cancelled:that is all");
                EXPECT_TRUE("nothing is told", !has(&rig, "complete:"));
                graph_rig_fini(&rig);
            }
}

/* ---- a call fails ---- */

static const enum err_code failures[] = {
    ERR_REJECTED, ERR_INVALID,   ERR_TIMEOUT,  ERR_TOO_LARGE, ERR_UNAVAILABLE,
    ERR_BUSY,     ERR_NO_MEMORY, ERR_INTERNAL, ERR_DENIED,
};

/* What becomes of the other statement costs the answer nothing; what is not decided is said. */
TEST(a_candidate_that_fails_is_dropped)
{
    static const struct {
        const char *name;
        int reply, answer; /* which fails; -1: none */
        bool weighed, doubted;
        unsigned llm_calls, sql_calls;
    } cases[] = {
        {"the other statement is not written", 1, -1, true, false, 3, 2},
        {"its plan cannot be had", -1, 0, true, false, 3, 3},
        {"its rows cannot be had", -1, 3, false, false, 3, 2},
        {"its rows cannot be had, its plan could", -1, 3, true, false, 3, 4},
        {"it is not decided", 2, -1, false, true, 4, 2},
    };
    TEST_EACH(c, cases) {
        TEST_EACH(failure, failures) {
            struct graph_rig rig;
            struct world w;
            make_world(&w);
            if (c->reply >= 0)
                w.replies[c->reply] =
                    (struct fake_reply){w.replies[c->reply].task, "1", .failure = *failure};
            if (c->answer >= 0)
                w.answers[c->answer] = (struct fake_answer){w.answers[c->answer].piece, *failure,
                                                            "the database says no"};
            begin(&rig, &w, c->weighed);
            run_start(rig.run);
            end(&rig);
            expect_rows(&rig, c->name, true, c->doubted);
            EXPECT_INT(c->name, rig.llm.calls, c->llm_calls);
            EXPECT_INT(c->name, rig.sql.calls, c->sql_calls);
            EXPECT_TRUE("the database's words stay here", !has(&rig, "the database says no"));
            graph_rig_fini(&rig);
        }
    }
}

/* Until so many in a row change nothing: there are no more. */
enum { UNCHANGED = 200, MOST_ALLOCATIONS = 100000 };

TEST(every_allocation_may_fail)
{
    unsigned unchanged = 0, firsts = 0, errors = 0;
    for (uint64_t n = 1; unchanged < UNCHANGED; n++) {
        struct graph_rig rig;
        struct world w;
        make_world(&w);
        begin(&rig, &w, true);
        mem_fail_nth(n);
        run_start(rig.run);
        assert_true(loop_run_dry(rig.loop, 100000));
        mem_fail_nth(0);
        end(&rig);
        const bool first = has(&rig, "\"rows\":[[10]]"), other = has(&rig, "\"rows\":[[7]]");
        const bool completed = has(&rig, "complete:");
        if (completed)
            EXPECT_TRUE("two answers", !first || !other);
        else
            expect_has(&rig, "it says why", "error:");
        firsts += completed && first;
        errors += !completed;
        unchanged = completed && other && rig.llm.calls == 4 ? unchanged + 1 : 0;
        graph_rig_fini(&rig);
        assert_true(n < MOST_ALLOCATIONS);
    }
    EXPECT_TRUE("without memory for the other the first answers", firsts > 0);
    EXPECT_TRUE("some are needed", errors > 0);
}

/* Once two statements differ the first one never answers as if nothing were in doubt. */
TEST(a_doubt_outlives_every_failed_allocation)
{
    unsigned unchanged = 0, doubts = 0;
    for (uint64_t n = 1; unchanged < UNCHANGED; n++) {
        struct graph_rig rig;
        struct world w;
        make_world(&w);
        w.limits.sql_candidates = 3;
        w.replies[2] = (struct fake_reply){"sql_generation", THIRD};
        w.answers[0] =
            (struct fake_answer){"isActive = 2", .column = "k", .value = 5, .row_count = 1};
        begin(&rig, &w, false);
        mem_fail_nth(n);
        run_start(rig.run);
        assert_true(loop_run_dry(rig.loop, 100000));
        mem_fail_nth(0);
        end(&rig);
        const bool completed = has(&rig, "complete:"), doubted = has(&rig, "read in two ways");
        if (completed && rig.sql.calls >= 2)
            expect_has(&rig, "it is said", "read in two ways");
        doubts += doubted && rig.sql.calls == 2;
        unchanged = completed && doubted && rig.llm.calls == 5 ? unchanged + 1 : 0;
        graph_rig_fini(&rig);
        assert_true(n < MOST_ALLOCATIONS);
    }
    EXPECT_TRUE("without memory for the third the doubt is there", doubts > 0);
}

RUN_TESTS(T(the_decided_one_answers), T(cancelled_and_stopped_at_every_turn),
          T(readings_cancelled_at_every_turn), T(held_at_every_turn),
          T(cancelled_and_late_at_every_wait), T(a_candidate_that_fails_is_dropped),
          T(every_allocation_may_fail), T(a_doubt_outlives_every_failed_allocation))
