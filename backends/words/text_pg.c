/* SPDX-License-Identifier: MIT */
/* backends/words/text_pg.c - searches and changes as tasks of pg_passages.
 *
 * Happy path: text_pg_wire makes the statements; rows become hits as they come. Failure paths: the
 * table is not there: no hits; else as pg_passages.h. */
#include "backends/words/text_pg.h"

#include "backends/passages/passage_pg.h"
#include "backends/passages/pg_passages.h"
#include "backends/words/text_pg_wire.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

struct text_pg {
    struct text text;
    struct pg_passages *passages;
    struct closing closing; /* out: passages */
};

static struct text_pg *store_of(struct text *text)
{
    return container_of(text, struct text_pg, text);
}

/* ---- searches ---- */

static enum err_code take_hits(struct pg_task *task, size_t step, const struct pg_result *result,
                               struct err *err)
{
    struct pg_passages_run *run = task->arg;
    (void)step;
    return passage_pg_read_hits(result, &run->arena, &run->hits, &run->hit_count, err);
}

static enum err_code prepare_search(struct pg_passages_run *run, struct err *err)
{
    run->task.on_rows = take_hits;
    return text_pg_wire_search(&run->task, &run->arena, run->request, err);
}

static void end_search(struct pg_passages_run *run, struct err *err)
{
    struct text_search *search = container_of(run->op, struct text_search, op);
    if (err->code != ERR_OK && pg_passages_lacks_table(run))
        *err = (struct err){0}; /* nothing was ever added */
    if (err->code != ERR_OK)
        return;
    search->hits = run->hits;
    search->hit_count = run->hit_count;
}

static void cancel_search(struct op *op)
{
    pg_passages_cancel(container_of(op, struct text_search, op)->impl);
}

static void release_search(struct op *op)
{
    struct text_search *search = container_of(op, struct text_search, op);
    pg_passages_release(search->impl);
    search->impl = NULL;
    search->hits = NULL;
    search->hit_count = 0;
}

static const struct op_kind search_kind = {
    .name = "text.search", .cancel = cancel_search, .release = release_search};
static const struct pg_passages_kind search_course = {prepare_search, end_search, false};

static void start_search(struct text *text, struct text_search *search, struct op_waiter waiter)
{
    op_begin(&search->op, &search_kind, text->loop, waiter);
    search->impl = pg_passages_start(store_of(text)->passages, &search->op, &search_course,
                                     search->query, search->query->timeout_ms);
}

/* ---- changes ---- */

static enum err_code prepare_write(struct pg_passages_run *run, struct err *err)
{
    return text_pg_wire_change(&run->task, &run->arena, run->request, err);
}

static void end_write(struct pg_passages_run *run UNUSED, struct err *err UNUSED)
{
}

static void cancel_write(struct op *op)
{
    pg_passages_cancel(container_of(op, struct text_write, op)->impl);
}

static void release_write(struct op *op)
{
    struct text_write *write = container_of(op, struct text_write, op);
    pg_passages_release(write->impl);
    write->impl = NULL;
}

static const struct op_kind write_kind = {
    .name = "text.write", .cancel = cancel_write, .release = release_write};
static const struct pg_passages_kind write_course = {prepare_write, end_write, true};

static void start_write(struct text *text, struct text_write *write, struct op_waiter waiter)
{
    op_begin(&write->op, &write_kind, text->loop, waiter);
    write->impl = pg_passages_start(store_of(text)->passages, &write->op, &write_course,
                                    write->change, write->change->timeout_ms);
}

/* ---- the store ---- */

static enum err_code tell_ready(struct text *text, struct err *err)
{
    return pg_passages_ready(store_of(text)->passages, err);
}

static void free_store(struct closing *closing)
{
    mem_free(container_of(closing, struct text_pg, closing));
}

static void close_store(struct text *text, void (*on_closed)(void *owner), void *owner)
{
    struct text_pg *store = store_of(text);
    closing_begin(&store->closing, on_closed, owner);
    closing_enter(&store->closing);
    pg_passages_close(store->passages, closing_leave_part, &store->closing);
}

static const struct text_vtable vtable = {"postgresql", start_search, start_write, tell_ready,
                                          close_store};

struct text *text_pg_create(struct loop *loop, const char *url, struct err *err)
{
    static closing_fn *const steps[] = {free_store, NULL};
    struct text_pg *store = mem_zalloc(1, sizeof *store);
    if (store == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for the store of words");
        return NULL;
    }
    store->text = (struct text){.vtable = &vtable, .loop = loop};
    closing_init(&store->closing, loop, steps);
    store->passages = pg_passages_create(loop, url, err);
    if (store->passages != NULL)
        return &store->text;
    mem_free(store);
    return NULL;
}
