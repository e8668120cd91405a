/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_ledger.c - the documents and who may change them, a job for each verb.
 *
 * Happy path: the tables are made when the file is opened; what a job changes is one statement.
 * Failure: SQLite's, told by sqlite_thread_fail; a list larger than its arena is ERR_NO_MEMORY. */
#include "backends/sqlite/sqlite_ledger.h"

#include <sqlite3.h>
#include <string.h>

#include "backends/ledger_errors.h"
#include "backends/sqlite/sqlite_thread.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { TIMEOUT_MS = 10000, FIRST_ENTRIES = 64 };

struct sqlite_ledger {
    struct ledger ledger;
    struct sqlite_thread *thread;
    struct closing closing; /* out: the thread */
};

struct doing { /* one call, from start to release */
    struct sqlite_job job;
    struct ledger_call *call;
};

static enum err_code run_text(struct sqlite3 *db, const char *sql, struct err *err)
{
    int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

static enum err_code on_open(void *owner, struct sqlite3 *db, struct err *err)
{
    (void)owner;
    static const char tables[] = "CREATE TABLE IF NOT EXISTS documents ("
                                 " collection TEXT NOT NULL, company_id TEXT NOT NULL,"
                                 " user_id TEXT NOT NULL, name TEXT NOT NULL,"
                                 " source TEXT NOT NULL, title TEXT NOT NULL, hash TEXT NOT NULL,"
                                 " passages INTEGER NOT NULL, added_ms INTEGER NOT NULL,"
                                 " PRIMARY KEY (collection, company_id, user_id, name)"
                                 ") WITHOUT ROWID;"
                                 "CREATE TABLE IF NOT EXISTS document_claims ("
                                 " collection TEXT NOT NULL, company_id TEXT NOT NULL,"
                                 " user_id TEXT NOT NULL, name TEXT NOT NULL,"
                                 " holder TEXT NOT NULL, until_ms INTEGER NOT NULL,"
                                 " PRIMARY KEY (collection, company_id, user_id, name)"
                                 ") WITHOUT ROWID";
    return run_text(db, tables, err);
}

static void bind_str(sqlite3_stmt *stmt, int at, struct str value)
{
    sqlite3_bind_text64(stmt, at, value.at == NULL ? "" : value.at, value.len, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static struct str column(sqlite3_stmt *stmt, int at, struct arena *arena)
{
    const char *text = (const char *)sqlite3_column_text(stmt, at);
    size_t len = (size_t)sqlite3_column_bytes(stmt, at);
    return arena_str(arena, text == NULL ? STR("") : str_make(text, len));
}

static enum err_code prepare(struct sqlite3 *db, const char *sql, sqlite3_stmt **stmt,
                             struct err *err)
{
    int code = sqlite3_prepare_v2(db, sql, -1, stmt, NULL);
    return code == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, code, err);
}

/* Ends stmt, whose last step gave code. */
static enum err_code ended(struct sqlite3 *db, sqlite3_stmt *stmt, int code, struct err *err)
{
    enum err_code result = code == SQLITE_DONE ? ERR_OK : sqlite_thread_fail(db, code, err);
    sqlite3_finalize(stmt);
    return result;
}

/* ---- the jobs, on the database's thread ---- */

static struct ledger_call *call_of(struct sqlite_job *job)
{
    return container_of(job, struct doing, job)->call;
}

static struct ledger_entry *grown(struct ledger_call *call, struct ledger_entry *entries,
                                  size_t *cap)
{
    size_t more = *cap == 0 ? FIRST_ENTRIES : *cap * 2;
    struct ledger_entry *larger = arena_array(call->arena, more, sizeof *larger);
    if (larger != NULL && call->count > 0)
        memcpy(larger, entries, call->count * sizeof *larger);
    *cap = more;
    return larger;
}

static void bind_key(sqlite3_stmt *stmt, const struct ledger_entry *entry)
{
    bind_str(stmt, 1, entry->collection);
    bind_str(stmt, 2, entry->company_id);
    bind_str(stmt, 3, entry->user_id);
    bind_str(stmt, 4, entry->name);
}

#define ENTRIES                                                                                    \
    "SELECT collection, company_id, user_id, name, source, title, hash, passages, added_ms"        \
    " FROM documents"
#define OF_KEY " WHERE collection = ?1 AND company_id = ?2 AND user_id = ?3 AND name = ?4"

/* The rows of stmt, which is ended here, become the call's entries. */
static enum err_code read_entries(struct ledger_call *call, struct sqlite3 *db, sqlite3_stmt *stmt,
                                  struct err *err)
{
    struct ledger_entry *entries = NULL;
    size_t cap = 0;
    int code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        if (call->count == cap && (entries = grown(call, entries, &cap)) == NULL)
            break;
        entries[call->count++] = (struct ledger_entry){
            column(stmt, 0, call->arena),
            column(stmt, 1, call->arena),
            column(stmt, 2, call->arena),
            column(stmt, 3, call->arena),
            column(stmt, 4, call->arena),
            column(stmt, 5, call->arena),
            column(stmt, 6, call->arena),
            (uint64_t)sqlite3_column_int64(stmt, 7),
            (uint64_t)sqlite3_column_int64(stmt, 8),
        };
    }
    call->entries = entries;
    if (!arena_ok(call->arena)) {
        sqlite3_finalize(stmt);
        return err_set(err, ERR_NO_MEMORY, "no memory for the list of documents");
    }
    return ended(db, stmt, code, err);
}

static enum err_code run_list(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    struct ledger_call *call = call_of(job);
    sqlite3_stmt *stmt;
    enum err_code failed = prepare(
        db, ENTRIES " WHERE ?1 IS NULL OR company_id IN ('', ?1) ORDER BY 1, 2, 3, 4", &stmt, err);
    if (failed != ERR_OK)
        return failed;
    if (!str_is_absent(call->company_id))
        bind_str(stmt, 1, call->company_id);
    return read_entries(call, db, stmt, err);
}

/* ---- changes, on the database's thread: each in one transaction ---- */

typedef enum err_code change_fn(struct ledger_call *call, struct sqlite3 *db, struct err *err);

/* Run a statement of the key, the holder and, where it has a sixth parameter, that; *has_row: it
 * gave one. */
static enum err_code run_keyed(struct ledger_call *call, struct sqlite3 *db, const char *sql,
                               uint64_t sixth, bool *has_row, struct err *err)
{
    sqlite3_stmt *stmt;
    enum err_code failed = prepare(db, sql, &stmt, err);
    if (failed != ERR_OK)
        return failed;
    bind_key(stmt, call->entry);
    bind_str(stmt, 5, call->holder);
    sqlite3_bind_int64(stmt, 6, (sqlite3_int64)sixth);
    int code = sqlite3_step(stmt);
    *has_row = code == SQLITE_ROW;
    return ended(db, stmt, code == SQLITE_ROW ? SQLITE_DONE : code, err);
}

/* Nobody has claimed the document since the call's holder did. */
static enum err_code check_held(struct ledger_call *call, struct sqlite3 *db, struct err *err)
{
    bool is_held = true;
    enum err_code failed = ERR_OK;
    if (!str_is_absent(call->holder))
        failed = run_keyed(call, db, "SELECT 1 FROM document_claims" OF_KEY " AND holder = ?5", 0,
                           &is_held, err);
    return failed != ERR_OK || is_held ? failed : ledger_fail_claim(err);
}

static enum err_code put(struct ledger_call *call, struct sqlite3 *db, struct err *err)
{
    const struct ledger_limits *limits = call->limits;
    const struct ledger_entry *entry = call->entry;
    sqlite3_stmt *stmt;
    enum err_code failed =
        prepare(db,
                "INSERT OR REPLACE INTO documents SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9"
                " WHERE ?10 IS NULL OR (SELECT count(*) < ?10"
                " AND coalesce(sum(passages), 0) + ?8 <= ?11 FROM documents WHERE company_id = ?2"
                " AND NOT (collection = ?1 AND user_id = ?3 AND name = ?4))",
                &stmt, err);
    if (failed != ERR_OK)
        return failed;
    bind_key(stmt, entry);
    bind_str(stmt, 5, entry->source);
    bind_str(stmt, 6, entry->title);
    bind_str(stmt, 7, entry->hash);
    sqlite3_bind_int64(stmt, 8, (sqlite3_int64)entry->passages);
    sqlite3_bind_int64(stmt, 9, (sqlite3_int64)entry->added_ms);
    if (limits != NULL) {
        sqlite3_bind_int64(stmt, 10, (sqlite3_int64)limits->documents);
        sqlite3_bind_int64(stmt, 11, (sqlite3_int64)limits->passages);
    }
    failed = ended(db, stmt, sqlite3_step(stmt), err);
    return failed == ERR_OK && limits != NULL && sqlite3_changes(db) == 0 ? ledger_fail_limits(err)
                                                                          : failed;
}

static enum err_code remove_entry(struct ledger_call *call, struct sqlite3 *db, struct err *err)
{
    bool has_row;
    return run_keyed(call, db, "DELETE FROM documents" OF_KEY, 0, &has_row, err);
}

static enum err_code yield(struct ledger_call *call, struct sqlite3 *db, struct err *err)
{
    bool has_row;
    return run_keyed(call, db, "DELETE FROM document_claims" OF_KEY " AND holder = ?5", 0, &has_row,
                     err);
}

/* The machine's time, which all who share a file have; not a loop's, which was read at its start.
 */
#define NOW_MS "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

static enum err_code claim(struct ledger_call *call, struct sqlite3 *db, struct err *err)
{
    static const char forget[] = "DELETE FROM document_claims WHERE until_ms < " NOW_MS;
    static const char put_claim[] =
        "INSERT INTO document_claims VALUES (?1, ?2, ?3, ?4, ?5, " NOW_MS " + ?6)"
        " ON CONFLICT DO UPDATE SET until_ms = excluded.until_ms WHERE holder = ?5 RETURNING 1";
    sqlite3_stmt *stmt;
    bool is_held = false;
    enum err_code failed = run_text(db, forget, err);
    if (failed == ERR_OK)
        failed = run_keyed(call, db, put_claim, call->lease_ms, &is_held, err);
    if (failed == ERR_OK && !is_held)
        failed = ledger_fail_claim(err);
    if (failed == ERR_OK)
        failed = prepare(db, ENTRIES OF_KEY, &stmt, err);
    if (failed != ERR_OK)
        return failed;
    bind_key(stmt, call->entry);
    return read_entries(call, db, stmt, err);
}

static enum err_code run_change(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    static change_fn *const changes[] = {[LEDGER_PUT] = put,
                                         [LEDGER_REMOVE] = remove_entry,
                                         [LEDGER_CLAIM] = claim,
                                         [LEDGER_YIELD] = yield};
    struct ledger_call *call = call_of(job);
    const bool needs_claim = call->verb == LEDGER_PUT || call->verb == LEDGER_REMOVE;
    enum err_code failed = run_text(db, "BEGIN IMMEDIATE", err);
    if (failed != ERR_OK)
        return failed;
    if (needs_claim)
        failed = check_held(call, db, err);
    if (failed == ERR_OK)
        failed = changes[call->verb](call, db, err);
    if (failed == ERR_OK)
        failed = run_text(db, "COMMIT", err);
    if (failed != ERR_OK)
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return failed;
}

/* ---- calls ---- */

static void on_done(struct op *op)
{
    struct doing *doing = op_owner(op);
    op_finish_err(&doing->call->op, &op->err);
}

static void cancel(struct op *op)
{
    struct doing *doing = container_of(op, struct ledger_call, op)->impl;
    if (doing != NULL)
        op_cancel(&doing->job.op);
}

static void release(struct op *op)
{
    struct ledger_call *call = container_of(op, struct ledger_call, op);
    struct doing *doing = call->impl;
    if (doing != NULL)
        op_release(&doing->job.op);
    mem_free(doing);
    call->impl = NULL;
}

static const struct op_kind kind = {.name = "ledger.sqlite", .cancel = cancel, .release = release};

static void start(struct ledger *ledger, struct ledger_call *call, struct op_waiter waiter)
{
    static sqlite_job_fn *const runs[] = {
        [LEDGER_LIST] = run_list,    [LEDGER_PUT] = run_change,   [LEDGER_REMOVE] = run_change,
        [LEDGER_CLAIM] = run_change, [LEDGER_YIELD] = run_change,
    };
    struct sqlite_ledger *sqlite = container_of(ledger, struct sqlite_ledger, ledger);
    struct doing *doing = mem_zalloc(1, sizeof *doing);
    op_begin(&call->op, &kind, ledger->loop, waiter);
    call->impl = doing;
    if (doing == NULL) {
        op_finish(&call->op, ERR_NO_MEMORY, "no memory to ask the ledger of documents");
        return;
    }
    doing->call = call;
    sqlite_job_start(&doing->job, sqlite->thread, runs[call->verb], NULL, TIMEOUT_MS,
                     (struct op_waiter){.done = on_done, .owner = doing});
}

/* ---- making, closing ---- */

static void free_ledger(struct closing *closing)
{
    mem_free(container_of(closing, struct sqlite_ledger, closing));
}

static void close_ledger(struct ledger *ledger, void (*on_closed)(void *owner), void *owner)
{
    struct sqlite_ledger *sqlite = container_of(ledger, struct sqlite_ledger, ledger);
    closing_begin(&sqlite->closing, on_closed, owner);
    closing_enter(&sqlite->closing);
    sqlite_thread_close(sqlite->thread, closing_leave_part, &sqlite->closing);
}

static const struct ledger_vtable vtable = {"sqlite", start, close_ledger};

struct ledger *sqlite_ledger_create(struct loop *loop, const char *path)
{
    static closing_fn *const steps[] = {free_ledger, NULL};
    const struct sqlite_thread_options options = {.path = path, .on_open = on_open};
    struct sqlite_ledger *sqlite = mem_zalloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return NULL;
    sqlite->ledger = (struct ledger){&vtable, loop};
    closing_init(&sqlite->closing, loop, steps);
    sqlite->thread = sqlite_thread_create(loop, &options);
    if (sqlite->thread != NULL)
        return &sqlite->ledger;
    mem_free(sqlite);
    return NULL;
}
