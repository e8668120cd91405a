/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_mysql_run.c - one statement, from the lease of a connection to its return.
 *
 * Happy path, a function a step: lease; time limit, when it differs from the session's; variables;
 * START TRANSACTION READ ONLY; prepare; execute; fetch. Then the query is done, and the connection
 * is put in order behind it: the rest of the rows is read, the statement forgotten, ROLLBACK, the
 * variables set to NULL, the connection given back.
 * Failure paths:
 *   refused at any step            the query ends with it
 *   cancelled, late                KILL QUERY; the step ends (by the kill or by itself), the query
 *                                  with it
 *   KILL QUERY is not heeded       KILL CONNECTION, and the connection is dropped
 *   an idle connection had died    once more on another, when nothing had been received yet
 * Failure paths behind the query:
 *   more rows than DRAIN_MS can read   KILL QUERY, then the rest
 *   a kill was sent                    when the killer is done, DO 0 until one is not hit by it
 *   anything fails or takes too long   the connection is dropped: never used again in doubt */
#include "backends/sql/sql_mysql_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/sql/sql_caller.h"
#include "core/base/mem.h"

enum { DEFAULT_TIMEOUT_MS = 30000 };
enum { GRACE_MS = 500 };
enum { DRAIN_MS = 20, TIDY_MS = 5000, SWALLOW_MAX = 4 };
enum { INTERRUPTED = 1317, TEXT_BYTES = 16 << 10 };
static const uint64_t UNKNOWN_LIMIT = UINT64_MAX;

/* What outlives the run: the query's, until release. */
struct sql_mysql_kept {
    struct sql_rows rows;
    struct sql_mysql_run *run; /* NULL: it has told */
};

struct sql_mysql_run {
    struct list link; /* in sql_mysql.runs */
    struct sql_mysql *mysql;
    struct sql_query *query;     /* NULL: told */
    struct sql_mysql_kept *kept; /* NULL: the query was told */
    struct conn_lease lease;
    struct sql_mysql_member *member; /* of the lease */
    struct mysql_call call;
    op_fn *then; /* the step after the call in flight */
    struct timer deadline, grace;
    struct sql_mysql_kill kill, end; /* of the statement, of the connection */
    enum err_code stop;              /* ERR_CANCELLED, ERR_TIMEOUT: give up for that */
    bool killed;                     /* a kill was started */
    bool condemned;                  /* KILL CONNECTION was sent: the connection is nobody's */
    bool received;                   /* the server answered on this lease */
    bool retried;
    bool in_transaction, variables_set;
    bool ended; /* the connection was given back; only the kills are awaited */
    unsigned swallowed;
    uint64_t began_ns;
    struct sql_value *values; /* of the variables, to be bound */
    struct buf text;
};

/* In running order. */
static op_fn on_leased;
static void set_limit(struct sql_mysql_run *run);
static op_fn on_limit_set;
static void prepare_variables(struct sql_mysql_run *run);
static op_fn on_setter_discarded;
static void prepare_setter(struct sql_mysql_run *run);
static op_fn on_setter_prepared;
static void set_variables(struct sql_mysql_run *run);
static op_fn on_variables_set;
static void begin(struct sql_mysql_run *run);
static op_fn on_begun, on_prepared, on_executed, on_fetched;
/* What outlives the run is said to the query already. Put the connection in order and give it
 * back, then free the run. No call of the run is in flight. */
static void tidy(struct sql_mysql_run *run);
static op_fn on_drained;
static void discard(struct sql_mysql_run *run);
static op_fn on_discarded;
static void swallow(struct sql_mysql_run *run);
static op_fn on_swallowed;
static void roll_back(struct sql_mysql_run *run);
static op_fn on_rolled_back;
static void clear_variables(struct sql_mysql_run *run);
static op_fn on_cleared;
/* Give the connection back at once. The run goes when its killer has gone, too. */
static void give_back(struct sql_mysql_run *run, bool usable);

static op_fn on_call, on_killed, on_ended;
static timer_fn on_deadline, on_grace;
/* The killer of the run is done, with err. */
static void go_on_killed(struct sql_mysql_run *run, const struct err *err);

