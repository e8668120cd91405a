/* SPDX-License-Identifier: MIT */
/* Seed 001's graph over a scripted model and database: every edge, every budget, every failure. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/text_to_sql/state.h"

#define EXPECT_HAS(name, rig, piece)                                                               \
    do {                                                                                           \
        if (strstr((rig)->events, piece) == NULL)                                                  \
            fail_msg("%s: '%s' is not in: %s", name, piece, (rig)->events);                        \
    } while (0)

#define GOOD                                                                                       \
    "Counts the active employees.\n```sql\nSELECT COUNT(*) AS n FROM employee WHERE isActive = "   \
    "1;\n```"

static const struct fake_reply plain[] = {
    {"sql_generation", GOOD},
    {"sql_response", "There are 10."},
};
static const struct fake_answer ten[] = {
    {"employee", .column = "n", .value = 10, .row_count = 1},
    {"ghost", ERR_REJECTED, "no such table: ghost"},
};

/* The seed's picture, with C1's reading of the retry test. */
TEST(picture)
{
    struct graph_rig rig;
    struct buf out;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    buf_init(&out, 1 << 16);
    int which = registry_find(rig.registry, STR("text_to_sql"));
    graph_write_mermaid(registry_graph(rig.registry, (size_t)which), &out);
    EXPECT_STR("mermaid", buf_str(&out),
               STR("graph TD\n"
                   "    START([START]) --> retrieval\n"
                   "    retrieval --> sql_generator\n"
                   "    sql_generator --> validator\n"
                   "    validator -->|\"is_valid = True\"| executor\n"
                   "    validator -->|\"is_valid = False\"| increment_retry\n"
                   "    executor --> responder\n"
                   "    increment_retry -->|\"retry_count <= MAX_RETRIES\"| sql_generator\n"
                   "    increment_retry -->|\"retry_count > MAX_RETRIES\"| responder\n"
                   "    responder --> END([END])\n"));
    buf_fini(&out);
    graph_rig_fini(&rig);
}

/* R79-R89: the straight road, every field of the state. */
TEST(answers)
{
    struct graph_rig rig;
    struct history_message messages[4];
    struct identity key = {STR("c1"), STR("acme"), STR("u1")};
    graph_rig_init(&rig, plain, countof(plain), ten, countof(ten));
    graph_rig_go(&rig, "text_to_sql", "How many employees are active?");
    const struct state *state = run_state(rig.run);
    EXPECT_HAS("order", &rig,
               "route_decision:text_to_sql:|tool_start:executor:|token:final:There are "
               "10.|complete:");
    EXPECT_STR("pairs", state_str(state, TEXT_TO_SQL_SQL_PAIRS), STR("[]"));
    EXPECT_TRUE("the table comes first",
                str_starts_with(state_str(state, TEXT_TO_SQL_DATABASE_INFO), STR("## employee\n")));
    EXPECT_STR("sql", state_str(state, TEXT_TO_SQL_GENERATED_SQL),
               STR("SELECT COUNT(*) AS n FROM employee WHERE isActive = 1"));
    EXPECT_STR("explanation", state_str(state, TEXT_TO_SQL_SQL_EXPLANATION),
               STR("Counts the active employees."));
    EXPECT_TRUE("valid", state_bool(state, TEXT_TO_SQL_IS_VALID));
    EXPECT_TRUE("no errors", !state_has(state, TEXT_TO_SQL_VALIDATION_ERRORS));
    EXPECT_TRUE("executed", state_bool(state, TEXT_TO_SQL_EXECUTED));
    EXPECT_INT("rows", state_int(state, TEXT_TO_SQL_ROW_COUNT), 1);
    EXPECT_STR("columns", state_str(state, TEXT_TO_SQL_COLUMNS), STR("[\"n\"]"));
    EXPECT_TRUE("no error", !state_has(state, TEXT_TO_SQL_EXECUTION_ERROR));
    EXPECT_STR("session", state_str(state, TEXT_TO_SQL_SESSION_ID), STR("c1"));
    EXPECT_INT("retries", state_int(state, TEXT_TO_SQL_RETRY_COUNT), 0);
    EXPECT_HAS("what ran", &rig, "\"sql\":\"SELECT COUNT(*) AS n FROM employee WHERE isActive = 1");
    EXPECT_HAS("data", &rig, "\"rows\":[[10]]");
    EXPECT_HAS("tables", &rig, "\"tables\":[\"employee\"]");
    EXPECT_HAS("why", &rig, "\"explanation\":\"Counts the active employees.\"");
    EXPECT_INT("both messages", state_list_count(state, TEXT_TO_SQL_MESSAGES), 2);
    EXPECT_INT("are kept", history_last(rig.has.history, &key, messages, 4), 2);
    graph_rig_drop_run(&rig);
    graph_rig_go(&rig, "text_to_sql", "And how many crews?");
    EXPECT_INT("the next turn sees them, and the statement",
               state_list_count(run_state(rig.run), TEXT_TO_SQL_MESSAGES), 5);
    graph_rig_fini(&rig);
}

