/* SPDX-License-Identifier: MIT */
/* server/worker_parts.h - what a worker is made of, made for it: conversations, keepers, marks,
 * runs.
 *
 * Each belongs to the worker, which owns the hooks. NULL: no memory. */
#ifndef SERVER_WORKER_PARTS_H
#define SERVER_WORKER_PARTS_H

#include "server/worker.h"

struct conversations *worker_parts_make_conversations(struct worker *worker,
                                                      void (*on_idle)(void *owner));
/* Only where there is a store. */
struct run_keepers *worker_parts_make_keepers(struct worker *worker, void (*on_idle)(void *owner));
struct run_marks *worker_parts_make_marks(struct worker *worker);
/* After those above. */
struct runs *worker_parts_make_runs(struct worker *worker, void (*on_idle)(void *owner),
                                    void (*on_unpinned)(void *owner, struct knowledge_pin *pin));
/* Orphaned runs go on here; what the first worker does for all: old conversations go. */
void worker_parts_tend_store(struct worker *worker);

#endif
