/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_conn_calls.c - what an open connection can be asked: one text, one statement.
 *
 * Happy path: each call is one step, but for fetch, which is one step a row: rows that have arrived
 * are read in a row without a turn between them, ROWS_PER_TURN at most.
 * Failure paths:
 *   the server refuses         the code of mysql_error.h; the connection stays usable
 *   the socket broke           ERR_UNAVAILABLE, broken
 *   killed or late meanwhile   may show only at a later row: every row is asked for its error
 *   a value too large          the fetch ends with rows left, to be read and forgotten */
#include "backends/sql/mysql_conn_internal.h"
#include "backends/sql/mysql_error.h"
#include "core/base/mem.h"

/* After ours: it defines list_push as a macro. */
#include <mysql.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_PER_TURN = 256 };

static const struct err no_error = {.code = ERR_OK};

void mysql_conn_end_failed(struct mysql_conn *conn, unsigned number, const char *sqlstate,
                           const char *text)
{
    struct err err = {0};
    mysql_error_of_query(&err, number, str_of(text));
    conn->call->number = number;
    snprintf(conn->call->sqlstate, sizeof conn->call->sqlstate, "%s", sqlstate);
    mysql_conn_end(conn, &err, !mysql_error_is_loss(number));
}

/* The library leaves what ends a fetch on the connection, what ends other steps on the statement.
 */
static void end_failed_stmt(struct mysql_conn *conn)
{
    MYSQL_STMT *stmt = conn->stmts[conn->slot];
    if (mysql_stmt_errno(stmt) != 0)
        mysql_conn_end_failed(conn, mysql_stmt_errno(stmt), mysql_stmt_sqlstate(stmt),
                              mysql_stmt_error(stmt));
    else
        mysql_conn_end_failed(conn, mysql_errno(conn->mysql), mysql_sqlstate(conn->mysql),
                              mysql_error(conn->mysql));
}

static bool begin(struct mysql_call *call, struct mysql_conn *conn, enum mysql_slot slot,
                  uint64_t timeout_ms, struct op_waiter waiter)
{
    if (!mysql_conn_begin(call, conn, timeout_ms, waiter))
        return false;
    CHECK(conn->state == MYSQL_CONN_IDLE);
    mysql_conn_set_state(conn, MYSQL_CONN_BUSY);
    conn->slot = slot;
    return true;
}

/* ---- a text, a ping ---- */

static int start_run(struct mysql_conn *conn)
{
    return mysql_real_query_start(&conn->result_int, conn->mysql, conn->text.at, conn->text.len);
}

static int continue_run(struct mysql_conn *conn, int events)
{
    return mysql_real_query_cont(&conn->result_int, conn->mysql, events);
}

static int start_ping(struct mysql_conn *conn)
{
    return mysql_ping_start(&conn->result_int, conn->mysql);
}

static int continue_ping(struct mysql_conn *conn, int events)
{
    return mysql_ping_cont(&conn->result_int, conn->mysql, events);
}

static bool end_simple(struct mysql_conn *conn)
{
    if (conn->result_int != 0)
        mysql_conn_end_failed(conn, mysql_errno(conn->mysql), mysql_sqlstate(conn->mysql),
                              mysql_error(conn->mysql));
    else
        mysql_conn_end(conn, &no_error, true);
    return false;
}

static const struct mysql_conn_step run_step = {"run", false, start_run, continue_run, end_simple};
static const struct mysql_conn_step ping_step = {"ping", false, start_ping, continue_ping,
                                                 end_simple};

void mysql_conn_run_start(struct mysql_call *call, struct mysql_conn *conn, struct str text,
                          uint64_t timeout_ms, struct op_waiter waiter)
{
    if (!begin(call, conn, conn->slot, timeout_ms, waiter))
        return;
    conn->text = text;
    mysql_conn_go(conn, &run_step);
}

void mysql_conn_ping_start(struct mysql_call *call, struct mysql_conn *conn, uint64_t timeout_ms,
                           struct op_waiter waiter)
{
    if (begin(call, conn, conn->slot, timeout_ms, waiter))
        mysql_conn_go(conn, &ping_step);
}

/* ---- prepare ---- */

static int start_prepare(struct mysql_conn *conn)
{
    return mysql_stmt_prepare_start(&conn->result_int, conn->stmts[conn->slot], conn->text.at,
                                    conn->text.len);
}

