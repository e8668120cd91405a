/* SPDX-License-Identifier: MIT */
/* The seeds' graphs, run over scripted models and databases: traces, budgets, failures. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/lexicon/column_values.h"
#include "agents/lexicon/lexicon.h"

#include "agents/banking/graph.h"
#include "agents/banking/state.h"
#include "agents/sql_agent/state.h"

#define EXPECT_HAS(name, rig, piece)                                                               \
    do {                                                                                           \
        if (strstr((rig)->events, piece) == NULL)                                                  \
            fail_msg("%s: '%s' is not in: %s", name, piece, (rig)->events);                        \
    } while (0)

static const struct fake_reply count_customers[] = {
    {"intent", "Count all rows in customers table"},
    {"sql_generation", "```sql\nSELECT COUNT(*) FROM customers;\n```"},
    {"insight", "SUMMARY: There are 42 customers.\nCHART: metric"},
};

static const struct fake_answer forty_two[] = {
    {"customers", .column = "COUNT(*)", .value = 42, .row_count = 1},
    {"employee", .column = "n", .value = 10, .row_count = 1},
};

/* Seed 000's picture. */
TEST(banking_picture)
{
    static const char *const lines[] = {
        "graph TD",
        "START([START]) --> intent_agent",
        "intent_agent --> sql_agent",
        "sql_agent --> validation_agent",
        "validation_agent -->|execution_tool| execution_tool",
        "validation_agent -->|sql_agent| sql_agent",
        "validation_agent -->|end_failure| END([END])",
        "execution_tool -->|insight_agent| insight_agent",
        "execution_tool -->|sql_agent| sql_agent",
        "execution_tool -->|end_failure| END\n",
        "insight_agent --> END\n",
    };
    struct graph_rig rig;
    struct buf out;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    buf_init(&out, 1 << 16);
    int which = registry_find(rig.registry, STR("banking"));
    graph_write_mermaid(registry_graph(rig.registry, (size_t)which), &out);
    for (size_t i = 0; i < countof(lines); i++)
        if (str_find(buf_str(&out), str_of(lines[i])) == STR_NONE)
            fail_msg("'%s' is not in: %.*s", lines[i], STR_ARG(buf_str(&out)));
    buf_fini(&out);
    graph_rig_fini(&rig);
}

/* R25. */
TEST(banking_success)
{
    struct graph_rig rig;
    struct buf out;
    graph_rig_init(&rig, count_customers, countof(count_customers), forty_two, countof(forty_two));
    graph_rig_go(&rig, "banking", "How many customers?");
    const struct state *state = run_state(rig.run);
    EXPECT_STR("intent", state_str(state, BANKING_INTERPRETED_INTENT),
               STR("Count all rows in customers table"));
    EXPECT_STR("generated", state_str(state, BANKING_GENERATED_SQL),
               STR("SELECT COUNT(*) FROM customers"));
    EXPECT_TRUE("limited",
                str_find(state_str(state, BANKING_VALIDATED_SQL), STR("LIMIT 100")) != STR_NONE);
    EXPECT_INT("the engine knows what it may read", rig.sql.tables_listed, 1);
    EXPECT_STR("summary", state_str(state, BANKING_SUMMARY), STR("There are 42 customers."));
    EXPECT_STR("chart", state_str(state, BANKING_CHART_SUGGESTION), STR("metric"));
    EXPECT_INT("no retry", state_int(state, BANKING_RETRY_COUNT), 0);
    EXPECT_HAS("order", &rig,
               "route_decision:banking:|tool_start:execution_tool:|token:final:There are 42 "
               "customers.|complete:");
    EXPECT_HAS("chart in complete", &rig,
               "\"chart\":{\"type\":\"metric\",\"title\":\"Count\",\"y\":[\"COUNT(*)\"]}");
    buf_init(&out, 1 << 16);
    banking_write_answer(state, NULL, &out);
    EXPECT_TRUE("rows are objects",
                str_find(buf_str(&out), STR("\"data\":[{\"COUNT(*)\":42}]")) != STR_NONE);
    EXPECT_TRUE("error is null", str_find(buf_str(&out), STR("\"error\":null")) != STR_NONE);
    buf_fini(&out);
    graph_rig_fini(&rig);
}

