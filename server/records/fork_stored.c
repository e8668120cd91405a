/* SPDX-License-Identifier: MIT */
/* server/records/fork_stored.c - reads turns and state of a conversation, and writes both under
 * another id.
 *
 * Happy path: turns and notes are loaded, the chain of checkpoints of the state is restored, and
 * each checkpoint is saved in turn; the first save brings the turns, and of the notes those made up
 * to there, but for what is of that one conversation: links (who was let into it is not let into
 * its copies) and feedback (it is of a run, which is reviewed once).
 * Failure paths: an error of the store ends it; when something was written, it is erased first.
 * When it is not known whether the first save took place, the new conversation is looked at, and
 * erased if it is ours. */
#include "server/records/fork_stored.h"

#include "agents/memory/recall.h"
#include "server/records/feedback_note.h"
#include "server/records/share_note.h"

enum { NOTES_BYTES = 256 * 1024 };

static op_fn on_turns, on_state, on_saved, on_seen, on_erased; /* in running order */

static struct op_waiter waiter_of(struct fork_stored *forking, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = forking};
}

static void erase(struct fork_stored *forking)
{
    op_release(&forking->write.op);
    forking->erase.key = forking->save.key;
    store_erase_start(&forking->write, forking->options.store, &forking->erase,
                      waiter_of(forking, on_erased));
}

/* Whether the conversation is ours: no other one begins with a turn of the same run. */
static bool is_ours(const struct fork_stored *forking)
{
    const struct store_call *there = &forking->write;
    return there->version == 1 && there->turn_count == 1 && forking->turn_count > 0 &&
           str_equal(there->turns[0].run_id, forking->save.turns[forking->turn_count - 1].run_id);
}

static void on_seen(struct op *op)
{
    struct fork_stored *forking = op_owner(op);
    if (op->err.code == ERR_OK && is_ours(forking))
        erase(forking);
    else
        op_finish_err(&forking->op, &forking->why);
}

static void fail(struct fork_stored *forking, const struct err *err)
{
    bool was_sent = forking->save.key.conversation_id.len > 0; /* the first save, at least */
    forking->why = *err;
    if (forking->version > 0) {
        erase(forking);
    } else if (was_sent && err->code != ERR_CONFLICT && err->code != ERR_NOT_FOUND) {
        forking->load = (struct store_load){.key = forking->save.key, .turn_limit = 1};
        op_release(&forking->write.op);
        store_load_start(&forking->write, forking->options.store, &forking->load,
                         waiter_of(forking, on_seen));
    } else {
        op_finish_err(&forking->op, &forking->why);
    }
}

static void on_erased(struct op *op)
{
    struct fork_stored *forking = op_owner(op);
    op_finish_err(&forking->op, &forking->why);
}

static void on_turns(struct op *op)
{
    struct fork_stored *forking = op_owner(op);
    if (op->err.code != ERR_OK) {
        fail(forking, &op->err);
        return;
    }
    uint64_t version = forking->options.at_version;
    forking->restore = (struct store_restore){forking->options.from,
                                              version > 0 ? version : forking->turns.version};
    store_restore_start(&forking->state, forking->options.store, &forking->restore,
                        waiter_of(forking, on_state));
}

static const struct store_note *find_notes(struct fork_stored *forking, bool is_whole,
                                           size_t *count)
{
    size_t all;
    const struct store_note *notes = recall_fork(&forking->turns, is_whole, &forking->arena, &all);
    struct store_note *kept = arena_array(&forking->arena, all + 1, sizeof *kept);
    *count = 0;
    for (size_t i = 0; kept != NULL && i < all; i++)
        if (!str_starts_with(notes[i].name, STR(SHARE_NOTE)) &&
            !str_starts_with(notes[i].name, STR(FEEDBACK_NOTE_PREFIX)))
            kept[(*count)++] = notes[i];
    return kept;
}

static void save(struct fork_stored *forking)
{
    bool is_first = forking->version == 0;
    forking->save = (struct store_save){.key = forking->options.from,
                                        .expected_version = forking->version,
                                        .checkpoint = forking->state.checkpoints[forking->version]};
    forking->save.key.conversation_id = forking->options.to;
    if (is_first) {
        forking->save.turns = forking->turns.turns;
        forking->save.turn_count = forking->turn_count = forking->turns.turn_count;
        bool is_whole = forking->restore.at_version == forking->turns.version;
        forking->save.notes = find_notes(forking, is_whole, &forking->save.note_count);
    }
    op_release(&forking->write.op);
    store_save_start(&forking->write, forking->options.store, &forking->save,
                     waiter_of(forking, on_saved));
}

static void on_state(struct op *op)
{
    struct fork_stored *forking = op_owner(op);
    if (op->err.code != ERR_OK) {
        fail(forking, &op->err);
        return;
    }
    CHECK(forking->state.checkpoint_count > 0);
    save(forking);
}

static void on_saved(struct op *op)
{
    struct fork_stored *forking = op_owner(op);
    if (op->err.code != ERR_OK)
        fail(forking, &op->err);
    else if (++forking->version < forking->state.checkpoint_count)
        save(forking);
    else
        op_finish(&forking->op, ERR_OK, "%s", "");
}

static void cancel(struct op *op UNUSED)
{
    /* half a conversation is worse than one nobody asked for */
}

static void release(struct op *op)
{
    struct fork_stored *forking = container_of(op, struct fork_stored, op);
    op_release(&forking->turns.op);
    op_release(&forking->state.op);
    op_release(&forking->write.op);
    arena_fini(&forking->arena);
}

void fork_stored_start(struct fork_stored *forking, const struct fork_stored_options *options,
                       struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "conversation.fork", .cancel = cancel, .release = release};
    *forking = (struct fork_stored){.options = *options};
    op_begin(&forking->op, &kind, options->store->loop, waiter);
    arena_init(&forking->arena, NOTES_BYTES);
    forking->load = (struct store_load){.key = options->from, .at_version = options->at_version};
    store_load_start(&forking->turns, options->store, &forking->load, waiter_of(forking, on_turns));
}