static uint64_t limit_of(const struct sql_statement *statement)
{
    return statement->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : statement->timeout_ms;
}

/* ---- the query's side ---- */

/* The query is over. Everything else is the run's own business. */
static void tell(struct sql_mysql_run *run, const struct err *err)
{
    struct sql_query *query = run->query;
    if (query == NULL)
        return;
    if (err->code == ERR_TIMEOUT && run->member != NULL) {
        struct identity caller = sql_caller_of(query->statement);
        conn_pool_note_late(run->mysql->pool, &caller);
    }
    timer_stop(&run->deadline);
    run->kept->run = NULL;
    run->kept = NULL;
    run->query = NULL;
    op_finish_err(&query->op, err);
}

static void tell_code(struct sql_mysql_run *run, enum err_code code, const char *text)
{
    struct err err = {0};
    err_set(&err, code, "%s", text);
    tell(run, &err);
}

static void tell_stopped(struct sql_mysql_run *run)
{
    if (run->stop == ERR_TIMEOUT)
        tell_code(run, ERR_TIMEOUT, "the statement ran longer than it may");
    else
        tell_code(run, ERR_CANCELLED, "the statement was cancelled");
}

/* A call failed and nobody of ours had asked for it. */
static void tell_failed(struct sql_mysql_run *run, const struct err *err)
{
    if (run->query == NULL)
        return;
    memcpy(run->query->sqlstate, run->call.sqlstate, sizeof run->query->sqlstate);
    if (run->call.number == INTERRUPTED)
        tell_code(run, ERR_UNAVAILABLE, "the statement was ended by someone else at the database");
    else
        tell(run, err);
}

static void fail_memory(struct sql_mysql_run *run)
{
    tell_code(run, ERR_NO_MEMORY, "no memory for a statement");
    tidy(run);
}

static void tell_rows(struct sql_mysql_run *run)
{
    struct sql_rows *rows = &run->kept->rows;
    rows->result.duration_us = (loop_precise_ns() - run->began_ns) / 1000;
    run->query->result = rows->result;
    tell(run, &(struct err){.code = ERR_OK});
}

void sql_mysql_run_release(struct sql_query *query)
{
    struct sql_mysql_kept *kept = query->impl;
    query->impl = NULL;
    if (kept == NULL)
        return;
    sql_rows_fini(&kept->rows);
    mem_free(kept);
}

/* ---- calls ---- */

static struct op_waiter then(struct sql_mysql_run *run, op_fn *done)
{
    run->then = done;
    return (struct op_waiter){.done = on_call, .owner = run};
}

static void start_text(struct sql_mysql_run *run, struct str text, op_fn *done)
{
    mysql_conn_run_start(&run->call, run->member->conn, text, 0, then(run, done));
}

static bool is_broken(const struct sql_mysql_run *run)
{
    return !mysql_conn_is_usable(run->member->conn);
}

static void lease(struct sql_mysql_run *run)
{
    uint64_t limit_ms = limit_of(run->query->statement);
    uint64_t wait_ms = run->mysql->queue_ms < limit_ms ? run->mysql->queue_ms : limit_ms;
    run->received = false;
    run->lease.caller = sql_caller_of(run->query->statement);
    conn_lease_start(&run->lease, run->mysql->pool, wait_ms,
                     (struct op_waiter){.done = on_leased, .owner = run});
}

static bool may_retry(const struct sql_mysql_run *run)
{
    return run->query != NULL && run->stop == ERR_OK && !run->received && !run->retried &&
           is_broken(run);
}

/* Every call of a run ends here first: what ended it early goes before its own next step. */
static void on_call(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    bool was_told = run->query == NULL;
    if (may_retry(run) && op->err.code != ERR_OK) {
        run->retried = true;
        mem_free(run->values);
        run->values = NULL;
        run->variables_set = run->in_transaction = false;
        conn_lease_end(&run->lease, false);
        run->member = NULL;
        lease(run);
        return;
    }
    run->received = true;
    if (!was_told && run->stop != ERR_OK)
        tell_stopped(run);
    else if (!was_told && op->err.code != ERR_OK)
        tell_failed(run, &op->err);
    if (!was_told && run->query == NULL)
        tidy(run);
    else if (is_broken(run))
        give_back(run, false);
    else
        run->then(op);
}