/* R26: the second attempt sees the reason. */
TEST(banking_retries_after_a_refusal)
{
    static const struct fake_reply replies[] = {
        {"intent", "Count all rows in users"},
        {"sql_generation", "SELECT COUNT(*) FROM users"},
        {"sql_generation", "SELECT COUNT(*) FROM customers"},
        {"insight", "SUMMARY: 42.\nCHART: metric"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), forty_two, countof(forty_two));
    graph_rig_go(&rig, "banking", "How many users?");
    const struct state *state = run_state(rig.run);
    EXPECT_INT("one retry", state_int(state, BANKING_RETRY_COUNT), 1);
    EXPECT_TRUE("error cleared", !state_has(state, BANKING_ERROR_MESSAGE));
    EXPECT_HAS("completes", &rig, "complete:");
    EXPECT_INT("intent, sql twice, insight", rig.llm.calls, 4);
    graph_rig_fini(&rig);
}

/* R27, C1: three attempts, two counted, the error stays. */
TEST(banking_budget_is_spent)
{
    static const struct fake_reply replies[] = {
        {"intent", "x"},
        {"sql_generation", "DROP TABLE customers"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), forty_two, countof(forty_two));
    graph_rig_go(&rig, "banking", "Drop the customers");
    const struct state *state = run_state(rig.run);
    EXPECT_INT("counted", state_int(state, BANKING_RETRY_COUNT), 2);
    EXPECT_INT("intent and three attempts", rig.llm.calls, 4);
    EXPECT_TRUE("error stays", state_has(state, BANKING_ERROR_MESSAGE));
    EXPECT_TRUE("no statement", !state_has(state, BANKING_VALIDATED_SQL));
    EXPECT_INT("nothing was sent", rig.sql.calls, 0);
    EXPECT_HAS("ends in error", &rig, "error:sql_rejected:");
    graph_rig_fini(&rig);
}

