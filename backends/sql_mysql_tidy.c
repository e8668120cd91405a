/* SPDX-License-Identifier: MIT */
/* backends/sql_mysql_tidy.c - a connection in order again, behind a query that is done.
 *
 * Happy path: the rest of the rows is read, the statement forgotten, ROLLBACK, the variables set to
 * NULL, the connection given back.
 * Failure paths:
 *   more rows than DRAIN_MS can read   KILL QUERY, then the rest
 *   a kill was sent                    when the killer is done, DO 0 until one is not hit by it
 *   anything fails or takes too long   the connection is dropped: never used again in doubt */
#include "backends/sql_mysql_internal.h"

#include "core/base/mem.h"

enum { DRAIN_MS = 20, TIDY_MS = 5000, SWALLOW_MAX = 4, INTERRUPTED = 1317 };

/* In running order. */
static op_fn on_drained;
static void discard(struct sql_mysql_run *run);
static op_fn on_discarded;
static void swallow(struct sql_mysql_run *run);
static op_fn on_swallowed;
static void roll_back(struct sql_mysql_run *run);
static op_fn on_rolled_back;
static void clear_variables(struct sql_mysql_run *run);
static op_fn on_cleared;

/* ---- the query is done: a failure only costs the connection ---- */

static bool is_broken(const struct sql_mysql_run *run)
{
    return !mysql_conn_is_usable(run->member->conn);
}

static void run_text(struct sql_mysql_run *run, struct str text, op_fn *done)
{
    mysql_conn_run_start(&run->call, run->member->conn, text, TIDY_MS,
                         sql_mysql_run_then(run, done));
}

void sql_mysql_tidy_start(struct sql_mysql_run *run)
{
    struct mysql_conn *conn = run->member->conn;
    if (is_broken(run)) {
        sql_mysql_tidy_end(run, false);
    } else if (mysql_conn_has_rows(conn)) {
        if (!run->killed)
            timer_start(&run->grace, run->mysql->sql.loop, DRAIN_MS, sql_mysql_run_on_grace);
        mysql_conn_fetch_start(&run->call, conn, NULL, sql_mysql_run_then(run, on_drained));
    } else {
        discard(run);
    }
}

static void on_drained(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    if (!run->killed)
        timer_stop(&run->grace);
    discard(run);
}

static void discard(struct sql_mysql_run *run)
{
    struct mysql_conn *conn = run->member->conn;
    if (mysql_conn_is_prepared(conn, MYSQL_SLOT_QUERY))
        mysql_conn_discard_start(&run->call, conn, MYSQL_SLOT_QUERY,
                                 sql_mysql_run_then(run, on_discarded));
    else
        swallow(run);
}

static void on_discarded(struct op *op)
{
    swallow(op_owner(op));
}

/* After a kill, a statement that may take its late hit; until one is not hit. */
static void swallow(struct sql_mysql_run *run)
{
    if (!run->killed)
        roll_back(run);
    else if (!op_is_pending(&run->kill.op))
        run_text(run, STR("DO 0"), on_swallowed);
    /* else sql_mysql_tidy_killed goes on */
}

static void on_swallowed(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    if (op->err.code == ERR_OK)
        roll_back(run);
    else if (run->call.number == INTERRUPTED && ++run->swallowed < SWALLOW_MAX)
        swallow(run);
    else
        sql_mysql_tidy_end(run, false);
}

static void roll_back(struct sql_mysql_run *run)
{
    timer_stop(&run->grace);
    if (run->in_transaction)
        run_text(run, STR("ROLLBACK"), on_rolled_back);
    else
        clear_variables(run);
}

static void on_rolled_back(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    if (op->err.code == ERR_OK)
        clear_variables(run);
    else
        sql_mysql_tidy_end(run, false);
}

static void clear_variables(struct sql_mysql_run *run)
{
    size_t count = mysql_conn_is_prepared(run->member->conn, MYSQL_SLOT_SETTINGS)
                       ? mysql_conn_param_count(run->member->conn, MYSQL_SLOT_SETTINGS)
                       : 0;
    if (!run->variables_set) {
        sql_mysql_tidy_end(run, true);
        return;
    }
    for (size_t i = 0; i < count; i++)
        run->values[i] = (struct sql_value){.type = SQL_NULL};
    mysql_conn_execute_start(&run->call, run->member->conn, MYSQL_SLOT_SETTINGS, run->values,
                             sql_mysql_run_then(run, on_cleared));
}

static void on_cleared(struct op *op)
{
    sql_mysql_tidy_end(op_owner(op), op->err.code == ERR_OK);
}

static void free_run(struct sql_mysql_run *run)
{
    struct sql_mysql *mysql = run->mysql;
    list_remove(&run->link);
    buf_fini(&run->text);
    mem_free(run->values);
    mem_free(run);
    sql_mysql_gone(mysql);
}

/* Give the connection back. The run goes when its killer has gone, too. */
void sql_mysql_tidy_end(struct sql_mysql_run *run, bool usable)
{
    timer_stop(&run->deadline);
    timer_stop(&run->grace);
    run->ended = true;
    conn_lease_end(&run->lease, usable);
    run->member = NULL;
    if (!op_is_pending(&run->kill.op))
        free_run(run);
}

void sql_mysql_tidy_killed(struct sql_mysql_run *run, const struct err *err)
{
    if (run->ended) {
        free_run(run);
    } else if (op_is_pending(&run->call.op)) {
        if (err->code != ERR_OK)
            op_cancel(&run->call.op);
    } else if (err->code != ERR_OK || is_broken(run)) {
        sql_mysql_tidy_end(run, false);
    } else {
        swallow(run);
    }
}