/* ---- giving up ---- */

static void kill_query(struct sql_mysql_run *run)
{
    if (run->killed)
        return;
    run->killed = true;
    timer_start(&run->grace, run->mysql->sql.loop, GRACE_MS, on_grace);
    sql_mysql_kill_start(&run->kill, run->mysql, SQL_MYSQL_QUERY, mysql_conn_id(run->member->conn),
                         (struct op_waiter){.done = on_killed, .owner = run});
}

/* The server's number of a connection is no other's ever after: the kill may come late. */
static void kill_connection(struct sql_mysql_run *run)
{
    run->condemned = true; /* also where the statement has ended in this very turn */
    if (!op_is_pending(&run->end.op))
        sql_mysql_kill_start(&run->end, run->mysql, SQL_MYSQL_CONNECTION,
                             mysql_conn_id(run->member->conn),
                             (struct op_waiter){.done = on_ended, .owner = run});
    op_cancel(&run->call.op);
}

static void stop(struct sql_mysql_run *run, enum err_code code)
{
    if (run->query == NULL || run->stop != ERR_OK)
        return;
    run->stop = code;
    timer_stop(&run->deadline);
    if (run->member == NULL)
        op_cancel(&run->lease.op);
    else if (!is_broken(run))
        kill_query(run);
}

static void on_deadline(struct timer *timer)
{
    stop(container_of(timer, struct sql_mysql_run, deadline), ERR_TIMEOUT);
}

/* The server does not end it, or what was left is too much. */
static void on_grace(struct timer *timer)
{
    struct sql_mysql_run *run = container_of(timer, struct sql_mysql_run, grace);
    if (!run->killed)
        kill_query(run);
    else
        kill_connection(run);
}

static void on_killed(struct op *op)
{
    go_on_killed(op_owner(op), &op->err);
}

void sql_mysql_run_cancel(struct sql_query *query)
{
    struct sql_mysql_kept *kept = query->impl;
    if (kept != NULL && kept->run != NULL)
        stop(kept->run, ERR_CANCELLED);
}

void sql_mysql_run_cancel_all(struct sql_mysql *mysql)
{
    LIST_EACH_SAFE(link, &mysql->runs)
        stop(list_item(link, struct sql_mysql_run, link), ERR_CANCELLED);
}

/* ---- the steps ---- */

static void on_leased(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    if (op->err.code != ERR_OK || run->stop != ERR_OK) {
        struct err err = op->err;
        if (err.code == ERR_DENIED)
            err.code = ERR_UNAVAILABLE;
        if (run->stop != ERR_OK)
            tell_stopped(run);
        else
            tell(run, &err);
        give_back(run, true);
        return;
    }
    run->member = container_of(run->lease.conn, struct sql_mysql_member, pool_conn);
    sql_mysql_killer_keep(run->mysql);
    set_limit(run);
}

static void set_limit(struct sql_mysql_run *run)
{
    uint64_t limit_ms = limit_of(run->query->statement);
    if (run->member->limit_ms == limit_ms) {
        prepare_variables(run);
        return;
    }
    run->member->limit_ms = UNKNOWN_LIMIT;
    buf_clear(&run->text);
    if (mysql_conn_is_mariadb(run->member->conn))
        buf_printf(&run->text, "SET SESSION max_statement_time = %" PRIu64 ".%03" PRIu64,
                   limit_ms / 1000, limit_ms % 1000);
    else
        buf_printf(&run->text, "SET SESSION max_execution_time = %" PRIu64, limit_ms);
    if (buf_ok(&run->text))
        start_text(run, buf_str(&run->text), on_limit_set);
    else
        fail_memory(run);
}

static void on_limit_set(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    run->member->limit_ms = limit_of(run->query->statement);
    prepare_variables(run);
}

