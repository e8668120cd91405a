/* SPDX-License-Identifier: MIT */
/* backends/sql_mysql_internal.h - what the files of sql_mysql share.
 *
 * sql_mysql.c owns the pool and its members, sql_mysql_run.c one statement on a leased member,
 * sql_mysql_kill.c the ending of one that runs, and the connection kept for that. */
#ifndef BACKENDS_SQL_MYSQL_INTERNAL_H
#define BACKENDS_SQL_MYSQL_INTERNAL_H

#include "backends/mysql_conn.h"
#include "backends/sql_mysql.h"
#include "core/base/buf.h"

struct sql_mysql_kill;

/* A connection that nothing but kills may use: the pool may be full. */
struct sql_mysql_killer {
    struct sql_mysql *mysql;
    struct mysql_conn *conn;      /* NULL: there is none */
    struct mysql_call call;       /* opening, checking, or a kill */
    struct sql_mysql_kill *sends; /* the one whose call that is */
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
    struct list runs; /* until each has given its connection back */
    bool closing;
    void (*on_closed)(void *owner);
    void *closed_owner;
    struct loop_task close_task;
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

/* Start what query asks for. Its op has begun; it is finished exactly once, later. */
void sql_mysql_run_start(struct sql_mysql *mysql, struct sql_query *query);
/* Give query up with ERR_CANCELLED: what runs on the server is ended there, too. */
void sql_mysql_run_cancel(struct sql_query *query);
/* The same for all of them. */
void sql_mysql_run_cancel_all(struct sql_mysql *mysql);
/* Free what the result of query points at. */
void sql_mysql_run_release(struct sql_query *query);
/* The last run of a closing sql has gone: tell it (sql_mysql.c). */
void sql_mysql_gone(struct sql_mysql *mysql);

/* ---- ending one that runs ---- */

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

/* KILL QUERY thread_id from another connection: an idle one of the pool, else the one kept for it.
 * When done with ERR_OK no late kill can hit a later statement; else the connection of thread_id
 * must not be used again. Bounded by seconds. */
void sql_mysql_kill_start(struct sql_mysql_kill *kill, struct sql_mysql *mysql,
                          unsigned long thread_id, struct op_waiter waiter);

void sql_mysql_killer_init(struct sql_mysql *mysql);
/* A statement runs: see that there is a connection to end it by, without waiting for that. */
void sql_mysql_killer_keep(struct sql_mysql *mysql);
/* No kill is in flight. Drop the connection, then say so (sql_mysql.c). */
void sql_mysql_killer_close(struct sql_mysql *mysql);
void sql_mysql_killer_gone(struct sql_mysql *mysql);

/* ---- the run itself: sql_mysql_run.c up to the result, sql_mysql_tidy.c from there on ---- */

/* What outlives the run: the query's, until release. */
struct sql_mysql_kept {
    struct sql_rows rows;
    struct sql_mysql_run *run; /* NULL: it has told */
};

struct sql_mysql_run {
    struct list link; /* in sql_mysql.runs */
    struct sql_mysql *mysql;
    struct sql_query *query;     /* NULL: told */
    struct sql_mysql_kept *kept; /* likewise */
    struct conn_lease lease;
    struct sql_mysql_member *member; /* of the lease */
    struct mysql_call call;
    op_fn *then; /* the step after the call in flight */
    struct timer deadline, grace;
    struct sql_mysql_kill kill;
    enum err_code stop; /* ERR_CANCELLED, ERR_TIMEOUT: give up for that */
    bool killed;        /* a kill was started */
    bool received;      /* the server answered on this lease */
    bool retried;
    bool in_transaction, variables_set;
    bool ended; /* the connection was given back; only the killer is awaited */
    unsigned swallowed;
    uint64_t began_ns;
    struct sql_value *values; /* of the variables, to be bound */
    struct buf text;
};

/* What outlives the run is said to the query already. Put the connection in order and give it
 * back, then free the run. No call of the run is in flight. */
void sql_mysql_tidy_start(struct sql_mysql_run *run);
/* The killer of the run is done, with err. */
void sql_mysql_tidy_killed(struct sql_mysql_run *run, const struct err *err);
/* Give the connection back at once. The run goes when its killer has gone, too. */
void sql_mysql_tidy_end(struct sql_mysql_run *run, bool usable);

/* For tidying: the next call's waiter, and a text as the next call. */
struct op_waiter sql_mysql_run_then(struct sql_mysql_run *run, op_fn *then);
/* End what runs on the server. Once; its done goes on by itself. */
void sql_mysql_run_kill(struct sql_mysql_run *run);
/* The grace timer's: kill, or when that was done, drop the connection. */
void sql_mysql_run_on_grace(struct timer *timer);

#endif
