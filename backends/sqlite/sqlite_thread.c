/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_thread.c - one thread per connection: jobs in, results out as operations.
 *
 * Happy path: start queues the job and wakes the thread; the thread opens the database if it is
 * not open, runs the job, moves it to the finished list and wakes the loop; the loop finishes the
 * operation.
 * Failure paths:
 *   queue full, thread closing        finished at once, ERR_BUSY or ERR_CANCELLED
 *   cancelled while waiting           taken out of the queue by the loop
 *   cancelled or late while running   stop flag for the progress and busy handlers, and
 *                                     sqlite3_interrupt for what runs between them
 *   missing, locked, corrupt file     ERR_UNAVAILABLE; the connection is dropped, the next job
 *                                     opens again
 * The deadline is read from the precise clock on the database's thread, not from core/timer: the
 * thread must stop even when the loop is busy. */
#include "backends/sqlite/sqlite_thread.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#include "backends/sqlite/sqlite_log.h"
#include "core/base/file.h"
#include "core/base/mem.h"
#include "core/base/str.h"
#include "core/loop/closing.h"

enum { DEFAULT_BUSY_MS = 5000, DEFAULT_QUEUE_LIMIT = 1024, BUSY_STEP_MS = 5 };
enum { PROGRESS_OPCODES = 1000 }; /* between two looks at the stop flag: about 20 us */

struct sqlite_thread {
    struct loop *loop;
    char *path;
    struct sqlite_thread_options options; /* path as above */
    uv_thread_t thread;
    uv_async_t wake_loop;
    size_t pending;         /* jobs started and not yet finished; the loop's */
    struct closing closing; /* out: the thread, then the handle */

    /* shared, under lock */
    uv_mutex_t lock;
    uv_cond_t wake_thread;
    struct list waiting, finished;
    size_t waiting_count;
    struct sqlite_job *running;
    sqlite3 *db; /* opened and closed by the thread; the loop only interrupts it */
    bool stop, exited;
};

/* ---- what codes mean ---- */

enum err_code sqlite_thread_error(int sqlite_code)
{
    switch (sqlite_code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return ERR_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_PROTOCOL:
        return ERR_UNAVAILABLE;
    case SQLITE_INTERRUPT:
        return ERR_CANCELLED;
    case SQLITE_NOMEM:
        return ERR_NO_MEMORY;
    case SQLITE_TOOBIG:
        return ERR_TOO_LARGE;
    case SQLITE_CONSTRAINT:
        return ERR_CONFLICT;
    case SQLITE_MISUSE:
    case SQLITE_INTERNAL:
        return ERR_INTERNAL;
    default:
        return ERR_REJECTED;
    }
}

static const struct {
    int code;
    const char *text;
} advice[] = {
    {SQLITE_BUSY, "the database is locked by another program: try again, or end its transaction"},
    {SQLITE_LOCKED, "the database is locked by another connection: try again"},
    {SQLITE_CANTOPEN, "the database file cannot be opened: check that it exists and is readable"},
    {SQLITE_NOTADB, "the file is not an SQLite database: check the path, or restore it"},
    {SQLITE_CORRUPT, "the database file is damaged: restore it from a backup"},
    {SQLITE_IOERR, "the database file cannot be read: check the disk"},
    {SQLITE_FULL, "the disk under the database is full: make room"},
    {SQLITE_READONLY,
     "the database file cannot be written: check its permissions and its folder's"},
    {SQLITE_NOMEM, "no memory for the statement"},
    {SQLITE_TOOBIG, "a value of the statement is too large"},
    {SQLITE_INTERRUPT, "the statement was interrupted"},
};

enum err_code sqlite_thread_fail(struct sqlite3 *db, int sqlite_code, struct err *err)
{
    enum err_code code = sqlite_thread_error(sqlite_code);
    for (size_t i = 0; i < countof(advice); i++)
        if (advice[i].code == (sqlite_code & 0xff))
            return err_set(err, code, "%s", advice[i].text);
    return err_set(err, code, "%s", db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(sqlite_code));
}

/* ---- on the database's thread ---- */

/* Why the running job must end now, or ERR_OK. */
static enum err_code why_stop(struct sqlite_job *job)
{
    enum err_code why = (enum err_code)atomic_load(&job->stop);
    if (why == ERR_OK && job->deadline_ns != 0 && loop_precise_ns() >= job->deadline_ns)
        why = ERR_TIMEOUT;
    return why;
}

