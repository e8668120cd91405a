/* SPDX-License-Identifier: MIT */
/* server/wiring/document_stores.h - ASKD_VECTOR_URL and ASKD_KEYWORD_URL -> the stores of documents
 * and their ledger. The one place that names implementations of vec, text and ledger, for the
 * server and for commands. */
#ifndef SERVER_WIRING_DOCUMENT_STORES_H
#define SERVER_WIRING_DOCUMENT_STORES_H

#include "backends/ledger.h"
#include "backends/text.h"
#include "backends/vec.h"
#include "server/config/config.h"

struct vec_shared;

/* Set *shared to what the stores of vectors of all loops of a process have in common; to NULL with
 * ERR_OK: nothing. Released by vec_shared_unref, at any time. ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code document_stores_share(const struct config *config,
                                             struct vec_shared **shared, struct err *err);

/* Set *vec to the store of vectors, or to NULL when none is configured; shared: that of this
 * process, or NULL for one loop alone. Nothing is opened yet. ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code document_stores_open_vec(struct loop *loop, const struct config *config,
                                                struct vec_shared *shared, struct vec **vec,
                                                struct err *err);
/* Set *text to the store of words, or to NULL when none is configured. Nothing is opened yet.
 * ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code document_stores_open_text(struct loop *loop, const struct config *config,
                                                 struct text **text, struct err *err);
/* Open the ledger of what the stores hold: in PostgreSQL, or in a file, whose folder is made. NULL
 * with err: ERR_INVALID, ERR_NO_MEMORY; a folder that cannot be made: the first call says so. */
struct ledger *document_stores_open_ledger(struct loop *loop, const struct config *config,
                                           struct err *err);
/* Whether there may be something in the ledger; false: its file is not there. */
bool document_stores_has_ledger(const struct config *config);

#endif
