/* SPDX-License-Identifier: MIT */
/* tests/lib/faulty_store.h - a store around a store, one of whose calls fails, or all from one on:
 * as when the server behind it is lost before it is asked, or before it has answered.
 *
 *   struct faulty_store faulty;
 *   faulty_store_init(&faulty, inner);        inner stays the caller's
 *   faulty.fail_at = 3;                       the third call from now on
 *   x_create(&faulty.store, ...); ...
 *   if (faulty.calls < faulty.fail_at) ...    a sweep over fail_at has seen all there are */
#ifndef TESTS_LIB_FAULTY_STORE_H
#define TESTS_LIB_FAULTY_STORE_H

#include "core/store/store.h"
#include "tests/lib/test.h"

struct faulty_store {
    struct store store;
    struct store *inner;
    unsigned calls, fail_at; /* 0: none fails */
    unsigned changes;        /* calls that do not only read */
    enum err_code code;      /* ERR_UNAVAILABLE at first */
    bool keeps;              /* it is done all the same, only the answer is lost */
    bool is_down;            /* all fail, and nothing is done */
    bool for_good;           /* from fail_at on it is down */
    struct store_call lost;  /* of the one whose answer is lost */
};

static inline void faulty_store_cancel(struct op *op)
{
    CHECK(op_is_finishing(op)); /* it is from the start */
}

static inline void faulty_store_drop(struct op *op)
{
    op_release(op);
}

static inline void faulty_store_start(struct store *store, struct store_call *call,
                                      struct op_waiter waiter)
{
    static const struct op_kind kind = {
        .name = "store.faulty", .cancel = faulty_store_cancel, .release = store_call_release};
    struct faulty_store *faulty = container_of(store, struct faulty_store, store);
    bool fails = ++faulty->calls == faulty->fail_at;
    faulty->changes += store_verb_effect(call->verb) != STORE_READS;
    if (!fails && !faulty->is_down) {
        faulty->inner->vtable->start(faulty->inner, call, waiter);
        return;
    }
    if (fails && faulty->keeps) {
        faulty->lost =
            (struct store_call){.store = faulty->inner, .verb = call->verb, .ask = call->ask};
        faulty->inner->vtable->start(faulty->inner, &faulty->lost,
                                     (struct op_waiter){.done = faulty_store_drop});
    }
    faulty->is_down |= fails && faulty->for_good;
    op_begin(&call->op, &kind, store->loop, waiter);
    store_call_begin(call);
    struct err lost;
    err_set(&lost, faulty->code, "the store is lost");
    call->store = store;
    store_call_finish(call, &lost);
}

static inline void faulty_store_init(struct faulty_store *faulty, struct store *inner)
{
    static const struct store_vtable vtable = {.name = "faulty", .start = faulty_store_start};
    *faulty = (struct faulty_store){
        .store = {&vtable, inner->loop}, .inner = inner, .code = ERR_UNAVAILABLE};
}

#endif