/* R31: both sources share the budget; R37: what a failed execution leaves. */
TEST(banking_execution_errors_retry)
{
    static const struct fake_answer answers[] = {
        {"accounts", ERR_REJECTED, "no such function: foo"},
        {"customers", .column = "n", .value = 1, .row_count = 1},
    };
    static const struct fake_reply replies[] = {
        {"intent", "x"},
        {"sql_generation", "SELECT id FROM accounts"},
        {"sql_generation", "SELECT name FROM nowhere"},
        {"sql_generation", "SELECT id FROM customers"},
        {"insight", "All good"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    graph_rig_go(&rig, "banking", "q");
    EXPECT_INT("one of each", state_int(run_state(rig.run), BANKING_RETRY_COUNT), 2);
    EXPECT_HAS("completes", &rig, "token:final:All good|complete:");
    EXPECT_STR("chart defaults to table", state_str(run_state(rig.run), BANKING_CHART_SUGGESTION),
               STR("table"));
    graph_rig_fini(&rig);
}

TEST(banking_ends_when_a_statement_is_late)
{
    static const struct fake_answer answers[] = {{"accounts", ERR_TIMEOUT, "too late"}};
    static const struct fake_reply replies[] = {
        {"intent", "x"},
        {"sql_generation", "SELECT id FROM accounts"},
        {"sql_generation", "SELECT id FROM customers"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    graph_rig_go(&rig, "banking", "q");
    EXPECT_INT("sent once", rig.sql.calls, 1);
    EXPECT_TRUE("says why", state_has(run_state(rig.run), BANKING_ERROR_MESSAGE));
    EXPECT_TRUE("no answer", !state_has(run_state(rig.run), BANKING_SUMMARY));
    graph_rig_fini(&rig);
}

/* A suggestion that the rows do not allow is not kept. */
TEST(banking_corrects_a_chart)
{
    static const struct fake_reply replies[] = {
        {"intent", "Count all rows in customers table"},
        {"sql_generation", "SELECT COUNT(*) FROM customers"},
        {"insight", "SUMMARY: 42.\nCHART: pie"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), forty_two, countof(forty_two));
    graph_rig_go(&rig, "banking", "How many customers?");
    EXPECT_STR("metric", state_str(run_state(rig.run), BANKING_CHART_SUGGESTION), STR("metric"));
    EXPECT_HAS("why", &rig,
               "\"remark\":\"\\\"pie\\\" was suggested, but no column names its parts.\"");
    graph_rig_fini(&rig);
}

TEST(model_failures_end_a_run)
{
    static const struct {
        const char *name;
        enum err_code failure;
        const char *want;
    } cases[] = {
        {"unreachable", ERR_UNAVAILABLE, "error:model_unavailable:"},
        {"slow", ERR_TIMEOUT, "error:model_timeout:"},
        {"refusing", ERR_REJECTED, "error:model_rejected:"},
        {"no key", ERR_NOT_CONFIGURED, "error:model_not_configured:"},
    };
    static const char *const graphs[] = {"banking", "orchestrator", "sql_agent", "general_agent"};
    TEST_EACH(c, cases) {
        for (size_t i = 0; i < countof(graphs); i++) {
            const struct fake_reply replies[] = {{"intent", "", c->failure},
                                                 {"classify", "", c->failure},
                                                 {"table_selection", "", c->failure},
                                                 {"general", "Half an ans", c->failure}};
            struct graph_rig rig;
            graph_rig_init(&rig, replies, countof(replies), NULL, 0);
            graph_rig_go(&rig, graphs[i], "q");
            EXPECT_HAS(c->name, &rig, c->want);
            EXPECT_TRUE(c->name, strstr(rig.events, "complete:") == NULL);
            graph_rig_fini(&rig);
        }
    }
}

static const struct fake_reply active_technicians[] = {
    {"classify", "SQL"},
    {"table_selection", "[\"employee\"]"},
    {"sql_generation", "SELECT COUNT(*) AS n FROM employee WHERE isActive = 1"},
    {"sql_answer", "There are 10"},
};

/* R118, R234: the seed's example. */
TEST(orchestrator_sql_route)
{
    struct graph_rig rig;
    struct history_message messages[4];
    struct identity key = {STR("c1"), STR("acme"), STR("u1")};
    graph_rig_init(&rig, active_technicians, countof(active_technicians), forty_two,
                   countof(forty_two));
    graph_rig_go(&rig, "orchestrator", "How many technicians are active?");
    EXPECT_HAS("order", &rig,
               "route_decision:sql:|tool_start:sql_agent:|token:final:There are 10|complete:");
    EXPECT_HAS("sql", &rig, "\"sql\":\"SELECT COUNT(*) AS n FROM employee WHERE isActive = 1");
    EXPECT_HAS("data", &rig, "\"rows\":[[10]]");
    EXPECT_INT("both messages kept", history_last(rig.has.history, &key, messages, 4), 2);
    EXPECT_STR("question", messages[0].text, STR("How many technicians are active?"));
    EXPECT_STR("answer", messages[1].text, STR("There are 10"));
    graph_rig_fini(&rig);
}

TEST(orchestrator_general_route)
{
    static const struct fake_reply replies[] = {
        {"classify", "The route is GENERAL."},
        {"general", "Machine learning is \xe2\x80\xa6 learning."},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), NULL, 0);
    graph_rig_go(&rig, "orchestrator", "What is machine learning?");
    EXPECT_HAS("order", &rig,
               "route_decision:general:|tool_start:general_agent:|token:final:Machine learning is "
               "\xe2\x80\xa6 learning.|complete:");
    EXPECT_TRUE("no sql", strstr(rig.events, "\"sql\"") == NULL);
    graph_rig_drop_run(&rig);
    graph_rig_go(&rig, "orchestrator", "And deep learning?");
    EXPECT_INT("the next turn sees the last: two earlier messages and its own",
               state_list_count(run_state(rig.run), 0), 4);
    graph_rig_fini(&rig);
}

/* What a model says behind a general route, or that its stream breaks there, is nobody's concern;
 * the other routes wait for what comes with theirs. */
TEST(orchestrator_decides_early)
{
    static const struct {
        const char *name, *reply, *want;
        enum err_code code;
    } cases[] = {
        {"an object", "{\"route\":\"GENERAL\",\"tables\":[],\"search\":null}",
         "route_decision:general:|tool_start:general_agent:|token:final:Hello|complete:", ERR_OK},
        {"an object that breaks off", "{ \"route\" : \"GENERAL\", \"tables\":[\"employee\"",
         "route_decision:general:|tool_start:general_agent:|token:final:Hello|complete:",
         ERR_UNAVAILABLE},
        {"a word that breaks off", "GENERAL",
         "route_decision:general:|tool_start:general_agent:|token:final:Hello|complete:",
         ERR_UNAVAILABLE},
        {"a longer word", "GENERALISED",
         "route_decision:general:|tool_start:general_agent:|token:final:Hello|complete:", ERR_OK},
        {"another route", "{\"route\":\"RAG\",\"search\":\"a policy\",",
         "error:model_unavailable:", ERR_UNAVAILABLE},
        {"another member first", "{\"search\":\"GENERAL\",\"route\":\"SQL\",",
         "error:model_unavailable:", ERR_UNAVAILABLE},
    };
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {{"classify", c->reply, c->code}, {"general", "Hello"}};
        struct graph_rig rig;
        graph_rig_init(&rig, replies, countof(replies), NULL, 0);
        graph_rig_go(&rig, "orchestrator", "What is machine learning?");
        EXPECT_HAS(c->name, &rig, c->want);
        graph_rig_fini(&rig);
    }
}

/* R148, R151: the seed's own correction. */
TEST(sql_agent_corrects)
{
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"crew\", \"employeeCrew\"]"},
        {"sql_generation", "SELECT COUNT(*) AS n FROM crew WHERE crew.isLead = 1"},
        {"sql_correction", "```sql\nSELECT COUNT(*) AS n FROM crew JOIN employeeCrew ON "
                           "employeeCrew.crewId = crew.id WHERE employeeCrew.isLead = 1\n```"},
        {"sql_answer", "42 crews have a lead."},
    };
    static const struct fake_answer answers[] = {
        {"crew", .column = "n", .value = 42, .row_count = 1}};
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    graph_rig_go(&rig, "sql_agent", "How many crews have a lead?");
    const struct state *state = run_state(rig.run);
    EXPECT_INT("one correction", state_int(state, SQL_AGENT_CORRECTION_ATTEMPTS), 1);
    EXPECT_INT("remembered", state_list_count(state, SQL_AGENT_CORRECTION_HISTORY), 1);
    EXPECT_TRUE("with the seed's words",
                str_find(state_list_item(state, SQL_AGENT_CORRECTION_HISTORY, 0),
                         STR("Column 'crew.isLead' does NOT exist in table 'crew'. Found in: "
                             "employeeCrew. Available columns in crew: id, "
                             "workOrderId\"")) != STR_NONE);
    EXPECT_HAS("answers", &rig, "token:final:42 crews have a lead.|complete:");
    EXPECT_TRUE("join plan", str_find(state_str(state, SQL_AGENT_JOIN_PLAN),
                                      STR("employeeCrew.crewId = crew.id")) != STR_NONE);
    graph_rig_fini(&rig);
}

