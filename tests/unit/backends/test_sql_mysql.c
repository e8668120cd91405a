/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_sql_mysql.c - the sql interface on MariaDB: what is particular to it.
 *
 * What all engines owe alike is in tests/contract. Waits are for events, never for time. */
#include "backends/sql/sql_mysql.h"
#include "tests/unit/backends/mysql_rig.h"

enum { SWEEP_MAX = 600 };

static char server_url[512];

static int make_database(void **state)
{
    static struct mysql_rig m;
    (void)state;
    mysql_rig_create("unit_sql_mysql", server_url, sizeof server_url);
    mysql_rig_begin(&m, server_url);
    assert_int_equal(mysql_rig_open(&m), ERR_OK);
    assert_int_equal(mysql_rig_run(&m, "SET SESSION TRANSACTION READ WRITE"), ERR_OK);
    assert_int_equal(mysql_rig_run(&m, "CREATE TABLE numbers (n INT PRIMARY KEY, t TEXT)"), ERR_OK);
    assert_int_equal(mysql_rig_run(&m, "INSERT INTO numbers SELECT seq, REPEAT('x', seq % 50) "
                                       "FROM seq_1_to_20000"),
                     ERR_OK);
    mysql_rig_end(&m);
    return 0;
}

static int drop_database(void **state)
{
    (void)state;
    test_server_drop("mysql", "unit_sql_mysql");
    return 0;
}

/* ---- a sql and its queries ---- */

struct db {
    struct rig rig;
    struct sql *sql;
    struct sql_query query;
};

static void db_begin_with(struct db *db, const char *url, const struct conn_pool_options *pool)
{
    struct err err = {0};
    *db = (struct db){.sql = NULL};
    rig_begin(&db->rig);
    db->sql =
        sql_mysql_create(db->rig.loop,
                         &(struct sql_mysql_options){
                             .url = url, .pool = *pool, .connect_ms = 60000, .queue_ms = 120000},
                         &err);
    if (db->sql == NULL)
        fail_msg("%s", err.text);
}

static void db_begin(struct db *db, size_t connections)
{
    db_begin_with(db, server_url, &(struct conn_pool_options){.size = connections, .retry_ms = 1});
}

static void db_end(struct db *db)
{
    op_release(&db->query.op);
    sql_close(db->sql, rig_on_closed, &db->rig);
    for (unsigned i = 0; i < RIG_TURNS && db->rig.closed_calls == 0; i++)
        loop_run(db->rig.loop);
    EXPECT_INT("closed", db->rig.closed_calls, 1);
    rig_end(&db->rig);
}

static enum err_code db_ask_for(struct db *db, const struct sql_statement *statement)
{
    op_release(&db->query.op);
    sql_query_start(&db->query, db->sql, statement, rig_waiter(&db->rig));
    rig_wait("query", &db->rig, db->rig.done_calls + 1);
    return db->query.op.err.code;
}

static enum err_code db_ask(struct db *db, const char *text)
{
    return db_ask_for(db, &(struct sql_statement){.text = str_of(text)});
}

static int64_t db_number(struct db *db, const char *text)
{
    if (db_ask(db, text) != ERR_OK)
        fail_msg("%s: %s", text, db->query.op.err.text);
    EXPECT_INT(text, db->query.result.row_count, 1);
    return db->query.result.values[0].integer;
}

/* How many statements of this database's users hold the word, but this one. */
static int64_t count_running(struct db *db, const char *word)
{
    char text[256];
    snprintf(text, sizeof text,
             "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%%%s%%' AND id "
             "<> CONNECTION_ID()",
             word);
    return db_number(db, text);
}

/* The server answers the client a little before it takes the text out of its list. */
static void wait_gone(struct db *db, const char *word)
{
    unsigned looks = 0;
    while (count_running(db, word) > 0 && looks < 10000)
        looks++;
    EXPECT_TRUE("gone", looks < 10000);
}

/* ---- answers ---- */