/* A statement is ended for what SQLite takes in all: who takes how much it does not say. */
static void look_at_memory(const struct sqlite_thread *thread, struct sqlite_job *job)
{
    int going_on = ERR_OK;
    int64_t most = (int64_t)thread->options.memory_bytes;
    if (most > 0 && sqlite3_memory_used() - job->memory_before > most)
        atomic_compare_exchange_strong(&job->stop, &going_on, ERR_TOO_LARGE);
}

static int on_progress(void *owner)
{
    struct sqlite_thread *thread = owner;
    if (thread->running == NULL)
        return 0;
    look_at_memory(thread, thread->running);
    return why_stop(thread->running) != ERR_OK;
}

/* Another connection holds a lock. Waits in small steps, so that cancel is not kept waiting. */
static int on_busy(void *owner, int tries)
{
    struct sqlite_thread *thread = owner;
    if (on_progress(thread) || (uint64_t)tries * BUSY_STEP_MS >= thread->options.busy_ms)
        return 0;
    sqlite3_sleep(BUSY_STEP_MS);
    return 1;
}

static void set_db(struct sqlite_thread *thread, sqlite3 *db)
{
    uv_mutex_lock(&thread->lock);
    thread->db = db;
    uv_mutex_unlock(&thread->lock);
}

static void drop_db(const struct sqlite_thread *thread, sqlite3 *db)
{
    if (db != NULL && thread->options.on_close != NULL)
        thread->options.on_close(db);
    sqlite3_close_v2(db);
}

static void close_db(struct sqlite_thread *thread)
{
    sqlite3 *db = thread->db;
    set_db(thread, NULL);
    drop_db(thread, db);
}

/* Take from the connection what reading does not need, before any statement of others runs. */
static int restrict_db(sqlite3 *db)
{
    static const struct {
        int option, on;
    } switches[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0}, /* "no_such" is an error, not a string */
        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    for (size_t i = 0; i < countof(switches); i++) {
        int code = sqlite3_db_config(db, switches[i].option, switches[i].on, (int *)NULL);
        if (code != SQLITE_OK)
            return code;
    }
    static const struct {
        int limit, value;
    } limits[] = {
        {SQLITE_LIMIT_SQL_LENGTH, 64 << 10}, {SQLITE_LIMIT_LENGTH, 16 << 20},
        {SQLITE_LIMIT_COLUMN, 500},          {SQLITE_LIMIT_EXPR_DEPTH, 200},
        {SQLITE_LIMIT_COMPOUND_SELECT, 50},  {SQLITE_LIMIT_FUNCTION_ARG, 100},
        {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 999}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < countof(limits); i++)
        sqlite3_limit(db, limits[i].limit, limits[i].value);
    return sqlite3_exec(db, "PRAGMA query_only=1", NULL, NULL, NULL);
}