/* A lexicon in which employee.role has values, whole or in part. */
static struct lexicon *make_roles(const struct graph_rig *rig, bool whole)
{
    static const char *const roles[] = {"inspector", "on call", "technician"};
    struct lexicon *lexicon = lexicon_create(rig->catalog, NULL);
    int table = catalog_find_table(rig->catalog, STR(""), STR("employee"));
    int column = catalog_find_column(rig->catalog, table, STR("role"));
    struct lexicon_value *values = arena_array(&lexicon->arena, countof(roles), sizeof *values);
    for (size_t i = 0; i < countof(roles); i++) {
        values[i].text = str_of(roles[i]);
        assert_true(lexicon_exact_add(&lexicon->exact, table, column, values[i].text, 0));
    }
    assert_true(lexicon_column_values_keep(lexicon, table, column, values, countof(roles), false));
    if (whole)
        assert_true(lexicon_exact_is_whole(&lexicon->exact, table, column));
    return lexicon;
}

/* C24: nothing is certain of a column that was read in part, until its result is empty. */
TEST(an_empty_result_is_tried_again)
{
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"employee\"]"},
        {"sql_generation", "SELECT COUNT(id) AS n FROM employee WHERE role = 'astronaut'"},
        {"sql_generation", "SELECT COUNT(id) AS n FROM employee WHERE role = 'technician'"},
        {"sql_answer", "Nobody."},
    };
    static const struct fake_answer answers[] = {
        {"astronaut", .column = "n", .row_count = 0},
        {"technician", .column = "n", .value = 10, .row_count = 1}};
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    struct lexicon *lexicon = make_roles(&rig, false);
    rig.knows.lexicon = lexicon;
    graph_rig_go(&rig, "sql_agent", "Which astronauts are there?");
    EXPECT_INT("once", state_int(run_state(rig.run), SQL_AGENT_RETRIES), 1);
    EXPECT_HAS("answers", &rig, "token:final:Nobody.|complete:");
    EXPECT_INT("no correction", state_int(run_state(rig.run), SQL_AGENT_CORRECTION_ATTEMPTS), 0);
    EXPECT_INT("generated again", rig.llm.calls, 4);
    graph_rig_fini(&rig);
    lexicon_destroy(lexicon);
}

