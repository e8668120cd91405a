/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_mysql_internal.h - what the files of sql_mysql share.
 *
 * sql_mysql.c owns the pool and its members, sql_mysql_run.c one statement on a leased member,
 * sql_mysql_kill.c the ending of one that runs, and the connection kept for that. */
#ifndef BACKENDS_SQL_SQL_MYSQL_INTERNAL_H
#define BACKENDS_SQL_SQL_MYSQL_INTERNAL_H

#include "backends/sql/mysql_conn.h"
#include "backends/sql/sql_mysql.h"
#include "core/base/buf.h"
#include "core/loop/closing.h"

struct sql_mysql_kill;

/* A connection that nothing but kills may use: the pool may be full. */
struct sql_mysql_killer {
    struct sql_mysql *mysql;
    struct mysql_conn *conn;      /* NULL: there is none */
    struct mysql_call call;       /* opening, checking, or a kill */
    struct sql_mysql_kill *sends; /* the kill whose call that is */
    struct list waiting;          /* kills, in order */
    uint64_t tried_ms, used_ms;   /* opening; any call */
    bool closed;
};

struct sql_mysql {
    struct sql sql;
    struct mysql_url url;
    struct conn_pool *pool;
    uint64_t connect_ms, queue_ms;
    struct sql_mysql_killer killer;
    struct list runs;       /* until each has given its connection back */
    struct closing closing; /* out: runs, then the killer, then the pool */
};

/* One connection of the pool, with what its session remembers. */
struct sql_mysql_member {
    struct pool_conn pool_conn;
    struct sql_mysql *mysql;
    struct mysql_conn *conn;
    struct mysql_call call; /* opening and checking */
    bool closing;
    uint64_t limit_ms;    /* the session's time limit; 0: the server's own */
    struct buf variables; /* the text in MYSQL_SLOT_SETTINGS; its names are what is set */
};

/* ---- one statement ---- */

/* Start what query asks for. The op of query has begun, and is finished exactly once, later. */
void sql_mysql_run_start(struct sql_mysql *mysql, struct sql_query *query);
/* Give query up with ERR_CANCELLED: what runs on the server is ended there, too. */
void sql_mysql_run_cancel(struct sql_query *query);
/* Give all queries of mysql up with ERR_CANCELLED, and end on the server what runs. */
void sql_mysql_run_cancel_all(struct sql_mysql *mysql);
/* Free what the result of query points at. */
void sql_mysql_run_release(struct sql_query *query);

/* ---- ending a statement that runs ---- */

struct sql_mysql_kill {
    struct op op; /* "sql.kill": ERR_OK when the server has ended it, or knew of no such thread */
    /* private */
    struct sql_mysql *mysql;
    struct sql_mysql_member *member; /* the idle one that is used, or NULL */
    struct mysql_call call;          /* the idle one's */
    struct list link;                /* in line for the kept one */
    bool again;                      /* the kept one broke under it */
    char text[48];
};

enum sql_mysql_killed { SQL_MYSQL_QUERY, SQL_MYSQL_CONNECTION };

/* KILL QUERY or KILL CONNECTION thread_id from another connection: an idle one of the pool, else
 * the one kept for kills. When a KILL QUERY is done with ERR_OK no late kill can hit a later
 * statement; else the connection of thread_id must not be used again. Bounded by seconds. */
void sql_mysql_kill_start(struct sql_mysql_kill *kill, struct sql_mysql *mysql,
                          enum sql_mysql_killed what, unsigned long thread_id,
                          struct op_waiter waiter);

void sql_mysql_killer_init(struct sql_mysql *mysql);
/* To be called when a statement runs: see that there is a connection to end the statement by,
 * without waiting for that connection. */
void sql_mysql_killer_keep(struct sql_mysql *mysql);
/* With no kill in flight: drop the killer's connection, then leave mysql->closing. */
void sql_mysql_killer_close(struct sql_mysql *mysql);

#endif