static int continue_prepare(struct mysql_conn *conn, int events)
{
    return mysql_stmt_prepare_cont(&conn->result_int, conn->stmts[conn->slot], events);
}

static bool end_prepare(struct mysql_conn *conn)
{
    if (conn->result_int == 0) {
        mysql_conn_end(conn, &no_error, true);
        return false;
    }
    /* The server keeps nothing of it: closing is a matter of memory. */
    MYSQL_STMT *stmt = conn->stmts[conn->slot];
    unsigned number = mysql_stmt_errno(stmt);
    char sqlstate[8];
    struct err text = {0};
    snprintf(sqlstate, sizeof sqlstate, "%s", mysql_stmt_sqlstate(stmt));
    err_set(&text, ERR_REJECTED, "%s", mysql_stmt_error(stmt));
    conn->stmts[conn->slot] = NULL;
    mysql_stmt_close(stmt);
    mysql_conn_end_failed(conn, number, sqlstate, text.text);
    return false;
}

static const struct mysql_conn_step prepare_step = {"prepare", false, start_prepare,
                                                    continue_prepare, end_prepare};

void mysql_conn_prepare_start(struct mysql_call *call, struct mysql_conn *conn,
                              enum mysql_slot slot, struct str text, struct op_waiter waiter)
{
    if (!begin(call, conn, slot, 0, waiter))
        return;
    CHECK(conn->stmts[slot] == NULL);
    conn->stmts[slot] = mysql_stmt_init(conn->mysql);
    if (conn->stmts[slot] == NULL) {
        struct err err = {0};
        err_set(&err, ERR_NO_MEMORY, "no memory for a statement");
        mysql_conn_end(conn, &err, true);
        return;
    }
    conn->text = text;
    mysql_conn_go(conn, &prepare_step);
}

size_t mysql_conn_param_count(const struct mysql_conn *conn, enum mysql_slot slot)
{
    return mysql_stmt_param_count(conn->stmts[slot]);
}

size_t mysql_conn_column_count(const struct mysql_conn *conn, enum mysql_slot slot)
{
    return mysql_stmt_field_count(conn->stmts[slot]);
}

/* ---- execute ---- */

static void bind_value(MYSQL_BIND *bind, const struct sql_value *value)
{
    static const enum enum_field_types types[] = {
        [SQL_NULL] = MYSQL_TYPE_NULL,     [SQL_INT] = MYSQL_TYPE_LONGLONG,
        [SQL_REAL] = MYSQL_TYPE_DOUBLE,   [SQL_DECIMAL] = MYSQL_TYPE_NEWDECIMAL,
        [SQL_TEXT] = MYSQL_TYPE_STRING,   [SQL_BLOB] = MYSQL_TYPE_BLOB,
        [SQL_BOOL] = MYSQL_TYPE_LONGLONG,
    };
    bind->buffer_type = types[value->type];
    /* The library takes what it only reads as not const. */
    if (value->type == SQL_INT || value->type == SQL_BOOL)
        bind->buffer = (void *)(uintptr_t)&value->integer;
    else if (value->type == SQL_REAL)
        bind->buffer = (void *)(uintptr_t)&value->real;
    else
        bind->buffer = (void *)(uintptr_t)value->text.at;
    bind->buffer_length = value->text.len;
    bind->length_value = value->text.len;
}