/* What the guard passed runs when nothing better came of asking about its texts. */
TEST(a_doubted_statement_is_the_last_resort)
{
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"employee\"]"},
        {"sql_generation", "SELECT COUNT(id) AS n FROM employee WHERE role = 'astronaut'"},
        {"sql_correction", "SELECT nothing FROM employee"},
        {"sql_answer", "Nobody."},
    };
    static const struct fake_answer answers[] = {
        {"astronaut", .column = "n", .value = 0, .row_count = 1}};
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    struct lexicon *lexicon = make_roles(&rig, true);
    rig.knows.lexicon = lexicon;
    graph_rig_go(&rig, "sql_agent", "Which astronauts are there?");
    EXPECT_INT("all corrections", state_int(run_state(rig.run), SQL_AGENT_CORRECTION_ATTEMPTS), 3);
    EXPECT_HAS("runs", &rig, "token:final:Nobody.|complete:");
    EXPECT_HAS("with a warning", &rig, "\"'astronaut' is not a value of employee.role\"");
    graph_rig_fini(&rig);
    lexicon_destroy(lexicon);
}

/* The same on each dialect, as its parser gives the tree. */
TEST(texts_are_held_against_the_values)
{
    static const struct {
        const char *name;
        enum sql_dialect dialect;
        const char *sql, *runs; /* runs: a part of the statement; NULL: the model is asked */
    } cases[] = {
        {"equal", SQL_POSTGRES, "SELECT id FROM employee WHERE role = 'on_call'", "= 'on call'"},
        {"turned", SQL_POSTGRES, "SELECT id FROM employee WHERE 'on_call' = role", "'on call' ="},
        {"not equal", SQL_POSTGRES, "SELECT id FROM employee WHERE role <> 'Technician'",
         "<> 'technician'"},
        {"in a list", SQL_POSTGRES,
         "SELECT id FROM employee WHERE employee.role IN ('on_call', 'technician')",
         "('on call', 'technician')"},
        {"not in a list", SQL_POSTGRES, "SELECT id FROM employee WHERE role NOT IN ('OnCall')",
         "('on call')"},
        {"in an expression", SQL_POSTGRES,
         "SELECT SUM(CASE WHEN role = 'on-call' THEN 1 ELSE 0 END) AS n FROM employee",
         "role = 'on call' THEN"},
        {"lacking", SQL_POSTGRES, "SELECT id FROM employee WHERE role = 'astronaut'", NULL},
        {"in a list there", SQL_MYSQL, "SELECT id FROM employee WHERE role IN ('on_call', 'x')",
         NULL},
        {"not equal there", SQL_MYSQL, "SELECT id FROM employee WHERE role != 'on_call'",
         "'on call'"},
        {"another case there", SQL_MYSQL, "SELECT id FROM employee WHERE role = 'Technician'",
         "'Technician'"},
        {"in a list of one", SQL_SQLITE, "SELECT id FROM employee WHERE role IN ('on_call')",
         "('on call')"},
        {"LIKE says nothing", SQL_SQLITE, "SELECT id FROM employee WHERE role LIKE 'astro%'",
         "'astro%'"},
        {"nor does less", SQL_SQLITE, "SELECT id FROM employee WHERE role < 'm'", "< 'm'"},
    };
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {
            {"table_selection", "[\"employee\"]"},
            {"sql_generation", c->sql},
            {"sql_correction", "SELECT 1 AS n FROM employee"},
            {"sql_answer", "So."},
        };
        static const struct fake_answer answers[] = {
            {"employee", .column = "n", .value = 1, .row_count = 1}};
        struct graph_rig rig;
        graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
        struct lexicon *lexicon = make_roles(&rig, true);
        rig.knows.lexicon = lexicon;
        rig.knows.dialect = c->dialect;
        graph_rig_go(&rig, "sql_agent", "How many are there?");
        struct str sql = state_str(run_state(rig.run), SQL_AGENT_SQL);
        EXPECT_INT(c->name, state_int(run_state(rig.run), SQL_AGENT_CORRECTION_ATTEMPTS),
                   c->runs == NULL);
        if (c->runs != NULL && str_find(sql, str_of(c->runs)) == STR_NONE)
            fail_msg("%s: %.*s", c->name, STR_ARG(sql));
        graph_rig_fini(&rig);
        lexicon_destroy(lexicon);
    }
}

