/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite.c - a call is a job in a transaction, tried again while the file is
 * locked.
 *
 * Happy path: the job of the call's verb runs between BEGIN and COMMIT on the database's thread and
 * fills the answer. What is short shares a transaction, a crowd: all calls of a turn of the loop,
 * and those that came since the crowd before, in the order of starting. Crowds follow each other
 * CROWD_MS apart on average, a few of them at once after a pause: a store with little to do answers
 * at once, a busy one writes more in one commit. Calls that may wait make no crowd for
 * STORE_WAIT_MS, unless another call does.
 * Failure paths:
 *   locked, gone, full   ERR_UNAVAILABLE; again after a delay that doubles, while attempts and the
 *                        deadline last
 *   another's lock       waited for inside SQLite until the deadline: ERR_TIMEOUT
 *   the job fails        its transaction is rolled back */
#include "backends/stores/store_sqlite.h"

#include <sqlite3.h>

#include "backends/sqlite/sqlite_thread.h"
#include "backends/stores/store_sqlite_alive.h"
#include "backends/stores/store_sqlite_internal.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"
#include "core/loop/delay.h"
#include "core/loop/timer.h"

enum { DEFAULT_ATTEMPTS = 3, DEFAULT_RETRY_MS = 100, CROWD_MS = 2, CROWDS_AT_ONCE = 5 };

struct store_sqlite {
    struct store store;
    struct store_sqlite_options options;
    struct sqlite_thread *thread;
    struct store_sqlite_parts parts;
    struct list attempts; /* in flight */
    struct list waiting;  /* of those, the next crowd */
    bool crowd_runs;
    bool hurries;        /* some of waiting may not wait */
    uint64_t crowd_ms;   /* before this no crowd begins */
    uint64_t waiting_ms; /* since when any waits */
    struct loop_task crowd_task;
    struct timer crowd_timer;
    uint64_t timer_ms; /* when it fires */
    struct err last;        /* of the last call that reached the file, or did not */
    struct closing closing; /* out: calls and the thread */
};

/* A call in flight. */
struct attempt {
    struct list link;       /* in attempts */
    struct list crowd_link; /* in waiting, or in the crowd it is written with */
    struct list crowd;      /* of the one whose job writes them: itself and the others */
    struct err result;      /* in a crowd */
    struct store_call *call;
    struct sqlite_job job;
    struct delay delay;
    uint64_t deadline_ms, now_ms;
    unsigned tries;
    bool cancelled;
};

/* ---- on the database's thread ---- */

typedef enum err_code verb_fn(const struct store_sqlite_job *job, struct err *err);

static verb_fn *const verbs[STORE_VERB_COUNT] = {
#define VERB(verb, name, effect) [STORE_##verb] = store_sqlite_##name,
    STORE_VERBS(VERB)
#undef VERB
};

static bool writes(enum store_verb verb)
{
    return store_verb_effect(verb) != STORE_READS;
}

/* Whether the call is one of a crowd; else it is long, or may fail after it changed something. */
static bool shares(const struct attempt *attempt)
{
    enum store_verb verb = attempt->call->verb;
    return store_verb_effect(verb) == STORE_SHARES || verb == STORE_LOAD || verb == STORE_FIND;
}

static bool may_wait(const struct store_call *call)
{
    return (call->verb == STORE_RENEW && call->ask.renew->may_wait) ||
           (call->verb == STORE_MARK && call->ask.mark->may_wait);
}

/* What is erased must not stay readable in the log of writes. */
static void empty_log(struct sqlite3 *db)
{
    struct err ignored;
    (void)sqlite_row_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", &ignored);
}

static enum err_code run_text(const struct store_sqlite_job *job, const char *sql, struct err *err)
{
    struct sqlite_row row = store_sqlite_row(job, sql);
    return sqlite_row_run(&row, err);
}

