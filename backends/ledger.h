/* SPDX-License-Identifier: MIT */
/* backends/ledger.h - the ledger interface: which documents the stores hold, whose, from where, of
 * what content.
 *
 * What makes adding documents incremental and listing them possible, whatever stores their passages
 * are in. Several processes may share one: who is to change a document claims it first, since the
 * passages of two that write at once would be mixed. One loop, one thread per ledger. */
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

enum ledger_verb { LEDGER_LIST, LEDGER_PUT, LEDGER_REMOVE, LEDGER_CLAIM, LEDGER_YIELD };

struct ledger;
struct ledger_call {
    struct op op; /* kinds are named "ledger.*" */
    /* result of a list, valid in done with ERR_OK, in its arena: by collection, owner and name,
     * byte by byte; of a claim: the document's entry, if it has one */
    const struct ledger_entry *entries;
    size_t count;
    /* private */
    enum ledger_verb verb;
    struct ledger *ledger;
    struct arena *arena;
    const struct ledger_entry *entry;
    const struct ledger_limits *limits; /* of a put; NULL: none */
    struct str company_id;              /* absent: all */
    struct str holder;                  /* absent: whoever asks */
    uint64_t lease_ms;
    void *impl;
};

struct ledger_vtable {
    const char *name; /* "sqlite", "postgresql" */
    /* Errors: ERR_UNAVAILABLE, ERR_TIMEOUT, ERR_REJECTED, ERR_NO_MEMORY, ERR_CANCELLED; of
     * a put within limits ERR_TOO_LARGE; of what needs a claim ERR_CONFLICT. */
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

/* Claim the document of entry's key for holder, a name that nobody else has, for lease_ms from now
 * on; renews holder's own claim. ERR_CONFLICT: another's claim is not over. entry and holder are
 * kept until done; the result is made in arena. */
static inline void ledger_claim_start(struct ledger_call *call, struct ledger *ledger,
                                      const struct ledger_entry *entry, struct str holder,
                                      uint64_t lease_ms, struct arena *arena,
                                      struct op_waiter waiter)
{
    call->entry = entry;
    call->holder = holder;
    call->lease_ms = lease_ms;
    call->arena = arena;
    ledger_start(call, ledger, LEDGER_CLAIM, waiter);
}

/* Give holder's claim back; fine when it is lost. */
static inline void ledger_yield_start(struct ledger_call *call, struct ledger *ledger,
                                      const struct ledger_entry *entry, struct str holder,
                                      struct op_waiter waiter)
{
    call->entry = entry;
    call->holder = holder;
    ledger_start(call, ledger, LEDGER_YIELD, waiter);
}

/* Add or replace; entry is kept until done, as limits are. limits (NULL: none): ERR_TOO_LARGE when
 * the company had more then, held against what others put at the same time, too. holder:
 * ERR_CONFLICT when another has claimed the document since; absent: nobody claimed it. With an
 * error nothing is changed. */
static inline void ledger_put_start(struct ledger_call *call, struct ledger *ledger,
                                    const struct ledger_entry *entry, struct str holder,
                                    const struct ledger_limits *limits, struct op_waiter waiter)
{
    call->entry = entry;
    call->holder = holder;
    call->limits = limits;
    ledger_start(call, ledger, LEDGER_PUT, waiter);
}

/* Remove by entry's key; fine when it is not there. holder as of a put. */
static inline void ledger_remove_start(struct ledger_call *call, struct ledger *ledger,
                                       const struct ledger_entry *entry, struct str holder,
                                       struct op_waiter waiter)
{
    call->entry = entry;
    call->holder = holder;
    ledger_start(call, ledger, LEDGER_REMOVE, waiter);
}

static inline void ledger_close(struct ledger *ledger, void (*on_closed)(void *owner), void *owner)
{
    ledger->vtable->close(ledger, on_closed, owner);
}

#endif