/* R168, R181: the prompt shows sample rows and the ways to join; 0 and 1 turn them off. A sample
 * that fails is passed over, also one that waited too long for the samples before it. */
TEST(sql_agent_samples_and_suggests)
{
    static const struct fake_answer crowded[] = {
        {"crew", ERR_BUSY, "other statements of the same caller had its share all the time"},
        {"employee", .column = "n", .value = 10, .row_count = 1},
    };
    static const struct {
        const char *name;
        size_t sample_rows, suggested_paths;
        unsigned queries;
        const struct fake_answer *script;
    } cases[] = {
        {"on", 1, 5, 3, forty_two}, {"crowded", 1, 5, 3, crowded}, {"off", 0, 1, 1, forty_two}};
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"crew\", \"employee\"]"},
        {"sql_generation", "SELECT COUNT(*) AS n FROM employee"},
        {"sql_answer", "Ten."},
    };
    TEST_EACH(c, cases) {
        struct graph_rig rig;
        struct limits limits = rig_limits;
        limits.sql_sample_rows = c->sample_rows;
        limits.sql_max_suggested_paths = c->suggested_paths;
        graph_rig_init(&rig, replies, countof(replies), c->script, countof(forty_two));
        rig.has.limits = &limits;
        graph_rig_go(&rig, "sql_agent", "q");
        const struct state *state = run_state(rig.run);
        struct str samples = state_str(state, SQL_AGENT_SAMPLES);
        struct str plan = state_str(state, SQL_AGENT_JOIN_PLAN);
        bool on = c->sample_rows > 0;
        EXPECT_HAS(c->name, &rig, "complete:");
        EXPECT_INT(c->name, rig.sql.calls, c->queries); /* crew's sample fails: passed over */
        EXPECT_INT(c->name, str_is_absent(samples), !on);
        if (on)
            EXPECT_TRUE(c->name, str_find(samples, STR("employee: n\n  10\n")) != STR_NONE);
        EXPECT_INT(c->name, str_find(plan, STR("Other ways to join")) != STR_NONE, on);
        EXPECT_INT(c->name, run_stats(rig.run)->sql_attempts, 1);
        graph_rig_fini(&rig);
    }
}

/* R151 without the model: the repair is an attempt, is remembered and said, and is not tried again.
 */
