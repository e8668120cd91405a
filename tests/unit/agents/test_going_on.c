/* SPDX-License-Identifier: MIT */
/* Real graphs that are given up after any superstep and restored say and end as if they had not
 * been; and they wait for a person who looks at a statement. */
#include "tests/unit/agents/graph_rig.h"

#include "core/run/checkpoint.h"

enum { MOST_KEPT = 64, KEPT_BYTES = 4 << 20 };

#define EXPECT_HAS(name, rig, piece)                                                               \
    do {                                                                                           \
        if (strstr((rig)->events, piece) == NULL)                                                  \
            fail_msg("%s: '%s' is not in: %s", name, piece, (rig)->events);                        \
    } while (0)

/* ---- checkpoints as a store has them ---- */

static struct {
    struct buf bytes[MOST_KEPT];
    struct checkpoint_kept list[MOST_KEPT];
    uint64_t said[MOST_KEPT];
    bool used[MOST_KEPT][64]; /* what the model had said */
    size_t count;
} kept;

static void take(struct graph_rig *rig)
{
    uint64_t step;
    size_t n = kept.count;
    assert_true(n < MOST_KEPT);
    buf_init(&kept.bytes[n], KEPT_BYTES);
    assert_true(checkpoint_write(rig->run, &kept.bytes[n], &step, &kept.list[n].is_full));
    kept.list[n].bytes = buf_str(&kept.bytes[n]);
    kept.said[n] = event_log_last_id(run_log(rig->run));
    memcpy(kept.used[n], rig->llm.used, sizeof kept.used[n]);
    kept.count++;
}

static void drop_kept(void)
{
    for (size_t i = 0; i < kept.count; i++)
        buf_fini(&kept.bytes[i]);
    kept.count = 0;
}

static void write_state(struct graph_rig *rig, struct buf *out)
{
    buf_init(out, KEPT_BYTES);
    registry_describe(run_state(rig->run), UINT64_MAX, out);
    assert_true(buf_ok(out));
}

/* ---- the graphs ---- */

static const struct fake_answer rows[] = {
    {"customers", .column = "COUNT(*)", .value = 42, .row_count = 1},
    {"employee", .column = "n", .value = 10, .row_count = 1},
};

static const struct fake_reply banking[] = {
    {"intent", "Count all rows in users"},
    {"sql_generation", "SELECT COUNT(*) FROM users"}, /* refused once */
    {"sql_generation", "SELECT COUNT(*) FROM customers"},
    {"insight", "SUMMARY: 42.\nCHART: metric"},
};
static const struct fake_reply others[] = {
    {"classify", "SQL"},
    {"table_selection", "[\"employee\"]"},
    {"sql_generation", "```sql\nSELECT COUNT(*) AS n FROM employee\n```"},
    {"sql_answer", "There are 10."},
    {"sql_response", "There are 10."},
    {"general", "Hello."},
};

static const struct {
    const char *name, *graph, *message;
    const struct fake_reply *replies;
    size_t reply_count, least_steps;
} cases[] = {
    {"banking, with a retry", "banking", "How many users?", banking, countof(banking), 7},
    {"sql_agent", "sql_agent", "How many employees?", others, countof(others), 5},
    {"text_to_sql", "text_to_sql", "How many employees?", others, countof(others), 4},
    {"orchestrator around it", "orchestrator", "How many employees?", others, countof(others), 8},
    {"statement", "statement", "SELECT COUNT(*) AS n FROM employee", NULL, 0, 2},
};

static void run_first(struct graph_rig *rig, size_t i)
{
    graph_rig_init(rig, cases[i].replies, cases[i].reply_count, rows, countof(rows));
    rig->on_step = take;
    graph_rig_go(rig, cases[i].graph, cases[i].message);
}

/* Another process goes on from checkpoint n, having said what the first one had. */
static void go_on(struct graph_rig *again, struct graph_rig *first, size_t i, size_t n)
{
    struct event event = {0};
    struct err err = {0};
    size_t used;
    graph_rig_init(again, cases[i].replies, cases[i].reply_count, rows, countof(rows));
    graph_rig_make(again, cases[i].graph, cases[i].message, EVENT_CORE);
    memcpy(again->llm.used, kept.used[n], sizeof kept.used[n]);
    while (event.id < kept.said[n] &&
           event_log_after(run_log(first->run), event.id, &event) == ERR_OK)
        assert_true(checkpoint_replay(again->run, &event));
    if (checkpoint_restore(again->run, kept.list, n + 1, kept.said[n], &used, &err) != ERR_OK)
        fail_msg("%s: checkpoint %zu: %s", cases[i].name, n, err.text);
    EXPECT_INT("all were read", used, n + 1);
    run_start(again->run);
    assert_true(loop_run_dry(again->loop, 100000));
    assert_int_equal(again->ends, 1);
    graph_rig_collect(again);
}

TEST(every_graph_goes_on_after_any_superstep)
{
    for (size_t i = 0; i < countof(cases); i++) {
        struct graph_rig *first = mem_zalloc(1, sizeof *first);
        struct graph_rig *again = mem_zalloc(1, sizeof *again);
        struct buf want, got;
        run_first(first, i);
        EXPECT_HAS(cases[i].name, first, "complete:");
        write_state(first, &want);
        EXPECT_TRUE(cases[i].name, kept.count >= cases[i].least_steps);
        for (size_t n = 0; n < kept.count; n++) {
            go_on(again, first, i, n);
            assert_string_equal(again->events, first->events);
            write_state(again, &got);
            EXPECT_STR(cases[i].name, buf_str(&got), buf_str(&want));
            buf_fini(&got);
            graph_rig_fini(again);
        }
        buf_fini(&want);
        graph_rig_fini(first);
        mem_free(first);
        mem_free(again);
        drop_kept();
    }
}

