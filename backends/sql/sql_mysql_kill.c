/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_mysql_kill.c - KILL, from whichever connection is at hand.
 *
 * Happy path: an idle connection of the pool sends it and goes back. When none is idle, the kills
 * stand in line for a connection kept for them alone: it is opened when the first statement runs,
 * since opening one may take longer than a kill should.
 * Failure paths:
 *   the idle one broke               the kill stands in line
 *   the kept one is lost or silent   opened again; a kill it was sending is sent once more
 *   it cannot be opened              all in line end with why; tried again by the next statements
 *                                    now and then, by the next kill at once
 *   no such thread any more          ERR_OK: it ended by itself
 *   no connection, no memory, late   the error; the victim's connection is the caller's to drop */
#include "backends/sql/sql_mysql_internal.h"

#include <stdio.h>

enum { KILL_MS = 2000, NO_SUCH_THREAD = 1094 };
enum { RETRY_MS = 5000, CHECK_MS = 60000 }; /* between attempts to open; without being used */

static op_fn on_idle_killed, on_opened, on_checked, on_killed;

static bool is_standing(const struct sql_mysql_kill *kill)
{
    return list_is_linked(&kill->link);
}

static void finish(struct sql_mysql_kill *kill, const struct err *err)
{
    op_finish_err(&kill->op, err);
}

static void cancel_kill(struct op *op)
{
    static const struct err cancelled = {.code = ERR_CANCELLED, .text = "the kill was given up"};
    struct sql_mysql_kill *kill = container_of(op, struct sql_mysql_kill, op);
    struct sql_mysql_killer *killer = &kill->mysql->killer;
    if (kill->member != NULL) {
        op_cancel(&kill->call.op);
    } else if (killer->sends == kill) {
        op_cancel(&killer->call.op);
    } else if (is_standing(kill)) {
        list_remove(&kill->link);
        finish(kill, &cancelled);
    }
}

static const struct op_kind kill_kind = {.name = "sql.kill", .cancel = cancel_kill};

static void end(struct sql_mysql_kill *kill, const struct mysql_call *call)
{
    static const struct err ended_by_itself = {.code = ERR_OK};
    finish(kill, call->number == NO_SUCH_THREAD ? &ended_by_itself : &call->op.err);
}

static void send(struct sql_mysql_kill *kill, struct mysql_call *call, struct mysql_conn *conn,
                 struct op_waiter waiter)
{
    mysql_conn_run_start(call, conn, str_of(kill->text), KILL_MS, waiter);
}

/* ---- the connection kept for kills ---- */

static struct op_waiter killer_waiter(struct sql_mysql_killer *killer, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = killer};
}

static void drop(struct sql_mysql_killer *killer)
{
    if (killer->conn != NULL)
        mysql_conn_destroy(killer->conn);
    killer->conn = NULL;
}

static void fail_all(struct sql_mysql_killer *killer, const struct err *err)
{
    struct list *link;
    while ((link = list_take_first(&killer->waiting)) != NULL)
        finish(list_item(link, struct sql_mysql_kill, link), err);
}

/* The server closed it while it was idle. */
static void on_lost(void *owner)
{
    drop(owner);
}

static void open_killer(struct sql_mysql_killer *killer)
{
    struct sql_mysql *mysql = killer->mysql;
    struct err err = {0};
    killer->tried_ms = loop_now_ms(mysql->sql.loop);
    killer->conn = mysql_conn_create(
        mysql->sql.loop,
        &(struct mysql_conn_options){
            .url = &mysql->url, .connect_ms = KILL_MS, .on_lost = on_lost, .owner = killer});
    if (killer->conn != NULL) {
        mysql_conn_open_start(&killer->call, killer->conn, killer_waiter(killer, on_opened));
        return;
    }
    err_set(&err, ERR_NO_MEMORY, "no memory for a connection to end a statement");
    fail_all(killer, &err);
}

/* The next in line, when the connection is free. */
static void serve(struct sql_mysql_killer *killer)
{
    if (killer->closed || op_is_pending(&killer->call.op) || list_is_empty(&killer->waiting))
        return;
    if (killer->conn == NULL) {
        open_killer(killer);
        return;
    }
    struct list *link = list_take_first(&killer->waiting);
    killer->sends = list_item(link, struct sql_mysql_kill, link);
    send(killer->sends, &killer->call, killer->conn, killer_waiter(killer, on_killed));
}

