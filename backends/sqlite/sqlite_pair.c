/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_pair.c - two threads opened and closed as one; operations are counted.
 *
 * Failure: the second thread does not start: the first is closed before the owner is told. */
#include "backends/sqlite/sqlite_pair.h"

#include "core/base/mem.h"

enum { DEFAULT_CHANGE_MS = 60000 };

static void close_thread(struct sqlite_pair *pair, struct sqlite_thread *thread)
{
    closing_enter(&pair->closing);
    sqlite_thread_close(thread, closing_leave_part, &pair->closing);
}

bool sqlite_pair_open(struct sqlite_pair *pair, struct loop *loop,
                      const struct sqlite_thread_options *reads,
                      const struct sqlite_thread_options *writes, closing_fn *const *steps)
{
    closing_init(&pair->closing, loop, steps);
    pair->writes = sqlite_thread_create(loop, writes);
    if (pair->writes != NULL)
        pair->reads = sqlite_thread_create(loop, reads);
    if (pair->reads != NULL)
        return true;
    closing_begin(&pair->closing, NULL, NULL);
    if (pair->writes != NULL)
        close_thread(pair, pair->writes);
    return false;
}

void sqlite_pair_close(struct sqlite_pair *pair, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&pair->closing, on_closed, owner);
    close_thread(pair, pair->reads);
    close_thread(pair, pair->writes);
}

void sqlite_pair_begin(struct sqlite_pair *pair)
{
    closing_enter(&pair->closing);
}

void sqlite_pair_end(struct sqlite_pair *pair, const struct err *err)
{
    sqlite_pair_note(pair, err);
    closing_leave(&pair->closing);
}

/* ---- changes ---- */

static void on_changed(struct op *op)
{
    struct sqlite_pair_change *change = op_owner(op);
    struct err err = op->err;
    op_release(op);
    op_finish_err(change->op, &err);
    sqlite_pair_end(change->pair, &err);
}

struct sqlite_pair_change *sqlite_pair_change_start(struct sqlite_pair *pair, struct op *op,
                                                    sqlite_job_fn *run, const void *change,
                                                    uint64_t timeout_ms, void *owner)
{
    bool is_closing = closing_is_begun(&pair->closing);
    struct sqlite_pair_change *made = is_closing ? NULL : mem_zalloc(1, sizeof *made);
    if (made == NULL) {
        op_finish(op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the store is being closed" : "no memory for a change");
        return NULL;
    }
    made->change = change;
    made->owner = owner;
    made->pair = pair;
    made->op = op;
    sqlite_pair_begin(pair);
    sqlite_job_start(&made->job, pair->writes, run, made,
                     timeout_ms == 0 ? DEFAULT_CHANGE_MS : timeout_ms,
                     (struct op_waiter){.done = on_changed, .owner = made});
    return made;
}

void sqlite_pair_change_cancel(struct sqlite_pair_change *change)
{
    if (change != NULL && !op_is_finishing(change->op))
        op_cancel(&change->job.op);
}

/* ---- what the file says ---- */

void sqlite_pair_note(struct sqlite_pair *pair, const struct err *err)
{
    if (err->code == ERR_UNAVAILABLE)
        pair->last = *err;
    else if (err->code == ERR_OK)
        pair->last = (struct err){0};
}

enum err_code sqlite_pair_ready(const struct sqlite_pair *pair, struct err *err)
{
    return pair->last.code == ERR_OK ? ERR_OK
                                     : err_set(err, pair->last.code, "%s", pair->last.text);
}
