/* SPDX-License-Identifier: MIT */
/* agents/memory/recall.h - moves a conversation's notes between the store and memory. */
#ifndef AGENTS_MEMORY_RECALL_H
#define AGENTS_MEMORY_RECALL_H

#include "agents/memory/history.h"
#include "agents/memory/mentions.h"
#include "core/store/store.h"

/* Names of the notes in a store. The note of what was mentioned is shared among the conversations
 * of a user (STORE_SHARED). */
#define RECALL_SUMMARY   "summary"
#define RECALL_MENTIONED STORE_SHARED "mentioned"
#define RECALL_STATEMENT "statement"

/* Take the notes that a load from the store brought into history. is_new: the turns of the
 * conversation came with them, so the notes are at least as new as those in memory; else only notes
 * that change without a turn are taken. */
void recall_take(struct history *history, const struct identity *key,
                 const struct store_note *notes, size_t count, bool is_new);
/* Write the notes that go to the store with a turn to notes, as views into history. Returns how
 * many. */
enum { RECALL_NOTES = 2 };
size_t recall_give(const struct history *history, const struct identity *key,
                   struct store_note notes[RECALL_NOTES]);
/* The notes, in arena, for a new conversation that begins with turns of loaded. is_whole: it has
 * all turns, and gets all notes that are the conversation's own. Else nothing that was said later
 * may be in them: mentions that its turns do not speak of are cut, so are summaries of turns that
 * it shows in full or does not have, and the statement is another turn's. NULL: none, or no memory.
 */
const struct store_note *recall_fork(const struct store_call *loaded, bool is_whole,
                                     struct arena *arena, size_t *count);
/* Read into mentions what was mentioned in this conversation; then, where elsewhere is set, in the
 * user's others. Views into history. */
void recall_mentions(const struct history *history, const struct identity *key, bool elsewhere,
                     struct mentions *mentions);

#endif
