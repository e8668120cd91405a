/* SPDX-License-Identifier: MIT */
/* core/loop/work.h - a blocking call on libuv's thread pool, as an operation.
 *
 * run is called on another thread and may touch only what work->arg points at; done comes on the
 * loop. A cancelled work that has begun is waited for (done says ERR_CANCELLED then, too). */
#ifndef CORE_LOOP_WORK_H
#define CORE_LOOP_WORK_H

#include "core/loop/op.h"

struct work;
/* Blocking; another thread. Returns the operation's result; err is zeroed before. */
typedef enum err_code work_fn(struct work *work, struct err *err);

struct work {
    struct op op;
    void *arg;
    /* private */
    work_fn *run;
    struct err result;
    void *request; /* libuv's, heap: may outlive nothing but the call */
};

/* Start run(work) with work->arg = arg (borrowed until done). */
void work_start(struct work *work, struct loop *loop, work_fn *run, void *arg,
                struct op_waiter waiter);

#endif
