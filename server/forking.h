/* SPDX-License-Identifier: MIT */
/* server/forking.h - a new conversation that begins as another one was, at its end or earlier.
 *
 * One that could not be made whole is taken away again. One loop. */
#ifndef SERVER_FORKING_H
#define SERVER_FORKING_H

#include "core/store.h"

struct forking_options { /* texts are kept until done */
    struct store *store;
    struct identity from;
    struct str to;       /* the new conversation's id */
    uint64_t at_version; /* of the conversation; 0: its last */
};

struct forking {  /* embedded, zeroed */
    struct op op; /* "conversation.fork" */
    /* the answer */
    size_t turn_count;
    uint64_t version; /* of the new one */
    /* private */
    struct forking_options options;
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
void forking_start(struct forking *forking, const struct forking_options *options,
                   struct op_waiter waiter);

#endif
