/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_sqlite.c - the sql interface over a few read-only SQLite threads.
 *
 * Happy path: the reader with the least to do gets the statement as a job; on its thread the
 * statement is prepared under the authorizer, bound, stepped, and its rows are copied into the
 * query's own memory; done comes on the loop.
 * Failure paths:
 *   more than max_queued waiting           ERR_BUSY
 *   refused by authorizer or compiler,
 *   reads what its list does not hold,
 *   writes, second statement, no columns   ERR_REJECTED with the reason
 *   late, cancelled                        by sqlite_thread's progress handler and interrupt
 *   locked, missing, corrupt               ERR_UNAVAILABLE, kept for readiness
 *   one value or the first row too large,
 *   more memory than MEMORY_BYTES          ERR_TOO_LARGE; later rows: truncated
 * sqlite3.h is included here besides sqlite_thread.c: a statement function there would carry the
 * whole of this file's meaning (limits, types, authorizer) through its arguments. */
#include "backends/sql/sql_sqlite.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "backends/sql/sql_rows.h"
#include "backends/sqlite/sqlite_allow.h"
#include "backends/sqlite/sqlite_reads.h"
#include "backends/sqlite/sqlite_thread.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { DEFAULT_THREADS = 2, MAX_THREADS = 64, DEFAULT_QUEUED = 256 };
enum { DEFAULT_TIMEOUT_MS = 30000, MEMORY_BYTES = 256 << 20 };

struct reader {
    struct sql_sqlite *sqlite;
    struct sqlite_thread *thread;
    size_t pending;                        /* the loop's */
    const struct sql_statement *statement; /* the thread's: the one that runs */
    struct sqlite_reads reads;             /* the thread's: what it may read */
    char refused[160];                     /* the thread's: what the authorizer said no to */
};

struct sql_sqlite {
    struct sql sql;
    struct reader *readers;
    size_t reader_count;
    size_t pending, max_queued;
    struct err last;        /* of the last statement, when it was ERR_UNAVAILABLE */
    struct closing closing; /* out: threads */
};

struct query_run {
    struct sqlite_job job;
    struct sql_query *query;
    struct reader *reader;
    struct sql_rows rows;
    char sqlstate[8];
};

/* ---- what a statement may do ---- */

static int refuse(struct reader *reader, const char *what, const char *name, const char *part,
                  const char *why)
{
    bool has_part = part != NULL && part[0] != '\0';
    snprintf(reader->refused, sizeof reader->refused, "%s%.60s%s%.40s%s", what, name,
             has_part ? "." : "", has_part ? part : "", why);
    return SQLITE_DENY;
}

static int authorize(void *owner, int action, const char *first, const char *second,
                     const char *database, const char *inside)
{
    static const char not_here[] = "' may not be used here";
    static const char unseen[] = ", which the check did not; rephrase it";
    struct reader *reader = owner;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        return sqlite_reads_allow(&reader->reads, first, second, database, inside)
                   ? SQLITE_OK
                   : refuse(reader, "SQLite sees reading ", first, second, unseen);
    case SQLITE_FUNCTION:
        if (!sqlite_allow_function(str_of(second)))
            return refuse(reader, "the function '", second, NULL, not_here);
        return sqlite_reads_call(&reader->reads, second, inside)
                   ? SQLITE_OK
                   : refuse(reader, "SQLite sees a call of ", second, NULL, unseen);
    case SQLITE_PRAGMA:
        return sqlite_allow_pragma(str_of(first))
                   ? SQLITE_OK
                   : refuse(reader, "PRAGMA '", first, NULL, not_here);
    default:
        return refuse(reader, "a statement that is not a plain read", "", NULL, not_here + 1);
    }
}

/* session_var('name'): a value of the statement that runs, or NULL. */
static void give_variable(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct reader *reader = sqlite3_user_data(context);
    const unsigned char *text = sqlite3_value_text(arguments[0]);
    const struct sql_statement *statement = reader->statement;
    (void)count;
    if (text == NULL || statement == NULL)
        return;
    struct str name = str_make((const char *)text, (size_t)sqlite3_value_bytes(arguments[0]));
    for (size_t i = 0; i < statement->variable_count; i++) {
        const struct sql_variable *variable = &statement->variables[i];
        if (str_equal(variable->name, name))
            sqlite3_result_text64(context, variable->value.at, variable->value.len,
                                  SQLITE_TRANSIENT, SQLITE_UTF8);
    }
}