/* "SET @`company_id` = ?, ..." of the statement's variables, and their values. */
static bool write_variables(struct sql_mysql_run *run)
{
    const struct sql_statement *statement = run->query->statement;
    run->values = mem_zalloc(statement->variable_count, sizeof *run->values);
    buf_clear(&run->text);
    for (size_t i = 0; run->values != NULL && i < statement->variable_count; i++) {
        const struct sql_variable *variable = &statement->variables[i];
        for (size_t at = 0; at < variable->name.len; at++) {
            char c = variable->name.at[at];
            CHECK(str_is_alpha(c) || str_is_digit(c) || c == '_');
        }
        buf_printf(&run->text, "%s @`%.*s` = ?", i == 0 ? "SET" : ",", STR_ARG(variable->name));
        run->values[i].type = str_is_absent(variable->value) ? SQL_NULL : SQL_TEXT;
        run->values[i].text = variable->value;
    }
    return run->values != NULL && buf_ok(&run->text);
}

/* The text of the last variables is kept prepared: most statements set the same ones. */
static void prepare_variables(struct sql_mysql_run *run)
{
    struct sql_mysql_member *member = run->member;
    if (run->query->statement->variable_count == 0)
        begin(run);
    else if (!write_variables(run))
        fail_memory(run);
    else if (!mysql_conn_is_prepared(member->conn, MYSQL_SLOT_SETTINGS))
        prepare_setter(run);
    else if (str_equal(buf_str(&member->variables), buf_str(&run->text)))
        set_variables(run);
    else
        mysql_conn_discard_start(&run->call, member->conn, MYSQL_SLOT_SETTINGS,
                                 then(run, on_setter_discarded));
}

static void on_setter_discarded(struct op *op)
{
    prepare_setter(op_owner(op));
}

static void prepare_setter(struct sql_mysql_run *run)
{
    struct sql_mysql_member *member = run->member;
    buf_clear(&member->variables);
    buf_push(&member->variables, buf_str(&run->text));
    if (buf_ok(&member->variables))
        mysql_conn_prepare_start(&run->call, member->conn, MYSQL_SLOT_SETTINGS,
                                 buf_str(&member->variables), then(run, on_setter_prepared));
    else
        fail_memory(run);
}

static void on_setter_prepared(struct op *op)
{
    set_variables(op_owner(op));
}

static void set_variables(struct sql_mysql_run *run)
{
    run->variables_set = true;
    mysql_conn_execute_start(&run->call, run->member->conn, MYSQL_SLOT_SETTINGS, run->values,
                             then(run, on_variables_set));
}

static void on_variables_set(struct op *op)
{
    begin(op_owner(op));
}

static void begin(struct sql_mysql_run *run)
{
    run->in_transaction = true;
    start_text(run, STR("START TRANSACTION READ ONLY"), on_begun);
}

static void on_begun(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    struct str text = run->query->statement->text;
    run->began_ns = loop_precise_ns();
    mysql_conn_prepare_start(&run->call, run->member->conn, MYSQL_SLOT_QUERY, text,
                             then(run, on_prepared));
}

static void on_prepared(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    const struct sql_statement *statement = run->query->statement;
    size_t wanted = mysql_conn_param_count(run->member->conn, MYSQL_SLOT_QUERY);
    struct err err = {0};
    if (mysql_conn_column_count(run->member->conn, MYSQL_SLOT_QUERY) == 0)
        err_set(&err, ERR_REJECTED, "the statement does not only read");
    else if (wanted != statement->param_count)
        err_set(&err, ERR_REJECTED, "the statement has %zu parameters, %zu values were given",
                wanted, statement->param_count);
    if (err.code == ERR_OK) {
        mysql_conn_execute_start(&run->call, run->member->conn, MYSQL_SLOT_QUERY, statement->params,
                                 then(run, on_executed));
    } else {
        tell(run, &err);
        tidy(run);
    }
}

static void on_executed(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    mysql_conn_fetch_start(&run->call, run->member->conn, &run->kept->rows, then(run, on_fetched));
}

static void on_fetched(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    tell_rows(run);
    tidy(run);
}

/* ---- the query is done: a failure only costs the connection ---- */

static void tidy_text(struct sql_mysql_run *run, struct str text, op_fn *done)
{
    mysql_conn_run_start(&run->call, run->member->conn, text, TIDY_MS, then(run, done));
}

