/* SPDX-License-Identifier: MIT */
/* Plans of three engines, as they print them, and what is said of them. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/sql/guard/cost.h"
#include "agents/sql_agent/state.h"

static const char pg_cross[] =
    "[{\"Plan\":{\"Node Type\":\"Aggregate\",\"Startup Cost\":60003441.0,\"Total Cost\":60003441.1,"
    "\"Plan Rows\":1,\"Plans\":[{\"Node Type\":\"Nested Loop\",\"Startup Cost\":0.0,"
    "\"Total Cost\":50003441.0,\"Plan Rows\":4000000000,\"Plans\":["
    "{\"Node Type\":\"Seq Scan\",\"Relation Name\":\"worktime\",\"Startup Cost\":0.0,"
    "\"Total Cost\":3082.0,\"Plan Rows\":200000},"
    "{\"Node Type\":\"Materialize\",\"Startup Cost\":0.0,\"Total Cost\":409.0,\"Plan Rows\":20000,"
    "\"Plans\":[{\"Node Type\":\"Seq Scan\",\"Relation Name\":\"employee\",\"Startup Cost\":0.0,"
    "\"Total Cost\":309.0,\"Plan Rows\":20000}]}]}]}}]";
/* The same join under a LIMIT: 100 of its rows are read. */
static const char pg_limit[] =
    "[{\"Plan\":{\"Node Type\":\"Limit\",\"Startup Cost\":0.0,\"Total Cost\":1.25,\"Plan "
    "Rows\":100,"
    "\"Plans\":[{\"Node Type\":\"Nested Loop\",\"Startup Cost\":0.0,\"Total Cost\":50003441.0,"
    "\"Plan Rows\":4000000000,\"Plans\":[{\"Node Type\":\"Seq Scan\",\"Relation "
    "Name\":\"worktime\","
    "\"Startup Cost\":0.0,\"Total Cost\":3082.0,\"Plan Rows\":200000},"
    "{\"Node Type\":\"Seq Scan\",\"Relation Name\":\"employee\",\"Startup Cost\":0.0,"
    "\"Total Cost\":309.0,\"Plan Rows\":20000}]}]}}]";
/* A sort reads all, LIMIT or not. */
static const char pg_sorted[] =
    "[{\"Plan\":{\"Node Type\":\"Limit\",\"Startup Cost\":75.0,\"Total Cost\":76.0,\"Plan "
    "Rows\":10,"
    "\"Plans\":[{\"Node Type\":\"Sort\",\"Startup Cost\":75.0,\"Total Cost\":7500.0,"
    "\"Plan Rows\":1000000,\"Plans\":[{\"Node Type\":\"Hash Join\",\"Startup Cost\":0.0,"
    "\"Total Cost\":70.0,\"Plan Rows\":5000000,\"Plans\":[{\"Node Type\":\"Seq Scan\","
    "\"Relation Name\":\"a\",\"Plan Rows\":10},{\"Node Type\":\"Hash\",\"Plan Rows\":10,"
    "\"Plans\":[{\"Node Type\":\"Seq Scan\",\"Relation Name\":\"b\",\"Plan Rows\":10}]}]}]}]}}]";
static const char mariadb_join[] =
    "{\"query_block\":{\"select_id\":1,\"filesort\":{\"sort_key\":\"count(0)\",\"temporary_table\":"
    "{"
    "\"nested_loop\":[{\"table\":{\"table_name\":\"e\",\"access_type\":\"index\",\"rows\":19778,"
    "\"filtered\":100}},{\"block-nl-join\":{\"table\":{\"table_name\":\"w\",\"access_type\":"
    "\"ALL\","
    "\"rows\":200196,\"filtered\":100},\"buffer_type\":\"flat\"}}]}}}}";
static const char mariadb_union[] =
    "{\"query_block\":{\"union_result\":{\"table_name\":\"<union1,3>\",\"query_specifications\":["
    "{\"query_block\":{\"select_id\":1,\"nested_loop\":[{\"table\":{\"table_name\":\"e\","
    "\"rows\":100,\"filtered\":50}},{\"table\":{\"table_name\":\"x\",\"access_type\":\"eq_ref\","
    "\"rows\":1,\"filtered\":100,\"materialized\":{\"query_block\":{\"nested_loop\":[{\"table\":{"
    "\"table_name\":\"w\",\"rows\":9000,\"filtered\":100}}]}}}}]}}]}}}";
