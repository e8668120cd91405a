/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_local.c - searches as reactors over image, scan and file; writes as jobs.
 *
 * Happy path: a search finds the image fresh, or waits until the file was looked at; scans, on the
 * loop when it is little and else in the pool; reads its passages from the file; ends.
 * Failure paths:
 * - file missing, damaged, locked: what waits for it ends with ERR_UNAVAILABLE, the next one tries
 *   again;
 * - hits gone since the image was made: looked for again in a new one, MAX_ROUNDS times;
 * - cancelled or late: what is under way is told to stop, the search ends when it has;
 * - closed: all end with ERR_CANCELLED; the pool and the threads are waited for. */
#include "backends/vectors/vec_local.h"

#include "backends/passages/passage_check.h"
#include "backends/sqlite/sqlite_pair.h"
#include "backends/vectors/sqlite_vectors.h"
#include "backends/vectors/vec_index.h"
#include "backends/vectors/vec_indexer.h"
#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "core/loop/work.h"

enum { DEFAULT_SEARCH_MS = 10000, MAX_ROUNDS = 3 };
enum { LOOP_FLOATS = 256 * 1024 }; /* scanned on the loop: some 50 us, 200 when not in a cache */

static const size_t run_bytes = (size_t)128 << 20; /* of one search: a thousand of the longest */

enum phase { PHASE_WAITING, PHASE_SCANNING, PHASE_FETCHING, PHASE_ENDED };

struct vec_local {
    struct vec vec;
    struct vec_shared *shared;
    struct sqlite_pair file;
    struct sqlite_job look; /* at the file */
    struct vec_indexer indexer;
    struct list served, waiting; /* runs: by the look under way, by the next one */
    struct list scanning;        /* runs */
    bool looking;
};

struct run { /* of one search */
    struct vec_search *search;
    struct vec_local *local;
    struct list link; /* by phase */
    enum phase phase;
    unsigned rounds;
    enum err_code why; /* it is to end early: ERR_CANCELLED, ERR_TIMEOUT */
    atomic_bool stop;
    struct timer deadline;
    struct vec_image *image;
    struct vec_scan scan;
    struct work work;
    struct sqlite_job job;
    struct sqlite_vectors_fetch fetch;
    struct arena arena;
};

static struct vec_local *local_of(struct vec *vec)
{
    return container_of(vec, struct vec_local, vec);
}

static void begin_look(struct vec_local *local);

/* ---- the end of a search ---- */

static void finish_search(struct run *run, const struct err *err)
{
    struct vec_local *local = run->local;
    struct vec_search *search = run->search;
    timer_stop(&run->deadline);
    list_remove(&run->link);
    vec_image_unref(run->image);
    run->image = NULL;
    run->phase = PHASE_ENDED;
    if (err->code == ERR_OK) {
        search->hits = run->fetch.hits;
        search->hit_count = run->fetch.hit_count;
    }
    op_finish(&search->op, err->code, "%s", err->text);
    sqlite_pair_end(&local->file, err);
}

/* Whether the run was told to end meanwhile; the run has then ended. */
static bool end_early(struct run *run)
{
    struct err err;
    if (run->why == ERR_OK && closing_is_begun(&run->local->file.closing))
        run->why = ERR_CANCELLED;
    if (run->why == ERR_OK)
        return false;
    err_set(&err, run->why, "the search %s",
            run->why == ERR_TIMEOUT ? "ran into its deadline" : "was cancelled");
    finish_search(run, &err);
    return true;
}

static void stop_search(struct run *run, enum err_code why)
{
    if (run->why != ERR_OK || run->phase == PHASE_ENDED)
        return;
    run->why = why;
    if (run->phase == PHASE_WAITING) {
        end_early(run);
    } else if (run->phase == PHASE_SCANNING) {
        atomic_store(&run->stop, true);
        op_cancel(&run->work.op);
    } else {
        op_cancel(&run->job.op);
    }
}

static void on_late(struct timer *timer)
{
    stop_search(container_of(timer, struct run, deadline), ERR_TIMEOUT);
}

static void cancel_search(struct op *op)
{
    struct run *run = container_of(op, struct vec_search, op)->impl;
    if (run != NULL)
        stop_search(run, ERR_CANCELLED);
}

static void release_search(struct op *op)
{
    struct vec_search *search = container_of(op, struct vec_search, op);
    struct run *run = search->impl;
    search->impl = NULL;
    search->hits = NULL;
    search->hit_count = 0;
    if (run != NULL)
        arena_fini(&run->arena);
    mem_free(run);
}

static const struct op_kind search_kind = {
    .name = "vec.search", .cancel = cancel_search, .release = release_search};

