/* SPDX-License-Identifier: MIT */
/* Which tables a question is about, and a schema of hundreds of tables in a prompt's limits. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/search/rank.h"
#include "agents/sql_agent/state.h"

enum { TABLES = 10 };

static const char world[] =
    "{\"version\":1,\"tables\":{"
    "\"audit_log\":{\"columns\":[\"id\",\"message\",\"created_at\"]},"
    "\"customer\":{\"columns\":[\"id\",\"name\",\"city\"]},"
    "\"customerLocation\":{\"columns\":[\"id\",\"customerId\",\"zip\"]},"
    "\"employee\":{\"columns\":[\"id\",\"firstName\",\"role\"]},"
    "\"employeeCrew\":{\"columns\":[\"id\",\"crewId\",\"employeeId\",\"isLead\"]},"
    "\"crew\":{\"columns\":[\"id\",\"workOrderId\"]},"
    "\"workOrder\":{\"columns\":[\"id\",\"number\",\"status\",\"customerId\"]},"
    "\"work_order_status_history\":{\"columns\":[\"id\",\"work_order_id\",\"status\"]},"
    "\"taxwarehouse\":{\"columns\":[\"id\",\"plot\"]},"
    "\"invoice\":{\"columns\":[\"id\",\"total\",\"due_date\"]}},"
    "\"relationships\":["
    "{\"from_table\":\"employeeCrew\",\"from_column\":\"crewId\",\"to_table\":\"crew\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"employeeCrew\",\"from_column\":\"employeeId\",\"to_table\":\"employee\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"}]}";

TEST(ranks)
{
    static const struct {
        const char *question, *want[3];
        size_t named;
    } cases[] = {
        {"How many customers are there in each city?", {"customer", "customerLocation"}, 0},
        {"Show open work orders", {"workOrder", "work_order_status_history"}, 0},
        {"Which invoices are due?", {"invoice"}, 1},
        {"first names of the crews' leads", {"crew", "employeeCrew"}, 0},
        {"What does the warehouse of the tax cost?", {"taxwarehouse"}, 1}, /* runs together */
        {"What is the meaning of life?", {"audit_log", "customer", "customerLocation"}, 0},
    };
    struct err err = {0};
    struct catalog *catalog;
    assert_int_equal(catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    const struct knowledge knows = {.catalog = catalog};
    const struct session session = {.knows = &knows};
    TEST_EACH(c, cases) {
        int tables[TABLES];
        size_t named;
        struct arena arena;
        arena_init(&arena, 1 << 20);
        EXPECT_INT(c->question,
                   search_rank_tables(&session, str_of(c->question), &arena, tables, TABLES,
                                      &named),
                   TABLES);
        for (size_t i = 0; i < 3 && c->want[i] != NULL; i++)
            EXPECT_STR(c->question, catalog->tables[tables[i]].name, str_of(c->want[i]));
        if (c->named > 0)
            EXPECT_INT(c->question, named, c->named);
        EXPECT_INT("at most",
                   search_rank_tables(&session, str_of(c->question), &arena, tables, 2, NULL), 2);
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

/* No table is ranked without memory, and nothing breaks. */
TEST(little_memory)
{
    struct err err = {0};
    struct catalog *catalog;
    assert_int_equal(catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    const struct knowledge knows = {.catalog = catalog};
    const struct session session = {.knows = &knows};
    for (size_t budget = 0; budget < 40000; budget += 512) {
        int tables[TABLES];
        struct arena arena;
        arena_init(&arena, budget);
        size_t count = search_rank_tables(&session, STR("Which crews have work orders?"), &arena,
                                          tables, TABLES, NULL);
        EXPECT_TRUE("all or none", count == 0 || count == TABLES);
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

enum { MANY = 700 };

static struct catalog *many_tables(void)
{
    struct buf json;
    struct catalog *catalog;
    struct err err = {0};
    buf_init(&json, 1 << 20);
    buf_push(&json, STR("{\"version\":1,\"tables\":{"));
    for (unsigned i = 0; i < MANY; i++)
        buf_printf(&json, "\"part%u\":{\"columns\":[\"id\",\"weight%u\",\"supplierCode\"]},", i, i);
    buf_push(&json, STR("\"zebra\":{\"columns\":[\"id\",\"stripes\"]}},\"relationships\":[]}"));
    assert_int_equal(catalog_from_join_graph(buf_str(&json), &catalog, &err), ERR_OK);
    buf_fini(&json);
    return catalog;
}

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "\n- ")) != NULL; at++)
        count++;
    return count;
}

/* R136, R179, R182: the last table of hundreds is shown first, within both limits. */
TEST(hundreds_of_tables)
{
    static const struct {
        const char *name;
        size_t max_tables, max_tokens;
        bool whole;
    } cases[] = {
        {"both limits hold", 250, 120000, true},
        {"a smaller count", 3, 120000, true},
        {"few tokens: names without columns", 250, 2500, false},
        {"all fit: the catalog's order", 1000, 120000, true},
    };
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"zebra\"]"},
        {"sql_generation", "CANNOT: enough"},
    };
    struct catalog *catalog = many_tables();
    TEST_EACH(c, cases) {
        struct graph_rig rig;
        struct limits limits = rig_limits;
        limits.sql_max_tables_in_selection_prompt = c->max_tables;
        limits.max_context_tokens = c->max_tokens;
        graph_rig_init(&rig, replies, countof(replies), NULL, 0);
        rig.has.limits = &limits;
        rig.knows.catalog = catalog;
        graph_rig_make(&rig, "sql_agent", "How many stripes has a zebra?", EVENT_CORE);
        run_start(rig.run);
        while (rig.llm.calls < 1)
            loop_turn(rig.loop, 1);
        bool all = c->max_tables > MANY;
        size_t lines = lines_of(rig.llm.last_system);
        const char *zebra = strstr(rig.llm.last_system, "- zebra(id, stripes)");
        const char *part = strstr(rig.llm.last_system, "- part0");
        EXPECT_TRUE(c->name, all || zebra != NULL);
        EXPECT_TRUE(c->name, all ? part != NULL : part == NULL || zebra < part);
        EXPECT_TRUE(c->name, all || lines <= c->max_tables);
        EXPECT_TRUE(c->name, strlen(rig.llm.last_system) <= c->max_tokens * 3);
        if (!c->whole)
            EXPECT_TRUE(c->name, lines > 100 && strstr(rig.llm.last_system, "\n- part90\n"));
        run_cancel(rig.run, "cancelled", "seen enough");
        assert_true(loop_run_dry(rig.loop, 100000));
        graph_rig_fini(&rig);
    }
    catalog_destroy(catalog);
}