static bool bind_params(struct mysql_conn *conn, const struct sql_value *params)
{
    MYSQL_STMT *stmt = conn->stmts[conn->slot];
    size_t count = mysql_stmt_param_count(stmt);
    if (count == 0)
        return true;
    MYSQL_BIND *binds = conn->binds = mem_zalloc(count, sizeof *binds);
    if (binds == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        bind_value(&binds[i], &params[i]);
    return mysql_stmt_bind_param(stmt, binds) == 0; /* copies them; length stays ours */
}

static int start_execute(struct mysql_conn *conn)
{
    return mysql_stmt_execute_start(&conn->result_int, conn->stmts[conn->slot]);
}

static int continue_execute(struct mysql_conn *conn, int events)
{
    return mysql_stmt_execute_cont(&conn->result_int, conn->stmts[conn->slot], events);
}

static bool end_execute(struct mysql_conn *conn)
{
    mem_free(conn->binds);
    conn->binds = NULL;
    if (conn->result_int != 0) {
        end_failed_stmt(conn);
        return false;
    }
    conn->rows_left = mysql_stmt_field_count(conn->stmts[conn->slot]) > 0;
    mysql_conn_end(conn, &no_error, true);
    return false;
}

static const struct mysql_conn_step execute_step = {"execute", false, start_execute,
                                                    continue_execute, end_execute};

void mysql_conn_execute_start(struct mysql_call *call, struct mysql_conn *conn,
                              enum mysql_slot slot, const struct sql_value *params,
                              struct op_waiter waiter)
{
    if (!begin(call, conn, slot, 0, waiter))
        return;
    if (!bind_params(conn, params)) {
        struct err err = {0};
        err_set(&err, ERR_NO_MEMORY, "no memory for the values of a statement");
        mem_free(conn->binds);
        conn->binds = NULL;
        mysql_conn_end(conn, &err, true);
        return;
    }
    mysql_conn_go(conn, &execute_step);
}

/* ---- fetch ---- */

static const struct mysql_conn_step fetch_step;

static int continue_fetch(struct mysql_conn *conn, int events)
{
    return mysql_stmt_fetch_cont(&conn->result_int, conn->stmts[conn->slot], events);
}

static int start_fetch(struct mysql_conn *conn)
{
    return mysql_stmt_fetch_start(&conn->result_int, conn->stmts[conn->slot]);
}

static void on_fetch_on(struct loop_task *task)
{
    struct mysql_conn *conn = container_of(task, struct mysql_conn, resume_task);
    conn->turn_rows = 0;
    mysql_conn_go(conn, &fetch_step);
}

/* Whether the row just fetched leaves the fetch going. */
static bool take_row(struct mysql_conn *conn)
{
    struct err err = {0};
    if (conn->rows == NULL)
        return true;
    enum err_code code = mysql_rows_keep(conn->rows, conn->stmts[conn->slot], &err);
    if (code == ERR_OK && !conn->rows->result.truncated)
        return true;
    mysql_conn_end(conn, &err, true);
    return false;
}

static bool end_fetch(struct mysql_conn *conn)
{
    if (conn->result_int == MYSQL_NO_DATA) {
        conn->rows_left = false;
        mysql_conn_end(conn, &no_error, true);
        return false;
    }
    if (conn->result_int != 0 && conn->result_int != MYSQL_DATA_TRUNCATED) {
        conn->rows_left = false;
        end_failed_stmt(conn);
        return false;
    }
    if (!take_row(conn))
        return false;
    if (++conn->turn_rows < ROWS_PER_TURN)
        return true;
    loop_post(conn->loop, &conn->resume_task, on_fetch_on);
    return false;
}

static const struct mysql_conn_step fetch_step = {"fetch", false, start_fetch, continue_fetch,
                                                  end_fetch};

void mysql_conn_fetch_start(struct mysql_call *call, struct mysql_conn *conn, struct sql_rows *rows,
                            struct op_waiter waiter)
{
    if (!begin(call, conn, MYSQL_SLOT_QUERY, 0, waiter))
        return;
    CHECK(conn->rows_left);
    conn->rows = rows;
    conn->turn_rows = 0;
    struct err err = {0};
    if (rows != NULL && mysql_rows_name(rows, conn->stmts[conn->slot], &err) != ERR_OK)
        mysql_conn_end(conn, &err, true);
    else
        mysql_conn_go(conn, &fetch_step);
}

/* ---- discard ---- */

static int start_discard(struct mysql_conn *conn)
{
    return mysql_stmt_close_start(&conn->result_bool, conn->stmts[conn->slot]);
}

static int continue_discard(struct mysql_conn *conn, int events)
{
    return mysql_stmt_close_cont(&conn->result_bool, conn->stmts[conn->slot], events);
}

static bool end_discard(struct mysql_conn *conn)
{
    conn->stmts[conn->slot] = NULL; /* freed, whatever the result */
    if (conn->result_bool != 0)
        mysql_conn_end_failed(conn, mysql_errno(conn->mysql), mysql_sqlstate(conn->mysql),
                              mysql_error(conn->mysql));
    else
        mysql_conn_end(conn, &no_error, true);
    return false;
}

static const struct mysql_conn_step discard_step = {"discard", false, start_discard,
                                                    continue_discard, end_discard};

void mysql_conn_discard_start(struct mysql_call *call, struct mysql_conn *conn,
                              enum mysql_slot slot, struct op_waiter waiter)
{
    if (!begin(call, conn, slot, 0, waiter))
        return;
    CHECK(!conn->rows_left || slot != MYSQL_SLOT_QUERY);
    mysql_conn_go(conn, &discard_step);
}