/* ---- its course ---- */

static void await_look(struct run *run)
{
    struct vec_local *local = run->local;
    run->phase = PHASE_WAITING;
    list_push(&local->waiting, &run->link);
    if (!local->looking)
        begin_look(local);
}

static void on_fetched(struct op *op)
{
    struct run *run = op_owner(op);
    struct err err = op->err;
    op_release(op);
    sqlite_pair_note(&run->local->file, &err);
    if (end_early(run))
        return;
    if (err.code != ERR_OK || run->fetch.lost == 0 || ++run->rounds == MAX_ROUNDS) {
        finish_search(run, &err);
        return;
    }
    vec_shared_note_write(run->local->shared); /* somebody else's */
    vec_image_unref(run->image);
    run->image = NULL;
    await_look(run);
}

/* The image goes here, too: the last holder of an old one frees hundreds of megabytes. */
static enum err_code run_fetch(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    struct run *run = container_of(job, struct run, job);
    enum err_code code = sqlite_vectors_fetch(db, &run->fetch, err);
    vec_image_unref(run->image);
    run->image = NULL;
    return code;
}

static void begin_fetch(struct run *run)
{
    list_remove(&run->link);
    vec_scan_sort(&run->scan);
    run->fetch = (struct sqlite_vectors_fetch){
        .scan = &run->scan, .query = run->search->query, .arena = &run->arena};
    if (run->scan.hit_count == 0) {
        finish_search(run, &(struct err){0});
        return;
    }
    run->phase = PHASE_FETCHING;
    sqlite_job_start(&run->job, run->local->file.reads, run_fetch, run, 0,
                     (struct op_waiter){.done = on_fetched, .owner = run});
}

static enum err_code scan_all(struct work *work, struct err *err)
{
    struct run *run = work->arg;
    (void)err;
    if (vec_index_scan(&run->scan, &run->stop))
        return ERR_OK;
    for (size_t i = 0; i < vec_scan_blocks(&run->scan) && !atomic_load(&run->stop); i++)
        vec_scan_block(&run->scan, i);
    return ERR_OK;
}

static void on_scanned(struct op *op)
{
    struct run *run = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (end_early(run))
        return;
    if (err.code != ERR_OK)
        finish_search(run, &err);
    else
        begin_fetch(run);
}

static void begin_scan(struct run *run)
{
    const struct vec_query *query = run->search->query;
    struct err err = {0};
    run->image = vec_shared_take(run->local->shared);
    const struct vec_collection *collection = vec_image_find(run->image, query->collection);
    if (collection == NULL) {
        finish_search(run, &err);
        return;
    }
    enum err_code code =
        passage_check_kind(collection->name, collection->model, collection->rows->dimensions,
                           query->model, query->dimensions, &err);
    if (code == ERR_OK)
        code = vec_scan_begin(&run->scan, collection, query, &run->arena, &err);
    if (code != ERR_OK) {
        finish_search(run, &err);
        return;
    }
    run->phase = PHASE_SCANNING;
    list_push(&run->local->scanning, &run->link);
    if (collection->count * collection->rows->stride > LOOP_FLOATS) {
        work_start(&run->work, run->local->vec.loop, scan_all, run,
                   (struct op_waiter){.done = on_scanned, .owner = run});
        return;
    }
    for (size_t i = 0; i < vec_scan_blocks(&run->scan); i++)
        vec_scan_block(&run->scan, i);
    begin_fetch(run);
}

static void start_search(struct vec *vec, struct vec_search *search, struct op_waiter waiter)
{
    struct vec_local *local = local_of(vec);
    const struct vec_query *query = search->query;
    struct err err = {0};
    op_begin(&search->op, &search_kind, vec->loop, waiter);
    search->impl = NULL;
    if (closing_is_begun(&local->file.closing)) {
        op_finish(&search->op, ERR_CANCELLED, "the store of vectors is being closed");
        return;
    }
    if (passage_check_vec_query(query, &err) != ERR_OK) {
        op_finish_err(&search->op, &err);
        return;
    }
    struct run *run = mem_zalloc(1, sizeof *run);
    search->impl = run;
    if (run == NULL) {
        op_finish(&search->op, ERR_NO_MEMORY, "no memory for a search");
        return;
    }
    run->search = search;
    run->local = local;
    atomic_init(&run->stop, false);
    arena_init(&run->arena, run_bytes);
    list_init(&run->link);
    sqlite_pair_begin(&local->file);
    timer_start(&run->deadline, vec->loop,
                query->timeout_ms == 0 ? DEFAULT_SEARCH_MS : query->timeout_ms, on_late);
    if (vec_shared_is_fresh(local->shared))
        begin_scan(run);
    else
        await_look(run);
}

