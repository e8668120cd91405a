/* SPDX-License-Identifier: MIT */
/* server/records/fork_stored.h - copies a stored conversation, up to its end or an earlier version,
 * under a new id.
 *
 * A copy that could not be made whole is erased again. One loop. */
#ifndef SERVER_RECORDS_FORK_STORED_H
#define SERVER_RECORDS_FORK_STORED_H

#include "core/store/store.h"

struct fork_stored_options { /* texts are kept until done */
    struct store *store;
    struct identity from;
    struct str to;       /* the new conversation's id */
    uint64_t at_version; /* of from: copy up to there; 0: its last */
};

struct fork_stored { /* embedded, zeroed */
    struct op op;    /* "conversation.fork" */
    /* the answer */
    size_t turn_count;
    uint64_t version; /* of the new conversation */
    /* private */
    struct fork_stored_options options;
    struct store_load load;
    struct store_restore restore;
    struct store_save save;
    struct store_erase erase;
    struct store_call turns, state, write;
    struct arena arena; /* of the notes */
    struct err why;     /* why the new conversation is erased again */
};

/* ERR_NOT_FOUND: the caller has no such conversation, or it has no such version; ERR_CONFLICT: the
 * new id is taken; other errors are those of the store. It cannot be cancelled. */
void fork_stored_start(struct fork_stored *forking, const struct fork_stored_options *options,
                       struct op_waiter waiter);

#endif
