/* SPDX-License-Identifier: MIT */
/* server/conversations/conversations.h - one worker's conversations between memory
 * (agents/memory/history) and the store that outlives it.
 *
 * Opening brings memory up to date before a run begins; what a run said is saved behind it. The
 * store may fail at any time: runs then go on with what memory has. One loop. */
#ifndef SERVER_CONVERSATIONS_CONVERSATIONS_H
#define SERVER_CONVERSATIONS_CONVERSATIONS_H

#include "agents/memory/history.h"
#include "core/base/log.h"
#include "core/store/store.h"

struct conversations;

struct conversations_options {
    struct loop *loop;
    struct store *store; /* borrowed; NULL: memory is all there is */
    struct history *history;
    size_t turns; /* to bring into memory */
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* nothing is being saved any more; later, never inside a call */
};

/* NULL: no memory. */
struct conversations *conversations_create(const struct conversations_options *options);
/* Only when nothing is being saved or opened. NULL is fine. */
void conversations_destroy(struct conversations *conversations);
/* NULL: there is none. */
struct store *conversations_store(const struct conversations *conversations);

struct conversations_settling {
    struct op op; /* "conversation.settle" */
    /* private */
    struct list link;
    struct conversations *conversations;
    struct str conversation_id;
};
/* Wait until what the conversation's runs said is with the store, or late, or lost; conversation_id
 * is kept until done. */
void conversations_settle_start(struct conversations_settling *settling,
                                struct conversations *conversations, struct str conversation_id,
                                struct op_waiter waiter);

struct conversations_opening {
    struct op op; /* "conversation.open" */
    /* private */
    struct conversations_settling settling;
    struct conversations *conversations;
    struct store_load ask;
    struct store_call call;
};
/* Bring the conversation up to date; key's texts are kept until done. ERR_NOT_FOUND: somebody
 * else's; a store that cannot be used is logged and ERR_OK; while a save is late memory is what
 * there is. */
void conversations_open_start(struct conversations_opening *opening,
                              struct conversations *conversations, const struct identity *key,
                              struct op_waiter waiter);

/* What a run said, with a full checkpoint of its state. All copied; saved behind the caller's back,
 * tried again behind what another instance said meanwhile, and, in order, while the store cannot be
 * used: late, and bounded. may_be_there: the run was taken up, and who had it may have kept it. */
void conversations_save(struct conversations *conversations, const struct identity *key,
                        const struct store_checkpoint *checkpoint, const struct store_turn *turn,
                        bool may_be_there);
/* So too, what a run said that was another server's to its end. Memory is told that it is old. */
void conversations_save_past(struct conversations *conversations, const struct identity *key,
                             const struct store_checkpoint *checkpoint,
                             const struct store_turn *turn);
/* How many are being saved, late ones too. */
size_t conversations_saving(const struct conversations *conversations);
bool conversations_is_saving(const struct conversations *conversations, struct str conversation_id);
/* The same, of this caller's. */
bool conversations_is_saving_for(const struct conversations *conversations,
                                 const struct identity *key);
/* Nothing of it is being saved, but for what is late. */
bool conversations_is_settled(const struct conversations *conversations,
                              struct str conversation_id);
/* The server stops: what is late is lost, and what fails from now on. */
void conversations_abandon(struct conversations *conversations);
/* The conversation was erased, or with an empty id all of the user: memory forgets it. */
void conversations_forget(struct conversations *conversations, const struct identity *key);

#endif