/* R80, R81, C1: which statements come, what becomes of them. */
static const struct {
    const char *name;
    struct fake_reply replies[5];
    size_t reply_count;
    int64_t retry_count;
    unsigned llm_calls, sql_calls;
    bool valid, executed;
    const char *has;
} retry_cases[] = {
    {"one bad, one good",
     {{"sql_generation", "DELETE FROM employee"},
      {"sql_generation", GOOD},
      {"sql_response", "Ten."}},
     3,
     1,
     3,
     1,
     true,
     true,
     "token:final:Ten.|complete:"},
    {"two bad, one good",
     {{"sql_generation", "DELETE FROM employee"},
      {"sql_generation", "SELECT nothing("},
      {"sql_generation", GOOD},
      {"sql_response", "Ten."}},
     4,
     2,
     4,
     1,
     true,
     true,
     "\"rows\":[[10]]"},
    {"three bad: the responder explains",
     {{"sql_generation", "DROP TABLE employee"}, {"sql_response", "That cannot be done."}},
     2,
     3,
     4,
     0,
     false,
     false,
     "token:final:That cannot be done.|complete:"},
    {"an unknown column is an error",
     {{"sql_generation", "SELECT age FROM employee"}, {"sql_response", "No ages."}},
     2,
     3,
     4,
     0,
     false,
     false,
     "\"validation_errors\":[\"Column 'employee.age' does NOT"},
    {"an unknown table is a warning, the database refuses it, nobody retries",
     {{"sql_generation", "SELECT COUNT(*) AS n FROM ghost"}, {"sql_response", "No ghosts."}},
     2,
     0,
     2,
     1,
     true,
     false,
     "\"execution_error\":\"no such table: ghost\""},
    {"what an unknown table hides is not known: its columns are not read",
     {{"sql_generation", "SELECT * FROM ghost"}, {"sql_response", "No ghosts."}},
     2,
     3,
     4,
     0,
     false,
     false,
     "\"validation_errors\":[\"'*' may not be read from 'ghost', whose columns are not known."},
    {"what the model cannot do is not asked again",
     {{"sql_generation", "CANNOT: no table holds a credit score"}},
     1,
     1,
     1,
     0,
     false,
     false,
     "token:final:I can't answer that: no table holds a credit "
     "score.|complete:"},
};

TEST(retries)
{
    TEST_EACH(c, retry_cases) {
        struct graph_rig rig;
        graph_rig_init(&rig, c->replies, c->reply_count, ten, countof(ten));
        rig.catalog->complete = true; /* as introspection says: else an unknown table is refused */
        graph_rig_go(&rig, "text_to_sql", "How many?");
        const struct state *state = run_state(rig.run);
        EXPECT_INT(c->name, state_int(state, TEXT_TO_SQL_RETRY_COUNT), c->retry_count);
        EXPECT_INT(c->name, rig.llm.calls, c->llm_calls);
        EXPECT_INT(c->name, rig.sql.calls, c->sql_calls);
        EXPECT_INT(c->name, state_bool(state, TEXT_TO_SQL_IS_VALID), c->valid);
        EXPECT_INT(c->name, state_bool(state, TEXT_TO_SQL_EXECUTED), c->executed);
        EXPECT_HAS(c->name, &rig, c->has);
        EXPECT_TRUE(c->name, strstr(rig.events, "error:") == NULL ||
                                 strstr(rig.events, "_error\":") != NULL);
        graph_rig_fini(&rig);
    }
}

