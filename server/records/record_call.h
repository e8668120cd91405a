/* SPDX-License-Identifier: MIT */
/* server/records/record_call.h - a call about the record of a run, for as long as it is under way.
 *
 * A run lives for long beside the few calls about its record, and a call with its ask takes a
 * kilobyte: it is taken from a pool when it starts, and given back when it has ended. One loop. */
#ifndef SERVER_RECORDS_RECORD_CALL_H
#define SERVER_RECORDS_RECORD_CALL_H

#include "core/base/pool.h"
#include "core/store/store.h"

struct record_call {
    struct store_call call;
    union {
        struct store_find find;
        struct store_finish finish;
        struct store_renew renew;
    } ask;
};

struct record_calls {
    struct pool *pool;
    struct store *store; /* borrowed */
};

/* False: no memory. */
MUST_USE bool record_calls_init(struct record_calls *calls, struct store *store);
/* No call may be out. */
void record_calls_fini(struct record_calls *calls);

/* Start a call in *at, which is NULL; texts are kept until done. False: no memory, *at is NULL.
 * begin: with resume not NULL in place of a paused run, resume and begin are kept until done. */
MUST_USE bool record_call_begin(struct record_call **at, const struct record_calls *calls,
                                const struct store_begin *begin, struct store_resume *resume,
                                struct op_waiter waiter);
MUST_USE bool record_call_find(struct record_call **at, const struct record_calls *calls,
                               struct str run_id, struct op_waiter waiter);
MUST_USE bool record_call_finish(struct record_call **at, const struct record_calls *calls,
                                 const struct store_finish *ask, struct op_waiter waiter);
MUST_USE bool record_call_renew(struct record_call **at, const struct record_calls *calls,
                                const struct store_renew *ask, struct op_waiter waiter);

/* In done: the call in *at, which is NULL from now on; and give it back, with its answer. */
struct record_call *record_call_end(struct record_call **at);
void record_call_give(const struct record_calls *calls, struct record_call *call);

#endif
