/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_sql_mysql_crowd.c - many statements at once on few connections; and how
 * they are ended when none is free for that. */
#include "backends/sql/sql_mysql.h"

#include <inttypes.h>

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

/* ---- kills while the pool is full ---- */

enum { NAPS = 4 };

struct naps { /* on a pool of just as many connections; looked at from another one */
    struct rig rig;
    struct sql *sql, *view;
    struct sql_query naps[NAPS], look;
};

static struct sql *open_pool(struct rig *rig, size_t size)
{
    struct err err = {0};
    struct sql *sql = sql_mysql_create(
        rig->loop,
        &(struct sql_mysql_options){
            .url = server_url, .pool = {.size = size}, .connect_ms = 60000, .queue_ms = 100000},
        &err);
    assert_non_null(sql);
    return sql;
}

static int64_t look(struct naps *naps, const char *text)
{
    const struct sql_statement statement = {.text = str_of(text)};
    unsigned before = naps->rig.done_calls;
    op_release(&naps->look.op);
    sql_query_start(&naps->look, naps->view, &statement, rig_waiter(&naps->rig));
    while (op_is_pending(&naps->look.op))
        mysql_rig_turn(&naps->rig);
    EXPECT_INT(text, naps->look.op.err.code, ERR_OK);
    naps->rig.done_calls = before;
    return naps->look.result.values[0].integer;
}

/* The server answers the client a little before it takes the text out of its list. */
static void wait_naps(struct naps *naps, int64_t count)
{
    unsigned looks = 0;
    while (look(naps, "SELECT COUNT(*) FROM information_schema.processlist WHERE info = "
                      "'SELECT SLEEP(600) AS crowded'") != count &&
           looks < 10000)
        looks++;
    EXPECT_TRUE("naps", looks < 10000);
}

static void begin_naps(struct naps *naps)
{
    static const struct sql_statement nap = {.text = {"SELECT SLEEP(600) AS crowded", 28}};
    *naps = (struct naps){0};
    rig_begin(&naps->rig);
    naps->sql = open_pool(&naps->rig, NAPS);
    naps->view = open_pool(&naps->rig, 1);
    for (size_t i = 0; i < NAPS; i++)
        sql_query_start(&naps->naps[i], naps->sql, &nap, rig_waiter(&naps->rig));
    wait_naps(naps, NAPS);
}

static void cancel_naps(struct naps *naps)
{
    for (size_t i = 0; i < NAPS; i++)
        op_cancel(&naps->naps[i].op);
    rig_wait("cancelled", &naps->rig, NAPS);
    for (size_t i = 0; i < NAPS; i++)
        EXPECT_INT("code", naps->naps[i].op.err.code, ERR_CANCELLED);
    wait_naps(naps, 0);
    sql_close(naps->sql, rig_on_closed, &naps->rig);
}

static void end_naps(struct naps *naps)
{
    sql_close(naps->view, rig_on_closed, &naps->rig);
    op_release(&naps->look.op);
    for (size_t i = 0; i < NAPS; i++)
        op_release(&naps->naps[i].op);
    rig_end(&naps->rig);
    EXPECT_INT("closed", naps->rig.closed_calls, 2);
}

TEST(all_of_a_full_pool_are_cancelled)
{
    struct naps naps;
    begin_naps(&naps);
    cancel_naps(&naps);
    end_naps(&naps);
}

/* All that the pools have but the naps and who looks: what is kept for kills, idle. */
static const char idle_others[] =
    "SELECT COALESCE(MAX(id), 0) FROM information_schema.processlist WHERE db = DATABASE() AND "
    "command = 'Sleep' AND id <> CONNECTION_ID()";

TEST(what_is_kept_for_kills_was_killed_itself)
{
    struct naps naps;
    int64_t id;
    begin_naps(&naps);
    while ((id = look(&naps, idle_others)) != 0) {
        char text[64];
        struct mysql_rig m;
        mysql_rig_begin(&m, server_url);
        EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
        snprintf(text, sizeof text, "KILL CONNECTION %" PRId64, id);
        (void)mysql_rig_run(&m, text); /* it may be gone by now */
        mysql_rig_end(&m);
    }
    cancel_naps(&naps);
    end_naps(&naps);
}

TEST(closed_with_a_full_pool)
{
    struct naps naps;
    begin_naps(&naps);
    sql_close(naps.sql, rig_on_closed, &naps.rig);
    rig_wait("cancelled", &naps.rig, NAPS);
    wait_naps(&naps, 0);
    end_naps(&naps);
}

int main(void)
{
    const struct CMUnitTest all[] = {T(a_crowd_is_served_with_its_own_variables),
                                     T(a_full_queue_says_busy), T(all_of_a_full_pool_are_cancelled),
                                     T(what_is_kept_for_kills_was_killed_itself),
                                     T(closed_with_a_full_pool)};
    return cmocka_run_group_tests(all, make_database, drop_database);
}