/* mask_hash(key, text): sixteen hexadecimal digits that are the same for equal texts, and tell
 * nothing of the text to who does not have the key. NULL where either is. */
static void give_mask_hash(sqlite3_context *context, int count UNUSED, sqlite3_value **arguments)
{
    static const char digits[] = "0123456789abcdef";
    enum { SHOWN_BYTES = 8 };
    unsigned char hash[EVP_MAX_MD_SIZE];
    char text[2 * SHOWN_BYTES];
    unsigned int len = 0;
    const unsigned char *key = sqlite3_value_text(arguments[0]);
    const unsigned char *value = sqlite3_value_text(arguments[1]);
    if (key == NULL || value == NULL ||
        HMAC(EVP_sha256(), key, sqlite3_value_bytes(arguments[0]), value,
             (size_t)sqlite3_value_bytes(arguments[1]), hash, &len) == NULL)
        return;
    for (size_t i = 0; i < SHOWN_BYTES; i++) {
        text[2 * i] = digits[hash[i] >> 4];
        text[2 * i + 1] = digits[hash[i] & 15];
    }
    sqlite3_result_text(context, text, sizeof text, SQLITE_TRANSIENT);
}

/* SQLite declares a table-valued function at its first use, and a virtual table at its first use
 * since the schema last changed, by what looks to the authorizer like a write to the schema. So
 * each is used once while there is no authorizer. */
static const char declare_functions[] =
    "SELECT 1 FROM pragma_table_info('') a, pragma_table_xinfo('') b, pragma_table_list c,"
    " pragma_index_list('') d, pragma_index_info('') e, pragma_index_xinfo('') f,"
    " pragma_foreign_key_list('') g, pragma_function_list h, json_each('') i, json_tree('') j"
    " LIMIT 0";
static const char declare_tables[] =
    "SELECT 1 FROM sqlite_schema s CROSS JOIN pragma_table_list"
    " WHERE s.type = 'table' AND s.sql LIKE 'CREATE VIRTUAL TABLE%' LIMIT 1";