static const char mysql_cost[] =
    "{\"query_block\":{\"select_id\":1,\"cost_info\":{\"query_cost\":\"4000000.25\"},\"nested_"
    "loop\":["
    "{\"table\":{\"table_name\":\"e\",\"rows_examined_per_scan\":1000,\"rows_produced_per_join\":"
    "1000,"
    "\"filtered\":\"100.00\"}},{\"table\":{\"table_name\":\"w\",\"rows_examined_per_scan\":500,"
    "\"filtered\":\"10.00\"}}]}}";

TEST(reads_plans_of_text)
{
    static const struct {
        const char *name;
        enum sql_dialect dialect;
        const char *plan;
        double cost, rows;
        const char *what; /* NULL: it cannot be read */
    } cases[] = {
        {"postgres: cross", SQL_POSTGRES, pg_cross, 60003441.1, 4e9,
         "every pair of rows of worktime and employee"},
        {"postgres: LIMIT", SQL_POSTGRES, pg_limit, 1.25, 100, ""},
        {"postgres: sorted", SQL_POSTGRES, pg_sorted, 76, 5e6, "the join of a and b"},
        {"mariadb: join", SQL_MYSQL, mariadb_join, -1, 19778.0 + 19778.0 * 200196,
         "the nested reading of e and w"},
        {"mariadb: union", SQL_MYSQL, mariadb_union, -1, 9000, "reading w"},
        {"mysql: cost", SQL_MYSQL, mysql_cost, 4000000.25, 1000 + 1000.0 * 500,
         "the nested reading of e and w"},
        {"postgres: something else", SQL_POSTGRES, "[{\"Plan\":3}]", 0, 0, NULL},
        {"postgres: no JSON", SQL_POSTGRES, "Seq Scan", 0, 0, NULL},
        {"mysql: something else", SQL_MYSQL, "[]", 0, 0, NULL},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_cost cost;
        const struct sql_value value = {.type = SQL_TEXT, .text = str_of(c->plan)};
        const struct sql_result plan = {.column_count = 1, .row_count = 1, .values = &value};
        arena_init(&arena, 1 << 20);
        bool read = sql_cost_read(c->dialect, &plan, NULL, NULL, &arena, &cost);
        EXPECT_INT(c->name, read, c->what != NULL);
        if (read) {
            EXPECT_INT(c->name, cost.cost * 100, c->cost * 100);
            EXPECT_TRUE(c->name, cost.rows > c->rows * 0.99 && cost.rows < c->rows * 1.01);
            EXPECT_TRUE(c->name, str_starts_with(cost.what, str_of(c->what)));
        }
        arena_fini(&arena);
    }
}

struct eqp_line {
    int64_t id, parent;
    const char *detail;
};