TEST(rows_parameters_and_names)
{
    struct db db;
    const struct sql_value params[] = {{.type = SQL_INT, .integer = 41},
                                       {.type = SQL_TEXT, .text = STR("it's \"q\"")},
                                       {.type = SQL_NULL},
                                       {.type = SQL_REAL, .real = 0.5},
                                       {.type = SQL_DECIMAL, .text = STR("12345678901234567890.5")},
                                       {.type = SQL_BLOB, .text = {"\x00\xff", 2}},
                                       {.type = SQL_BOOL, .integer = 1}};
    db_begin(&db, 1);
    EXPECT_INT("query",
               db_ask_for(&db,
                          &(struct sql_statement){
                              .text = STR("SELECT ? + 1 AS a, ? AS b, ? AS c, ? * 2 AS d, "
                                          "CAST(? AS DECIMAL(30,1)) AS e, ? AS f, ? AS g;"),
                              .params = params,
                              .param_count = countof(params)}),
               ERR_OK);
    const struct sql_result *result = &db.query.result;
    EXPECT_INT("columns", result->column_count, 7);
    EXPECT_STR("name", result->columns[2], STR("c"));
    EXPECT_INT("int", result->values[0].integer, 42);
    EXPECT_STR("text", result->values[1].text, STR("it's \"q\""));
    EXPECT_INT("null", result->values[2].type, SQL_NULL);
    EXPECT_TRUE("real", result->values[3].real == 1.0);
    EXPECT_STR("decimal", result->values[4].text, STR("12345678901234567890.5"));
    EXPECT_STR("blob", result->values[5].text, str_make("\x00\xff", 2));
    EXPECT_INT("bool", result->values[6].integer, 1);
    EXPECT_INT("no rows", db_ask(&db, "SELECT n FROM numbers WHERE n < 0"), ERR_OK);
    EXPECT_INT("no rows", db.query.result.row_count, 0);
    EXPECT_INT("its columns", db.query.result.column_count, 1);
    db_end(&db);
}

TEST(refusals_have_code_and_state)
{
    static const struct {
        const char *text, *sqlstate;
        enum err_code want;
    } cases[] = {
        {"SELEC 1", "42000", ERR_REJECTED},
        {"SELECT nothing FROM numbers", "42S22", ERR_REJECTED},
        {"SELECT * FROM nowhere", "42S02", ERR_REJECTED},
        {"SELECT 1; SELECT 2", "42000", ERR_REJECTED},
        {"INSERT INTO numbers VALUES (-1, '')", "25006", ERR_REJECTED},
        {"INSERT INTO numbers VALUES (-1, '') RETURNING n", "25006", ERR_REJECTED},
        {"DELETE FROM numbers RETURNING n", "25006", ERR_REJECTED},
        {"SET @x = 1", "", ERR_REJECTED},
        {"DO SLEEP(60)", "", ERR_REJECTED},
        {"SELECT ?", "", ERR_REJECTED},
        {"SELECT n FROM numbers WHERE n = (SELECT n FROM numbers)", "21000", ERR_REJECTED},
        {"", "42000", ERR_REJECTED},
    };
    struct db db;
    db_begin(&db, 1);
    TEST_EACH(c, cases) {
        EXPECT_INT(c->text, db_ask(&db, c->text), c->want);
        EXPECT_TRUE(c->text, db.query.op.err.text[0] != '\0');
        EXPECT_STR(c->text, str_of(db.query.sqlstate), str_of(c->sqlstate));
        EXPECT_INT("goes on", db_number(&db, "SELECT COUNT(*) FROM numbers"), 20000);
    }
    db_end(&db);
}

TEST(variables_are_set_bound_and_cleared)
{
    static const struct sql_variable both[] = {{STR("company_id"), STR("7'; DROP")},
                                               {STR("aesKey"), STR("k")}},
                                     one[] = {{STR("company_id"), STR("8")}},
                                     null[] = {{STR("company_id"), {0}}};
    static const char *const after[] = {"SELECT 1", "SELECT nothing", "SELECT 1 FROM numbers"};
    struct db db;
    db_begin(&db, 1);
    for (size_t i = 0; i < countof(after); i++) {
        EXPECT_INT("both",
                   db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT @company_id, "
                                                                       "@AESKEY"),
                                                           .variables = both,
                                                           .variable_count = 2}),
                   ERR_OK);
        EXPECT_STR("bound", db.query.result.values[0].text, STR("7'; DROP"));
        EXPECT_STR("bound", db.query.result.values[1].text, STR("k"));
        EXPECT_INT("cleared", db_number(&db, "SELECT @company_id IS NULL AND @aesKey IS NULL"), 1);
        db_ask_for(&db, &(struct sql_statement){.text = str_of(after[i]),
                                                .variables = one,
                                                .variable_count = 1,
                                                .max_rows = 3});
        EXPECT_INT("cleared", db_number(&db, "SELECT @company_id IS NULL"), 1);
    }
    EXPECT_INT("null",
               db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT @company_id"),
                                                       .variables = null,
                                                       .variable_count = 1}),
               ERR_OK);
    EXPECT_INT("null", db.query.result.values[0].type, SQL_NULL);
    db_end(&db);
}

