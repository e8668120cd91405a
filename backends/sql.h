/* SPDX-License-Identifier: MIT */
/* backends/sql.h - the database interface: one read-only statement in, typed rows out.
 *
 * The statement is sent byte for byte as given, read-only, with a timeout, row and byte caps.
 * Session variables are set before it with bound values and cleared after it. Rows live in the
 * query until op_release. One loop, one thread per sql. */
#ifndef BACKENDS_SQL_H
#define BACKENDS_SQL_H

#include "backends/sql_reads.h"
#include "core/base/arena.h"
#include "core/loop/op.h"

enum sql_dialect { SQL_SQLITE, SQL_POSTGRES, SQL_MYSQL };

enum sql_type { SQL_NULL, SQL_INT, SQL_REAL, SQL_DECIMAL, SQL_TEXT, SQL_BLOB, SQL_BOOL };

struct sql_value {
    enum sql_type type;
    int64_t integer; /* SQL_INT, SQL_BOOL */
    double real;     /* SQL_REAL */
    struct str text; /* SQL_TEXT (UTF-8), SQL_DECIMAL (digits as the engine wrote them), SQL_BLOB */
};

/* A session variable: its value is bound, never interpolated, never logged. How SQL reads
 * "company_id": session_var('company_id') in SQLite, current_setting('app.company_id', true) in
 * PostgreSQL, @company_id in MySQL. Names are letters, digits and underscores (CHECK). */
struct sql_variable {
    struct str name;
    struct str value; /* absent: NULL ('' in PostgreSQL, whose settings have no NULL) */
};

struct sql_statement {
    struct str text;                /* one statement */
    const struct sql_value *params; /* bound in order; may be NULL */
    size_t param_count;
    const struct sql_variable *variables;
    size_t variable_count;
    const struct sql_reads *reads; /* all it may read, where the engine tells (SQLite); NULL: any */
    size_t max_rows;               /* rows kept; one more is read to know truncated. 0: 1000 */
    size_t max_bytes;              /* of all values kept; 0: 4 MiB */
    uint64_t timeout_ms;           /* 0: 30,000 */
    const void *asker;             /* on whose behalf, for the observer; NULL: the program's own */
};

/* The value of a session variable; absent: there is none. */
static inline struct str sql_statement_variable(const struct sql_statement *statement,
                                                struct str name)
{
    for (size_t i = 0; i < statement->variable_count; i++)
        if (str_equal(statement->variables[i].name, name))
            return statement->variables[i].value;
    return (struct str){0};
}

struct sql_result {
    const struct str *columns; /* column_count names as the engine gave them */
    size_t column_count;
    const struct sql_value *values; /* row-major, row_count * column_count */
    size_t row_count;
    bool truncated;       /* there was at least one more row, or the byte cap was reached */
    uint64_t duration_us; /* in the engine, without queueing */
};

struct sql;
struct sql_query {
    struct op op;             /* kinds are named "sql.*" */
    struct sql_result result; /* valid in done with ERR_OK, until release */
    char sqlstate[8];         /* the engine's own code when it failed, or "" */
    /* private */
    struct sql *sql;
    const struct sql_statement *statement;
    void *impl;
    op_fn *done;       /* the waiter's done, kept while queries are observed */
    uint64_t began_ns; /* loop_precise_ns at the start, set while queries are observed */
};

struct sql_counts { /* connections by state, and statements that wait for one */
    size_t opening, idle, busy, waiting;
};

struct sql_vtable {
    const char *name; /* "sqlite", "postgresql", "mysql" */
    /* Errors: ERR_REJECTED the engine refuses the statement (text is its message, without server
     * internals); ERR_TIMEOUT; ERR_UNAVAILABLE the database cannot be reached, is locked, missing
     * or corrupt; ERR_CANCELLED; ERR_TOO_LARGE one value over max_bytes. */
    void (*query_start)(struct sql *sql, struct sql_query *query, struct op_waiter waiter);
    /* Whether the database could be reached, as last known: ERR_OK, or why not, with err. No I/O.
     */
    enum err_code (*ready)(struct sql *sql, struct err *err);
    void (*close)(struct sql *sql, void (*on_closed)(void *owner), void *owner);
    /* NULL: the engine has no connections to count. */
    struct sql_counts (*count)(const struct sql *sql);
};

/* Told of each statement that has ended, in the loop's turn of done and before done: took_ns is the
 * whole time, waiting included. */
typedef void sql_observe_fn(void *owner, const struct sql_query *query, uint64_t took_ns);

/* First member of every implementation. */
struct sql {
    const struct sql_vtable *vtable;
    struct loop *loop;
    enum sql_dialect dialect;
    sql_observe_fn *observe; /* for metrics; the user of sql sets it before the first statement */
    void *observer;
};

/* The done of queries that are observed. */
static inline void sql_on_observed(struct op *op)
{
    struct sql_query *query = container_of(op, struct sql_query, op);
    op_fn *done = query->done; /* it may start the query again */
    query->sql->observe(query->sql->observer, query, loop_precise_ns() - query->began_ns);
    done(op);
}

/* query is zeroed before its first start; statement and all it points at are kept until done. */
static inline void sql_query_start(struct sql_query *query, struct sql *sql,
                                   const struct sql_statement *statement, struct op_waiter waiter)
{
    query->result = (struct sql_result){0};
    query->sqlstate[0] = '\0';
    query->sql = sql;
    query->statement = statement;
    if (sql->observe != NULL) {
        query->done = waiter.done;
        query->began_ns = loop_precise_ns();
        waiter.done = sql_on_observed;
    }
    sql->vtable->query_start(sql, query, waiter);
}

static inline MUST_USE enum err_code sql_ready(struct sql *sql, struct err *err)
{
    return sql->vtable->ready(sql, err);
}

static inline void sql_close(struct sql *sql, void (*on_closed)(void *owner), void *owner)
{
    sql->vtable->close(sql, on_closed, owner);
}

static inline const struct sql_value *sql_result_at(const struct sql_result *result, size_t row,
                                                    size_t column)
{
    return &result->values[row * result->column_count + column];
}

#endif
