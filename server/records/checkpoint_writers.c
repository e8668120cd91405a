/* SPDX-License-Identifier: MIT */
/* server/records/checkpoint_writers.c - a timer, a buffer and one call in flight per run.
 *
 * Happy path: the hook starts the timer, which writes a checkpoint of where the run is then; the
 * answer of the store starts the timer again when there was another superstep.
 * Failure paths:
 * - the store cannot be used: the next checkpoint is full and waits longer;
 * - the record is not there yet, or is another server's by now: the next checkpoint is full and
 *   waits longer, a few times; then none is written any more;
 * - no memory, or a state beyond MOST_BYTES: logged, no checkpoint until the next superstep. */
#include "server/records/checkpoint_writers.h"

#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/run/checkpoint.h"
#include "core/loop/timer.h"

enum { MOST_BYTES = 32 * 1024 * 1024, FIRST_PAUSE_MS = 100, MOST_PAUSES = 6, NAMES_BYTES = 4096 };

struct checkpoint_writers {
    struct checkpoint_writers_options options;
    struct list checkpoint_writers;
    struct map writing; /* run id -> the checkpoint writer that has a write in flight */
};

struct checkpoint_writer {
    struct list link;
    struct checkpoint_writers *checkpoint_writers;
    struct run *run; /* NULL: the run is gone */
    struct timer timer;
    struct arena arena; /* of the run's id */
    struct buf bytes;   /* being written */
    struct store_mark ask;
    struct store_call call;
    uint64_t version;
    unsigned pauses; /* since a checkpoint was written */
    bool hurries;
    bool is_awaited; /* the next one is written without delay */
};

struct checkpoint_writers *
checkpoint_writers_create(const struct checkpoint_writers_options *options)
{
    struct checkpoint_writers *checkpoint_writers = mem_zalloc(1, sizeof *checkpoint_writers);
    if (checkpoint_writers == NULL)
        return NULL;
    checkpoint_writers->options = *options;
    list_init(&checkpoint_writers->checkpoint_writers);
    map_init(&checkpoint_writers->writing);
    return checkpoint_writers;
}

void checkpoint_writers_destroy(struct checkpoint_writers *checkpoint_writers)
{
    if (checkpoint_writers == NULL)
        return;
    CHECK(list_is_empty(&checkpoint_writers->checkpoint_writers));
    map_fini(&checkpoint_writers->writing);
    mem_free(checkpoint_writers);
}

bool checkpoint_writers_is_writing(const struct checkpoint_writers *checkpoint_writers,
                                   struct str run_id)
{
    return map_find(&checkpoint_writers->writing, run_id) != NULL;
}

struct checkpoint_writer *checkpoint_writer_begin(struct checkpoint_writers *checkpoint_writers,
                                                  struct run *run, uint64_t epoch, uint64_t version)
{
    struct checkpoint_writer *checkpoint_writer = mem_zalloc(1, sizeof *checkpoint_writer);
    if (checkpoint_writer == NULL)
        return NULL;
    arena_init(&checkpoint_writer->arena, NAMES_BYTES);
    struct str id = arena_str(&checkpoint_writer->arena, str_of(run_id(run)));
    if (str_is_absent(id)) {
        mem_free(checkpoint_writer);
        return NULL;
    }
    checkpoint_writer->checkpoint_writers = checkpoint_writers;
    checkpoint_writer->run = run;
    checkpoint_writer->version = version;
    checkpoint_writer->ask.fence =
        (struct store_fence){id, checkpoint_writers->options.instance, epoch};
    buf_init(&checkpoint_writer->bytes, MOST_BYTES);
    list_push(&checkpoint_writers->checkpoint_writers, &checkpoint_writer->link);
    return checkpoint_writer;
}

/* ---- writing ---- */

static void write_mark(struct checkpoint_writer *checkpoint_writer);

static void on_due(struct timer *timer)
{
    write_mark(container_of(timer, struct checkpoint_writer, timer));
}

static void await(struct checkpoint_writer *checkpoint_writer, uint64_t ms)
{
    if (!timer_is_running(&checkpoint_writer->timer) && !op_is_pending(&checkpoint_writer->call.op))
        timer_start(&checkpoint_writer->timer, checkpoint_writer->checkpoint_writers->options.loop,
                    ms, on_due);
}

/* Note that a write begins. This worker may have the run twice, when it took the run over from
 * itself: the later one counts. False: no memory. */
static bool enter_writing(struct checkpoint_writer *checkpoint_writer)
{
    struct map *writing = &checkpoint_writer->checkpoint_writers->writing;
    struct str run_id = checkpoint_writer->ask.fence.run_id;
    (void)map_take(writing, run_id); /* the map keeps the id of the entry that it holds */
    return map_put(writing, run_id, checkpoint_writer);
}

static void leave_writing(const struct checkpoint_writer *checkpoint_writer)
{
    struct map *writing = &checkpoint_writer->checkpoint_writers->writing;
    struct str run_id = checkpoint_writer->ask.fence.run_id;
    if (map_find(writing, run_id) == checkpoint_writer)
        (void)map_take(writing, run_id);
}

