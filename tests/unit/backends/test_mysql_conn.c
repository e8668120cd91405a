/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_mysql_conn.c - one connection: sessions, values, errors, sweeps. */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/backends/mysql_rig.h"

static char server_url[512];

static int make_database(void **state)
{
    (void)state;
    mysql_rig_create("unit_mysql_conn", server_url, sizeof server_url);
    return 0;
}

static int drop_database(void **state)
{
    (void)state;
    test_server_drop("mysql", "unit_mysql_conn");
    return 0;
}

TEST(session_begins_as_the_header_says)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"mode", "SELECT @@sql_mode", "tSTRICT_TRANS_TABLES"},
        {"group_concat", "SELECT @@group_concat_max_len", "i1048576"},
        {"read only", "SELECT @@tx_read_only", "i1"},
        {"charset", "SELECT @@character_set_client", "tutf8mb4"},
        {"results", "SELECT @@character_set_results", "tutf8mb4"},
        {"backslash escapes", "SELECT 'a\\'b'", "ta'b"},
        {"double quotes make strings", "SELECT \"x\"", "tx"},
        {"pipes are or", "SELECT 1 || 0", "i1"},
    };
    struct mysql_rig m;
    mysql_rig_begin(&m, server_url);
    EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
    assert_true(mysql_conn_is_mariadb(m.conn));
    TEST_EACH(c, cases)
        mysql_rig_expect(&m, c->name, c->text, NULL, c->want);
    mysql_rig_end(&m);
}

/* ---- what goes wrong ---- */

TEST(two_statements_in_one_text_are_refused)
{
    struct mysql_rig m;
    mysql_rig_begin(&m, server_url);
    EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
    EXPECT_INT("two", mysql_rig_run(&m, "SET @a = 1; SET @b = 2"), ERR_REJECTED);
    EXPECT_INT("number", m.call.number, 1064);
    EXPECT_STR("state", str_of(m.call.sqlstate), STR("42000"));
    EXPECT_INT("infile", mysql_rig_run(&m, "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE x"),
               ERR_REJECTED);
    EXPECT_TRUE("still good", mysql_conn_is_usable(m.conn));
    mysql_rig_end(&m);
}

TEST(the_servers_limit_is_a_timeout)
{
    struct mysql_rig m;
    struct sql_rows rows;
    mysql_rig_begin(&m, server_url);
    EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
    EXPECT_INT("limit", mysql_rig_run(&m, "SET SESSION max_statement_time = 0.05"), ERR_OK);
    EXPECT_INT("late",
               mysql_rig_query(&m, "SELECT SUM(SLEEP(10)) FROM information_schema.collations", NULL,
                               &rows),
               ERR_TIMEOUT);
    EXPECT_INT("number", m.call.number, 1969);
    sql_rows_fini(&rows);
    mysql_rig_end(&m);
}

TEST(a_lost_idle_connection_is_noticed)
{
    struct mysql_rig victim, killer;
    char text[64];
    mysql_rig_begin(&victim, server_url);
    mysql_rig_begin(&killer, server_url);
    EXPECT_INT("open", mysql_rig_open(&victim), ERR_OK);
    EXPECT_INT("open", mysql_rig_open(&killer), ERR_OK);
    snprintf(text, sizeof text, "KILL CONNECTION %lu", mysql_conn_id(victim.conn));
    EXPECT_INT("kill", mysql_rig_run(&killer, text), ERR_OK);
    for (unsigned i = 0; i < RIG_TURNS && victim.lost_calls == 0; i++)
        mysql_rig_turn(&victim.rig);
    EXPECT_INT("lost", victim.lost_calls, 1);
    EXPECT_INT("broken", mysql_rig_run(&victim, "DO 0"), ERR_UNAVAILABLE);
    mysql_rig_end(&victim);
    mysql_rig_end(&killer);
}

