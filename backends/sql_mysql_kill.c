/* SPDX-License-Identifier: MIT */
/* backends/sql_mysql_kill.c - KILL QUERY, from whichever connection is at hand.
 *
 * Happy path: an idle connection of the pool sends it and goes back.
 * Failure paths:
 *   none is idle, or it broke        a connection is opened for it and dropped afterwards
 *   no such thread any more          ERR_OK: it ended by itself
 *   no connection, no memory, late   the error; the victim's connection is the caller's to drop */
#include "backends/sql_mysql_internal.h"

#include <stdio.h>

enum { KILL_MS = 2000, NO_SUCH_THREAD = 1094 };

static op_fn on_idle_killed, on_opened, on_own_killed;

static void cancel_kill(struct op *op)
{
    op_cancel(&container_of(op, struct sql_mysql_kill, op)->call.op);
}

static const struct op_kind kill_kind = {.name = "sql.kill", .cancel = cancel_kill};

static void finish(struct sql_mysql_kill *kill, const struct err *err)
{
    if (kill->conn != NULL)
        mysql_conn_destroy(kill->conn);
    kill->conn = NULL;
    static const struct err ended_by_itself = {.code = ERR_OK};
    bool unknown = kill->call.number == NO_SUCH_THREAD;
    op_finish_err(&kill->op, unknown ? &ended_by_itself : err);
}

static void send(struct sql_mysql_kill *kill, struct mysql_conn *conn, op_fn *done)
{
    mysql_conn_run_start(&kill->call, conn, str_of(kill->text), KILL_MS,
                         (struct op_waiter){.done = done, .owner = kill});
}

static void open_own(struct sql_mysql_kill *kill)
{
    kill->conn = mysql_conn_create(
        kill->mysql->sql.loop,
        &(struct mysql_conn_options){.url = &kill->mysql->url, .connect_ms = KILL_MS});
    kill->call.number = 0;
    if (kill->conn == NULL)
        op_finish(&kill->op, ERR_NO_MEMORY, "no memory for a connection to end a statement");
    else
        mysql_conn_open_start(&kill->call, kill->conn,
                              (struct op_waiter){.done = on_opened, .owner = kill});
}

static void on_idle_killed(struct op *op)
{
    struct sql_mysql_kill *kill = op_owner(op);
    struct sql_mysql_member *member = kill->member;
    bool usable = mysql_conn_is_usable(member->conn);
    kill->member = NULL;
    conn_pool_put(&member->pool_conn, usable);
    if (usable || op->err.code == ERR_CANCELLED)
        finish(kill, &op->err);
    else
        open_own(kill);
}

static void on_opened(struct op *op)
{
    struct sql_mysql_kill *kill = op_owner(op);
    if (op->err.code != ERR_OK)
        finish(kill, &op->err);
    else
        send(kill, kill->conn, on_own_killed);
}

static void on_own_killed(struct op *op)
{
    finish(op_owner(op), &op->err);
}

void sql_mysql_kill_start(struct sql_mysql_kill *kill, struct sql_mysql *mysql,
                          unsigned long thread_id, struct op_waiter waiter)
{
    op_begin(&kill->op, &kill_kind, mysql->sql.loop, waiter);
    kill->mysql = mysql;
    kill->conn = NULL;
    kill->member = NULL;
    snprintf(kill->text, sizeof kill->text, "KILL QUERY %lu", thread_id);
    struct pool_conn *idle = conn_pool_take_idle(mysql->pool);
    if (idle == NULL) {
        open_own(kill);
        return;
    }
    kill->member = container_of(idle, struct sql_mysql_member, pool_conn);
    send(kill, kill->member->conn, on_idle_killed);
}
