/* SPDX-License-Identifier: MIT */
/* server/run_marks.c - a timer, a buffer and one call in flight per run.
 *
 * Happy path: the hook starts the timer, which writes where the run is then; the store's answer
 * starts it again when there is more.
 * Failure paths:
 * - the store cannot be used: the next checkpoint is full and waits longer;
 * - the record is not there yet, or no more ours: so too, a few times, then none is written;
 * - no memory, or a state beyond MOST_BYTES: logged, none is written until the next superstep. */
#include "server/run_marks.h"

#include "core/base/mem.h"
#include "core/checkpoint.h"
#include "core/timer.h"

enum { MOST_BYTES = 32 * 1024 * 1024, FIRST_PAUSE_MS = 100, MOST_PAUSES = 6, NAMES_BYTES = 4096 };

struct run_marks {
    struct run_marks_options options;
    struct list marks;
};

struct run_mark {
    struct list link;
    struct run_marks *marks;
    struct run *run; /* NULL: it is gone */
    struct timer timer;
    struct arena arena; /* of the run's id */
    struct buf bytes;   /* being written */
    struct store_mark ask;
    struct store_call call;
    uint64_t version;
    unsigned pauses; /* since one was written */
    bool hurries;
};

struct run_marks *run_marks_create(const struct run_marks_options *options)
{
    struct run_marks *marks = mem_zalloc(1, sizeof *marks);
    if (marks == NULL)
        return NULL;
    marks->options = *options;
    list_init(&marks->marks);
    return marks;
}

void run_marks_destroy(struct run_marks *marks)
{
    if (marks == NULL)
        return;
    CHECK(list_is_empty(&marks->marks));
    mem_free(marks);
}

bool run_marks_is_writing(const struct run_marks *marks, struct str run_id)
{
    LIST_EACH(link, &marks->marks) {
        const struct run_mark *mark = list_item(link, const struct run_mark, link);
        if (str_equal(mark->ask.fence.run_id, run_id) && op_is_pending(&mark->call.op))
            return true;
    }
    return false;
}

struct run_mark *run_mark_begin(struct run_marks *marks, struct run *run, uint64_t epoch,
                                uint64_t version)
{
    struct run_mark *mark = mem_zalloc(1, sizeof *mark);
    if (mark == NULL)
        return NULL;
    arena_init(&mark->arena, NAMES_BYTES);
    struct str id = arena_str(&mark->arena, str_of(run_id(run)));
    if (str_is_absent(id)) {
        mem_free(mark);
        return NULL;
    }
    mark->marks = marks;
    mark->run = run;
    mark->version = version;
    mark->ask.fence = (struct store_fence){id, marks->options.instance, epoch};
    buf_init(&mark->bytes, MOST_BYTES);
    list_push(&marks->marks, &mark->link);
    return mark;
}

/* ---- writing ---- */

static void write_mark(struct run_mark *mark);

static void on_due(struct timer *timer)
{
    write_mark(container_of(timer, struct run_mark, timer));
}

static void await(struct run_mark *mark, uint64_t ms)
{
    if (!timer_is_running(&mark->timer) && !op_is_pending(&mark->call.op))
        timer_start(&mark->timer, mark->marks->options.loop, ms, on_due);
}

static void free_mark(struct run_mark *mark)
{
    list_remove(&mark->link);
    buf_fini(&mark->bytes);
    arena_fini(&mark->arena);
    mem_free(mark);
}

static void note_failure(struct run_mark *mark, const struct err *err)
{
    const struct run_marks_options *o = &mark->marks->options;
    checkpoint_forget(mark->run);
    if (++mark->pauses == MOST_PAUSES)
        LOG(o->log, WARN, "run.not_marked", "run=%.*s code=%s text=\"%s\"",
            STR_ARG(mark->ask.fence.run_id), err_name(err->code), err->text);
    if (mark->pauses < MOST_PAUSES)
        await(mark, (uint64_t)FIRST_PAUSE_MS << mark->pauses);
}

static void on_written(struct op *op)
{
    struct run_mark *mark = op_owner(op);
    struct err err = op->err;
    op_release(op);
    buf_fini(&mark->bytes);
    if (mark->run == NULL) {
        free_mark(mark);
        return;
    }
    if (err.code != ERR_OK) {
        note_failure(mark, &err);
        return;
    }
    mark->pauses = 0;
    if (checkpoint_is_due(mark->run))
        await(mark, mark->hurries ? 0 : mark->marks->options.delay_ms);
}

static void write_mark(struct run_mark *mark)
{
    const struct run_marks_options *o = &mark->marks->options;
    struct store_checkpoint *checkpoint = &mark->ask.checkpoint;
    if (!checkpoint_is_due(mark->run))
        return;
    if (!checkpoint_write(mark->run, &mark->bytes, &checkpoint->step, &checkpoint->is_full)) {
        LOG(o->log, WARN, "run.not_marked", "run=%.*s code=too_large",
            STR_ARG(mark->ask.fence.run_id));
        buf_fini(&mark->bytes);
        return;
    }
    checkpoint->version = ++mark->version;
    checkpoint->bytes = buf_str(&mark->bytes);
    store_mark_start(&mark->call, o->store, &mark->ask,
                     (struct op_waiter){.done = on_written, .owner = mark});
}

void run_mark_stepped(struct run_mark *mark)
{
    if (mark != NULL && mark->pauses < MOST_PAUSES)
        await(mark, mark->marks->options.delay_ms);
}

void run_mark_pause(struct run_mark *mark)
{
    if (mark == NULL)
        return;
    mark->hurries = true;
    timer_stop(&mark->timer);
    if (!op_is_pending(&mark->call.op)) /* else when that is written */
        write_mark(mark);
}

void run_mark_leave(struct run_mark *mark)
{
    if (mark == NULL)
        return;
    timer_stop(&mark->timer);
    mark->run = NULL;
    if (!op_is_pending(&mark->call.op))
        free_mark(mark);
}
