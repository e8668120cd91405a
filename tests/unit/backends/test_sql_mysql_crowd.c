/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_sql_mysql_crowd.c - many statements at once on few connections. */
#include "backends/sql_mysql.h"
#include "tests/unit/backends/mysql_rig.h"

enum { CROWD = 200 };

static char server_url[512];

static int make_database(void **state)
{
    (void)state;
    mysql_rig_create("unit_sql_mysql_crowd", server_url, sizeof server_url);
    return 0;
}

static int drop_database(void **state)
{
    (void)state;
    test_server_drop("mysql", "unit_sql_mysql_crowd");
    return 0;
}

struct crowd {
    struct rig rig;
    unsigned right, busy, other;
};

static void on_crowd_done(struct op *op)
{
    struct crowd *crowd = op_owner(op);
    struct sql_query *query = container_of(op, struct sql_query, op);
    if (op->err.code == ERR_OK && query->result.values[0].integer == 1)
        crowd->right++;
    else if (op->err.code == ERR_BUSY)
        crowd->busy++;
    else
        crowd->other++;
    crowd->rig.done_calls++;
    op_release(op);
}

static void run_crowd(const struct conn_pool_options *pool, unsigned busy)
{
    static struct sql_query queries[CROWD];
    static struct sql_statement statements[CROWD];
    static struct sql_variable variables[CROWD];
    static char values[CROWD][16];
    struct crowd crowd = {.right = 0};
    struct err err = {0};
    rig_begin(&crowd.rig);
    struct sql *sql = sql_mysql_create(
        crowd.rig.loop,
        &(struct sql_mysql_options){
            .url = server_url, .pool = *pool, .connect_ms = 60000, .queue_ms = 100000},
        &err);
    assert_non_null(sql);
    memset(queries, 0, sizeof queries);
    for (size_t i = 0; i < CROWD; i++) {
        snprintf(values[i], sizeof values[i], "%zu", i);
        variables[i] = (struct sql_variable){STR("me"), str_of(values[i])};
        statements[i] = (struct sql_statement){.text = STR("SELECT @me = ?"),
                                               .params = &(struct sql_value){.type = SQL_NULL},
                                               .param_count = 1,
                                               .variables = &variables[i],
                                               .variable_count = 1,
                                               .timeout_ms = 100000};
    }
    static struct sql_value params[CROWD];
    for (size_t i = 0; i < CROWD; i++) {
        params[i] = (struct sql_value){.type = SQL_TEXT, .text = str_of(values[i])};
        statements[i].params = &params[i];
        sql_query_start(&queries[i], sql, &statements[i],
                        (struct op_waiter){.done = on_crowd_done, .owner = &crowd});
    }
    for (unsigned i = 0; i < RIG_TURNS && crowd.rig.done_calls < CROWD; i++)
        mysql_rig_turn(&crowd.rig);
    EXPECT_INT("done", crowd.rig.done_calls, CROWD);
    EXPECT_INT("busy", crowd.busy, busy);
    EXPECT_INT("other", crowd.other, 0);
    EXPECT_INT("right", crowd.right, CROWD - busy);
    sql_close(sql, rig_on_closed, &crowd.rig);
    rig_end(&crowd.rig);
    EXPECT_INT("closed", crowd.rig.closed_calls, 1);
}

TEST(a_crowd_is_served_with_its_own_variables)
{
    run_crowd(&(struct conn_pool_options){.size = 5, .overflow = 10}, 0);
}

TEST(a_full_queue_says_busy)
{
    run_crowd(&(struct conn_pool_options){.size = 2, .queue_limit = 50}, CROWD - 50);
}

int main(void)
{
    const struct CMUnitTest all[] = {T(a_crowd_is_served_with_its_own_variables),
                                     T(a_full_queue_says_busy)};
    return cmocka_run_group_tests(all, make_database, drop_database);
}