static enum err_code prepare_connection(void *owner, struct sqlite3 *db, struct err *err)
{
    struct reader *reader = owner;
    /* Innocuous, so that views may call it although the schema is not trusted. */
    int code = sqlite3_create_function_v2(db, "session_var", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS,
                                          reader, give_variable, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function_v2(db, "mask_hash", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL,
                                          give_mask_hash, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, declare_functions, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, declare_tables, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_set_authorizer(db, authorize, reader);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

/* ---- one statement, on the database's thread ---- */

static enum err_code fail(struct query_run *run, sqlite3 *db, int code, struct err *err)
{
    snprintf(run->sqlstate, sizeof run->sqlstate, "%d", code);
    if (run->reader->refused[0] != '\0')
        return err_set(err, ERR_REJECTED, "%s", run->reader->refused);
    return sqlite_thread_fail(db, code, err);
}

static void begin_checks(struct query_run *run)
{
    struct reader *reader = run->reader;
    reader->refused[0] = '\0';
    sqlite_reads_end(&reader->reads);
    sqlite_reads_begin(&reader->reads, run->query->statement->reads);
}

/* Prepare; where something was refused, once more with the virtual tables declared anew. */
static int prepare(struct query_run *run, sqlite3 *db, sqlite3_stmt **stmt, const char **tail)
{
    struct str text = run->query->statement->text;
    begin_checks(run);
    int code = sqlite3_prepare_v3(db, text.at, (int)text.len, 0, stmt, tail);
    if (code == SQLITE_OK || run->reader->refused[0] == '\0')
        return code;
    (void)sqlite3_set_authorizer(db, NULL, NULL);
    int declared = sqlite3_exec(db, declare_tables, NULL, NULL, NULL);
    (void)sqlite3_set_authorizer(db, authorize, run->reader);
    if (declared != SQLITE_OK)
        return code;
    begin_checks(run);
    return sqlite3_prepare_v3(db, text.at, (int)text.len, 0, stmt, tail);
}

static enum err_code compile(struct query_run *run, sqlite3 *db, sqlite3_stmt **stmt,
                             struct err *err)
{
    struct str text = run->query->statement->text;
    const char *tail = NULL;
    if (text.len > INT32_MAX || memchr(text.at, '\0', text.len) != NULL)
        return err_set(err, ERR_REJECTED, "the statement holds a NUL byte");
    int code = prepare(run, db, stmt, &tail);
    if (code != SQLITE_OK)
        return fail(run, db, code, err);
    if (*stmt == NULL)
        return err_set(err, ERR_REJECTED, "the statement is empty");
    if (!str_is_empty(str_trim(str_from(text, (size_t)(tail - text.at)))))
        return err_set(err, ERR_REJECTED, "something follows the end of the statement");
    if (!sqlite3_stmt_readonly(*stmt) || sqlite3_column_count(*stmt) == 0)
        return err_set(err, ERR_REJECTED, "the statement does not only read");
    return sqlite_reads_settle(&run->reader->reads, db, *stmt, err);
}

static int bind_value(sqlite3_stmt *stmt, int index, const struct sql_value *value)
{
    switch (value->type) {
    case SQL_NULL:
        return sqlite3_bind_null(stmt, index);
    case SQL_INT:
    case SQL_BOOL:
        return sqlite3_bind_int64(stmt, index, value->integer);
    case SQL_REAL:
        return sqlite3_bind_double(stmt, index, value->real);
    case SQL_BLOB:
        return sqlite3_bind_blob64(stmt, index, value->text.at, value->text.len, SQLITE_STATIC);
    case SQL_TEXT:
    case SQL_DECIMAL:
        break;
    }
    return sqlite3_bind_text64(stmt, index, value->text.at, value->text.len, SQLITE_STATIC,
                               SQLITE_UTF8);
}

static enum err_code bind_all(struct query_run *run, sqlite3 *db, sqlite3_stmt *stmt,
                              struct err *err)
{
    const struct sql_statement *statement = run->query->statement;
    int wanted = sqlite3_bind_parameter_count(stmt);
    if ((size_t)wanted != statement->param_count)
        return err_set(err, ERR_REJECTED, "the statement has %d parameters, %zu values were given",
                       wanted, statement->param_count);
    for (int i = 0; i < wanted; i++) {
        int code = bind_value(stmt, i + 1, &statement->params[i]);
        if (code != SQLITE_OK)
            return fail(run, db, code, err);
    }
    return ERR_OK;
}

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for a result");
}

static enum err_code name_columns(struct sql_rows *rows, sqlite3_stmt *stmt, struct err *err)
{
    size_t count = (size_t)sqlite3_column_count(stmt);
    struct str *names = sql_rows_columns(rows, count);
    for (size_t i = 0; i < count && names != NULL; i++)
        names[i] = arena_str(&rows->arena, str_of(sqlite3_column_name(stmt, (int)i)));
    return arena_ok(&rows->arena) ? ERR_OK : no_memory(err);
}

static struct sql_value read_value(struct arena *arena, sqlite3_stmt *stmt, int column)
{
    struct sql_value value = {.type = SQL_NULL};
    int type = sqlite3_column_type(stmt, column);
    if (type == SQLITE_INTEGER) {
        value.type = SQL_INT;
        value.integer = sqlite3_column_int64(stmt, column);
    } else if (type == SQLITE_FLOAT) {
        value.type = SQL_REAL;
        value.real = sqlite3_column_double(stmt, column);
    } else if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
        const void *bytes = type == SQLITE_TEXT ? (const void *)sqlite3_column_text(stmt, column)
                                                : sqlite3_column_blob(stmt, column);
        struct str text =
            str_make(bytes == NULL ? "" : bytes, (size_t)sqlite3_column_bytes(stmt, column));
        value.type = type == SQLITE_TEXT && str_is_utf8(text) ? SQL_TEXT : SQL_BLOB;
        value.text = arena_str(arena, text);
    }
    return value;
}

/* Keep the row the statement stands on. Sets truncated when it does not fit. */
static enum err_code keep_row(struct sql_rows *rows, sqlite3_stmt *stmt, struct err *err)
{
    size_t row_bytes = 0, largest = 0;
    struct sql_value *row;
    for (int i = 0; i < (int)rows->result.column_count; i++) {
        int type = sqlite3_column_type(stmt, i);
        bool is_text = type == SQLITE_TEXT || type == SQLITE_BLOB;
        size_t bytes = is_text ? (size_t)sqlite3_column_bytes(stmt, i) : SQL_ROWS_NUMBER_BYTES;
        row_bytes += bytes;
        largest = size_max(largest, bytes);
    }
    enum err_code code = sql_rows_next(rows, row_bytes, largest, &row, err);
    if (row == NULL)
        return code;
    for (int i = 0; i < (int)rows->result.column_count; i++)
        row[i] = read_value(&rows->arena, stmt, i);
    return arena_ok(&rows->arena) ? ERR_OK : no_memory(err);
}

static enum err_code read_rows(struct query_run *run, sqlite3 *db, sqlite3_stmt *stmt,
                               struct err *err)
{
    enum err_code result = name_columns(&run->rows, stmt, err);
    while (result == ERR_OK && !run->rows.result.truncated) {
        int code = sqlite3_step(stmt);
        if (code == SQLITE_DONE)
            break;
        if (code != SQLITE_ROW)
            return fail(run, db, code, err);
        result = keep_row(&run->rows, stmt, err);
    }
    return result;
}

static enum err_code run_statement(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    struct query_run *run = job->arg;
    struct reader *reader = run->reader;
    uint64_t began_ns = loop_precise_ns();
    sqlite3_stmt *stmt = NULL;
    reader->statement = run->query->statement;
    enum err_code code = compile(run, db, &stmt, err);
    if (code == ERR_OK)
        code = bind_all(run, db, stmt, err);
    if (code == ERR_OK)
        code = read_rows(run, db, stmt, err);
    sqlite3_finalize(stmt);
    sqlite_reads_end(&reader->reads);
    reader->statement = NULL;
    run->rows.result.duration_us = (loop_precise_ns() - began_ns) / 1000;
    return code;
}

/* ---- the interface, on the loop ---- */

static struct sql_sqlite *sqlite_of(struct sql *sql)
{
    return container_of(sql, struct sql_sqlite, sql);
}

static void free_run(struct query_run *run)
{
    if (run == NULL)
        return;
    sql_rows_fini(&run->rows);
    mem_free(run);
}

static void cancel_query(struct op *op)
{
    struct query_run *run = container_of(op, struct sql_query, op)->impl;
    if (run != NULL)
        op_cancel(&run->job.op);
}

static void release_query(struct op *op)
{
    struct sql_query *query = container_of(op, struct sql_query, op);
    free_run(query->impl);
    query->impl = NULL;
    query->result = (struct sql_result){0};
}

static const struct op_kind query_kind = {
    .name = "sql.sqlite", .cancel = cancel_query, .release = release_query};

static void on_job_done(struct op *op)
{
    struct query_run *run = op_owner(op);
    struct sql_query *query = run->query;
    struct sql_sqlite *sqlite = run->reader->sqlite;
    run->reader->pending--;
    sqlite->pending--;
    memcpy(query->sqlstate, run->sqlstate, sizeof query->sqlstate);
    if (op->err.code == ERR_OK || op->err.code == ERR_UNAVAILABLE)
        sqlite->last = op->err;
    if (op->err.code == ERR_OK)
        query->result = run->rows.result;
    op_finish_err(&query->op, &op->err);
}

static struct reader *least_busy(struct sql_sqlite *sqlite)
{
    struct reader *best = &sqlite->readers[0];
    for (size_t i = 1; i < sqlite->reader_count; i++)
        if (sqlite->readers[i].pending < best->pending)
            best = &sqlite->readers[i];
    return best;
}

static void start_query(struct sql *sql, struct sql_query *query, struct op_waiter waiter)
{
    struct sql_sqlite *sqlite = sqlite_of(sql);
    const struct sql_statement *statement = query->statement;
    op_begin(&query->op, &query_kind, sql->loop, waiter);
    if (closing_is_begun(&sqlite->closing)) {
        op_finish(&query->op, ERR_CANCELLED, "the database is being closed");
        return;
    }
    if (sqlite->pending >= sqlite->reader_count + sqlite->max_queued) {
        op_finish(&query->op, ERR_BUSY, "%zu statements are waiting for the database",
                  sqlite->pending - sqlite->reader_count);
        return;
    }
    struct query_run *run = mem_zalloc(1, sizeof *run);
    query->impl = run;
    if (run == NULL) {
        op_finish(&query->op, ERR_NO_MEMORY, "no memory for a statement");
        return;
    }
    sql_rows_init(&run->rows, statement);
    run->query = query;
    run->reader = least_busy(sqlite);
    run->reader->pending++;
    sqlite->pending++;
    sqlite_job_start(&run->job, run->reader->thread, run_statement, run,
                     statement->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : statement->timeout_ms,
                     (struct op_waiter){.done = on_job_done, .owner = run});
}

static enum err_code tell_ready(struct sql *sql, struct err *err)
{
    const struct sql_sqlite *sqlite = sqlite_of(sql);
    if (sqlite->last.code != ERR_OK)
        return err_set(err, sqlite->last.code, "%s", sqlite->last.text);
    return ERR_OK;
}

static void free_sqlite(struct closing *closing)
{
    struct sql_sqlite *sqlite = container_of(closing, struct sql_sqlite, closing);
    mem_free(sqlite->readers);
    mem_free(sqlite);
}

static void close_all(struct sql *sql, void (*on_closed)(void *owner), void *owner)
{
    struct sql_sqlite *sqlite = sqlite_of(sql);
    closing_begin(&sqlite->closing, on_closed, owner);
    for (size_t i = 0; i < sqlite->reader_count; i++) {
        closing_enter(&sqlite->closing);
        sqlite_thread_close(sqlite->readers[i].thread, closing_leave_part, &sqlite->closing);
    }
}

static const struct sql_vtable vtable = {
    .name = "sqlite", .query_start = start_query, .ready = tell_ready, .close = close_all};

struct sql *sql_sqlite_create(struct loop *loop, const char *path, unsigned threads,
                              size_t max_queued)
{
    static closing_fn *const steps[] = {free_sqlite, NULL};
    size_t count = threads == 0 ? DEFAULT_THREADS : size_min(threads, MAX_THREADS);
    struct sql_sqlite *sqlite = mem_zalloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return NULL;
    sqlite->readers = mem_zalloc(count, sizeof *sqlite->readers);
    if (sqlite->readers == NULL) {
        mem_free(sqlite);
        return NULL;
    }
    sqlite->sql = (struct sql){.vtable = &vtable, .loop = loop, .dialect = SQL_SQLITE};
    closing_init(&sqlite->closing, loop, steps);
    sqlite->max_queued = max_queued == 0 ? DEFAULT_QUEUED : max_queued;
    for (size_t i = 0; i < count; i++) {
        struct reader *reader = &sqlite->readers[i];
        reader->sqlite = sqlite;
        reader->thread = sqlite_thread_create(
            loop, &(struct sqlite_thread_options){.path = path,
                                                  .read_only = true,
                                                  .queue_limit = count + sqlite->max_queued,
                                                  .memory_bytes = MEMORY_BYTES,
                                                  .on_open = prepare_connection,
                                                  .owner = reader});
        if (reader->thread == NULL) /* fewer threads will do; none will not */
            break;
        sqlite->reader_count = i + 1;
    }
    if (sqlite->reader_count == 0) {
        mem_free(sqlite->readers);
        mem_free(sqlite);
        return NULL;
    }
    return &sqlite->sql;
}
