/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_conn_open.c - from a url to a session: look up, connect, log in, set up.
 *
 * Happy path: the host becomes addresses (a socket path needs none); the first address is tried
 * with a fresh library handle; TLS is checked; the settings are sent one after the other.
 * Failure paths:
 *   no such name                     ERR_UNAVAILABLE from resolve
 *   an address that does not answer  the next one; the time left is shared among those left
 *   the login is refused             ERR_DENIED at once: another address would say the same
 *   no TLS where it is required      ERR_UNAVAILABLE
 *   a setting is refused             ERR_UNAVAILABLE with the number */
#include "backends/sql/mysql_conn_internal.h"
#include "backends/sql/mysql_error.h"

/* After ours: it defines list_push as a macro. */
#include <mysql.h>
#include <stdio.h>
#include <string.h>

/* Longest packet taken from the server: a row larger than that ends the connection. */
static const size_t MAX_PACKET_BYTES = (size_t)32 << 20;

/* Recursions: as many steps as the guard allows. MariaDB ends longer ones without a word, at 1,000
 * by default, which makes wrong answers. */
static const char *const settings_mariadb[] = {
    "SET SESSION sql_mode = 'STRICT_TRANS_TABLES', group_concat_max_len = 1048576, autocommit = 1,"
    " max_recursive_iterations = 1000001",
    "SET SESSION TRANSACTION READ ONLY",
};
static const char *const settings_mysql[] = {
    "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY',"
    " group_concat_max_len = 1048576, autocommit = 1, cte_max_recursion_depth = 1000001",
    "SET SESSION TRANSACTION READ ONLY",
};
enum { SETTING_COUNT = countof(settings_mysql) };

static const struct mysql_conn_step connect_step, setting_step;
static void try_address(struct mysql_conn *conn);

static void end_opening(struct mysql_conn *conn, enum err_code code, const char *text)
{
    struct err err = {0};
    err_set(&err, code, "%s", text);
    mysql_conn_end(conn, &err, false);
}

/* ---- one address ---- */

static bool set_options(MYSQL *mysql, const struct mysql_url *url, bool tls)
{
    static const unsigned handshake_seconds = 10; /* of one wait in it */
    static const unsigned off = 0;
    const my_bool no = 0, yes = 1;
    bool verify = url->tls == MYSQL_URL_TLS_VERIFY_IDENTITY;
    int failed = mysql_options(mysql, MYSQL_OPT_NONBLOCK, 0);
    failed |= mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    failed |= mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &off);
    failed |= mysql_options(mysql, MYSQL_OPT_RECONNECT, &no);
    failed |= mysql_options(mysql, MYSQL_OPT_MAX_ALLOWED_PACKET, &MAX_PACKET_BYTES);
    if (tls) {
        failed |= mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &handshake_seconds);
        failed |= mysql_ssl_set(mysql, url->ssl_key, url->ssl_cert, url->ssl_ca, NULL, NULL);
        failed |= mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
    }
    failed |= mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, verify ? &yes : &no);
    return failed == 0;
}

static int start_connect(struct mysql_conn *conn)
{
    const struct mysql_url *url = conn->options.url;
    const char *host = url->socket == NULL ? conn->resolve.addresses[conn->address_at] : NULL;
    return mysql_real_connect_start(&conn->result_mysql, conn->mysql, host, url->user,
                                    url->password, url->database, url->port, url->socket, 0);
}

static int continue_connect(struct mysql_conn *conn, int events)
{
    return mysql_real_connect_cont(&conn->result_mysql, conn->mysql, events);
}

static void try_next(struct mysql_conn *conn)
{
    mysql_conn_drop(conn);
    conn->address_at++;
    if (conn->options.url->socket == NULL && conn->address_at < conn->resolve.address_count)
        try_address(conn);
    else
        mysql_conn_end(conn, &conn->last_failure, false);
}

static void on_address_late(struct timer *timer)
{
    struct mysql_conn *conn = container_of(timer, struct mysql_conn, address_late);
    if (mysql_conn_interrupt(conn)) /* its step ends badly, then */
        return;
    err_set(&conn->last_failure, ERR_UNAVAILABLE, "the database at %s does not answer in time",
            conn->place);
    try_next(conn);
}