TEST(sql_repairs_what_is_mechanical)
{
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"crew\", \"employeeCrew\"]"},
        {"sql_generation", "SELECT COUNT(*) AS n FROM crews c JOIN employeeCrew ec ON ec.crewId = "
                           "c.id WHERE c.isLead = 1"},
        {"sql_answer", "42 crews have a lead."},
    };
    static const struct fake_answer answers[] = {
        {"crew", .column = "n", .value = 42, .row_count = 1}};
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    graph_rig_go(&rig, "sql_agent", "How many crews have a lead?");
    const struct state *state = run_state(rig.run);
    EXPECT_INT("selection, generation, answer", rig.llm.calls, 3);
    EXPECT_INT("one attempt", state_int(state, SQL_AGENT_CORRECTION_ATTEMPTS), 1);
    EXPECT_STR("mended", state_str(state, SQL_AGENT_SQL),
               STR("SELECT COUNT(*) AS n FROM crew c JOIN employeeCrew ec ON ec.crewId = c.id "
                   "WHERE ec.isLead = 1"));
    EXPECT_TRUE("remembered", str_find(state_list_item(state, SQL_AGENT_CORRECTION_HISTORY, 0),
                                       STR("\"repairs\":[\"tables\",\"columns\"]")) != STR_NONE);
    EXPECT_HAS("said", &rig,
               "\"notes\":[\"repaired without the model: crews -> crew, c.isLead -> "
               "ec.isLead\"]");
    graph_rig_fini(&rig);
}

/* A kind of repair is tried once; one that the guard would refuse all the same, not at all. */
TEST(sql_repairs_once)
{
    static const struct {
        const char *name, *sql;
        size_t repairs;
        unsigned llm_calls;
        const char *want;
    } cases[] = {
        {"the database refuses what was mended", "SELECT TOP 3 id FROM crew", 1, 4,
         "error:sql_rejected:"},
        {"half mended is not mended", "SELECT TOP 3 isLead FROM crew", 0, 5, "error:sql_rejected:"},
    };
    static const struct fake_answer answers[] = {{"crew", ERR_REJECTED, "no"}};
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {
            {"table_selection", "[\"crew\"]"},
            {"sql_generation", c->sql},
            {"sql_correction", c->sql},
        };
        struct graph_rig rig;
        graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
        graph_rig_go(&rig, "sql_agent", "q");
        const struct state *state = run_state(rig.run);
        EXPECT_INT(c->name, state_int(state, SQL_AGENT_CORRECTION_ATTEMPTS), 3);
        EXPECT_INT(c->name, rig.llm.calls, c->llm_calls);
        EXPECT_INT(c->name, state_list_count(state, SQL_AGENT_REPAIRS), c->repairs);
        EXPECT_HAS(c->name, &rig, c->want);
        graph_rig_fini(&rig);
    }
}

TEST(sql_agent_gives_up)
{
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"crew\"]"},
        {"sql_generation", "SELECT isLead FROM crew"},
        {"sql_correction", "SELECT isLeader FROM crew"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), NULL, 0);
    graph_rig_go(&rig, "sql_agent", "q");
    EXPECT_INT("three corrections", state_int(run_state(rig.run), SQL_AGENT_CORRECTION_ATTEMPTS),
               3);
    EXPECT_INT("selection, generation, three corrections", rig.llm.calls, 5);
    EXPECT_INT("nothing was sent", rig.sql.calls, 0);
    EXPECT_HAS("ends in error", &rig, "error:sql_rejected:");
    graph_rig_fini(&rig);
}

TEST(sql_agent_abstains)
{
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"crew\"]"},
        {"sql_generation", "CANNOT: no table holds a credit score"},
    };
    struct graph_rig rig;
    graph_rig_init(&rig, replies, countof(replies), NULL, 0);
    graph_rig_go(&rig, "sql_agent", "What is the credit score?");
    EXPECT_HAS("an answer, not an error", &rig,
               "token:final:I can't answer that: no table holds a credit "
               "score.|complete:");
    EXPECT_HAS("marked", &rig, "\"abstained\":\"no table holds a credit score\"");
    EXPECT_INT("nothing was sent", rig.sql.calls, 0);
    graph_rig_fini(&rig);
}