/* ---- looking at the file ---- */

static enum err_code run_look(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    return vec_shared_refresh(job->arg, db, err);
}

static void on_looked(struct op *op)
{
    struct vec_local *local = op_owner(op);
    struct err err = op->err;
    struct list served;
    local->looking = false;
    op_release(op);
    list_init(&served);
    list_append(&served, &local->served);
    for (struct list *link; (link = list_take_first(&served)) != NULL;) {
        struct run *run = list_item(link, struct run, link);
        if (end_early(run))
            continue;
        if (err.code != ERR_OK)
            finish_search(run, &err);
        else
            begin_scan(run);
    }
    if (!list_is_empty(&local->waiting) && !closing_is_begun(&local->file.closing))
        begin_look(local);
    vec_indexer_consider(&local->indexer);
    sqlite_pair_end(&local->file, &err);
}

static void begin_look(struct vec_local *local)
{
    local->looking = true;
    sqlite_pair_begin(&local->file);
    list_append(&local->served, &local->waiting);
    sqlite_job_start(&local->look, local->file.writes, run_look, local->shared, 0,
                     (struct op_waiter){.done = on_looked, .owner = local});
}

/* ---- writes ---- */

static void cancel_write(struct op *op)
{
    sqlite_pair_change_cancel(container_of(op, struct vec_write, op)->impl);
}

static void release_write(struct op *op)
{
    struct vec_write *write = container_of(op, struct vec_write, op);
    mem_free(write->impl);
    write->impl = NULL;
}

static const struct op_kind write_kind = {
    .name = "vec.write", .cancel = cancel_write, .release = release_write};

static enum err_code run_write(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    const struct sqlite_pair_change *asked = job->arg;
    const struct vec_local *local = asked->owner;
    enum err_code code = sqlite_vectors_change(db, asked->change, err);
    vec_shared_note_write(local->shared);
    return code;
}

static void start_write(struct vec *vec, struct vec_write *write, struct op_waiter waiter)
{
    struct vec_local *local = local_of(vec);
    op_begin(&write->op, &write_kind, vec->loop, waiter);
    write->impl = sqlite_pair_change_start(&local->file, &write->op, run_write, write->change,
                                           write->change->timeout_ms, local);
}

/* ---- the whole ---- */

static enum err_code tell_ready(struct vec *vec, struct err *err)
{
    return sqlite_pair_ready(&local_of(vec)->file, err);
}

static void free_local(struct closing *closing)
{
    struct vec_local *local = container_of(closing, struct vec_local, file.closing);
    vec_shared_unref(local->shared);
    mem_free(local);
}

static void on_indexer_idle(struct vec_indexer *indexer)
{
    struct vec_local *local = container_of(indexer, struct vec_local, indexer);
    if (closing_is_begun(&local->file.closing))
        closing_leave(&local->file.closing);
}

static void close_local(struct vec *vec, void (*on_closed)(void *owner), void *owner)
{
    struct vec_local *local = local_of(vec);
    if (vec_indexer_is_running(&local->indexer))
        closing_enter(&local->file.closing); /* until it is idle */
    vec_indexer_stop(&local->indexer);
    LIST_EACH_SAFE(link, &local->waiting)
        stop_search(list_item(link, struct run, link), ERR_CANCELLED);
    LIST_EACH_SAFE(scan, &local->scanning)
        stop_search(list_item(scan, struct run, link), ERR_CANCELLED);
    sqlite_pair_close(&local->file, on_closed, owner);
}

static const struct vec_vtable vtable = {"local", start_search, start_write, tell_ready,
                                         close_local};

struct vec *vec_local_create(struct loop *loop, struct vec_shared *shared)
{
    static closing_fn *const steps[] = {free_local, NULL};
    struct vec_local *local = mem_zalloc(1, sizeof *local);
    if (local == NULL)
        return NULL;
    *local = (struct vec_local){.vec = {&vtable, loop}, .shared = vec_shared_ref(shared)};
    list_init(&local->served);
    list_init(&local->waiting);
    list_init(&local->scanning);
    vec_indexer_init(&local->indexer, loop, shared, on_indexer_idle);
    const char *path = vec_shared_path(shared);
    const struct sqlite_thread_options writes = {
        .path = path, .make_folder = true, .on_open = sqlite_vectors_prepare};
    const struct sqlite_thread_options reads = {.path = path, .read_only = true};
    return sqlite_pair_open(&local->file, loop, &reads, &writes, steps) ? &local->vec : NULL;
}
