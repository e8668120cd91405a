/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/test_sql_mysql_tls.c - the ways of TLS, and that many connections, broken
 * ones among them, do not disturb each other. */
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backends/sql/sql_mysql.h"
#include "tests/unit/backends/mysql_rig.h"

enum { CROWD = 30 };

static char server_url[512];

static int make_database(void **state)
{
    (void)state;
    test_server_create("mysql", "unit_sql_mysql_tls", "", server_url, sizeof server_url);
    return 0;
}

static int drop_database(void **state)
{
    (void)state;
    test_server_drop("mysql", "unit_sql_mysql_tls");
    return 0;
}

/* server_url with a mode, and with an authority of the fixture's when ca is not NULL. */
static void url_of(char *url, size_t bytes, const char *mode, const char *ca)
{
    if (ca == NULL)
        snprintf(url, bytes, "%s?ssl-mode=%s", server_url, mode);
    else
        snprintf(url, bytes, "%s?ssl-mode=%s&ssl-ca=%s/%s", server_url, mode,
                 getenv("ASKD_TEST_SERVERS"), ca);
}

TEST(modes_of_tls)
{
    static const struct {
        const char *name, *mode, *ca;
        enum err_code want;
        bool encrypted;
    } cases[] = {
        {"disabled", "disabled", NULL, ERR_OK, false},
        {"preferred", "preferred", NULL, ERR_OK, true},
        {"required", "required", NULL, ERR_OK, true},
        {"its authority", "verify_ca", "mysql_ca.pem", ERR_OK, true},
        {"another authority", "verify_ca", "other_ca.pem", ERR_UNAVAILABLE, false},
        {"its address", "verify_identity", "mysql_ca.pem", ERR_OK, true},
        {"not known here", "verify_identity", NULL, ERR_UNAVAILABLE, false},
    };
    TEST_EACH(c, cases) {
        struct mysql_rig m;
        struct sql_rows rows;
        char url[1024];
        url_of(url, sizeof url, c->mode, c->ca);
        mysql_rig_begin(&m, url);
        enum err_code code = mysql_rig_open(&m);
        if (code != c->want)
            fail_msg("%s: %s", c->name, m.call.op.err.text);
        if (code == ERR_OK) {
            EXPECT_INT(c->name,
                       mysql_rig_query(&m,
                                       "SELECT VARIABLE_VALUE <> '' FROM "
                                       "information_schema.session_status WHERE VARIABLE_NAME = "
                                       "'Ssl_cipher'",
                                       NULL, &rows),
                       ERR_OK);
            EXPECT_INT(c->name, rows.result.values[0].integer, c->encrypted);
            sql_rows_fini(&rows);
        } else {
            EXPECT_TRUE(c->name, strstr(m.call.op.err.text, "TLS") != NULL);
        }
        mysql_rig_end(&m);
    }
}

static void destroy_after(const char *url, unsigned turns, bool *finished)
{
    struct mysql_rig m;
    mysql_rig_begin(&m, url);
    mysql_conn_open_start(&m.call, m.conn, rig_waiter(&m.rig));
    for (unsigned i = 0; i < turns && m.rig.done_calls == 0; i++)
        mysql_rig_turn(&m.rig);
    *finished = m.rig.done_calls > 0;
    mysql_conn_destroy(m.conn);
    m.conn = NULL;
    rig_wait("done", &m.rig, 1);
    if (!*finished && m.rig.err.code != ERR_OK) /* OK: it had ended, and the word was on its way */
        EXPECT_INT("code", m.rig.err.code, ERR_CANCELLED);
    mysql_rig_end(&m);
}

TEST(destroyed_at_every_turn_of_a_handshake)
{
    char url[1024];
    bool finished = false;
    url_of(url, sizeof url, "required", NULL);
    for (unsigned turns = 0; !finished; turns = rig_after(turns)) {
        destroy_after(url, turns, &finished);
    }
}

static int listen_on_loopback(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return listener;
}

/* A server's first packet: protocol 10, its version, thread 1, eight bytes of salt, what it can do
 * (TLS, too), its charset and status, the length of all salt, then the rest of it. */
