/* SPDX-License-Identifier: MIT */
/* agents/memory/recall.h - a conversation's notes between the store and memory, and what they are
 * to a prompt. */
#ifndef AGENTS_MEMORY_RECALL_H
#define AGENTS_MEMORY_RECALL_H

#include "agents/memory/history.h"
#include "agents/memory/mentions.h"
#include "core/store/store.h"

/* Names of the notes in a store; what was mentioned is shared among a user's conversations. */
#define RECALL_SUMMARY   "summary"
#define RECALL_MENTIONED STORE_SHARED "mentioned"

/* What a load brought. is_new: the conversation's turns came with it, so that its notes are at
 * least as new as memory's; else only what changes without a turn is taken. */
void recall_take(struct history *history, const struct identity *key,
                 const struct store_note *notes, size_t count, bool is_new);
/* The notes that go with a turn to the store, views into history; returns how many. */
enum { RECALL_NOTES = 1 };
size_t recall_give(const struct history *history, const struct identity *key,
                   struct store_note notes[RECALL_NOTES]);
/* The notes for another conversation that begins with loaded's turns, in arena: all of this one's
 * own when is_whole; else, of what was said later, nothing: what the turns do not speak of is not
 * mentioned, and of what they show in full there is no summary. NULL: none, or no memory. */
const struct store_note *recall_fork(const struct store_call *loaded, bool is_whole,
                                     struct arena *arena, size_t *count);
/* What was mentioned, here first. Views into history. */
void recall_mentions(const struct history *history, const struct identity *key,
                     struct mentions *mentions);

#endif
