/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/mysql_rig.h - a database on the test's MariaDB and calls run to their end. */
#ifndef TESTS_UNIT_BACKENDS_MYSQL_RIG_H
#define TESTS_UNIT_BACKENDS_MYSQL_RIG_H

#include <uv.h>

#include "backends/sql/mysql_conn.h"
#include "core/loop/timer.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"

enum { MYSQL_RIG_CONNECT_MS = 60000 };

struct mysql_rig {
    struct rig rig;
    struct mysql_url url;
    struct mysql_conn *conn;
    struct mysql_call call;
    unsigned lost_calls;
};

/* The program's own database, without TLS (test_sql_mysql_tls has its own say). */
static inline void mysql_rig_create(const char *name, char *url, size_t url_bytes)
{
    test_server_create("mysql", name, "", url, url_bytes);
    size_t len = strlen(url);
    snprintf(url + len, url_bytes - len, "?ssl-mode=disabled");
}

static inline void mysql_rig_on_lost(void *owner)
{
    struct mysql_rig *m = owner;
    m->lost_calls++;
    loop_stop(m->rig.loop);
}

static inline void mysql_rig_on_tick(struct timer *timer)
{
    (void)timer;
}

/* One turn that waits for I/O, but not for ever: nothing may be to come. */
static inline void mysql_rig_turn(struct rig *rig)
{
    struct timer tick = {.loop = NULL};
    timer_start(&tick, rig->loop, 1, mysql_rig_on_tick);
    uv_run(loop_uv(rig->loop), UV_RUN_ONCE);
    timer_stop(&tick);
}

static inline void mysql_rig_begin(struct mysql_rig *m, const char *url)
{
    struct err err = {0};
    *m = (struct mysql_rig){.conn = NULL};
    rig_begin(&m->rig);
    if (mysql_url_parse(&m->url, str_of(url), &err) != ERR_OK)
        fail_msg("%s", err.text);
    m->conn = mysql_conn_create(m->rig.loop,
                                &(struct mysql_conn_options){.url = &m->url,
                                                             .connect_ms = MYSQL_RIG_CONNECT_MS,
                                                             .on_lost = mysql_rig_on_lost,
                                                             .owner = m});
    assert_non_null(m->conn);
}

static inline void mysql_rig_end(struct mysql_rig *m)
{
    mysql_conn_destroy(m->conn);
    rig_end(&m->rig);
    mysql_url_fini(&m->url);
}

/* Turn until the call that was just started is done. */
static inline enum err_code mysql_rig_wait(struct mysql_rig *m)
{
    rig_wait("call", &m->rig, m->rig.done_calls + 1);
    return m->call.op.err.code;
}

static inline enum err_code mysql_rig_open(struct mysql_rig *m)
{
    mysql_conn_open_start(&m->call, m->conn, rig_waiter(&m->rig));
    return mysql_rig_wait(m);
}

static inline enum err_code mysql_rig_run(struct mysql_rig *m, const char *text)
{
    mysql_conn_run_start(&m->call, m->conn, str_of(text), 0, rig_waiter(&m->rig));
    return mysql_rig_wait(m);
}

/* Prepare, execute, read into rows (initialised here), forget: the first failure, or ERR_OK. */
static inline enum err_code mysql_rig_query(struct mysql_rig *m, const char *text,
                                            const struct sql_value *params, struct sql_rows *rows)
{
    struct op_waiter waiter = rig_waiter(&m->rig);
    sql_rows_init(rows, &(struct sql_statement){0});
    mysql_conn_prepare_start(&m->call, m->conn, MYSQL_SLOT_QUERY, str_of(text), waiter);
    enum err_code code = mysql_rig_wait(m);
    if (code != ERR_OK)
        return code;
    mysql_conn_execute_start(&m->call, m->conn, MYSQL_SLOT_QUERY, params, waiter);
    code = mysql_rig_wait(m);
    if (code == ERR_OK && mysql_conn_has_rows(m->conn)) {
        mysql_conn_fetch_start(&m->call, m->conn, rows, waiter);
        code = mysql_rig_wait(m);
    }
    struct err first = m->call.op.err;
    unsigned number = m->call.number;
    if (mysql_conn_is_usable(m->conn) && mysql_conn_has_rows(m->conn)) {
        mysql_conn_fetch_start(&m->call, m->conn, NULL, waiter);
        (void)mysql_rig_wait(m);
    }
    if (mysql_conn_is_usable(m->conn)) {
        mysql_conn_discard_start(&m->call, m->conn, MYSQL_SLOT_QUERY, waiter);
        assert_int_equal(mysql_rig_wait(m), ERR_OK);
    }
    m->call.op.err = first;
    m->call.number = number;
    return code;
}

/* A value as text with its type's letter: i, f, d, t, b, or null. */
static inline void mysql_rig_spell(const struct sql_value *value, char *text, size_t bytes)
{
    switch (value->type) {
    case SQL_NULL:
        snprintf(text, bytes, "null");
        break;
    case SQL_INT:
        snprintf(text, bytes, "i%lld", (long long)value->integer);
        break;
    case SQL_BOOL:
        snprintf(text, bytes, "o%lld", (long long)value->integer);
        break;
    case SQL_REAL:
        snprintf(text, bytes, "f%.17g", value->real);
        break;
    case SQL_DECIMAL:
        snprintf(text, bytes, "d%.*s", STR_ARG(value->text));
        break;
    case SQL_TEXT:
        snprintf(text, bytes, "t%.*s", STR_ARG(value->text));
        break;
    case SQL_BLOB:
        snprintf(text, bytes, "b%.*s", STR_ARG(value->text));
        break;
    }
}

static inline void mysql_rig_expect(struct mysql_rig *m, const char *name, const char *text,
                                    const struct sql_value *params, const char *want)
{
    struct sql_rows rows;
    char got[512];
    if (mysql_rig_query(m, text, params, &rows) != ERR_OK)
        fail_msg("%s: %s", name, m->call.op.err.text);
    EXPECT_INT(name, rows.result.row_count, 1);
    mysql_rig_spell(&rows.result.values[0], got, sizeof got);
    EXPECT_STR(name, str_of(got), str_of(want));
    sql_rows_fini(&rows);
}

#endif
