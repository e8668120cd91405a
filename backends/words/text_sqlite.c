/* SPDX-License-Identifier: MIT */
/* backends/words/text_sqlite.c - every search and every change is one job of a thread.
 *
 * Happy path: start makes the job's arguments, the thread does all the work, done takes the result
 * over. Failure: bad requests, no memory, closing: finished at once; the rest is what the thread
 * and SQLite say. Closing finishes everything with ERR_CANCELLED by closing the threads. */
#include "backends/words/text_sqlite.h"

#include "backends/passages/passage_check.h"
#include "backends/words/sqlite_keywords.h"
#include "backends/sqlite/sqlite_pair.h"
#include "core/base/mem.h"

enum { DEFAULT_SEARCH_MS = 10000 };

static const size_t search_bytes = (size_t)128 << 20; /* a thousand of the longest passages */

struct text_sqlite {
    struct text text;
    struct sqlite_pair file;
};

struct searching {
    struct text_search *search;
    struct text_sqlite *sqlite;
    struct sqlite_job job;
    struct sqlite_keywords_search found;
    struct arena arena;
};

static struct text_sqlite *sqlite_of(struct text *text)
{
    return container_of(text, struct text_sqlite, text);
}

/* One operation ends as its job did. */
static void finish(struct text_sqlite *sqlite, struct op *op, const struct err *err)
{
    op_finish(op, err->code, "%s", err->text);
    sqlite_pair_end(&sqlite->file, err);
}

/* ---- searches ---- */

static void cancel_search(struct op *op)
{
    struct searching *searching = container_of(op, struct text_search, op)->impl;
    if (searching != NULL && !op_is_finishing(op))
        op_cancel(&searching->job.op);
}

static void release_search(struct op *op)
{
    struct text_search *search = container_of(op, struct text_search, op);
    struct searching *searching = search->impl;
    search->impl = NULL;
    search->hits = NULL;
    search->hit_count = 0;
    if (searching != NULL)
        arena_fini(&searching->arena);
    mem_free(searching);
}

static const struct op_kind search_kind = {
    .name = "text.search", .cancel = cancel_search, .release = release_search};

static enum err_code run_search(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    return sqlite_keywords_find(db, job->arg, err);
}

static void on_searched(struct op *op)
{
    struct searching *searching = op_owner(op);
    struct text_search *search = searching->search;
    struct err err = op->err;
    op_release(op);
    if (err.code == ERR_OK) {
        search->hits = searching->found.hits;
        search->hit_count = searching->found.hit_count;
    }
    finish(searching->sqlite, &search->op, &err);
}

static void start_search(struct text *text, struct text_search *search, struct op_waiter waiter)
{
    struct text_sqlite *sqlite = sqlite_of(text);
    uint64_t timeout_ms = search->query->timeout_ms;
    struct err err = {0};
    op_begin(&search->op, &search_kind, text->loop, waiter);
    search->impl = NULL;
    if (closing_is_begun(&sqlite->file.closing)) {
        op_finish(&search->op, ERR_CANCELLED, "the store of words is being closed");
        return;
    }
    if (passage_check_text_query(search->query, &err) != ERR_OK) {
        op_finish_err(&search->op, &err);
        return;
    }
    struct searching *searching = mem_zalloc(1, sizeof *searching);
    search->impl = searching;
    if (searching == NULL) {
        op_finish(&search->op, ERR_NO_MEMORY, "no memory for a search");
        return;
    }
    searching->search = search;
    searching->sqlite = sqlite;
    arena_init(&searching->arena, search_bytes);
    searching->found =
        (struct sqlite_keywords_search){.query = search->query, .arena = &searching->arena};
    sqlite_pair_begin(&sqlite->file);
    sqlite_job_start(&searching->job, sqlite->file.reads, run_search, &searching->found,
                     timeout_ms == 0 ? DEFAULT_SEARCH_MS : timeout_ms,
                     (struct op_waiter){.done = on_searched, .owner = searching});
}

/* ---- writes ---- */

static void cancel_write(struct op *op)
{
    sqlite_pair_change_cancel(container_of(op, struct text_write, op)->impl);
}

static void release_write(struct op *op)
{
    struct text_write *write = container_of(op, struct text_write, op);
    mem_free(write->impl);
    write->impl = NULL;
}

static const struct op_kind write_kind = {
    .name = "text.write", .cancel = cancel_write, .release = release_write};

static enum err_code run_write(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    const struct sqlite_pair_change *asked = job->arg;
    return sqlite_keywords_change(db, asked->change, err);
}

static void start_write(struct text *text, struct text_write *write, struct op_waiter waiter)
{
    struct text_sqlite *sqlite = sqlite_of(text);
    op_begin(&write->op, &write_kind, text->loop, waiter);
    write->impl = sqlite_pair_change_start(&sqlite->file, &write->op, run_write, write->change,
                                           write->change->timeout_ms, sqlite);
}

/* ---- the whole ---- */

static enum err_code tell_ready(struct text *text, struct err *err)
{
    return sqlite_pair_ready(&sqlite_of(text)->file, err);
}

static void free_sqlite(struct closing *closing)
{
    mem_free(container_of(closing, struct text_sqlite, file.closing));
}

static void close_sqlite(struct text *text, void (*on_closed)(void *owner), void *owner)
{
    sqlite_pair_close(&sqlite_of(text)->file, on_closed, owner);
}

static const struct text_vtable vtable = {.name = "fts5",
                                          .search_start = start_search,
                                          .write_start = start_write,
                                          .ready = tell_ready,
                                          .close = close_sqlite};

struct text *text_sqlite_create(struct loop *loop, const char *path)
{
    static closing_fn *const steps[] = {free_sqlite, NULL};
    const struct sqlite_thread_options options = {
        .path = path, .make_folder = true, .on_open = sqlite_keywords_prepare};
    struct text_sqlite *sqlite = mem_zalloc(1, sizeof *sqlite);
    if (sqlite == NULL)
        return NULL;
    sqlite->text = (struct text){&vtable, loop};
    return sqlite_pair_open(&sqlite->file, loop, &options, &options, steps) ? &sqlite->text : NULL;
}