/* It listens, so the kernel connects; nobody ever greets. */
TEST(a_server_that_says_nothing_is_unavailable)
{
    struct mysql_rig m;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char url[128];
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    snprintf(url, sizeof url, "mysql://a:b@127.0.0.1:%u/c", ntohs(address.sin_port));
    mysql_rig_begin(&m, url);
    mysql_conn_destroy(m.conn);
    m.conn = mysql_conn_create(m.rig.loop,
                               &(struct mysql_conn_options){.url = &m.url, .connect_ms = 50});
    EXPECT_INT("open", mysql_rig_open(&m), ERR_UNAVAILABLE);
    EXPECT_TRUE("says so", strstr(m.call.op.err.text, "does not answer in time") != NULL);
    mysql_rig_end(&m);
    close(listener);
}

TEST(a_call_has_a_deadline)
{
    struct mysql_rig m;
    mysql_rig_begin(&m, server_url);
    EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
    mysql_conn_run_start(&m.call, m.conn, STR("DO SLEEP(600)"), 20, rig_waiter(&m.rig));
    EXPECT_INT("late", mysql_rig_wait(&m), ERR_TIMEOUT);
    EXPECT_TRUE("broken", !mysql_conn_is_usable(m.conn));
    mysql_rig_end(&m);
}

/* ---- sweeps: opening and one statement ---- */

static void destroy_after(unsigned turns, bool *finished)
{
    struct mysql_rig m;
    mysql_rig_begin(&m, server_url);
    mysql_conn_open_start(&m.call, m.conn, rig_waiter(&m.rig));
    for (unsigned i = 0; i < turns && m.rig.done_calls == 0; i++)
        mysql_rig_turn(&m.rig);
    *finished = m.rig.done_calls > 0;
    mysql_conn_destroy(m.conn);
    m.conn = NULL;
    rig_wait("done", &m.rig, 1);
    if (!*finished)
        EXPECT_INT("code", m.rig.err.code, ERR_CANCELLED);
    mysql_rig_end(&m);
}

TEST(destroyed_at_every_turn_of_opening)
{
    bool finished = false;
    for (unsigned turns = 0; !finished; turns = rig_after(turns))
        destroy_after(turns, &finished);
}

TEST(cancelled_while_a_statement_runs)
{
    struct mysql_rig m;
    for (unsigned turns = 0; turns < 20; turns++) {
        mysql_rig_begin(&m, server_url);
        EXPECT_INT("open", mysql_rig_open(&m), ERR_OK);
        mysql_conn_prepare_start(&m.call, m.conn, MYSQL_SLOT_QUERY,
                                 STR("SELECT a.seq FROM seq_1_to_9999 a, seq_1_to_9999 b"),
                                 rig_waiter(&m.rig));
        EXPECT_INT("prepare", mysql_rig_wait(&m), ERR_OK);
        mysql_conn_execute_start(&m.call, m.conn, MYSQL_SLOT_QUERY, NULL, rig_waiter(&m.rig));
        EXPECT_INT("execute", mysql_rig_wait(&m), ERR_OK);
        mysql_conn_fetch_start(&m.call, m.conn, NULL, rig_waiter(&m.rig));
        loop_turn(m.rig.loop, turns);
        op_cancel(&m.call.op);
        EXPECT_INT("cancelled", mysql_rig_wait(&m), ERR_CANCELLED);
        EXPECT_TRUE("broken", !mysql_conn_is_usable(m.conn));
        mysql_rig_end(&m);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(session_begins_as_the_header_says),
        T(two_statements_in_one_text_are_refused),
        T(the_servers_limit_is_a_timeout),
        T(a_lost_idle_connection_is_noticed),
        T(a_server_that_says_nothing_is_unavailable),
        T(a_call_has_a_deadline),
        T(destroyed_at_every_turn_of_opening),
        T(cancelled_while_a_statement_runs),
    };
    return cmocka_run_group_tests(all, make_database, drop_database);
}
