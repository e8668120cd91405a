/* SPDX-License-Identifier: MIT */
/* backends/ledger.h - the ledger interface: which documents the stores hold, whose, from where, of
 * what content.
 *
 * What makes adding documents incremental and listing them possible, whatever stores their passages
 * are in. Several processes may share one. One loop, one thread per ledger. */
#ifndef BACKENDS_LEDGER_H
#define BACKENDS_LEDGER_H

#include "core/base/arena.h"
#include "core/loop/op.h"

struct ledger_entry {
    struct str collection, company_id, user_id, name; /* the key */
    struct str source;                                /* the file it came from */
    struct str title;
    struct str hash;   /* of content, fields and embedding model: equal means nothing to do;
                          "": an adding began, and has not ended */
    uint64_t passages; /* at most so many are in the stores */
    uint64_t added_ms; /* wall clock */
};

/* What the documents of an entry's company may be, with it: how many, and of how many passages. */
struct ledger_limits {
    uint64_t documents, passages;
};

enum ledger_verb { LEDGER_LIST, LEDGER_PUT, LEDGER_REMOVE };

struct ledger;
struct ledger_call {
    struct op op; /* kinds are named "ledger.*" */
    /* result of a list, valid in done with ERR_OK, in its arena: by collection, owner and name,
     * byte by byte */
    const struct ledger_entry *entries;
    size_t count;
    /* private */
    enum ledger_verb verb;
    struct ledger *ledger;
    struct arena *arena;
    const struct ledger_entry *entry;
    const struct ledger_limits *limits; /* of a put; NULL: none */
    struct str company_id;              /* absent: all */
    void *impl;
};

struct ledger_vtable {
    const char *name; /* "sqlite", "postgresql" */
    /* Errors: ERR_UNAVAILABLE, ERR_TIMEOUT, ERR_REJECTED, ERR_NO_MEMORY, ERR_CANCELLED; of
     * a put within limits ERR_TOO_LARGE. */
    void (*start)(struct ledger *ledger, struct ledger_call *call, struct op_waiter waiter);
    /* Finish all with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. */
    void (*close)(struct ledger *ledger, void (*on_closed)(void *owner), void *owner);
};

/* First member of every implementation. */
struct ledger {
    const struct ledger_vtable *vtable;
    struct loop *loop;
};

static inline void ledger_start(struct ledger_call *call, struct ledger *ledger,
                                enum ledger_verb verb, struct op_waiter waiter)
{
    call->entries = NULL;
    call->count = 0;
    call->verb = verb;
    call->ledger = ledger;
    ledger->vtable->start(ledger, call, waiter);
}

/* The entries of a company, whose id is kept until done, and everybody's (those without a company);
 * company_id NULL: all. Made in arena. call is zeroed before its first start, here and below. */
static inline void ledger_list_start(struct ledger_call *call, struct ledger *ledger,
                                     const struct str *company_id, struct arena *arena,
                                     struct op_waiter waiter)
{
    call->arena = arena;
    call->company_id = company_id == NULL ? (struct str){NULL, 0} : *company_id;
    if (company_id != NULL && str_is_absent(*company_id))
        call->company_id = STR("");
    ledger_start(call, ledger, LEDGER_LIST, waiter);
}

/* Add or replace; entry is kept until done. */
static inline void ledger_put_start(struct ledger_call *call, struct ledger *ledger,
                                    const struct ledger_entry *entry, struct op_waiter waiter)
{
    call->entry = entry;
    call->limits = NULL;
    ledger_start(call, ledger, LEDGER_PUT, waiter);
}

/* As ledger_put_start, unless the company had more than limits then, which are kept until done:
 * ERR_TOO_LARGE, and nothing is changed. Held against what others put at the same time, too. */
static inline void ledger_put_within_start(struct ledger_call *call, struct ledger *ledger,
                                           const struct ledger_entry *entry,
                                           const struct ledger_limits *limits,
                                           struct op_waiter waiter)
{
    call->entry = entry;
    call->limits = limits;
    ledger_start(call, ledger, LEDGER_PUT, waiter);
}

/* What a put beyond the limits is told. */
static inline enum err_code ledger_fail_limits(struct err *err)
{
    return err_set(err, ERR_TOO_LARGE,
                   "the documents of this company fill all the room that it has");
}

/* Remove by entry's key; fine when it is not there. */
static inline void ledger_remove_start(struct ledger_call *call, struct ledger *ledger,
                                       const struct ledger_entry *entry, struct op_waiter waiter)
{
    call->entry = entry;
    ledger_start(call, ledger, LEDGER_REMOVE, waiter);
}

static inline void ledger_close(struct ledger *ledger, void (*on_closed)(void *owner), void *owner)
{
    ledger->vtable->close(ledger, on_closed, owner);
}

#endif
