/* SPDX-License-Identifier: MIT */
/* server/records/record_call.c - each start takes a call from the pool, copies the ask into it and
 * asks the store; without memory nothing is started. */
#include "server/records/record_call.h"

enum { KEPT_CALLS = 64 };

bool record_calls_init(struct record_calls *calls, struct store *store)
{
    *calls = (struct record_calls){pool_create(sizeof(struct record_call), KEPT_CALLS), store};
    return calls->pool != NULL;
}

void record_calls_fini(struct record_calls *calls)
{
    pool_destroy(calls->pool);
    calls->pool = NULL;
}

static struct record_call *take(struct record_call **at, const struct record_calls *calls)
{
    CHECK(*at == NULL);
    *at = pool_take(calls->pool);
    return *at;
}

bool record_call_begin(struct record_call **at, const struct record_calls *calls,
                       const struct store_begin *begin, struct store_resume *resume,
                       struct op_waiter waiter)
{
    struct record_call *call = take(at, calls);
    if (call == NULL)
        return false;
    if (resume == NULL) {
        store_begin_start(&call->call, calls->store, begin, waiter);
        return true;
    }
    resume->begin = *begin;
    store_resume_start(&call->call, calls->store, resume, waiter);
    return true;
}

bool record_call_find(struct record_call **at, const struct record_calls *calls, struct str run_id,
                      struct op_waiter waiter)
{
    struct record_call *call = take(at, calls);
    if (call == NULL)
        return false;
    call->ask.find = (struct store_find){.run_id = run_id};
    store_find_start(&call->call, calls->store, &call->ask.find, waiter);
    return true;
}

bool record_call_finish(struct record_call **at, const struct record_calls *calls,
                        const struct store_finish *ask, struct op_waiter waiter)
{
    struct record_call *call = take(at, calls);
    if (call == NULL)
        return false;
    call->ask.finish = *ask;
    store_finish_start(&call->call, calls->store, &call->ask.finish, waiter);
    return true;
}

bool record_call_renew(struct record_call **at, const struct record_calls *calls,
                       const struct store_renew *ask, struct op_waiter waiter)
{
    struct record_call *call = take(at, calls);
    if (call == NULL)
        return false;
    call->ask.renew = *ask;
    store_renew_start(&call->call, calls->store, &call->ask.renew, waiter);
    return true;
}

struct record_call *record_call_end(struct record_call **at)
{
    struct record_call *call = *at;
    *at = NULL;
    return call;
}

void record_call_give(const struct record_calls *calls, struct record_call *call)
{
    op_release(&call->call.op);
    pool_give(calls->pool, call);
}
