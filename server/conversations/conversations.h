/* SPDX-License-Identifier: MIT */
/* server/conversations/conversations.h - keeps one worker's conversations in step: in memory
 * (agents/memory/history) and in the store that outlives it.
 *
 * Opening a conversation brings memory up to date before a run begins; the turn of a run is saved
 * after it, while the worker goes on. The store may fail at any time: runs then go on with what
 * memory has. One loop. */
#ifndef SERVER_CONVERSATIONS_CONVERSATIONS_H
#define SERVER_CONVERSATIONS_CONVERSATIONS_H

#include "agents/memory/history.h"
#include "core/base/log.h"
#include "core/store/store.h"

struct conversations;

struct conversations_options {
    struct loop *loop;
    struct store *store; /* of conversations, borrowed; NULL: they are in memory only */
    struct history *history;
    size_t turns; /* the last ones of a conversation that are brought into memory */
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* nothing is being saved any more; called later, never inside a
                                     call */
};

/* NULL: no memory. */
struct conversations *conversations_create(const struct conversations_options *options);
/* Only when nothing is being saved or opened. NULL is fine. */
void conversations_destroy(struct conversations *conversations);
/* The store of conversations; NULL: there is none. */
struct store *conversations_store(const struct conversations *conversations);

struct conversations_settling {
    struct op op; /* "conversation.settle" */
    /* private */
    struct list link;
    const struct identity *user; /* whose turns it waits for; NULL: one conversation's */
    uint64_t until;              /* the last of the savings that it waits for */
    size_t awaited;
};
/* Wait until the turns of the conversation's runs are stored, or late, or lost. With an empty
 * conversation_id: those that are being saved now of any conversation of the user; key is kept
 * until done. */
void conversations_settle_start(struct conversations_settling *settling,
                                struct conversations *conversations, const struct identity *key,
                                struct op_waiter waiter);

struct conversations_opening {
    struct op op; /* "conversation.open" */
    /* private */
    struct conversations_settling settling;
    struct conversations *conversations;
    struct store_load ask;
    struct store_call call;
};
/* Bring memory of the conversation up to date. key's texts are kept until done. A store that cannot
 * be used is logged, and the code is ERR_OK; while a save of the conversation is late, memory stays
 * as it is. */
void conversations_open_start(struct conversations_opening *opening,
                              struct conversations *conversations, const struct identity *key,
                              struct op_waiter waiter);

/* Save the turn of a run, with a full checkpoint of its state, behind the caller's back; all is
 * copied. The save is tried again behind turns that another server saved meanwhile. While the store
 * cannot be used, saves are late: they are tried again in order, and are bounded. may_be_there: the
 * run was taken over, and the server that had it may have saved the turn. */
void conversations_save(struct conversations *conversations, const struct identity *key,
                        const struct store_checkpoint *checkpoint, const struct store_turn *turn,
                        bool may_be_there);
/* Save, as conversations_save does, the turn of a run that ran on another server to its end. Memory
 * does not have that turn, and is marked as older than the store. */
void conversations_save_past(struct conversations *conversations, const struct identity *key,
                             const struct store_checkpoint *checkpoint,
                             const struct store_turn *turn);
/* The number of turns being saved, late ones included. */
size_t conversations_saving(const struct conversations *conversations);
bool conversations_is_saving(const struct conversations *conversations, const struct identity *key);
/* Whether no turn of the conversation is being saved, apart from late ones. */
bool conversations_is_settled(const struct conversations *conversations,
                              const struct identity *key);
/* The server stops: late turns are lost, and so is each whose save fails from now on. */
void conversations_abandon(struct conversations *conversations);
/* Memory forgets the conversation of key, which was erased, and late turns of it are not saved any
 * more; with an empty conversation_id, all conversations of the user. */
void conversations_forget(struct conversations *conversations, const struct identity *key);

#endif