/* ---- a person looks at a statement ---- */

static struct limits asking(double above)
{
    struct limits limits = rig_limits;
    limits.sql_approval = true;
    limits.sql_approval_above = above;
    return limits;
}

/* Let the paused run go on as a new one, with answer. */
static void answer(struct graph_rig *rig, const char *graph, const char *message, const char *node,
                   const char *text)
{
    struct err err = {0};
    size_t used;
    drop_kept();
    take(rig);
    graph_rig_drop_run(rig);
    graph_rig_make(rig, graph, message, EVENT_CORE);
    assert_int_equal(checkpoint_restore(rig->run, kept.list, 1, UINT64_MAX, &used, &err), ERR_OK);
    assert_true(checkpoint_resume(rig->run, str_of(node), str_of(text)));
    run_start(rig->run);
    assert_true(loop_run_dry(rig->loop, 100000));
    assert_int_equal(rig->ends, 1);
    graph_rig_collect(rig);
}

static const struct {
    const char *name, *answer;
    const char *events; /* a piece of them */
    unsigned calls;     /* of the database, after the plan */
} answers[] = {
    {"approved", "{\"action\":\"approve\"}", "\"rows\":[[10]]", 1},
    {"in a word", "\"approve\"", "\"rows\":[[10]]", 1},
    {"edited", "{\"action\":\"edit\",\"sql\":\"SELECT COUNT(*) AS n FROM customers\"}",
     "\"tables\":[\"customers\"]", 1},
    {"edited well",
     "{\"action\":\"edit\",\"sql\":\"SELECT COUNT(*) AS n FROM employee WHERE id > 7\"}",
     "WHERE id > 7", 1},
    {"edited into what writes", "{\"action\":\"edit\",\"sql\":\"DELETE FROM employee\"}",
     "\"sql\":\"SELECT COUNT(*) AS n FROM employee\",\"runs\":\"SELECT COUNT(*) AS n FROM "
     "employee\\nLIMIT 101\",\"edited\":\"DELETE FROM employee\",\"tables\":[\"employee\"],"
     "\"error\":",
     0},
    {"nothing that makes sense", "{\"action\":\"maybe\"}", "\"error\":\"expected {", 0},
    {"refused", "{\"action\":\"refuse\"}",
     "token:final:The query was not run, because it was not approved.|complete:", 0},
};

TEST(a_person_decides)
{
    static const char *const message = "SELECT COUNT(*) AS n FROM employee";
    const struct limits limits = asking(0);
    TEST_EACH(c, answers) {
        struct graph_rig rig;
        graph_rig_init_limits(&rig, &limits, NULL, 0, rows, countof(rows));
        graph_rig_go(&rig, "statement", message);
        EXPECT_HAS(
            c->name, &rig,
            "interrupt:run_sql:\"type\":\"sql_approval\",\"sql\":\"SELECT COUNT(*) AS n FROM "
            "employee");
        EXPECT_HAS(c->name, &rig, "\"tables\":[\"employee\"]");
        unsigned before = rig.sql.calls;
        answer(&rig, "statement", message, "run_sql", c->answer);
        EXPECT_HAS(c->name, &rig, c->events);
        EXPECT_INT(c->name, rig.sql.calls - before, c->calls);
        graph_rig_fini(&rig);
        drop_kept();
    }
}

/* Inside a sub-graph, in the graph that users talk to. */
TEST(wherever_the_statement_runs)
{
    static const struct {
        const char *graph, *node, *message;
        const struct fake_reply *replies;
        size_t reply_count;
    } graphs[] = {
        {"banking", "execution_tool", "How many users?", banking, countof(banking)},
        {"sql_agent", "executor", "How many employees?", others, countof(others)},
        {"text_to_sql", "executor", "How many employees?", others, countof(others)},
        {"orchestrator", "sql_agent/executor", "How many employees?", others, countof(others)},
    };
    const struct limits limits = asking(0);
    TEST_EACH(c, graphs) {
        struct graph_rig rig;
        graph_rig_init_limits(&rig, &limits, c->replies, c->reply_count, rows, countof(rows));
        graph_rig_go(&rig, c->graph, c->message);
        EXPECT_HAS(c->graph, &rig, "\"type\":\"sql_approval\"");
        EXPECT_HAS(c->graph, &rig, c->node);
        unsigned models = rig.llm.calls;
        answer(&rig, c->graph, c->message, c->node, "{\"action\":\"approve\"}");
        EXPECT_HAS(c->graph, &rig, "complete:");
        EXPECT_TRUE("only the answer is asked of the model", rig.llm.calls <= models + 2);
        EXPECT_TRUE("well", strstr(rig.events, "interrupt") == NULL);
        graph_rig_drop_run(&rig);
        graph_rig_go(&rig, c->graph, c->message);
        answer(&rig, c->graph, c->message, c->node, "{\"action\":\"refuse\"}");
        EXPECT_HAS(c->graph, &rig, "because it was not approved.|complete:");
        graph_rig_fini(&rig);
        drop_kept();
    }
}

RUN_TESTS(T(every_graph_goes_on_after_any_superstep), T(a_person_decides),
          T(wherever_the_statement_runs))