TEST(caps_end_the_statement)
{
    struct db db;
    db_begin(&db, 1);
    EXPECT_INT("rows",
               db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT n FROM numbers"),
                                                       .max_rows = 3}),
               ERR_OK);
    EXPECT_INT("kept", db.query.result.row_count, 3);
    EXPECT_TRUE("truncated", db.query.result.truncated);
    EXPECT_INT("exactly",
               db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT n FROM numbers LIMIT 3"),
                                                       .max_rows = 3}),
               ERR_OK);
    EXPECT_TRUE("not truncated", !db.query.result.truncated);
    EXPECT_INT("bytes",
               db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT REPEAT('x', 100) FROM "
                                                                   "numbers"),
                                                       .max_bytes = 1000}),
               ERR_OK);
    EXPECT_INT("kept", db.query.result.row_count, 10);
    EXPECT_TRUE("truncated", db.query.result.truncated);
    EXPECT_INT("one value",
               db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT REPEAT('x', 1001)"),
                                                       .max_bytes = 1000}),
               ERR_TOO_LARGE);
    EXPECT_INT(
        "endless",
        db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT a.n FROM numbers a, numbers "
                                                            "b, numbers c"),
                                                .max_rows = 3}),
        ERR_OK);
    EXPECT_INT("gone on", db_number(&db, "SELECT 5"), 5);
    EXPECT_INT("ended", count_running(&db, "numbers c"), 0);
    db_end(&db);
}

TEST(a_long_result_is_read_whole)
{
    struct db db;
    db_begin(&db, 1);
    EXPECT_INT("rows",
               db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT n, t FROM numbers "
                                                                   "ORDER BY n"),
                                                       .max_rows = 50000}),
               ERR_OK);
    EXPECT_INT("all", db.query.result.row_count, 20000);
    for (size_t i = 0; i < 20000; i++) {
        EXPECT_INT("n", sql_result_at(&db.query.result, i, 0)->integer, i + 1);
        EXPECT_INT("t", sql_result_at(&db.query.result, i, 1)->text.len, (i + 1) % 50);
    }
    db_end(&db);
}

/* ---- ends before its time ---- */

TEST(a_late_statement_is_ended_at_the_server)
{
    struct db db;
    db_begin(&db, 2);
    EXPECT_INT("warm", db_number(&db, "SELECT 1"), 1); /* opening may take longer than the limit */
    EXPECT_INT("late",
               db_ask_for(&db, &(struct sql_statement){.text = STR("SELECT SLEEP(600) AS late"),
                                                       .timeout_ms = 150}),
               ERR_TIMEOUT);
    wait_gone(&db, "AS late");
    db_end(&db);
}

static void cancel_after(unsigned turns, const char *text, size_t connections, bool *finished)
{
    struct db db;
    db_begin(&db, connections);
    EXPECT_INT("warm", db_number(&db, "SELECT 1"), 1);
    const struct sql_variable variable = {STR("company_id"), STR("7")};
    const struct sql_statement statement = {
        .text = str_of(text), .variables = &variable, .variable_count = 1};
    unsigned before = db.rig.done_calls;
    op_release(&db.query.op);
    sql_query_start(&db.query, db.sql, &statement, rig_waiter(&db.rig));
    for (unsigned i = 0; i < turns && db.rig.done_calls == before; i++)
        mysql_rig_turn(&db.rig);
    *finished = db.rig.done_calls > before;
    op_cancel(&db.query.op);
    op_cancel(&db.query.op);
    rig_wait("cancelled", &db.rig, before + 1);
    if (!*finished && db.query.op.err.code != ERR_CANCELLED && db.query.op.err.code != ERR_OK)
        fail_msg("after %u turns: %d %s", turns, db.query.op.err.code, db.query.op.err.text);
    EXPECT_INT("next", db_number(&db, "SELECT @company_id IS NULL"), 1);
    EXPECT_INT("next but one", db_number(&db, "SELECT COUNT(*) FROM numbers"), 20000);
    EXPECT_INT("done", db.rig.done_calls, before + 3);
    db_end(&db);
}

