/* SPDX-License-Identifier: MIT */
/* server/records/fork_stored.h - a new conversation that begins as another one was, at its end or
 * earlier.
 *
 * One that could not be made whole is taken away again. One loop. */
#ifndef SERVER_RECORDS_FORK_STORED_H
#define SERVER_RECORDS_FORK_STORED_H

#include "core/store/store.h"

struct fork_stored_options { /* texts are kept until done */
    struct store *store;
    struct identity from;
    struct str to;       /* the new conversation's id */
    uint64_t at_version; /* of the conversation; 0: its last */
};

struct fork_stored { /* embedded, zeroed */
    struct op op;    /* "conversation.fork" */
    /* the answer */
    size_t turn_count;
    uint64_t version; /* of the new one */
    /* private */
    struct fork_stored_options options;
    struct store_load load;
    struct store_restore restore;
    struct store_save save;
    struct store_erase erase;
    struct store_call turns, state, write;
    struct arena arena; /* of the notes */
    struct err why;     /* it is taken away again */
};

/* ERR_NOT_FOUND: there is no such conversation of the caller's, or no such version; ERR_CONFLICT:
 * the new one is there already; else what the store says. It cannot be cancelled. */
void fork_stored_start(struct fork_stored *forking, const struct fork_stored_options *options,
                       struct op_waiter waiter);

#endif