TEST(database_failures)
{
    static const struct {
        const char *name;
        enum err_code failure;
        const char *want;
        unsigned queries;
    } cases[] = {
        {"gone: no other statement would fare better", ERR_UNAVAILABLE,
         "error:database_unavailable:", 1},
        {"too slow: not tried again", ERR_TIMEOUT, "error:sql_timeout:", 1},
        {"a correction that failed before is not sent", ERR_REJECTED, "error:sql_failed:", 2},
    };
    TEST_EACH(c, cases) {
        const struct fake_answer answers[] = {{"employee", c->failure, "as scripted"}};
        const struct fake_reply replies[] = {
            {"table_selection", "[\"employee\"]"},
            {"sql_generation", "SELECT id FROM employee"},
            {"sql_correction", "SELECT id FROM employee WHERE id > 0"},
        };
        struct graph_rig rig;
        graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
        graph_rig_go(&rig, "sql_agent", "q");
        EXPECT_HAS(c->name, &rig, c->want);
        EXPECT_INT(c->name, rig.sql.calls, c->queries);
        graph_rig_fini(&rig);
    }
}

/* Cancelled after every number of turns: one terminal event, nothing left. */
TEST(cancelled_at_every_turn)
{
    bool completed = false;
    for (unsigned turns = 0; !completed; turns++) {
        struct graph_rig rig;
        struct limits limits = rig_limits;
        limits.sql_sample_rows = 1;
        graph_rig_init(&rig, active_technicians, countof(active_technicians), forty_two,
                       countof(forty_two));
        rig.has.limits = &limits;
        graph_rig_make(&rig, "orchestrator", "How many technicians are active?", EVENT_DEBUG);
        run_start(rig.run);
        loop_turn(rig.loop, turns);
        completed = rig.ends == 1;
        run_cancel(rig.run, "cancelled", "somebody asked");
        run_cancel(rig.run, "cancelled", "again");
        assert_true(loop_run_dry(rig.loop, 100000));
        EXPECT_INT("ends", rig.ends, 1);
        graph_rig_collect(&rig);
        EXPECT_HAS("terminal", &rig, completed ? "complete:" : "error:cancelled:somebody asked");
        graph_rig_fini(&rig);
        assert_true(turns < 2000);
    }
}

TEST(blank_questions)
{
    struct graph_rig rig;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    for (size_t i = 0; i < registry_count(rig.registry); i++) {
        const struct registry_entry *entry = registry_entry(rig.registry, i);
        char want[100];
        struct err err = {0};
        const struct session session = {.message = STR(" \t\n ")};
        snprintf(want, sizeof want, "%s: expected text, got only blanks",
                 entry->def->schema.slots[entry->question].name);
        EXPECT_INT(entry->def->name, registry_begin(entry, NULL, &session, &err), ERR_INVALID);
        EXPECT_STR(entry->def->name, str_of(err.text), str_of(want));
    }
    EXPECT_STR("banking's own name",
               str_of(banking_entry.def->schema.slots[banking_entry.question].name),
               STR("user_query"));
    graph_rig_fini(&rig);
}

RUN_TESTS(T(banking_picture), T(banking_success), T(banking_retries_after_a_refusal),
          T(banking_budget_is_spent), T(banking_execution_errors_retry),
          T(banking_ends_when_a_statement_is_late), T(banking_corrects_a_chart),
          T(model_failures_end_a_run), T(orchestrator_sql_route), T(orchestrator_general_route),
          T(orchestrator_decides_early), T(sql_agent_corrects), T(an_empty_result_is_tried_again),
          T(a_doubted_statement_is_the_last_resort), T(texts_are_held_against_the_values),
          T(sql_repairs_what_is_mechanical), T(sql_repairs_once), T(sql_agent_samples_and_suggests),
          T(sql_agent_gives_up), T(sql_agent_abstains), T(database_failures), T(blank_questions),
          T(cancelled_at_every_turn))
