/* SPDX-License-Identifier: MIT */
/* server/records/turn_find.h - where in a conversation a run's turn is. One loop. */
#ifndef SERVER_RECORDS_TURN_FIND_H
#define SERVER_RECORDS_TURN_FIND_H

#include "core/store/store.h"
#include "core/loop/timer.h"

struct turn_find { /* embedded, zeroed */
    struct op op;  /* "turn.find" */
    /* the answer */
    bool is_there, is_last;
    uint64_t version; /* of the conversation, as that turn left it */
    /* private */
    struct store *store;
    struct str run_id;
    struct store_load load;
    struct store_call call;
    struct timer timer;
    unsigned tries;
};

/* key's texts and run_id are kept until done. A turn that is not there is waited for, for a second:
 * another server may be about to save it. As the store fails. */
void turn_find_start(struct turn_find *finding, struct store *store, const struct identity *key,
                     struct str run_id, struct op_waiter waiter);

#endif