/* Whether the killer's connection may be used again. */
static bool is_well(struct sql_mysql_killer *killer)
{
    killer->used_ms = loop_now_ms(killer->mysql->sql.loop);
    if (killer->closed) {
        closing_leave(&killer->mysql->closing);
        return false;
    }
    if (mysql_conn_is_usable(killer->conn))
        return true;
    drop(killer);
    return false;
}

static void on_opened(struct op *op)
{
    struct sql_mysql_killer *killer = op_owner(op);
    if (op->err.code != ERR_OK && !killer->closed) {
        drop(killer);
        fail_all(killer, &op->err);
        return;
    }
    if (is_well(killer))
        serve(killer);
}

static void on_checked(struct op *op)
{
    struct sql_mysql_killer *killer = op_owner(op);
    (void)is_well(killer);
    serve(killer);
}

static void on_killed(struct op *op)
{
    struct sql_mysql_killer *killer = op_owner(op);
    struct sql_mysql_kill *kill = killer->sends;
    killer->sends = NULL;
    if (is_well(killer) || kill->again || op->err.code == ERR_CANCELLED) {
        end(kill, &killer->call);
    } else {
        kill->again = true;
        list_push_front(&killer->waiting, &kill->link);
    }
    serve(killer);
}

void sql_mysql_killer_keep(struct sql_mysql *mysql)
{
    struct sql_mysql_killer *killer = &mysql->killer;
    uint64_t now_ms = loop_now_ms(mysql->sql.loop);
    if (closing_is_begun(&mysql->closing) || op_is_pending(&killer->call.op))
        return;
    if (killer->conn == NULL) {
        if (killer->tried_ms == 0 || now_ms - killer->tried_ms >= RETRY_MS)
            open_killer(killer);
    } else if (now_ms - killer->used_ms >= CHECK_MS) {
        mysql_conn_ping_start(&killer->call, killer->conn, KILL_MS,
                              killer_waiter(killer, on_checked));
    }
}

void sql_mysql_killer_init(struct sql_mysql *mysql)
{
    mysql->killer = (struct sql_mysql_killer){.mysql = mysql};
    list_init(&mysql->killer.waiting);
}

void sql_mysql_killer_close(struct sql_mysql *mysql)
{
    struct sql_mysql_killer *killer = &mysql->killer;
    CHECK(killer->sends == NULL && list_is_empty(&killer->waiting));
    killer->closed = true;
    drop(killer);
    if (!op_is_pending(&killer->call.op))
        closing_leave(&mysql->closing);
}

/* ---- one kill ---- */

static void stand(struct sql_mysql_kill *kill)
{
    list_push(&kill->mysql->killer.waiting, &kill->link);
    serve(&kill->mysql->killer);
}

static void on_idle_killed(struct op *op)
{
    struct sql_mysql_kill *kill = op_owner(op);
    struct sql_mysql_member *member = kill->member;
    bool usable = mysql_conn_is_usable(member->conn);
    kill->member = NULL;
    conn_pool_put(&member->pool_conn, usable);
    if (usable || op->err.code == ERR_CANCELLED)
        end(kill, &kill->call);
    else
        stand(kill);
}

void sql_mysql_kill_start(struct sql_mysql_kill *kill, struct sql_mysql *mysql,
                          enum sql_mysql_killed what, unsigned long thread_id,
                          struct op_waiter waiter)
{
    op_begin(&kill->op, &kill_kind, mysql->sql.loop, waiter);
    kill->mysql = mysql;
    kill->member = NULL;
    kill->again = false;
    snprintf(kill->text, sizeof kill->text, "KILL %s %lu",
             what == SQL_MYSQL_QUERY ? "QUERY" : "CONNECTION", thread_id);
    struct pool_conn *idle = conn_pool_take_idle(mysql->pool);
    if (idle == NULL) {
        stand(kill);
        return;
    }
    kill->member = container_of(idle, struct sql_mysql_member, pool_conn);
    send(kill, &kill->call, kill->member->conn,
         (struct op_waiter){.done = on_idle_killed, .owner = kill});
}