static bool end_connect(struct mysql_conn *conn)
{
    const struct mysql_url *url = conn->options.url;
    timer_stop(&conn->address_late);
    if (conn->result_mysql == NULL) {
        conn->call->number = mysql_errno(conn->mysql);
        enum err_code code =
            mysql_error_of_login(&conn->last_failure, conn->call->number,
                                 str_of(mysql_error(conn->mysql)), conn->place, url->user);
        if (code == ERR_DENIED)
            mysql_conn_end(conn, &conn->last_failure, false);
        else
            try_next(conn);
        return false;
    }
    if (url->tls >= MYSQL_URL_TLS_REQUIRED && mysql_get_ssl_cipher(conn->mysql) == NULL) {
        end_opening(conn, ERR_UNAVAILABLE,
                    "the database offers no TLS, and ssl-mode in its url demands it");
        return false;
    }
    mysql_conn_unblock(conn);
    conn->setting_at = 0;
    mysql_conn_go(conn, &setting_step);
    return false;
}

static void try_address(struct mysql_conn *conn)
{
    conn->mysql = mysql_init(NULL);
    if (conn->mysql == NULL || !set_options(conn->mysql, conn->options.url, conn->tls)) {
        end_opening(conn, ERR_NO_MEMORY, "no memory for a database connection");
        return;
    }
    size_t left = size_max(conn->resolve.address_count - conn->address_at, 1);
    uint64_t now = loop_now_ms(conn->loop);
    if (left > 1 && conn->give_up_ms > now) /* the last one has the call's own deadline */
        timer_start(&conn->address_late, conn->loop, (conn->give_up_ms - now) / left,
                    on_address_late);
    mysql_conn_go(conn, &connect_step);
}

/* ---- the session ---- */

static int start_setting(struct mysql_conn *conn)
{
    const char *text = mysql_conn_is_mariadb(conn) ? settings_mariadb[conn->setting_at]
                                                   : settings_mysql[conn->setting_at];
    return mysql_query_start(&conn->result_int, conn->mysql, text);
}

static int continue_setting(struct mysql_conn *conn, int events)
{
    return mysql_query_cont(&conn->result_int, conn->mysql, events);
}

static bool end_setting(struct mysql_conn *conn)
{
    if (conn->result_int != 0) {
        conn->call->number = mysql_errno(conn->mysql);
        struct err err = {0};
        err_set(&err, ERR_UNAVAILABLE, "the database at %s refuses setting %zu of a session (%u)",
                conn->place, conn->setting_at + 1, conn->call->number);
        mysql_conn_end(conn, &err, false);
        return false;
    }
    if (++conn->setting_at < SETTING_COUNT)
        return true;
    mysql_conn_end(conn, &(struct err){.code = ERR_OK}, true);
    return false;
}

static const struct mysql_conn_step connect_step = {"connect", true, start_connect,
                                                    continue_connect, end_connect};
static const struct mysql_conn_step setting_step = {"setting", false, start_setting,
                                                    continue_setting, end_setting};

/* ---- the call ---- */

static void on_resolved(struct op *op)
{
    struct mysql_conn *conn = op_owner(op);
    if (mysql_conn_resume(conn, op))
        try_address(conn);
}

void mysql_conn_open_start(struct mysql_call *call, struct mysql_conn *conn,
                           struct op_waiter waiter)
{
    const struct mysql_url *url = conn->options.url;
    CHECK(conn->state == MYSQL_CONN_NEW);
    if (!mysql_conn_begin(call, conn, conn->options.connect_ms, waiter))
        return;
    conn->give_up_ms = loop_now_ms(conn->loop) + conn->options.connect_ms;
    conn->last_failure = (struct err){.code = ERR_OK};
    conn->address_at = 0;
    if (url->socket != NULL) {
        snprintf(conn->place, sizeof conn->place, "socket %.100s", url->socket);
        mysql_conn_set_state(conn, MYSQL_CONN_BUSY);
        try_address(conn);
        return;
    }
    snprintf(conn->place, sizeof conn->place, "%.100s:%u", url->host, url->port);
    mysql_conn_set_state(conn, MYSQL_CONN_RESOLVING);
    resolve_start(&conn->resolve, conn->loop, str_of(url->host),
                  (struct op_waiter){.done = on_resolved, .owner = conn});
}