static void free_mark(struct checkpoint_writer *checkpoint_writer)
{
    list_remove(&checkpoint_writer->link);
    buf_fini(&checkpoint_writer->bytes);
    arena_fini(&checkpoint_writer->arena);
    mem_free(checkpoint_writer);
}

static void note_failure(struct checkpoint_writer *checkpoint_writer, const struct err *err)
{
    const struct checkpoint_writers_options *o = &checkpoint_writer->checkpoint_writers->options;
    checkpoint_forget(checkpoint_writer->run);
    if (++checkpoint_writer->pauses == MOST_PAUSES)
        LOG(o->log, WARN, "run.not_marked", "run=%.*s code=%s text=\"%s\"",
            STR_ARG(checkpoint_writer->ask.fence.run_id), err_name(err->code), err->text);
    if (checkpoint_writer->pauses >= MOST_PAUSES)
        run_saved(checkpoint_writer->run, false);
    else
        await(checkpoint_writer, (uint64_t)FIRST_PAUSE_MS << checkpoint_writer->pauses);
}

static void on_written(struct op *op)
{
    struct checkpoint_writer *checkpoint_writer = op_owner(op);
    struct err err = op->err;
    op_release(op);
    leave_writing(checkpoint_writer);
    buf_fini(&checkpoint_writer->bytes);
    if (checkpoint_writer->run == NULL) {
        free_mark(checkpoint_writer);
        return;
    }
    if (err.code != ERR_OK) {
        note_failure(checkpoint_writer, &err);
        return;
    }
    checkpoint_writer->pauses = 0;
    run_saved(checkpoint_writer->run, true);
    if (checkpoint_is_due(checkpoint_writer->run))
        await(checkpoint_writer, checkpoint_writer->hurries || checkpoint_writer->is_awaited
                                     ? 0
                                     : checkpoint_writer->checkpoint_writers->options.delay_ms);
}

static void write_mark(struct checkpoint_writer *checkpoint_writer)
{
    const struct checkpoint_writers_options *o = &checkpoint_writer->checkpoint_writers->options;
    struct store_checkpoint *checkpoint = &checkpoint_writer->ask.checkpoint;
    if (!checkpoint_is_due(checkpoint_writer->run)) {
        run_saved(checkpoint_writer->run, false); /* who waits, waits for one that never comes */
        return;
    }
    if (!checkpoint_write(checkpoint_writer->run, &checkpoint_writer->bytes, &checkpoint->step,
                          &checkpoint->is_full)) {
        LOG(o->log, WARN, "run.not_marked", "run=%.*s code=too_large",
            STR_ARG(checkpoint_writer->ask.fence.run_id));
        buf_fini(&checkpoint_writer->bytes);
        run_saved(checkpoint_writer->run, false);
        return;
    }
    checkpoint_writer->ask.may_wait =
        o->delay_ms > 0 && !checkpoint_writer->hurries && !checkpoint_writer->is_awaited;
    checkpoint_writer->is_awaited = false;
    if (!enter_writing(checkpoint_writer)) {
        buf_fini(&checkpoint_writer->bytes);
        note_failure(checkpoint_writer, &(struct err){ERR_NO_MEMORY, "no memory for a checkpoint"});
        return;
    }
    checkpoint->version = ++checkpoint_writer->version;
    checkpoint->bytes = buf_str(&checkpoint_writer->bytes);
    store_mark_start(&checkpoint_writer->call, o->store, &checkpoint_writer->ask,
                     (struct op_waiter){.done = on_written, .owner = checkpoint_writer});
}

void checkpoint_writer_stepped(struct checkpoint_writer *checkpoint_writer)
{
    if (checkpoint_writer != NULL && checkpoint_writer->pauses < MOST_PAUSES)
        await(checkpoint_writer, checkpoint_writer->checkpoint_writers->options.delay_ms);
}

bool checkpoint_writer_save(struct checkpoint_writer *checkpoint_writer)
{
    if (checkpoint_writer == NULL)
        return false;
    checkpoint_writer->is_awaited = true;
    if (checkpoint_writer->pauses >= MOST_PAUSES) {
        run_saved(checkpoint_writer->run, false);
        return true;
    }
    if (checkpoint_writer->pauses == 0)
        timer_stop(&checkpoint_writer->timer);
    await(checkpoint_writer, 0);
    return true;
}

void checkpoint_writer_pause(struct checkpoint_writer *checkpoint_writer)
{
    if (checkpoint_writer == NULL)
        return;
    checkpoint_writer->hurries = true;
    timer_stop(&checkpoint_writer->timer);
    if (!op_is_pending(&checkpoint_writer->call.op)) /* else once that one is written */
        write_mark(checkpoint_writer);
}

void checkpoint_writer_leave(struct checkpoint_writer *checkpoint_writer)
{
    if (checkpoint_writer == NULL)
        return;
    timer_stop(&checkpoint_writer->timer);
    checkpoint_writer->run = NULL;
    if (!op_is_pending(&checkpoint_writer->call.op))
        free_mark(checkpoint_writer);
}
