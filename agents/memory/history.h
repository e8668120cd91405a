/* SPDX-License-Identifier: MIT */
/* agents/memory/history.h - what was said in the conversations of one worker, in memory: all there
 * is, or the newer end of what a store has.
 *
 * A conversation belongs to the company and user that began it; for anybody else it does not
 * exist; every key is borrowed for the call. Memory is bounded: past limit_bytes the conversations
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
    struct str meant; /* of a question: with names for "he" and "that one"; absent: as it is */
};

/* What is kept beside the messages of a conversation. */
enum history_note {
    HISTORY_SUMMARY,   /* agents/memory/tiers.h */
    HISTORY_MENTIONED, /* agents/memory/mentions.h: here */
    HISTORY_LAST_RUN,  /* the id of the run that said the newest answer */
    HISTORY_ELSEWHERE, /* what was mentioned in the user's other conversations */
    HISTORY_NOTES
};

/* A store of at most limit_bytes of text and bookkeeping. NULL: no memory. */
struct history *history_create(size_t limit_bytes);
/* NULL is fine. */
void history_destroy(struct history *history);

/* ERR_OK: new, or the caller's own. ERR_NOT_FOUND: somebody else's. */
MUST_USE enum err_code history_check(const struct history *history, const struct identity *key);
/* Add a message, copied. ERR_NOT_FOUND: somebody else's; ERR_NO_MEMORY. */
MUST_USE enum err_code history_append(struct history *history, const struct identity *key,
                                      enum llm_role role, struct str text, bool partial);
/* The last messages, oldest first, at most max; views are borrowed until the next append or
 * forget. Returns how many. Somebody else's conversation has none. */
size_t history_last(const struct history *history, const struct identity *key,
                    struct history_message *messages, size_t max);
/* Messages the conversation holds. */
size_t history_count(const struct history *history, const struct identity *key);
/* Messages ever said in it, those that are no longer held counted; its owner sets it to what the
 * store knows. */
uint64_t history_said(const struct history *history, const struct identity *key);
void history_set_said(struct history *history, const struct identity *key, uint64_t said);
/* What the newest question means, copied; dropped when there is none, or no memory. */
void history_set_meant(struct history *history, const struct identity *key, struct str meant);
/* Notes, copied; empty: none. A note of a conversation that is not there is dropped, but for
 * HISTORY_ELSEWHERE, which is the user's and needs none. */
void history_set_note(struct history *history, const struct identity *key, enum history_note which,
                      struct str bytes);
/* Borrowed until the next change; empty: none. */
struct str history_note(const struct history *history, const struct identity *key,
                        enum history_note which);
/* What the store of conversations knows of it, as its owner says: 0 until then, and once it is
 * forgotten. */
uint64_t history_version(const struct history *history, const struct identity *key);
void history_set_version(struct history *history, const struct identity *key, uint64_t version);
/* Forget the conversation; false when it is not the caller's or not there. */
bool history_forget(struct history *history, const struct identity *key);
/* All that is the user's, whatever the conversation. */
void history_forget_user(struct history *history, const struct identity *key);

#endif
