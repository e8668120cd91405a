/* SPDX-License-Identifier: MIT */
/* agents/memory/history.h - what was said in the conversations of one worker, in memory: either
 * everything, or the newer end of what a store has.
 *
 * A conversation belongs to the company and user that began it; one of the same id that somebody
 * else has is another one.
 * Every key is borrowed for the call. Memory is bounded: above limit_bytes the conversations
 * longest unused are forgotten whole. One thread. */
#ifndef AGENTS_MEMORY_HISTORY_H
#define AGENTS_MEMORY_HISTORY_H

#include "backends/llm.h"
#include "core/base/err.h"
#include "core/base/identity.h"

struct history;

struct history_message {
    enum llm_role role;
    bool partial; /* the answer was cut short */
    struct str text;
    struct str meant; /* a question with names for "he" and "that one"; absent: text */
};

/* The notes that are kept beside the messages of a conversation. */
enum history_note {
    HISTORY_SUMMARY,   /* agents/memory/tiers.h */
    HISTORY_MENTIONED, /* agents/memory/mentions.h, of this conversation */
    HISTORY_STATEMENT, /* the last statement that answered, as the model wrote it */
    HISTORY_LAST_RUN,  /* the id of the run that said the newest answer */
    HISTORY_ELSEWHERE, /* mentions of the user's other conversations */
    HISTORY_NOTES
};

/* A store of at most limit_bytes of text and bookkeeping. NULL: no memory. */
struct history *history_create(size_t limit_bytes);
/* NULL is fine. */
void history_destroy(struct history *history);

/* Add a message, copied. ERR_NO_MEMORY. */
MUST_USE enum err_code history_append(struct history *history, const struct identity *key,
                                      enum llm_role role, struct str text, bool partial);
/* The last messages, oldest first, at most max; views are borrowed until the next append or
 * forget. Returns how many. */
size_t history_last(const struct history *history, const struct identity *key,
                    struct history_message *messages, size_t max);
/* How many messages of the conversation are in memory. */
size_t history_count(const struct history *history, const struct identity *key);
/* How many messages were ever said in the conversation, those that are no longer in memory
 * included. history_set_said sets it to what the store knows. */
uint64_t history_said(const struct history *history, const struct identity *key);
void history_set_said(struct history *history, const struct identity *key, uint64_t said);
/* Keep a copy of what the newest question means; dropped when there is no question, or no memory.
 */
void history_set_meant(struct history *history, const struct identity *key, struct str meant);
/* Keep a copy of bytes as a note; empty: remove the note. Dropped when the conversation is not
 * there, except HISTORY_ELSEWHERE: that note is the user's and needs no conversation. */
void history_set_note(struct history *history, const struct identity *key, enum history_note which,
                      struct str bytes);
/* A note, borrowed until the next change; empty: none. */
struct str history_note(const struct history *history, const struct identity *key,
                        enum history_note which);
/* The version of the conversation in the store, as history_set_version set it; 0 before that, and
 * once the conversation is forgotten. */
uint64_t history_version(const struct history *history, const struct identity *key);
void history_set_version(struct history *history, const struct identity *key, uint64_t version);
/* Forget the conversation; false when it is not the caller's or not there. */
bool history_forget(struct history *history, const struct identity *key);
/* Forget everything of the user, in all conversations. */
void history_forget_user(struct history *history, const struct identity *key);

#endif
