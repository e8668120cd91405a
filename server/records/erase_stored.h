/* SPDX-License-Identifier: MIT */
/* server/records/erase_stored.h - erases a conversation, or all that is a user's, from every store.
 *
 * Passages that the analyst remembers of the conversation go first, then its turns, then its runs.
 * So a caller that is told of a failure finds the conversation still there, and can ask again. One
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
    bool any; /* some store had something to erase */
};

/* Erase the conversation that key names; with an empty conversation_id, all that is the user's. The
 * texts of key are kept until done. store: of conversations; events: of runs, perhaps the same.
 * ERR_NOT_FOUND: the caller has no such conversation; other errors are those of the stores. It
 * cannot be cancelled. */
void erase_stored_start(struct erase_stored *erasing, const struct services *has,
                        struct store *store, struct store *events, const struct identity *key,
                        struct op_waiter waiter);

#endif