static struct catalog *counted(void)
{
    struct catalog_builder *builder = catalog_builder_create();
    static const struct {
        const char *name;
        int64_t rows;
    } tables[] = {{"employee", 20000}, {"workTime", 200000}, {"crew", 50}, {"unknown", -1}};
    struct err err = {0};
    struct catalog *catalog;
    TEST_EACH(t, tables) {
        const struct catalog_table table = {.name = str_of(t->name),
                                            .secure_view = CATALOG_NONE,
                                            .secures = CATALOG_NONE,
                                            .tenant_column = CATALOG_NONE,
                                            .row_count = t->rows};
        const struct catalog_column column = {.name = STR("id"), .primary_key = true};
        assert_int_equal(catalog_add_table(builder, &table, &err), ERR_OK);
        assert_int_equal(catalog_add_column(builder, &column, &err), ERR_OK);
    }
    assert_int_equal(catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

static const struct sql_parse *parse(const struct catalog *catalog, const char *sql,
                                     struct arena *arena)
{
    const struct sql_parse *parse;
    const char *rule;
    struct err err;
    if (sql_parse_statement(SQL_SQLITE, str_of(sql), catalog, arena, &parse, &rule, &err) != ERR_OK)
        fail_msg("%s: %s", sql, err.text);
    return parse;
}

static const struct {
    const char *name, *sql;
    struct eqp_line lines[6];
    double rows;
    const char *what;
} eqp_cases[] = {
    {"one table", "SELECT id FROM workTime", {{1, 0, "SCAN workTime"}}, 2e5, "reading workTime"},
    {"by key",
     "SELECT w.id FROM workTime w JOIN employee e ON e.id = w.id",
     {{1, 0, "SCAN w"}, {2, 0, "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"}},
     2e5,
     "the nested reading of w and e"},
    {"by no key",
     "SELECT w.id FROM workTime w JOIN employee e ON e.id > w.id",
     {{1, 0, "SCAN w"}, {2, 0, "SCAN e USING COVERING INDEX i"}},
     4e9,
     "the nested reading of w and e"},
    {"a range",
     "SELECT w.id FROM workTime w JOIN employee e ON e.id > w.id",
     {{1, 0, "SCAN w"}, {2, 0, "SEARCH e USING INTEGER PRIMARY KEY (rowid>?)"}},
     1e9,
     "the nested reading of w and e"},
    {"an automatic index",
     "SELECT w.id FROM workTime w JOIN employee e ON e.id = w.id",
     {{1, 0, "SCAN w"}, {2, 0, "SEARCH e USING AUTOMATIC COVERING INDEX (id=?)"}},
     2e6,
     "the nested reading of w and e"},
    {"correlated",
     "SELECT id FROM employee e WHERE EXISTS (SELECT 1 FROM workTime w WHERE w.id > e.id)",
     {{1, 0, "SCAN e"}, {2, 0, "CORRELATED SCALAR SUBQUERY 1"}, {3, 2, "SCAN w"}},
     4e9,
     "reading w"},
    {"materialised once",
     "SELECT id FROM employee e",
     {{1, 0, "MATERIALIZE x"}, {2, 1, "SCAN workTime"}, {3, 0, "SCAN x"}, {4, 0, "SCAN e"}},
     2e5,
     "reading workTime"},
    {"nobody counted it", "SELECT id FROM unknown", {{1, 0, "SCAN unknown"}}, 1, "reading unknown"},
};

TEST(reads_plans_of_sqlite)
{
    struct catalog *catalog = counted();
    TEST_EACH(c, eqp_cases) {
        struct arena arena;
        struct sql_cost cost;
        struct sql_value values[6 * 4] = {{0}};
        struct sql_result plan = {.column_count = 4, .values = values};
        for (; plan.row_count < 6 && c->lines[plan.row_count].detail != NULL; plan.row_count++) {
            const struct eqp_line *line = &c->lines[plan.row_count];
            struct sql_value *row = &values[plan.row_count * 4];
            row[0] = (struct sql_value){.type = SQL_INT, .integer = line->id};
            row[1] = (struct sql_value){.type = SQL_INT, .integer = line->parent};
            row[3] = (struct sql_value){.type = SQL_TEXT, .text = str_of(line->detail)};
        }
        arena_init(&arena, 1 << 20);
        assert_true(sql_cost_read(SQL_SQLITE, &plan, catalog, parse(catalog, c->sql, &arena),
                                  &arena, &cost));
        EXPECT_INT(c->name, cost.rows, c->rows);
        EXPECT_STR(c->name, cost.what, str_of(c->what));
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

TEST(small_tables_need_no_plan)
{
    static const struct {
        const char *sql;
        bool small;
    } cases[] = {
        {"SELECT id FROM workTime", true},
        {"SELECT a.id FROM crew a JOIN crew b ON a.id = b.id", true},
        {"SELECT w.id FROM workTime w JOIN employee e ON e.id = w.id", false},
        {"SELECT id FROM unknown", false},
        {"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 9) SELECT i "
         "FROM c",
         false},
        {"SELECT 1", true},
    };
    struct catalog *catalog = counted();
    TEST_EACH(c, cases) {
        struct arena arena;
        arena_init(&arena, 1 << 20);
        EXPECT_INT(c->sql, sql_cost_is_small(catalog, parse(catalog, c->sql, &arena), 1e6),
                   c->small);
        arena_fini(&arena);
    }
    EXPECT_TRUE("no parse", !sql_cost_is_small(catalog, NULL, 1e9));
    catalog_destroy(catalog);
}

TEST(limits)
{
    static const struct {
        const char *name;
        struct sql_cost cost;
        struct sql_cost_limits limits;
        const char *want; /* NULL: it may run */
    } cases[] = {
        {"within", {10, 10, {"", 0}}, {10, 10}, NULL},
        {"off", {1e12, 1e12, {"", 0}}, {0, 0}, NULL},
        {"rows",
         {10, 2.5e9, {"reading w", 9}},
         {100, 1e9},
         "The statement is too expensive to run: about 2.5 billion rows, at most 1.0 billion; most "
         "of it is reading w. Join the tables by their keys, or add a condition that leaves fewer "
         "rows of each."},
        {"cost", {1200, 10, {"", 0}}, {1000, 1e9}, "cost 1200, at most 1000. Join"},
        {"secret",
         {1200, 2.5e9, {"reading w", 9}},
         {1000, 1e9, true},
         "The statement is too expensive to run. Join the tables by their keys"},
    };
    TEST_EACH(c, cases) {
        struct err err = {0};
        EXPECT_INT(c->name, sql_cost_check(&c->cost, &c->limits, &err),
                   c->want == NULL ? ERR_OK : ERR_REJECTED);
        if (c->want != NULL && strstr(err.text, c->want) == NULL)
            fail_msg("%s: %s", c->name, err.text);
    }
}

/* In a run: what is too dear is not sent, and is corrected; what cannot be explained is. */
TEST(guards_a_run)
{
    static const struct {
        const char *name;
        double max_rows;
        struct fake_answer plan;
        int64_t corrections;
        unsigned queries;
    } cases[] = {
        {"off: nothing is explained",
         0,
         {"EXPLAIN", .column = "EXPLAIN", .text = mariadb_join, .row_count = 1},
         0,
         1},
        {"too dear: mended, explained, run",
         1e9,
         {"> e.id", .column = "EXPLAIN", .text = mariadb_join, .row_count = 1},
         1,
         3},
        {"dear enough",
         1e10,
         {"EXPLAIN", .column = "EXPLAIN", .text = mariadb_join, .row_count = 1},
         0,
         2},
        {"no plan", 1e9, {"EXPLAIN", ERR_REJECTED, "EXPLAIN is not for you"}, 0, 2},
        {"a plan of integers", 1e9, {"EXPLAIN", .column = "EXPLAIN", .row_count = 1}, 0, 2},
    };
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"employee\", \"workTime\"]"},
        {"sql_generation",
         "SELECT COUNT(*) AS n FROM employee e JOIN workTime w ON w.hours > e.id"},
        {"sql_correction",
         "SELECT COUNT(*) AS n FROM employee e JOIN workTime w ON w.employeeId = e.id"},
        {"sql_answer", "Seven."},
    };
    TEST_EACH(c, cases) {
        const struct fake_answer answers[] = {
            c->plan, {"employee", .column = "n", .value = 7, .row_count = 1}};
        struct graph_rig rig;
        struct sql_policy few = sql_policy_default;
        few.max_plan_rows = c->max_rows;
        graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
        rig.knows.policy = &few;
        rig.knows.dialect = SQL_MYSQL;
        graph_rig_go(&rig, "sql_agent", "q");
        EXPECT_TRUE(c->name, strstr(rig.events, "token:final:Seven.|complete:") != NULL);
        EXPECT_INT(c->name, state_int(run_state(rig.run), SQL_AGENT_CORRECTION_ATTEMPTS),
                   c->corrections);
        EXPECT_INT(c->name, rig.sql.calls, c->queries);
        graph_rig_fini(&rig);
    }
}

/* The plan's statement is given up like any other. */
TEST(cancelled_at_every_turn)
{
    static const struct fake_reply replies[] = {
        {"sql_generation",
         "SELECT COUNT(*) AS n FROM employee e JOIN workTime w ON w.hours > e.id"},
        {"sql_response", "Seven."},
    };
    static const struct fake_answer answers[] = {
        {"EXPLAIN", .column = "EXPLAIN", .text = mariadb_join, .row_count = 1},
        {"employee", .column = "n", .value = 7, .row_count = 1}};
    bool completed = false;
    for (unsigned turns = 0; !completed; turns++) {
        struct graph_rig rig;
        struct sql_policy few = sql_policy_default;
        few.max_plan_rows = 1e12;
        graph_rig_init_limits(&rig, &rig_limits, replies, countof(replies), answers,
                              countof(answers));
        rig.knows.policy = &few;
        rig.knows.dialect = SQL_MYSQL;
        graph_rig_make(&rig, "text_to_sql", "q", EVENT_DEBUG);
        run_start(rig.run);
        loop_turn(rig.loop, turns);
        completed = rig.ends == 1;
        run_cancel(rig.run, "cancelled", "somebody asked");
        assert_true(loop_run_dry(rig.loop, 100000));
        EXPECT_INT("ends", rig.ends, 1);
        graph_rig_collect(&rig);
        EXPECT_TRUE("terminal", strstr(rig.events, completed ? "complete:" : "error:cancelled:"));
        graph_rig_fini(&rig);
        assert_true(turns < 2000);
    }
}

RUN_TESTS(T(reads_plans_of_text), T(reads_plans_of_sqlite), T(small_tables_need_no_plan), T(limits),
          T(guards_a_run), T(cancelled_at_every_turn))
