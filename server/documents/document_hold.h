/* SPDX-License-Identifier: MIT */
/* server/documents/document_hold.h - the claim to a document, from before it is looked at until it
 * is changed.
 *
 * The passages of two processes that write one document at once would be mixed, so whoever adds,
 * replaces or removes it waits until it is theirs. The claim is renewed while it is held, and is
 * over by itself some seconds after its process died. What the ledger is told under a claim names
 * its holder, so that a process that stood still for longer than its lease changes nothing there. A
 * hold is used again after its end. One loop, one thread. */
#ifndef SERVER_DOCUMENTS_DOCUMENT_HOLD_H
#define SERVER_DOCUMENTS_DOCUMENT_HOLD_H

#include "backends/ledger.h"
#include "core/base/id.h"
#include "core/loop/timer.h"

struct document_hold {
    /* "docs.hold": ends when the document is held. ERR_CONFLICT: another process has it for longer
     * than one waits; else what the ledger says. */
    struct op op;
    /* result, valid in done with ERR_OK until the end */
    const struct ledger_entry *entry; /* what the ledger has of it; NULL: nothing */
    bool is_lost;                     /* another has claimed it since */
    /* private */
    struct ledger *ledger;
    struct ledger_entry key;
    struct id holder;
    struct arena arena, spare; /* of the entry, and of what renewals read again */
    struct ledger_call call;
    struct timer timer;
    uint64_t since_ms;
    void (*on_lost)(void *owner);
    void (*on_ended)(void *owner);
    void *owner;
};

/* Wait for the document of key, whose texts are kept until the end. on_lost(owner), which may be
 * NULL, is called when the claim is found to be lost. hold is zeroed before its first start. */
void document_hold_start(struct document_hold *hold, struct loop *loop, struct ledger *ledger,
                         const struct ledger_entry *key, void (*on_lost)(void *owner), void *owner,
                         struct op_waiter waiter);
/* Whom calls of the ledger are to name. */
struct str document_hold_holder(const struct document_hold *hold);
/* Give the claim back, if there is one, then call on_ended(owner), once, now or later. */
void document_hold_end(struct document_hold *hold, void (*on_ended)(void *owner), void *owner);

#endif
