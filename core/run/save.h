/* SPDX-License-Identifier: MIT */
/* core/run/save.h - wait until the memos of a run that were put so far are in the store.
 *
 * For what must not be done before it is written down that it is on its way. Where nobody keeps the
 * run there is nothing to wait for. Loop thread only. */
#ifndef CORE_RUN_SAVE_H
#define CORE_RUN_SAVE_H

#include "core/run/node.h"

struct run_context;

struct save {
    struct op op; /* "run.save"; ERR_UNAVAILABLE: the store did not take them;
                       ERR_NO_MEMORY: one of them is not there */
    /* private */
    struct list link; /* among the context's that wait */
    uint64_t need;    /* memos */
};

/* Start on zeroed storage. */
void save_start(struct save *save, struct node *node, struct op_waiter waiter);
/* The first memos, count of them, are in the store, or never will be: end what waits for them. */
void save_settle(struct run_context *context, uint64_t count, bool are_kept);

#endif