static const char greeting[] = "\x50\0\0\0"
                               "\x0a"
                               "10.11.0-test\0"
                               "\x01\0\0\0"
                               "saltsalt\0"
                               "\xff\xff\x2d\x02\0\xff\x81\x15"
                               "\0\0\0\0\0\0\0\0\0\0"
                               "saltsaltsalt\0"
                               "mysql_native_password";

/* The greeting is there before the client hears that it is connected, and then there is silence: a
 * handshake on the loop would wait for ever, and this test with it. */
TEST(a_hasty_greeting_does_not_bring_the_handshake_to_the_loop)
{
    struct mysql_rig m;
    char url[128], request[64];
    unsigned port;
    int peer = -1, listener = listen_on_loopback(&port);
    snprintf(url, sizeof url, "mysql://u:p@127.0.0.1:%u/d?ssl-mode=required", port);
    mysql_rig_begin(&m, url);
    mysql_conn_open_start(&m.call, m.conn, rig_waiter(&m.rig));
    while (peer < 0) {
        mysql_rig_turn(&m.rig);
        peer = accept(listener, NULL, NULL);
    }
    assert_int_equal(write(peer, greeting, sizeof greeting), sizeof greeting);
    /* The request for TLS (36 bytes) and the beginning of a handshake. */
    for (size_t got = 0; got <= 36;) {
        mysql_rig_turn(&m.rig);
        ssize_t more = recv(peer, request, sizeof request, MSG_DONTWAIT);
        got += more > 0 ? (size_t)more : 0;
    }
    EXPECT_INT("still waiting", m.rig.done_calls, 0);
    op_cancel(&m.call.op);
    rig_wait("cancelled", &m.rig, 1);
    EXPECT_INT("code", m.call.op.err.code, ERR_CANCELLED);
    mysql_rig_end(&m);
    close(peer);
    close(listener);
}

/* A loop that waits for one answer would not send the others; and the loss of one connection leaves
 * an error in OpenSSL's queue that must not become another's. */
TEST(connections_do_not_disturb_each_other)
{
    struct rig rig;
    struct err err = {0};
    char url[1024];
    static struct sql_query queries[CROWD];
    const struct sql_statement wait = {.text = STR("SELECT SLEEP(600)"), .timeout_ms = 600000},
                               quick = {.text = STR("SELECT 1"), .timeout_ms = 600000};
    url_of(url, sizeof url, "required", NULL);
    rig_begin(&rig);
    struct sql *sql =
        sql_mysql_create(rig.loop,
                         &(struct sql_mysql_options){.url = url,
                                                     .pool = {.size = 2, .overflow = CROWD},
                                                     .connect_ms = 60000,
                                                     .queue_ms = 100000},
                         &err);
    assert_non_null(sql);
    memset(queries, 0, sizeof queries);
    for (size_t i = 0; i < CROWD; i++)
        sql_query_start(&queries[i], sql, i % 2 == 0 ? &wait : &quick, rig_waiter(&rig));
    rig_wait("the quick ones", &rig, CROWD / 2);
    for (size_t i = 0; i < CROWD; i += 2) {
        EXPECT_TRUE("still asleep", op_is_pending(&queries[i].op));
        op_cancel(&queries[i].op);
    }
    rig_wait("all", &rig, CROWD);
    for (size_t i = 0; i < CROWD; i++) {
        EXPECT_INT(queries[i].op.err.text, queries[i].op.err.code,
                   i % 2 == 0 ? ERR_CANCELLED : ERR_OK);
        op_release(&queries[i].op);
    }
    sql_close(sql, rig_on_closed, &rig);
    rig_end(&rig);
    EXPECT_INT("closed", rig.closed_calls, 1);
}

int main(void)
{
    const struct CMUnitTest all[] = {T(modes_of_tls), T(destroyed_at_every_turn_of_a_handshake),
                                     T(a_hasty_greeting_does_not_bring_the_handshake_to_the_loop),
                                     T(connections_do_not_disturb_each_other)};
    return cmocka_run_group_tests(all, make_database, drop_database);
}
