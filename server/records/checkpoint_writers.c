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

#include <string.h>

#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/run/checkpoint.h"
#include "core/loop/timer.h"

enum { MOST_BYTES = 32 * 1024 * 1024, FIRST_PAUSE_MS = 100, MOST_PAUSES = 6 };

struct checkpoint_writers {
    struct checkpoint_writers_options options;
    struct list checkpoint_writers;
    struct map writing; /* run id -> the checkpoint writer that has a write in flight */
};

/* A write under way: between two of them a run goes on for long. */
struct marking {
    struct buf bytes;
    struct store_mark ask;
    struct store_call call;
};

struct checkpoint_writer {
    struct list link;
    struct checkpoint_writers *checkpoint_writers;
    struct run *run; /* NULL: the run is gone */
    struct timer timer;
    struct store_fence fence;
    struct marking *marking; /* NULL: no write is under way */
    uint64_t version;
    unsigned pauses; /* since a checkpoint was written */
    bool hurries;
    bool is_awaited; /* the next one is written without delay */
    char run_id[];   /* of fence */
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
    struct str id = str_of(run_id(run));
    struct checkpoint_writer *checkpoint_writer =
        mem_zalloc(1, sizeof *checkpoint_writer + id.len);
    if (checkpoint_writer == NULL)
        return NULL;
    memcpy(checkpoint_writer->run_id, id.at, id.len);
    id.at = checkpoint_writer->run_id;
    checkpoint_writer->checkpoint_writers = checkpoint_writers;
    checkpoint_writer->run = run;
    checkpoint_writer->version = version;
    checkpoint_writer->fence =
        (struct store_fence){id, checkpoint_writers->options.instance, epoch};
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
    if (!timer_is_running(&checkpoint_writer->timer) && checkpoint_writer->marking == NULL)
        timer_start(&checkpoint_writer->timer, checkpoint_writer->checkpoint_writers->options.loop,
                    ms, on_due);
}

/* Note that a write begins. This worker may have the run twice, when it took the run over from
 * itself: the later one counts. False: no memory. */
static bool enter_writing(struct checkpoint_writer *checkpoint_writer)
{
    struct map *writing = &checkpoint_writer->checkpoint_writers->writing;
    struct str run_id = checkpoint_writer->fence.run_id;
    (void)map_take(writing, run_id); /* the map keeps the id of the entry that it holds */
    return map_put(writing, run_id, checkpoint_writer);
}

static void leave_writing(const struct checkpoint_writer *checkpoint_writer)
{
    struct map *writing = &checkpoint_writer->checkpoint_writers->writing;
    struct str run_id = checkpoint_writer->fence.run_id;
    if (map_find(writing, run_id) == checkpoint_writer)
        (void)map_take(writing, run_id);
}

static void free_mark(struct checkpoint_writer *checkpoint_writer)
{
    list_remove(&checkpoint_writer->link);
    mem_free(checkpoint_writer);
}

static void free_marking(struct checkpoint_writer *checkpoint_writer)
{
    struct marking *marking = checkpoint_writer->marking;
    checkpoint_writer->marking = NULL;
    op_release(&marking->call.op);
    buf_fini(&marking->bytes);
    mem_free(marking);
}

static void note_failure(struct checkpoint_writer *checkpoint_writer, const struct err *err)
{
    const struct checkpoint_writers_options *o = &checkpoint_writer->checkpoint_writers->options;
    checkpoint_forget(checkpoint_writer->run);
    if (++checkpoint_writer->pauses >= MOST_PAUSES || !checkpoint_writer->hurries)
        leave_writing(checkpoint_writer); /* else the record does not end before the next try */
    if (checkpoint_writer->pauses == MOST_PAUSES)
        LOG(o->log, WARN, "run.not_marked", "run=%.*s code=%s text=\"%s\"",
            STR_ARG(checkpoint_writer->fence.run_id), err_name(err->code), err->text);
    if (checkpoint_writer->pauses >= MOST_PAUSES)
        run_saved(checkpoint_writer->run, false);
    else
        await(checkpoint_writer, (uint64_t)FIRST_PAUSE_MS << checkpoint_writer->pauses);
}

