/* SPDX-License-Identifier: MIT */
/* backends/sql/pg_task.h - statements of our own in one transaction of a pooled PostgreSQL
 * connection.
 *
 * For stores that keep their tables in PostgreSQL; what a model wrote goes through sql_pg instead,
 * which only reads. BEGIN, the timeout, the statements and COMMIT go out in one write: all of them
 * hold or none. One loop, one thread. */
#ifndef BACKENDS_SQL_PG_TASK_H
#define BACKENDS_SQL_PG_TASK_H

#include "backends/sql/pg_conn.h"
#include "backends/sql/pg_error.h"

enum { PG_TASK_MOST = 8 };

struct pg_task;
/* A result with rows of statement number step (from 0), borrowed for the call. Anything but ERR_OK
 * becomes the task's end. */
typedef enum err_code pg_task_rows_fn(struct pg_task *task, size_t step,
                                      const struct pg_result *result, struct err *err);

struct pg_task_statement { /* kept until done */
    const char *text;
    const struct pg_conn_param *params;
    size_t param_count;
};

struct pg_task {
    struct op op;                        /* "pg.task" */
    char sqlstate[PG_ERROR_STATE_BYTES]; /* of the statement that failed; "" */
    bool is_retried; /* sent twice, since nothing was heard of the first: both may hold */
    /* the request: set before start, kept until done */
    struct pg_task_statement statements[PG_TASK_MOST];
    size_t count;
    bool writes;
    uint64_t timeout_ms;
    size_t message_bytes; /* the most that one row may be */
    pg_task_rows_fn *on_rows;
    void *arg; /* the caller's */
    /* private */
    struct conn_pool *pool;
    struct conn_lease lease;
    struct pg_conn_user user;
    struct timer timer;
    struct err err;
    uint64_t deadline_ms;
    bool is_sent, is_answered;
    char timeout[24];
    struct pg_conn_param timeout_param;
};

/* Run the task's statements. ERR_UNAVAILABLE: no connection, or it was lost (a change may hold all
 * the same); ERR_TIMEOUT; ERR_REJECTED: the server's words; what on_rows said; ERR_CANCELLED: the
 * connection is dropped, and the change may hold. */
void pg_task_start(struct pg_task *task, struct loop *loop, struct conn_pool *pool,
                   struct op_waiter waiter);

/* A result's shape, and one cell as a view of it (NULL is empty). */
size_t pg_task_row_count(const struct pg_result *result);
size_t pg_task_column_count(const struct pg_result *result);
struct str pg_task_cell(const struct pg_result *result, size_t row, size_t column);

#endif