TEST(cancelled_at_every_turn)
{
    bool finished = false;
    for (unsigned turns = 0; !finished; turns = rig_after(turns)) {
        cancel_after(turns, "SELECT n FROM numbers LIMIT 900", 1, &finished);
    }
}

TEST(a_sleeping_statement_is_cancelled_at_every_turn)
{
    bool finished = false;
    for (unsigned turns = 0; turns <= 20; turns++)
        cancel_after(turns, "SELECT SLEEP(600) FROM numbers", turns % 2 + 1, &finished);
    assert_false(finished);
}

TEST(cancelled_means_gone_at_the_server)
{
    struct db db, watcher;
    db_begin(&db, 1);
    db_begin(&watcher, 1);
    EXPECT_INT("warm", db_number(&db, "SELECT 1"), 1);
    for (unsigned i = 0; i < 5; i++) {
        const struct sql_statement statement = {.text = STR("SELECT SLEEP(600) AS asleep")};
        unsigned before = db.rig.done_calls;
        op_release(&db.query.op);
        sql_query_start(&db.query, db.sql, &statement, rig_waiter(&db.rig));
        while (count_running(&watcher, "AS asleep") == 0)
            loop_turn(db.rig.loop, 1);
        op_cancel(&db.query.op);
        rig_wait("cancelled", &db.rig, before + 1);
        EXPECT_INT("code", db.query.op.err.code, ERR_CANCELLED);
        wait_gone(&watcher, "AS asleep");
    }
    db_end(&watcher);
    db_end(&db);
}

TEST(closed_at_every_turn)
{
    bool finished = false;
    for (unsigned turns = 0; !finished; turns = rig_after(turns)) {
        struct db db;
        db_begin(&db, 1);
        const struct sql_statement statement = {.text = STR("SELECT n FROM numbers LIMIT 900")};
        sql_query_start(&db.query, db.sql, &statement, rig_waiter(&db.rig));
        for (unsigned i = 0; i < turns && db.rig.done_calls == 0; i++)
            mysql_rig_turn(&db.rig);
        finished = db.rig.done_calls > 0;
        sql_close(db.sql, rig_on_closed, &db.rig);
        for (unsigned i = 0; i < RIG_TURNS && db.rig.closed_calls == 0; i++)
            loop_run(db.rig.loop);
        EXPECT_INT("closed", db.rig.closed_calls, 1);
        EXPECT_INT("done", db.rig.done_calls, 1);
        op_release(&db.query.op);
        rig_end(&db.rig);
    }
}

TEST(each_allocation_fails_once)
{
    static const struct sql_variable variable = {STR("company_id"), STR("7")};
    static const struct sql_value param = {.type = SQL_INT, .integer = 30};
    static const struct sql_statement statement = {.text =
                                                       STR("SELECT n, t FROM numbers WHERE n <= ?"),
                                                   .params = &param,
                                                   .param_count = 1,
                                                   .variables = &variable,
                                                   .variable_count = 1};
    bool passed = false;
    for (unsigned nth = 1; !passed; nth++) {
        struct db db;
        EXPECT_TRUE("ends", nth < SWEEP_MAX);
        db_begin(&db, 1);
        mem_fail_nth(nth);
        enum err_code code = db_ask_for(&db, &statement);
        mem_fail_nth(0);
        passed = code == ERR_OK;
        EXPECT_TRUE("code", code == ERR_OK || code == ERR_NO_MEMORY);
        if (passed)
            EXPECT_INT("rows", db.query.result.row_count, 30);
        for (unsigned i = 0; code != ERR_OK && i < RIG_TURNS; i++) /* the pool backs off a while */
            code = db_ask_for(&db, &statement);
        EXPECT_INT("again", code, ERR_OK);
        EXPECT_INT("cleared", db_number(&db, "SELECT @company_id IS NULL"), 1);
        db_end(&db);
    }
}

/* ---- who is there ---- */