/* Settings, then one read of the file: sqlite3_open itself looks at nothing. */
static int configure_db(struct sqlite_thread *thread, sqlite3 *db)
{
    sqlite3_extended_result_codes(db, 1);
    sqlite3_busy_handler(db, on_busy, thread);
    sqlite3_progress_handler(db, PROGRESS_OPCODES, on_progress, thread);
    int code = thread->options.read_only
                   ? restrict_db(db)
                   : sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", NULL,
                                  NULL, NULL);
    if (code == SQLITE_OK && thread->options.memory_bytes > 0)
        code = sqlite3_exec(db, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL);
    return code;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static enum err_code open_db(struct sqlite_thread *thread, struct err *err)
{
    int moved = 0;
    if (thread->db != NULL) {
        sqlite3_file_control(thread->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
        if (!moved)
            return ERR_OK;
        close_db(thread);
    }
    int flags = thread->options.read_only ? SQLITE_OPEN_READONLY
                                          : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3 *db = NULL;
    struct err untold; /* opening the file tells it */
    if (thread->options.make_folder)
        (void)!file_make_folders(thread->path, 0777, &untold);
    const char *way = thread->options.read_only ? NULL : sqlite_log_name();
    int code = sqlite3_open_v2(thread->path, &db, flags | SQLITE_OPEN_NOMUTEX, way);
    if (code == SQLITE_OK)
        code = configure_db(thread, db);
    enum err_code result = ERR_OK;
    if (code != SQLITE_OK) {
        result = sqlite_thread_fail(db, code, err);
        err_prefix(err, file_name(thread->path));
    } else if (thread->options.on_open != NULL) {
        result = thread->options.on_open(thread->options.owner, db, err);
    }
    if (result != ERR_OK) {
        drop_db(thread, db);
        return result;
    }
    set_db(thread, db);
    return ERR_OK;
}

static void run_job(struct sqlite_thread *thread, struct sqlite_job *job)
{
    struct err *err = &job->result;
    enum err_code code = why_stop(job);
    job->memory_before = sqlite3_memory_used();
    if (code == ERR_OK)
        code = open_db(thread, err);
    if (code == ERR_OK)
        code = job->run(job, thread->db, err);
    if (code == ERR_UNAVAILABLE && thread->db != NULL)
        close_db(thread); /* the next job finds out whether it is well again */
    enum err_code why = why_stop(job);
    if (code != ERR_OK && why == ERR_CANCELLED)
        code = err_set(err, why, "the statement was cancelled");
    else if (code == ERR_CANCELLED && why == ERR_TOO_LARGE)
        code = err_set(err, why,
                       "the statement takes more than %zu MiB of memory; sort, group or "
                       "join less",
                       thread->options.memory_bytes >> 20);
    else if (code == ERR_CANCELLED || code == ERR_TIMEOUT)
        code = err_set(err, why == ERR_OK ? code : why, "the statement ran into its deadline");
    err->code = code;
}

static struct sqlite_job *take_job(struct sqlite_thread *thread)
{
    uv_mutex_lock(&thread->lock);
    while (list_is_empty(&thread->waiting) && !thread->stop)
        uv_cond_wait(&thread->wake_thread, &thread->lock);
    struct list *link = list_take_first(&thread->waiting);
    struct sqlite_job *job = link == NULL ? NULL : list_item(link, struct sqlite_job, link);
    thread->running = job;
    if (job != NULL) {
        job->waiting = false;
        thread->waiting_count--;
    }
    uv_mutex_unlock(&thread->lock);
    return job;
}

static void thread_main(void *owner)
{
    struct sqlite_thread *thread = owner;
    for (struct sqlite_job *job; (job = take_job(thread)) != NULL;) {
        run_job(thread, job);
        uv_mutex_lock(&thread->lock);
        thread->running = NULL;
        list_push(&thread->finished, &job->link);
        uv_mutex_unlock(&thread->lock);
        uv_async_send(&thread->wake_loop);
    }
    if (thread->db != NULL)
        close_db(thread);
    uv_mutex_lock(&thread->lock);
    thread->exited = true;
    uv_async_send(&thread->wake_loop); /* inside the lock: the loop frees after it saw exited */
    uv_mutex_unlock(&thread->lock);
}

/* ---- on the loop ---- */

static void finish_job(struct sqlite_job *job, enum err_code code, const char *text)
{
    struct sqlite_thread *thread = job->thread;
    if (--thread->pending == 0 && !closing_is_begun(&thread->closing))
        uv_unref((uv_handle_t *)&thread->wake_loop);
    op_finish(&job->op, code, "%s", text);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct sqlite_thread *thread = handle->data;
    closing_leave(&thread->closing);
}

static void close_handle(struct closing *closing)
{
    struct sqlite_thread *thread = container_of(closing, struct sqlite_thread, closing);
    closing_enter(closing);
    uv_close((uv_handle_t *)&thread->wake_loop, on_handle_closed);
}

static void free_thread(struct closing *closing)
{
    struct sqlite_thread *thread = container_of(closing, struct sqlite_thread, closing);
    uv_cond_destroy(&thread->wake_thread);
    uv_mutex_destroy(&thread->lock);
    mem_free(thread->path);
    mem_free(thread);
}

static void on_woken(uv_async_t *async)
{
    struct sqlite_thread *thread = async->data;
    struct list finished;
    list_init(&finished);
    uv_mutex_lock(&thread->lock);
    list_append(&finished, &thread->finished);
    bool exited = thread->exited;
    uv_mutex_unlock(&thread->lock);
    for (struct list *link; (link = list_take_first(&finished)) != NULL;) {
        struct sqlite_job *job = list_item(link, struct sqlite_job, link);
        finish_job(job, job->result.code, job->result.code == ERR_OK ? "" : job->result.text);
    }
    if (exited) {
        uv_thread_join(&thread->thread);
        closing_leave(&thread->closing);
    }
}

static void cancel_job(struct op *op)
{
    struct sqlite_job *job = container_of(op, struct sqlite_job, op);
    struct sqlite_thread *thread = job->thread;
    if (op_is_finishing(op))
        return;
    uv_mutex_lock(&thread->lock);
    atomic_store(&job->stop, (int)ERR_CANCELLED);
    bool waiting = job->waiting;
    if (waiting) {
        list_remove(&job->link);
        job->waiting = false;
        thread->waiting_count--;
    } else if (thread->running == job && thread->db != NULL) {
        sqlite3_interrupt(thread->db);
    } /* else it has ended and waits to be collected: its result is decided */
    uv_mutex_unlock(&thread->lock);
    if (waiting)
        finish_job(job, ERR_CANCELLED, "the statement was cancelled");
}

static const struct op_kind job_kind = {.name = "sqlite.job", .cancel = cancel_job};

void sqlite_job_start(struct sqlite_job *job, struct sqlite_thread *thread, sqlite_job_fn *run,
                      void *arg, uint64_t timeout_ms, struct op_waiter waiter)
{
    op_begin(&job->op, &job_kind, thread->loop, waiter);
    job->arg = arg;
    job->thread = thread;
    job->run = run;
    job->deadline_ns = timeout_ms == 0 ? 0 : loop_precise_ns() + timeout_ms * UINT64_C(1000000);
    job->result = (struct err){0};
    atomic_init(&job->stop, (int)ERR_OK);
    list_init(&job->link);
    if (thread->pending++ == 0)
        uv_ref((uv_handle_t *)&thread->wake_loop);

    uv_mutex_lock(&thread->lock);
    bool full = thread->waiting_count >= thread->options.queue_limit;
    job->waiting = !full && !closing_is_begun(&thread->closing);
    if (job->waiting) {
        list_push(&thread->waiting, &job->link);
        thread->waiting_count++;
        uv_cond_signal(&thread->wake_thread);
    }
    uv_mutex_unlock(&thread->lock);
    if (closing_is_begun(&thread->closing))
        finish_job(job, ERR_CANCELLED, "the database is being closed");
    else if (full)
        finish_job(job, ERR_BUSY, "too many statements are waiting for the database");
}

struct sqlite_thread *sqlite_thread_create(struct loop *loop,
                                           const struct sqlite_thread_options *options)
{
    static closing_fn *const steps[] = {close_handle, free_thread, NULL};
    struct sqlite_thread *thread = mem_zalloc(1, sizeof *thread);
    size_t path_bytes = strlen(options->path) + 1;
    if (thread == NULL)
        return NULL;
    thread->loop = loop;
    thread->options = *options;
    if (thread->options.busy_ms == 0)
        thread->options.busy_ms = DEFAULT_BUSY_MS;
    if (thread->options.queue_limit == 0)
        thread->options.queue_limit = DEFAULT_QUEUE_LIMIT;
    list_init(&thread->waiting);
    list_init(&thread->finished);
    thread->path = mem_alloc(path_bytes);
    if (thread->path == NULL)
        goto fail_path;
    memcpy(thread->path, options->path, path_bytes);
    thread->options.path = thread->path;
    if (uv_mutex_init(&thread->lock) != 0)
        goto fail_lock;
    if (uv_cond_init(&thread->wake_thread) != 0)
        goto fail_cond;
    if (uv_thread_create(&thread->thread, thread_main, thread) != 0)
        goto fail_thread;
    /* After the thread, since a handle cannot be taken back at once; nobody sends before a job. */
    CHECK(uv_async_init(loop_uv(loop), &thread->wake_loop, on_woken) == 0);
    thread->wake_loop.data = thread;
    closing_init(&thread->closing, loop, steps);
    closing_enter(&thread->closing); /* until it has exited */
    uv_unref((uv_handle_t *)&thread->wake_loop);
    return thread;

fail_thread:
    uv_cond_destroy(&thread->wake_thread);
fail_cond:
    uv_mutex_destroy(&thread->lock);
fail_lock:
    mem_free(thread->path);
fail_path:
    mem_free(thread);
    return NULL;
}

void sqlite_thread_close(struct sqlite_thread *thread, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&thread->closing, on_closed, owner);
    uv_ref((uv_handle_t *)&thread->wake_loop);
    struct list cancelled;
    list_init(&cancelled);
    uv_mutex_lock(&thread->lock);
    list_append(&cancelled, &thread->waiting);
    thread->waiting_count = 0;
    thread->stop = true;
    if (thread->running != NULL) {
        atomic_store(&thread->running->stop, (int)ERR_CANCELLED);
        if (thread->db != NULL)
            sqlite3_interrupt(thread->db);
    }
    uv_cond_signal(&thread->wake_thread);
    uv_mutex_unlock(&thread->lock);
    for (struct list *link; (link = list_take_first(&cancelled)) != NULL;)
        finish_job(list_item(link, struct sqlite_job, link), ERR_CANCELLED,
                   "the database is being closed");
}
