/* SPDX-License-Identifier: MIT */
/* core/run/save.c - operations that wait in a list of the run until a checkpoint is stored.
 *
 * Failure: whoever keeps the run gives up; a memo found no memory; the operation is cancelled. */
#include "core/run/save.h"

#include "core/run/walk_internal.h"

static void cancel_save(struct op *op)
{
    list_remove(&container_of(op, struct save, op)->link);
    op_finish(op, ERR_CANCELLED, "the wait for the store was cancelled");
}

static const struct op_kind save_kind = {.name = "run.save", .cancel = cancel_save};

void save_start(struct save *save, struct node *node, struct op_waiter waiter)
{
    struct run_context *context = node->walk->options.context;
    op_begin(&save->op, &save_kind, node->walk->loop, waiter);
    list_init(&save->link);
    if (!arena_ok(&context->arena)) {
        op_finish(&save->op, ERR_NO_MEMORY, "the run's memory budget is spent");
        return;
    }
    save->need = context->memo_count;
    context->is_due = true; /* also where all are stored: the next checkpoint tells */
    list_push(&context->saves, &save->link);
    if (context->hooks.on_save == NULL || !context->hooks.on_save(context))
        save_settle(context, save->need, true);
}

void save_settle(struct run_context *context, uint64_t count, bool are_kept)
{
    LIST_EACH_SAFE(link, &context->saves) {
        struct save *save = list_item(link, struct save, link);
        if (are_kept && save->need > count)
            continue;
        list_remove(link);
        if (are_kept)
            op_finish(&save->op, ERR_OK, "%s", "");
        else
            op_finish(&save->op, ERR_UNAVAILABLE, "the store does not take it");
    }
}
