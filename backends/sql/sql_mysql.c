/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_mysql.c - the sql interface over a pool of MySQL or MariaDB connections.
 *
 * Happy path: create reads the url and makes an empty pool; each query becomes a run
 * (sql_mysql_run.c) that leases a member; close cancels the runs, waits for the last to give its
 * member back, and closes the connection kept for kills and the pool.
 * Failure paths:
 *   a url that is none               NULL with ERR_INVALID at creation
 *   a connection cannot be opened    the pool keeps the reason for waiters and for ready
 *   an idle connection is lost       it leaves the pool at once
 *   a query after close              ERR_CANCELLED */
#include "backends/sql/sql_mysql_internal.h"

#include "core/base/mem.h"

enum { DEFAULT_CONNECT_MS = 5000, DEFAULT_QUEUE_MS = 10000, CHECK_MS = 2000 };
enum { VARIABLES_BYTES = 16 << 10 };

static struct sql_mysql *mysql_of(struct sql *sql)
{
    return container_of(sql, struct sql_mysql, sql);
}

/* ---- members of the pool ---- */

static void free_member(struct sql_mysql_member *member)
{
    struct conn_pool *pool = member->mysql->pool;
    buf_fini(&member->variables);
    mem_free(member);
    conn_pool_gone(pool);
}

static void on_opened(struct op *op)
{
    struct sql_mysql_member *member = op_owner(op);
    if (member->closing)
        free_member(member);
    else if (op->err.code == ERR_OK)
        conn_pool_opened(&member->pool_conn);
    else
        conn_pool_lost(&member->pool_conn, &op->err);
}

static void on_checked(struct op *op)
{
    struct sql_mysql_member *member = op_owner(op);
    if (member->closing)
        free_member(member);
    else if (op->err.code == ERR_OK)
        conn_pool_checked(&member->pool_conn);
    else
        conn_pool_lost(&member->pool_conn, &op->err);
}

static void on_lost(void *owner)
{
    struct sql_mysql_member *member = owner;
    struct err err = {0};
    err_set(&err, ERR_UNAVAILABLE, "the database closed the connection");
    conn_pool_lost(&member->pool_conn, &err);
}

static struct pool_conn *open_member(void *owner)
{
    struct sql_mysql *mysql = owner;
    struct sql_mysql_member *member = mem_zalloc(1, sizeof *member);
    if (member == NULL)
        return NULL;
    member->mysql = mysql;
    buf_init(&member->variables, VARIABLES_BYTES);
    member->conn = mysql_conn_create(mysql->sql.loop,
                                     &(struct mysql_conn_options){.url = &mysql->url,
                                                                  .connect_ms = mysql->connect_ms,
                                                                  .on_lost = on_lost,
                                                                  .owner = member});
    if (member->conn == NULL) {
        mem_free(member);
        return NULL;
    }
    mysql_conn_open_start(&member->call, member->conn,
                          (struct op_waiter){.done = on_opened, .owner = member});
    return &member->pool_conn;
}

static void check_member(struct pool_conn *pool_conn)
{
    struct sql_mysql_member *member = container_of(pool_conn, struct sql_mysql_member, pool_conn);
    mysql_conn_ping_start(&member->call, member->conn, CHECK_MS,
                          (struct op_waiter){.done = on_checked, .owner = member});
}

static void close_member(struct pool_conn *pool_conn)
{
    struct sql_mysql_member *member = container_of(pool_conn, struct sql_mysql_member, pool_conn);
    mysql_conn_destroy(member->conn);
    member->conn = NULL;
    member->closing = true;
    if (!op_is_pending(&member->call.op)) /* else when its done has come */
        free_member(member);
}

static const struct conn_kind member_kind = {
    .name = "mysql", .open = open_member, .check = check_member, .close = close_member};

/* ---- the interface ---- */

static void cancel_query(struct op *op)
{
    sql_mysql_run_cancel(container_of(op, struct sql_query, op));
}

static void release_query(struct op *op)
{
    struct sql_query *query = container_of(op, struct sql_query, op);
    sql_mysql_run_release(query);
    query->result = (struct sql_result){0};
}

static const struct op_kind query_kind = {
    .name = "sql.mysql", .cancel = cancel_query, .release = release_query};

static void start_query(struct sql *sql, struct sql_query *query, struct op_waiter waiter)
{
    op_begin(&query->op, &query_kind, sql->loop, waiter);
    if (closing_is_begun(&mysql_of(sql)->closing))
        op_finish(&query->op, ERR_CANCELLED, "the database is being closed");
    else
        sql_mysql_run_start(mysql_of(sql), query);
}

static enum err_code tell_ready(struct sql *sql, struct err *err)
{
    if (conn_pool_ready(mysql_of(sql)->pool, err) == ERR_OK)
        return ERR_OK;
    err->code = ERR_UNAVAILABLE; /* ERR_DENIED would be the caller's fault */
    return ERR_UNAVAILABLE;
}

static void free_mysql(struct sql_mysql *mysql)
{
    mysql_url_fini(&mysql->url);
    mem_free(mysql);
}

static void close_killer(struct closing *closing)
{
    closing_enter(closing);
    sql_mysql_killer_close(container_of(closing, struct sql_mysql, closing));
}

static void close_pool(struct closing *closing)
{
    closing_enter(closing);
    conn_pool_close(container_of(closing, struct sql_mysql, closing)->pool, closing_leave_part,
                    closing);
}

static void free_closed(struct closing *closing)
{
    free_mysql(container_of(closing, struct sql_mysql, closing));
}

static void close_all(struct sql *sql, void (*on_closed)(void *owner), void *owner)
{
    struct sql_mysql *mysql = mysql_of(sql);
    closing_begin(&mysql->closing, on_closed, owner);
    sql_mysql_run_cancel_all(mysql);
}

static struct sql_counts count_connections(const struct sql *sql)
{
    const struct sql_mysql *mysql = container_of(sql, const struct sql_mysql, sql);
    const struct conn_pool_counts counts = conn_pool_count(mysql->pool);
    return (struct sql_counts){counts.opening, counts.idle, counts.leased, counts.waiting};
}

static const struct sql_vtable vtable = {.name = "mysql",
                                         .query_start = start_query,
                                         .ready = tell_ready,
                                         .close = close_all,
                                         .count = count_connections};

struct sql *sql_mysql_create(struct loop *loop, const struct sql_mysql_options *options,
                             struct err *err)
{
    static closing_fn *const steps[] = {close_killer, close_pool, free_closed, NULL};
    struct sql_mysql *mysql = mem_zalloc(1, sizeof *mysql);
    if (mysql == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a database");
        return NULL;
    }
    if (mysql_url_parse(&mysql->url, str_of(options->url), err) != ERR_OK) {
        free_mysql(mysql);
        return NULL;
    }
    mysql->sql = (struct sql){.vtable = &vtable, .loop = loop, .dialect = SQL_MYSQL};
    mysql->connect_ms = options->connect_ms == 0 ? DEFAULT_CONNECT_MS : options->connect_ms;
    mysql->queue_ms = options->queue_ms == 0 ? DEFAULT_QUEUE_MS : options->queue_ms;
    list_init(&mysql->runs);
    closing_init(&mysql->closing, loop, steps);
    sql_mysql_killer_init(mysql);
    mysql->pool = conn_pool_create(loop, &member_kind, mysql, &options->pool);
    if (mysql->pool == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a pool of connections");
        free_mysql(mysql);
        return NULL;
    }
    return &mysql->sql;
}