/* R178: a model that names no table there is. */
TEST(fallback_tables)
{
    static const struct {
        const char *name, *answer, *question, *want;
        size_t max;
    } cases[] = {
        {"named", "[\"workTime\", \"employee\"]", "Hours?", "[\"workTime\",\"employee\"]", 5},
        {"unknown ones are passed over", "[\"nowhere\", \"employee\"]", "q", "[\"employee\"]", 5},
        {"none known: the question's words", "[\"nowhere\"]", "How many crews?",
         "[\"crew\",\"employeeCrew\"]", 5},
        {"no list at all", "I think accounts.", "balance of accounts", "[\"accounts\"]", 1},
        {"words that reach nothing: the first", "[]", "Why?", "[\"customers\",\"accounts\"]", 2},
    };
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {
            {"table_selection", c->answer},
            {"sql_generation", "CANNOT: enough"},
        };
        struct graph_rig rig;
        struct limits limits = rig_limits;
        limits.sql_max_fallback_tables = c->max;
        graph_rig_init(&rig, replies, countof(replies), NULL, 0);
        rig.has.limits = &limits;
        graph_rig_go(&rig, "sql_agent", c->question);
        EXPECT_STR(c->name, state_str(run_state(rig.run), SQL_AGENT_TABLES), str_of(c->want));
        graph_rig_fini(&rig);
    }
}

RUN_TESTS(T(ranks), T(little_memory), T(hundreds_of_tables), T(fallback_tables))
