/* SPDX-License-Identifier: MIT */
/* server/conversations/conversation_state.h - a restored checkpoint, of a conversation or of a run
 * in it -> the JSON object a caller gets: which graph, where in it, and the values of its state. */
#ifndef SERVER_CONVERSATIONS_CONVERSATION_STATE_H
#define SERVER_CONVERSATIONS_CONVERSATION_STATE_H

#include "agents/registry.h"
#include "core/run/checkpoint.h"
#include "core/store/store.h"

struct conversation_state {
    const struct graph *graph;
    const struct registry_entry *entry;
    struct state *state; /* in the arena */
    struct snapshot snapshot;
};
/* Read a checkpoint into *out. restored: the answer of store_restore. ERR_GONE: the checkpoint is
 * damaged, or its graph is not there any more; ERR_NO_MEMORY. */
MUST_USE enum err_code conversation_state_read(const struct registry *registry,
                                               const struct store_call *restored,
                                               struct arena *arena, struct conversation_state *out,
                                               struct err *err);
/* Append the JSON object of a checkpoint to out. restored: the answer of store_restore. ERR_GONE:
 * the checkpoint is damaged, or its graph is not there any more; ERR_TOO_LARGE, ERR_NO_MEMORY. */
MUST_USE enum err_code conversation_state_write(const struct registry *registry,
                                                const struct store_call *restored, struct buf *out,
                                                struct err *err);
/* Append the JSON object of one checkpoint of a run, and those of the sub-graphs it was inside.
 * run: restored to that checkpoint. */
void conversation_state_write_step(const struct store_checkpoint *of, const struct run *run,
                                   struct buf *out);

#endif
