/* SPDX-License-Identifier: MIT */
/* server/records/turn_find.h - finds the turn of a run in its conversation. One loop. */
#ifndef SERVER_RECORDS_TURN_FIND_H
#define SERVER_RECORDS_TURN_FIND_H

#include "core/store/store.h"
#include "core/loop/timer.h"

struct turn_find { /* embedded, zeroed */
    struct op op;  /* "turn.find" */
    /* the answer: whether the conversation has the turn, and whether that is its last one */
    bool is_there, is_last;
    uint64_t version; /* of the conversation, as that turn left it; only when is_there */
    /* private */
    struct store *store;
    struct str run_id;
    struct store_load load;
    struct store_call call;
    struct timer timer;
    unsigned tries;
};

/* Look for the turn of run_id in the conversation of key; their texts are kept until done. A turn
 * that is not there is waited for, one second at most, since another server may be about to save
 * it: then ERR_OK without is_there. Errors are those of the store. */
void turn_find_start(struct turn_find *finding, struct store *store, const struct identity *key,
                     struct str run_id, struct op_waiter waiter);

#endif
