/* SPDX-License-Identifier: MIT */
/* server/records/erase_stored.h - a conversation, or all that is a user's, goes from every store
 * there is.
 *
 * Passages that the analyst remembers of it first, then what the stores of conversations and of
 * runs hold: whoever was told of a failure finds the conversation still there, and asks again. One
 * loop. */
#ifndef SERVER_RECORDS_ERASE_STORED_H
#define SERVER_RECORDS_ERASE_STORED_H

#include "agents/services/services.h"
#include "core/store/store.h"

struct erase_stored { /* embedded, zeroed */
    struct op op;     /* "conversation.erase" */
    /* private */
    const struct services *has;
    struct store *store, *events;
    struct store_erase ask;
    struct store_call call;
    struct passage_filter filters[3];
    struct vec_change near_change;
    struct text_change words_change;
    struct vec_write near;
    struct text_write words;
    bool any; /* some store had it */
};

/* Begin; what key points at is kept until done. An empty conversation_id: all of the user. events:
 * the store of runs, which may be store. ERR_NOT_FOUND: there is no such conversation of the
 * caller's; else what a store says. It cannot be cancelled. */
void erase_stored_start(struct erase_stored *erasing, const struct services *has,
                        struct store *store, struct store *events, const struct identity *key,
                        struct op_waiter waiter);

#endif