TEST(places_that_are_no_database)
{
    static const struct {
        const char *name, *find, *replace, *says;
    } cases[] = {
        {"nobody listens", "127.0.0.1", "127.0.0.1:1/x?", "127.0.0.1:1"},
        {"wrong password", "askd-test", "s3cret-guess", "DB_USER"},
        {"wrong user", "askd:", "nobody:", "DB_USER"},
        {"wrong database", "/unit_sql_mysql", "/nowhere", "DB_NAME"},
        {"no such name", "127.0.0.1", "nowhere.invalid", "nowhere.invalid"},
        {"no such socket", "@", "@/x?socket=/nowhere/socket&", "/nowhere/socket"},
    };
    TEST_EACH(c, cases) {
        char url[1024];
        struct db db;
        const char *at = strstr(server_url, c->find);
        assert_non_null(at);
        snprintf(url, sizeof url, "%.*s%s%s", (int)(at - server_url), server_url, c->replace,
                 c->replace[strlen(c->replace) - 1] == '?' ||
                         c->replace[strlen(c->replace) - 1] == '&'
                     ? ""
                     : at + strlen(c->find));
        db_begin_with(&db, url, &(struct conn_pool_options){.size = 1});
        EXPECT_INT(c->name, db_ask(&db, "SELECT 1"), ERR_UNAVAILABLE);
        if (strstr(db.query.op.err.text, c->says) == NULL)
            fail_msg("%s: '%s' lacks '%s'", c->name, db.query.op.err.text, c->says);
        EXPECT_TRUE(c->name, strstr(db.query.op.err.text, "askd-test") == NULL &&
                                 strstr(db.query.op.err.text, "s3cret") == NULL);
        struct err err = {0};
        EXPECT_TRUE(c->name, sql_ready(db.sql, &err) != ERR_OK && err.text[0] != '\0');
        db_end(&db);
    }
}

static void kill_connection(struct db *killer, int64_t id)
{
    char text[64];
    struct mysql_rig m;
    (void)killer;
    mysql_rig_begin(&m, server_url);
    EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
    snprintf(text, sizeof text, "KILL CONNECTION %lld", (long long)id);
    EXPECT_INT("kill", mysql_rig_run(&m, text), ERR_OK);
    mysql_rig_end(&m);
}

TEST(a_connection_killed_while_idle_costs_nothing)
{
    struct db db;
    db_begin(&db, 1);
    for (unsigned i = 0; i < 5; i++) {
        kill_connection(&db, db_number(&db, "SELECT CONNECTION_ID()"));
        EXPECT_INT("next", db_number(&db, "SELECT 3"), 3);
    }
    db_end(&db);
}

TEST(a_connection_killed_in_mid_query_costs_one_error)
{
    struct db db, watcher;
    db_begin(&db, 1);
    db_begin(&watcher, 1);
    int64_t id = db_number(&db, "SELECT CONNECTION_ID()");
    const struct sql_statement statement = {.text = STR("SELECT SLEEP(600) AS victim")};
    unsigned before = db.rig.done_calls;
    op_release(&db.query.op);
    sql_query_start(&db.query, db.sql, &statement, rig_waiter(&db.rig));
    while (count_running(&watcher, "AS victim") == 0)
        loop_turn(db.rig.loop, 1);
    kill_connection(&watcher, id);
    rig_wait("ends", &db.rig, before + 1);
    EXPECT_INT("code", db.query.op.err.code, ERR_UNAVAILABLE);
    EXPECT_INT("heals", db_number(&db, "SELECT 4"), 4);
    db_end(&watcher);
    db_end(&db);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(rows_parameters_and_names),
        T(refusals_have_code_and_state),
        T(variables_are_set_bound_and_cleared),
        T(caps_end_the_statement),
        T(a_long_result_is_read_whole),
        T(a_late_statement_is_ended_at_the_server),
        T(cancelled_at_every_turn),
        T(a_sleeping_statement_is_cancelled_at_every_turn),
        T(cancelled_means_gone_at_the_server),
        T(closed_at_every_turn),
        T(each_allocation_fails_once),
        T(places_that_are_no_database),
        T(a_connection_killed_while_idle_costs_nothing),
        T(a_connection_killed_in_mid_query_costs_one_error),
    };
    return cmocka_run_group_tests(all, make_database, drop_database);
}
