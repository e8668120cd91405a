/* SPDX-License-Identifier: MIT */
/* server/runs_revive.c - a run that goes on gets its past in place of an input.
 *
 * Happy path: an orphan has said what it had said and is where its last checkpoint was; a paused
 * run goes on as a new one, where it paused, with a person's answer.
 * Failure paths: an orphan without a checkpoint that can be read begins anew, behind what it had
 * said; what it said is damaged, or where it paused is lost: refused. */
#include "server/run_past.h"
#include "server/runs_entry.h"

enum { FIRST_BYTES = 32 * 1024 * 1024 };

static enum err_code restore(struct runs_entry *entry, const struct run_past *past,
                             uint64_t said_id, struct err *err)
{
    size_t used;
    enum err_code code =
        checkpoint_restore(entry->run, past->kept, past->kept_count, said_id, &used, err);
    if (code == ERR_OK ? used < past->kept_count : past->kept_count > 0)
        LOG(entry->runs->options.log, WARN, "run.checkpoints", "run=%s of=%zu used=%zu text=\"%s\"",
            run_id(entry->run), past->kept_count, used, err->text);
    return code;
}

static enum err_code revive_orphan(struct runs_entry *entry, const struct runs_request *request,
                                   struct err *err)
{
    const struct run_past *past = request->revival->past;
    enum err_code code = run_past_replay(past, entry->run, err);
    if (code != ERR_OK)
        return code;
    entry->epoch = request->revival->epoch;
    entry->stored_id = past->run->last_event_id;
    entry->stored_version = past->last_version;
    entry->is_forgotten = past->is_kept; /* once is enough */
    code = restore(entry, past, entry->stored_id, err);
    if (code == ERR_NOT_FOUND)
        code = registry_begin(request->entry, run_input(entry->run), &entry->session, err);
    if (code == ERR_OK && !checkpoint_take_over(entry->run, entry->epoch))
        return err_set(err, ERR_NO_MEMORY, "no memory for what the run had said");
    return code;
}

/* Its first checkpoint, which its record begins with. */
static enum err_code write_first(struct runs_entry *entry, struct err *err)
{
    struct arena *arena = run_arena(entry->run);
    struct buf bytes;
    buf_init(&bytes, FIRST_BYTES);
    entry->stored_version = 1;
    if (checkpoint_write_restored(entry->run, &bytes, &entry->first.step))
        entry->first.bytes = arena_str(arena, buf_str(&bytes));
    buf_fini(&bytes);
    return str_is_absent(entry->first.bytes)
               ? err_set(err, ERR_NO_MEMORY, "no memory for where the run paused")
               : ERR_OK;
}

static enum err_code revive_paused(struct runs_entry *entry, const struct runs_request *request,
                                   struct err *err)
{
    const struct runs_revival *revival = request->revival;
    enum err_code code = restore(entry, revival->past, UINT64_MAX, err);
    if (code == ERR_NOT_FOUND)
        return err_set(err, ERR_GONE, "where the run paused is not there any more");
    if (code == ERR_OK && !checkpoint_resume(entry->run, revival->node, revival->answer))
        return err_set(err, ERR_NO_MEMORY, "no memory for another run");
    if (code != ERR_OK || revival->is_fork)
        return code;
    entry->paused_id = arena_str(run_arena(entry->run), revival->past->run->run_id);
    return write_first(entry, err);
}

enum err_code runs_revive(struct runs_entry *entry, const struct runs_request *request,
                          struct err *err)
{
    return request->revival->is_orphan ? revive_orphan(entry, request, err)
                                       : revive_paused(entry, request, err);
}
