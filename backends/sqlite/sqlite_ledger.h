/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_ledger.h - which documents the stores hold: whose, from where, of what
 * content.
 *
 * What makes adding documents incremental and listing them possible, whatever stores their passages
 * are in. One SQLite file, which may be the one the local stores use; several processes may share
 * it. One loop, one thread per ledger. */
#ifndef BACKENDS_SQLITE_SQLITE_LEDGER_H
#define BACKENDS_SQLITE_SQLITE_LEDGER_H

#include "backends/sqlite/sqlite_thread.h"
#include "core/base/arena.h"

struct ledger_entry {
    struct str collection, company_id, user_id, name; /* the key */
    struct str source;                                /* the file it came from */
    struct str title;
    struct str hash;   /* of content, fields and embedding model: equal means nothing to do;
                          "": an adding began, and has not ended */
    uint64_t passages; /* at most so many are in the stores */
    uint64_t added_ms; /* wall clock */
};

/* The file is made when it is absent; its folder must be there. NULL: no memory or no thread. */
struct sqlite_thread *sqlite_ledger_create(struct loop *loop, const char *path);

struct ledger_call {
    struct sqlite_job job; /* its op is the call's; errors are sqlite_thread's */
    /* result of a list, valid in done with ERR_OK, in its arena: by collection, owner and name */
    const struct ledger_entry *entries;
    size_t count;
    /* private */
    struct arena *arena;
    const struct ledger_entry *entry;
    struct str company_id;
    bool is_all;
};

/* The entries of a company, whose id is kept until done, and everybody's (those without a company);
 * company_id NULL: all. Made in arena. */
void sqlite_ledger_list_start(struct ledger_call *call, struct sqlite_thread *ledger,
                              const struct str *company_id, struct arena *arena,
                              struct op_waiter waiter);
/* Add or replace; entry is kept until done. */
void sqlite_ledger_put_start(struct ledger_call *call, struct sqlite_thread *ledger,
                             const struct ledger_entry *entry, struct op_waiter waiter);
/* Remove by entry's key; fine when it is not there. */
void sqlite_ledger_remove_start(struct ledger_call *call, struct sqlite_thread *ledger,
                                const struct ledger_entry *entry, struct op_waiter waiter);

#endif