/* A transaction whose ROLLBACK had no memory is still there. */
static enum err_code begin(const struct store_sqlite_job *job, bool writes, struct err *err)
{
    if (!sqlite3_get_autocommit(job->db)) {
        store_sqlite_journal_forget(job->journal);
        if (run_text(job, "ROLLBACK", err) != ERR_OK)
            return err->code;
    }
    return run_text(job, writes ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

/* COMMIT when code is ERR_OK, else ROLLBACK, after which nobody knows what the journal holds,
 * unless nothing was changed since there were so many changes: most claims find no run. */
static enum err_code end(const struct store_sqlite_job *job, int64_t changes, enum err_code code,
                         struct err *err)
{
    struct err ignored;
    if (code == ERR_OK)
        code = run_text(job, "COMMIT", err);
    if (code == ERR_OK)
        return code;
    (void)run_text(job, "ROLLBACK", &ignored);
    if (sqlite3_total_changes64(job->db) != changes || store_sqlite_journal_is_open(job->journal))
        store_sqlite_journal_forget(job->journal);
    return code;
}

static void say_too_large(struct err *err)
{
    if (err->text[0] == '\0')
        err_set(err, ERR_TOO_LARGE, "the answer is larger than %d MiB", STORE_ANSWER_BYTES >> 20);
}

static struct store_sqlite *sqlite_of(const struct attempt *attempt)
{
    return container_of(attempt->call->store, struct store_sqlite, store);
}

static struct store_sqlite_job job_of(const struct attempt *attempt, struct sqlite3 *db)
{
    struct store_sqlite *sqlite = sqlite_of(attempt);
    return (struct store_sqlite_job){db,
                                     sqlite->parts.journal,
                                     sqlite->parts.alive,
                                     &sqlite->parts.places,
                                     attempt->call,
                                     attempt->now_ms,
                                     loop_precise_ns() / 1000000};
}

static enum err_code run_verb(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    const struct attempt *attempt = job->arg;
    struct store_call *call = attempt->call;
    const struct store_sqlite_job ask = job_of(attempt, db);
    arena_fini(&call->arena); /* of an attempt before */
    store_call_begin(call);
    if (call->verb == STORE_CLAIM) /* who looks for runs shows that it lives */
        store_sqlite_alive_show(ask.alive, db);
    const int64_t changes = sqlite3_total_changes64(db);
    enum err_code code = begin(&ask, writes(call->verb), err);
    if (code != ERR_OK)
        return code;
    if (writes(call->verb))
        code = store_sqlite_journal_begin(&ask, err);
    if (code == ERR_OK)
        code = verbs[call->verb](&ask, err);
    code = end(&ask, changes, code, err);
    if (code == ERR_OK && call->verb == STORE_ERASE)
        empty_log(db);
    if (code == ERR_TOO_LARGE)
        say_too_large(err);
    return code;
}

static struct attempt *crowd_item(struct list *link)
{
    return list_item(link, struct attempt, crowd_link);
}

/* Whether it is an answer to this call alone, after which nothing is to be rolled back. */
static bool is_own(enum err_code code, enum store_verb verb)
{
    return code == ERR_OK || code == ERR_CONFLICT || code == ERR_NOT_FOUND || code == ERR_BUSY ||
           (code == ERR_TOO_LARGE && !writes(verb));
}

static bool any_writes(const struct list *crowd)
{
    LIST_EACH(link, crowd)
        if (writes(crowd_item(link)->call->verb))
            return true;
    return false;
}

static bool begins_a_run(const struct list *crowd)
{
    LIST_EACH(link, crowd)
        if (crowd_item(link)->call->verb == STORE_BEGIN)
            return true;
    return false;
}

/* Run one of a crowd. Not ERR_OK: the transaction fails. */
static enum err_code run_member(struct attempt *attempt, struct sqlite3 *db)
{
    struct store_call *call = attempt->call;
    const struct store_sqlite_job ask = job_of(attempt, db);
    arena_fini(&call->arena); /* of an attempt before */
    store_call_begin(call);
    attempt->result = (struct err){0};
    attempt->result.code = verbs[call->verb](&ask, &attempt->result);
    if (attempt->result.code == ERR_TOO_LARGE)
        say_too_large(&attempt->result);
    return is_own(attempt->result.code, call->verb) ? ERR_OK : attempt->result.code;
}

/* One transaction for a crowd: each has its own result, unless the database fails them all. */
static enum err_code run_crowd(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    const struct attempt *first = job->arg;
    const struct store_sqlite_job ask = job_of(first, db);
    bool any = any_writes(&first->crowd);
    if (begins_a_run(&first->crowd)) /* who has runs shows that it lives, as who looks for some */
        store_sqlite_alive_show(ask.alive, db);
    const int64_t changes = sqlite3_total_changes64(db);
    enum err_code code = begin(&ask, any, err);
    if (code != ERR_OK)
        return code;
    if (any)
        code = store_sqlite_journal_begin(&ask, err);
    for (struct list *link = first->crowd.next; code == ERR_OK && link != &first->crowd;
         link = link->next) {
        struct attempt *attempt = crowd_item(link);
        code = run_member(attempt, db);
        if (code != ERR_OK)
            *err = attempt->result;
    }
    return end(&ask, changes, code, err);
}

/* ---- on the loop ---- */

static const struct err given_up = {ERR_CANCELLED, "the store is being closed"};

static void on_job_done(struct op *op);
static void on_crowd_done(struct op *op);
static void on_waited(struct op *op);

static void finish(struct attempt *attempt, const struct err *err)
{
    struct store_sqlite *sqlite = sqlite_of(attempt);
    struct store_call *call = attempt->call;
    call->impl = NULL;
    store_call_finish(call, err);
    list_remove(&attempt->link);
    mem_free(attempt);
    closing_leave(&sqlite->closing);
}

static uint64_t left_ms_of(const struct attempt *attempt)
{
    uint64_t now_ms = loop_now_ms(sqlite_of(attempt)->store.loop);
    return attempt->deadline_ms > now_ms ? attempt->deadline_ms - now_ms : 1;
}

/* When the crowd behind one that begins now may begin, which was to begin at planned_ms. */
static uint64_t next_crowd_ms(uint64_t planned_ms, uint64_t now_ms)
{
    const uint64_t spared_ms = (CROWDS_AT_ONCE - 1) * CROWD_MS;
    uint64_t earliest_ms = now_ms > spared_ms ? now_ms - spared_ms : 0;
    return (planned_ms > earliest_ms ? planned_ms : earliest_ms) + CROWD_MS;
}

/* Run all that wait, in the job of the first of them. */
static void run_waiting(struct store_sqlite *sqlite)
{
    if (sqlite->crowd_runs || list_is_empty(&sqlite->waiting) || closing_is_begun(&sqlite->closing))
        return;
    struct attempt *first = crowd_item(sqlite->waiting.next);
    timer_stop(&sqlite->crowd_timer);
    sqlite->crowd_runs = true;
    sqlite->hurries = false;
    sqlite->crowd_ms = next_crowd_ms(sqlite->crowd_ms, loop_now_ms(sqlite->store.loop));
    list_init(&first->crowd);
    list_append(&first->crowd, &sqlite->waiting);
    sqlite_job_start(&first->job, sqlite->thread, run_crowd, first, left_ms_of(first),
                     (struct op_waiter){on_crowd_done, first, NULL});
}

static void on_crowd_time(struct timer *timer)
{
    run_waiting(container_of(timer, struct store_sqlite, crowd_timer));
}

/* Runs at the end of a turn: its other calls are there by now. */
static void on_turn_end(struct loop_task *task)
{
    struct store_sqlite *sqlite = container_of(task, struct store_sqlite, crowd_task);
    uint64_t next_ms = sqlite->crowd_ms, now_ms = loop_now_ms(sqlite->store.loop);
    if (sqlite->crowd_runs || list_is_empty(&sqlite->waiting))
        return;
    if (!sqlite->hurries)
        next_ms = size_max(next_ms, sqlite->waiting_ms + STORE_WAIT_MS);
    if (timer_is_running(&sqlite->crowd_timer) && sqlite->timer_ms <= next_ms)
        return;
    if (next_ms > now_ms) {
        sqlite->timer_ms = next_ms;
        timer_start(&sqlite->crowd_timer, sqlite->store.loop, next_ms - now_ms, on_crowd_time);
    } else {
        run_waiting(sqlite);
    }
}

static void await_crowd(struct store_sqlite *sqlite)
{
    if (!sqlite->crowd_runs && !closing_is_begun(&sqlite->closing))
        loop_at_turn_end(sqlite->store.loop, &sqlite->crowd_task, on_turn_end);
}

static void try_once(struct attempt *attempt)
{
    struct store_sqlite *sqlite = sqlite_of(attempt);
    uint64_t left_ms = left_ms_of(attempt);
    if (closing_is_begun(&sqlite->closing)) { /* its pause had ended before, or it comes late */
        finish(attempt, &given_up);
        return;
    }
    attempt->tries++;
    if (shares(attempt)) {
        if (list_is_empty(&sqlite->waiting))
            sqlite->waiting_ms = loop_now_ms(sqlite->store.loop);
        sqlite->hurries |= !may_wait(attempt->call);
        list_push(&sqlite->waiting, &attempt->crowd_link);
        await_crowd(sqlite);
        return;
    }
    sqlite_job_start(&attempt->job, sqlite->thread, run_verb, attempt, left_ms,
                     (struct op_waiter){on_job_done, attempt, NULL});
}

/* How long to wait before another attempt; false: there is none. */
static bool may_retry(const struct attempt *attempt, uint64_t *wait_ms)
{
    const struct store_sqlite *sqlite = sqlite_of(attempt);
    *wait_ms = sqlite->options.retry_ms << (attempt->tries - 1);
    return !attempt->cancelled && attempt->tries < sqlite->options.attempts &&
           loop_now_ms(sqlite->store.loop) + *wait_ms < attempt->deadline_ms;
}

/* How an attempt went: another one, or the end. */
static void conclude(struct attempt *attempt, const struct err *err)
{
    struct store_sqlite *sqlite = sqlite_of(attempt);
    uint64_t wait_ms;
    if (err->code == ERR_UNAVAILABLE && may_retry(attempt, &wait_ms)) {
        delay_start(&attempt->delay, sqlite->store.loop, wait_ms,
                    (struct op_waiter){on_waited, attempt, NULL});
        return;
    }
    bool reached = err->code != ERR_UNAVAILABLE && err->code != ERR_TIMEOUT;
    if (err->code != ERR_CANCELLED)
        sqlite->last = reached ? (struct err){0} : *err;
    finish(attempt, err);
}

static void on_job_done(struct op *op)
{
    struct err err = op->err;
    op_release(op);
    conclude(op_owner(op), &err);
}

static void on_crowd_done(struct op *op)
{
    struct attempt *first = op_owner(op);
    struct store_sqlite *sqlite = sqlite_of(first);
    struct err err = op->err;
    struct list crowd;
    op_release(op);
    list_init(&crowd);
    list_append(&crowd, &first->crowd);
    sqlite->crowd_runs = false;
    await_crowd(sqlite);
    for (struct list *link; (link = list_take_first(&crowd)) != NULL;) {
        struct attempt *attempt = crowd_item(link);
        conclude(attempt, err.code == ERR_OK ? &attempt->result : &err);
    }
}

static void on_waited(struct op *op)
{
    struct attempt *attempt = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (err.code == ERR_OK)
        try_once(attempt);
    else
        finish(attempt, &err);
}

static void cancel_call(struct op *op)
{
    struct attempt *attempt = container_of(op, struct store_call, op)->impl;
    if (attempt == NULL) /* it is finishing */
        return;
    attempt->cancelled = true;
    if (op_is_pending(&attempt->delay.op)) {
        op_cancel(&attempt->delay.op);
    } else if (!shares(attempt)) {
        op_cancel(&attempt->job.op);
    } /* else it is written with others: that ends soon, and says how */
}

static const struct op_kind kind = {
    .name = "store.sqlite", .cancel = cancel_call, .release = store_call_release};

static void start(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct store_sqlite *sqlite = container_of(store, struct store_sqlite, store);
    struct attempt *attempt = mem_zalloc(1, sizeof *attempt);
    op_begin(&call->op, &kind, store->loop, waiter);
    store_call_begin(call);
    call->impl = attempt;
    if (attempt == NULL) {
        op_finish(&call->op, ERR_NO_MEMORY, "no memory for a call to the store");
        return;
    }
    attempt->call = call;
    list_push(&sqlite->attempts, &attempt->link);
    closing_enter(&sqlite->closing);
    attempt->deadline_ms = loop_now_ms(store->loop) + sqlite->options.timeout_ms;
    attempt->now_ms = loop_wall_ms(store->loop);
    try_once(attempt);
}

static enum err_code ready(struct store *store, struct err *err)
{
    const struct store_sqlite *sqlite = container_of(store, const struct store_sqlite, store);
    *err = sqlite->last;
    return err->code;
}

static void free_store(struct closing *closing)
{
    struct store_sqlite *sqlite = container_of(closing, struct store_sqlite, closing);
    store_sqlite_alive_destroy(sqlite->parts.alive);
    store_sqlite_journal_destroy(sqlite->parts.journal);
    mem_free(sqlite);
}

static void attend(struct store *store, struct str instance)
{
    store_sqlite_alive_name(container_of(store, struct store_sqlite, store)->parts.alive, instance);
}

static void close_store(struct store *store, void (*on_closed)(void *owner), void *owner)
{
    struct store_sqlite *sqlite = container_of(store, struct store_sqlite, store);
    closing_begin(&sqlite->closing, on_closed, owner);
    sqlite->options.attempts = 0; /* nothing is tried again */
    timer_stop(&sqlite->crowd_timer);
    loop_unpost(&sqlite->crowd_task);
    for (struct list *link; (link = list_take_first(&sqlite->waiting)) != NULL;)
        finish(crowd_item(link), &given_up);
    LIST_EACH(link, &sqlite->attempts) {
        struct attempt *attempt = list_item(link, struct attempt, link);
        if (op_is_pending(&attempt->delay.op))
            op_cancel(&attempt->delay.op);
    }
    closing_enter(&sqlite->closing);
    sqlite_thread_close(sqlite->thread, closing_leave_part, &sqlite->closing);
}

struct store *store_sqlite_create(struct loop *loop, const struct store_sqlite_options *options)
{
    static const struct store_vtable vtable = {"sqlite", start, ready, close_store, attend};
    static closing_fn *const steps[] = {free_store, NULL};
    struct store_sqlite *sqlite = mem_zalloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return NULL;
    sqlite->store = (struct store){&vtable, loop};
    list_init(&sqlite->attempts);
    closing_init(&sqlite->closing, loop, steps);
    list_init(&sqlite->waiting);
    sqlite->options = *options;
    if (sqlite->options.timeout_ms == 0)
        sqlite->options.timeout_ms = STORE_TIMEOUT_MS;
    if (sqlite->options.attempts == 0)
        sqlite->options.attempts = DEFAULT_ATTEMPTS;
    if (sqlite->options.retry_ms == 0)
        sqlite->options.retry_ms = DEFAULT_RETRY_MS;
    sqlite->parts.journal = store_sqlite_journal_create();
    sqlite->parts.alive = store_sqlite_alive_create(options->path);
    const struct sqlite_thread_options thread = {
        .path = options->path,
        .queue_limit = options->queue_limit,
        .make_folder = true,
        .on_open = store_sqlite_prepare,
        .on_close = sqlite_row_forget,
        .owner = &sqlite->parts,
    };
    if (sqlite->parts.journal != NULL && sqlite->parts.alive != NULL)
        sqlite->thread = sqlite_thread_create(loop, &thread);
    if (sqlite->thread != NULL)
        return &sqlite->store;
    store_sqlite_alive_destroy(sqlite->parts.alive);
    store_sqlite_journal_destroy(sqlite->parts.journal);
    mem_free(sqlite);
    return NULL;
}