static void tidy(struct sql_mysql_run *run)
{
    struct mysql_conn *conn = run->member->conn;
    if (is_broken(run)) {
        give_back(run, false);
    } else if (mysql_conn_has_rows(conn)) {
        if (!run->killed)
            timer_start(&run->grace, run->mysql->sql.loop, DRAIN_MS, on_grace);
        mysql_conn_fetch_start(&run->call, conn, NULL, then(run, on_drained));
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
        mysql_conn_discard_start(&run->call, conn, MYSQL_SLOT_QUERY, then(run, on_discarded));
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
        tidy_text(run, STR("DO 0"), on_swallowed);
    /* else go_on_killed goes on */
}

static void on_swallowed(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    if (op->err.code == ERR_OK)
        roll_back(run);
    else if (run->call.number == INTERRUPTED && ++run->swallowed < SWALLOW_MAX)
        swallow(run);
    else
        give_back(run, false);
}

static void roll_back(struct sql_mysql_run *run)
{
    timer_stop(&run->grace);
    if (run->in_transaction)
        tidy_text(run, STR("ROLLBACK"), on_rolled_back);
    else
        clear_variables(run);
}

static void on_rolled_back(struct op *op)
{
    struct sql_mysql_run *run = op_owner(op);
    if (op->err.code == ERR_OK)
        clear_variables(run);
    else
        give_back(run, false);
}

static void clear_variables(struct sql_mysql_run *run)
{
    size_t count = mysql_conn_is_prepared(run->member->conn, MYSQL_SLOT_SETTINGS)
                       ? mysql_conn_param_count(run->member->conn, MYSQL_SLOT_SETTINGS)
                       : 0;
    if (!run->variables_set) {
        give_back(run, true);
        return;
    }
    for (size_t i = 0; i < count; i++)
        run->values[i] = (struct sql_value){.type = SQL_NULL};
    mysql_conn_execute_start(&run->call, run->member->conn, MYSQL_SLOT_SETTINGS, run->values,
                             then(run, on_cleared));
}

static void on_cleared(struct op *op)
{
    give_back(op_owner(op), op->err.code == ERR_OK);
}

static void free_run(struct sql_mysql_run *run)
{
    struct sql_mysql *mysql = run->mysql;
    list_remove(&run->link);
    buf_fini(&run->text);
    mem_free(run->values);
    mem_free(run);
    closing_leave(&mysql->closing);
}

static void free_if_ended(struct sql_mysql_run *run)
{
    if (run->ended && !op_is_pending(&run->kill.op) && !op_is_pending(&run->end.op))
        free_run(run);
}

static void give_back(struct sql_mysql_run *run, bool usable)
{
    timer_stop(&run->deadline);
    timer_stop(&run->grace);
    run->ended = true;
    conn_lease_end(&run->lease, usable && !run->condemned);
    run->member = NULL;
    free_if_ended(run);
}

static void on_ended(struct op *op)
{
    free_if_ended(op_owner(op));
}

static void go_on_killed(struct sql_mysql_run *run, const struct err *err)
{
    if (run->ended) {
        free_if_ended(run);
    } else if (op_is_pending(&run->call.op)) {
        if (err->code != ERR_OK)
            kill_connection(run);
    } else if (err->code != ERR_OK || is_broken(run)) {
        give_back(run, false);
    } else {
        swallow(run);
    }
}

/* ---- the beginning ---- */

void sql_mysql_run_start(struct sql_mysql *mysql, struct sql_query *query)
{
    const struct sql_statement *statement = query->statement;
    struct sql_mysql_kept *kept = mem_zalloc(1, sizeof *kept);
    struct sql_mysql_run *run = mem_zalloc(1, sizeof *run);
    query->impl = NULL;
    if (kept == NULL || run == NULL) {
        mem_free(kept);
        mem_free(run);
        op_finish(&query->op, ERR_NO_MEMORY, "no memory for a statement");
        return;
    }
    sql_rows_init(&kept->rows, statement);
    kept->run = run;
    query->impl = kept;
    run->mysql = mysql;
    run->query = query;
    run->kept = kept;
    buf_init(&run->text, TEXT_BYTES);
    list_push(&mysql->runs, &run->link);
    closing_enter(&mysql->closing);
    lease(run);
    timer_start(&run->deadline, mysql->sql.loop, limit_of(statement), on_deadline);
}
