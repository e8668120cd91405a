/* SPDX-License-Identifier: MIT */
/* server/cli/docs/cmd_docs_add.h - add files to the stores of documents. Private to cmd_docs.
 * Blocking. */
#ifndef SERVER_CLI_DOCS_CMD_DOCS_ADD_H
#define SERVER_CLI_DOCS_CMD_DOCS_ADD_H

#include "server/cli/docs/docs_session.h"

struct cmd_docs_add {
    enum docs_kind kind;
    struct str company_id, user_id; /* owner of the documents; empty: everybody */
    const char *const *paths;
    size_t path_count;
    bool prune;          /* remove documents that came from a given folder and are there no more */
    bool json;           /* JSON lines even on a terminal */
    const char *program; /* this one, to read formats in a child of it */
};

/* Add files that are new or changed, showing how far it is. A file that cannot be read or stored is
 * told, and the next one follows. *exit_code: 0 all were added, 1 some failed, 3 some were
 * skipped, as they are of no format. An error: none was
 * tried, err says why. */
MUST_USE enum err_code cmd_docs_add(struct docs_session *session, const struct cmd_docs_add *asked,
                                    int *exit_code, struct err *err);

/* Remove one document from the stores and the ledger. */
MUST_USE enum err_code cmd_docs_add_remove(struct docs_session *session,
                                           const struct ledger_entry *entry, struct err *err);

#endif