TEST(the_generator_sees_its_last_error)
{
    static const struct fake_reply replies[] = {
        {"sql_generation", "SELECT age FROM employee"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), ten, countof(ten));
    graph_rig_make(&rig, "text_to_sql", "How old?", EVENT_NODES);
    run_start(rig.run);
    while (rig.llm.calls < 2)
        loop_turn(rig.loop, 1);
    assert_non_null(strstr(rig.llm.last_user, "Last attempt, if any: SELECT age FROM employee"));
    assert_non_null(strstr(rig.llm.last_user, "Column 'employee.age' does NOT exist"));
    run_cancel(rig.run, "cancelled", "seen enough");
    assert_true(loop_run_dry(rig.loop, 100000));
    graph_rig_collect(&rig);
    EXPECT_HAS("the retry is told", &rig, "retry:retry:Column 'employee.age' does NOT exist");
    graph_rig_fini(&rig);
}

TEST(failures)
{
    static const struct {
        const char *name;
        struct fake_reply replies[2];
        struct fake_answer answer;
        const char *want;
    } cases[] = {
        {"generator: no model",
         {{"sql_generation", "", ERR_UNAVAILABLE}},
         {"x"},
         "error:model_unavailable:"},
        {"responder: too slow",
         {{"sql_generation", GOOD}, {"sql_response", "Half an ans", ERR_TIMEOUT}},
         {"employee", .column = "n", .value = 10, .row_count = 1},
         "error:model_timeout:"},
        {"database gone",
         {{"sql_generation", GOOD}},
         {"employee", ERR_UNAVAILABLE, "gone"},
         "error:database_unavailable:"},
        {"statement too slow: explained",
         {{"sql_generation", GOOD}, {"sql_response", "It took too long."}},
         {"employee", ERR_TIMEOUT, "30 s passed"},
         "token:final:It took too long.|complete:"},
    };
    TEST_EACH(c, cases) {
        struct graph_rig rig;
        graph_rig_init(&rig, c->replies, countof(c->replies), &c->answer, 1);
        graph_rig_go(&rig, "text_to_sql", "How many?");
        EXPECT_HAS(c->name, &rig, c->want);
        graph_rig_fini(&rig);
    }
}

TEST(without_a_database)
{
    struct graph_rig rig;
    graph_rig_init(&rig, plain, countof(plain), ten, countof(ten));
    rig.knows.catalog = NULL;
    err_set(&rig.knows.catalog_err, ERR_UNAVAILABLE, "the file is gone");
    graph_rig_go(&rig, "text_to_sql", "How many?");
    EXPECT_HAS("at once", &rig, "error:database_unavailable:the database is unavailable");
    EXPECT_INT("nobody is asked", rig.llm.calls, 0);
    graph_rig_fini(&rig);
}

TEST(cancelled_at_every_turn)
{
    bool completed = false;
    for (unsigned turns = 0; !completed; turns++) {
        struct graph_rig rig;
        graph_rig_init(&rig, plain, countof(plain), ten, countof(ten));
        graph_rig_make(&rig, "text_to_sql", "How many employees are active?", EVENT_DEBUG);
        run_start(rig.run);
        loop_turn(rig.loop, turns);
        completed = rig.ends == 1;
        run_cancel(rig.run, "cancelled", "somebody asked");
        assert_true(loop_run_dry(rig.loop, 100000));
        EXPECT_INT("ends", rig.ends, 1);
        graph_rig_collect(&rig);
        EXPECT_HAS("terminal", &rig, completed ? "complete:" : "error:cancelled:somebody asked");
        graph_rig_fini(&rig);
        assert_true(turns < 2000);
    }
}

RUN_TESTS(T(picture), T(answers), T(retries), T(the_generator_sees_its_last_error), T(failures),
          T(without_a_database), T(cancelled_at_every_turn))
