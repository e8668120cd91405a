/* SPDX-License-Identifier: MIT */
/* server/cli/docs/docs_session.h - a loop, the stores of documents and their ledger, for `askd
 * docs`.
 *
 * Everything blocks until it is done. One thread. */
#ifndef SERVER_CLI_DOCS_DOCS_SESSION_H
#define SERVER_CLI_DOCS_DOCS_SESSION_H

#include "agents/docs/items.h"
#include "backends/ledger.h"
#include "server/config/config.h"
#include "server/documents/document_hold.h"
#include "server/wiring/wiring.h"

struct docs_session {
    struct loop *loop;
    struct log log;
    struct limits limits;
    struct wiring wiring;
    struct services has;
    struct ledger *ledger;
    struct arena arena;                 /* of entries */
    const struct ledger_entry *entries; /* as the session found them */
    size_t entry_count;
};

/* Open loop, stores and ledger; the folder of the ledger is made when it is absent. config is
 * borrowed. docs_session_close must follow, whatever this returns. */
MUST_USE enum err_code docs_session_open(struct docs_session *session, const struct config *config,
                                         struct err *err);
void docs_session_close(struct docs_session *session);

/* Turn the loop until op, started with docs_session_waiter, is done; on_wait (may be NULL) is
 * called ten times a second meanwhile. Returns the code of op, and its error in err. */
struct op_waiter docs_session_waiter(struct docs_session *session);
enum err_code docs_session_wait(struct docs_session *session, struct op *op,
                                void (*on_wait)(void *owner), void *owner, struct err *err);

/* Hold a document until docs_session_let_go, which must follow whatever this returns; on_lost as of
 * document_hold. hold is zeroed before its first start; the texts of key are kept until it is let
 * go. */
enum err_code docs_session_hold(struct docs_session *session, struct document_hold *hold,
                                const struct ledger_entry *key, void (*on_lost)(void *owner),
                                void *owner, struct err *err);
void docs_session_let_go(struct docs_session *session, struct document_hold *hold);

/* The key of a document in the ledger; its texts are source's. */
struct ledger_entry docs_session_key(const struct docs_source *source);
/* The entry of that owner and name as the session found it, or NULL. */
const struct ledger_entry *docs_session_find(const struct docs_session *session,
                                             const struct docs_source *source);

#endif
