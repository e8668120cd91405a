/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_pg.c - searches and changes as tasks of pg_passages.
 *
 * Happy path: vec_pg_wire makes the statements; a row says which vectors are held, rows become
 * hits. Failure paths: a table is not there              no hits; a change that only removes is
 * done a collection of another model     ERR_INVALID, and nothing of a change holds; but one that
 * is empty has no hits, whatever the server says of other dimensions else as pg_passages.h */
#include "backends/vectors/vec_pg.h"

#include <stdlib.h>

#include "backends/passages/passage_check.h"
#include "backends/passages/passage_pg.h"
#include "backends/vectors/vec_pg_wire.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

struct vec_pg {
    struct vec vec;
    struct pg_passages *passages;
    struct closing closing; /* out: passages */
};

static struct vec_pg *store_of(struct vec *vec)
{
    return container_of(vec, struct vec_pg, vec);
}

struct kind { /* of vectors that are asked for or added */
    struct str collection, model;
    size_t dimensions;
};

/* Whether what a collection holds is of the wanted kind, or nothing. */
static enum err_code check_kind(struct pg_passages_run *run, const struct pg_result *result,
                                const struct kind *wanted, struct err *err)
{
    uint64_t dimensions = 0;
    if (pg_task_row_count(result) == 0)
        return ERR_OK;
    struct str model = pg_task_cell(result, 0, VEC_PG_WIRE_MODEL);
    if (!str_to_u64(pg_task_cell(result, 0, VEC_PG_WIRE_DIMENSIONS), &dimensions))
        return err_set(err, ERR_PROTOCOL, "PostgreSQL gave dimensions that are no number");
    bool has_rows = str_equal(pg_task_cell(result, 0, VEC_PG_WIRE_HAS_ROWS), STR("t"));
    enum err_code code = passage_check_kind(wanted->collection, model, (size_t)dimensions,
                                            wanted->model, wanted->dimensions, err);
    run->is_empty = code != ERR_OK && !has_rows;
    return run->is_empty ? ERR_OK : code;
}

/* ---- searches ---- */

static enum err_code take_hits(struct pg_task *task, size_t step, const struct pg_result *result,
                               struct err *err)
{
    struct pg_passages_run *run = task->arg;
    const struct vec_query *query = run->request;
    if (step == run->kind_step)
        return check_kind(run, result,
                          &(struct kind){query->collection, query->model, query->dimensions}, err);
    if (step < run->kind_step)
        return ERR_OK;
    return passage_pg_read_hits(result, &run->arena, &run->hits, &run->hit_count, err);
}

static enum err_code prepare_search(struct pg_passages_run *run, struct err *err)
{
    run->task.on_rows = take_hits;
    return vec_pg_wire_search(run, run->request, err);
}

static void end_search(struct pg_passages_run *run, struct err *err)
{
    struct vec_search *search = container_of(run->op, struct vec_search, op);
    if (err->code == ERR_REJECTED && (run->is_empty || pg_passages_lacks_table(run)))
        *err = (struct err){0};
    if (err->code != ERR_OK || run->is_empty)
        return;
    if (run->hit_count > 1)
        qsort(run->hits, run->hit_count, sizeof *run->hits, passage_compare_hits);
    search->hits = run->hits;
    search->hit_count = size_min(run->hit_count, search->query->top_k);
}

static void cancel_search(struct op *op)
{
    pg_passages_cancel(container_of(op, struct vec_search, op)->impl);
}

static void release_search(struct op *op)
{
    struct vec_search *search = container_of(op, struct vec_search, op);
    pg_passages_release(search->impl);
    search->impl = NULL;
    search->hits = NULL;
    search->hit_count = 0;
}

static const struct op_kind search_kind = {
    .name = "vec.search", .cancel = cancel_search, .release = release_search};
static const struct pg_passages_kind search_course = {prepare_search, end_search, false};

static void start_search(struct vec *vec, struct vec_search *search, struct op_waiter waiter)
{
    op_begin(&search->op, &search_kind, vec->loop, waiter);
    search->impl = pg_passages_start(store_of(vec)->passages, &search->op, &search_course,
                                     search->query, search->query->timeout_ms);
}

/* ---- changes ---- */

static enum err_code take_kind(struct pg_task *task, size_t step, const struct pg_result *result,
                               struct err *err)
{
    struct pg_passages_run *run = task->arg;
    const struct vec_change *change = run->request;
    if (step != run->kind_step)
        return ERR_OK;
    return check_kind(run, result,
                      &(struct kind){change->collection, change->model, change->dimensions}, err);
}

static enum err_code prepare_write(struct pg_passages_run *run, struct err *err)
{
    run->task.on_rows = take_kind;
    return vec_pg_wire_change(run, run->request, err);
}

static void end_write(struct pg_passages_run *run, struct err *err)
{
    const struct vec_change *change = run->request;
    if (err->code == ERR_REJECTED && change->upsert_count == 0 && pg_passages_lacks_table(run))
        *err = (struct err){0};
}

static void cancel_write(struct op *op)
{
    pg_passages_cancel(container_of(op, struct vec_write, op)->impl);
}

static void release_write(struct op *op)
{
    struct vec_write *write = container_of(op, struct vec_write, op);
    pg_passages_release(write->impl);
    write->impl = NULL;
}

static const struct op_kind write_kind = {
    .name = "vec.write", .cancel = cancel_write, .release = release_write};
static const struct pg_passages_kind write_course = {prepare_write, end_write, true};

static void start_write(struct vec *vec, struct vec_write *write, struct op_waiter waiter)
{
    op_begin(&write->op, &write_kind, vec->loop, waiter);
    write->impl = pg_passages_start(store_of(vec)->passages, &write->op, &write_course,
                                    write->change, write->change->timeout_ms);
}

/* ---- the store ---- */

static enum err_code tell_ready(struct vec *vec, struct err *err)
{
    return pg_passages_ready(store_of(vec)->passages, err);
}

static void free_store(struct closing *closing)
{
    mem_free(container_of(closing, struct vec_pg, closing));
}

static void close_store(struct vec *vec, void (*on_closed)(void *owner), void *owner)
{
    struct vec_pg *store = store_of(vec);
    closing_begin(&store->closing, on_closed, owner);
    closing_enter(&store->closing);
    pg_passages_close(store->passages, closing_leave_part, &store->closing);
}

static const struct vec_vtable vtable = {"pgvector", start_search, start_write, tell_ready,
                                         close_store};

struct vec *vec_pg_create(struct loop *loop, const char *url, struct err *err)
{
    static closing_fn *const steps[] = {free_store, NULL};
    struct vec_pg *store = mem_zalloc(1, sizeof *store);
    if (store == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for the store of vectors");
        return NULL;
    }
    store->vec = (struct vec){.vtable = &vtable, .loop = loop};
    closing_init(&store->closing, loop, steps);
    store->passages = pg_passages_create(loop, url, err);
    if (store->passages != NULL)
        return &store->vec;
    mem_free(store);
    return NULL;
}