static void on_written(struct op *op)
{
    struct checkpoint_writer *checkpoint_writer = op_owner(op);
    struct err err = op->err;
    free_marking(checkpoint_writer);
    if (checkpoint_writer->run != NULL && err.code != ERR_OK) {
        note_failure(checkpoint_writer, &err);
        return;
    }
    leave_writing(checkpoint_writer);
    if (checkpoint_writer->run == NULL) {
        free_mark(checkpoint_writer);
        return;
    }
    checkpoint_writer->pauses = 0;
    run_saved(checkpoint_writer->run, true);
    if (!checkpoint_is_due(checkpoint_writer->run))
        return;
    if (checkpoint_writer->hurries) /* now: what is stored with this one may end the record */
        write_mark(checkpoint_writer);
    else
        await(checkpoint_writer, checkpoint_writer->is_awaited
                                     ? 0
                                     : checkpoint_writer->checkpoint_writers->options.delay_ms);
}

/* Make what is to be written. ERR_NO_MEMORY; ERR_TOO_LARGE: so large a checkpoint is not kept. */
static enum err_code prepare(struct checkpoint_writer *checkpoint_writer)
{
    struct marking *marking = mem_zalloc(1, sizeof *marking);
    if (marking == NULL)
        return ERR_NO_MEMORY;
    struct store_checkpoint *checkpoint = &marking->ask.checkpoint;
    checkpoint_writer->marking = marking;
    buf_init(&marking->bytes, MOST_BYTES);
    if (!checkpoint_write(checkpoint_writer->run, &marking->bytes, &checkpoint->step,
                          &checkpoint->is_full))
        return ERR_TOO_LARGE;
    marking->ask.may_wait = checkpoint_writer->checkpoint_writers->options.delay_ms > 0 &&
                            !checkpoint_writer->hurries && !checkpoint_writer->is_awaited;
    checkpoint_writer->is_awaited = false;
    if (!enter_writing(checkpoint_writer))
        return ERR_NO_MEMORY;
    checkpoint->version = ++checkpoint_writer->version;
    checkpoint->bytes = buf_str(&marking->bytes);
    marking->ask.fence = checkpoint_writer->fence;
    return ERR_OK;
}

static void write_mark(struct checkpoint_writer *checkpoint_writer)
{
    const struct checkpoint_writers_options *o = &checkpoint_writer->checkpoint_writers->options;
    if (!checkpoint_is_due(checkpoint_writer->run)) {
        run_saved(checkpoint_writer->run, false); /* who waits, waits for one that never comes */
        return;
    }
    enum err_code code = prepare(checkpoint_writer);
    if (code == ERR_OK) {
        store_mark_start(&checkpoint_writer->marking->call, o->store,
                         &checkpoint_writer->marking->ask,
                         (struct op_waiter){.done = on_written, .owner = checkpoint_writer});
        return;
    }
    if (checkpoint_writer->marking != NULL)
        free_marking(checkpoint_writer);
    if (code == ERR_NO_MEMORY) {
        note_failure(checkpoint_writer, &(struct err){code, "no memory for a checkpoint"});
        return;
    }
    LOG(o->log, WARN, "run.not_marked", "run=%.*s code=too_large",
        STR_ARG(checkpoint_writer->fence.run_id));
    run_saved(checkpoint_writer->run, false);
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
    if (checkpoint_writer->marking == NULL) /* else once that one is written */
        write_mark(checkpoint_writer);
}

void checkpoint_writer_leave(struct checkpoint_writer *checkpoint_writer)
{
    if (checkpoint_writer == NULL)
        return;
    timer_stop(&checkpoint_writer->timer);
    checkpoint_writer->run = NULL;
    if (checkpoint_writer->marking != NULL)
        return;
    leave_writing(checkpoint_writer);
    free_mark(checkpoint_writer);
}
