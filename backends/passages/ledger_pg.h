/* SPDX-License-Identifier: MIT */
/* backends/passages/ledger_pg.h - the ledger of documents in PostgreSQL, in the database of their
 * passages: every server that searches the same passages has the same list. */
#ifndef BACKENDS_PASSAGES_LEDGER_PG_H
#define BACKENDS_PASSAGES_LEDGER_PG_H

#include "backends/ledger.h"

/* url: postgresql://..., copied. Opens nothing yet; the table is made by the first put. NULL with
 * err: ERR_INVALID, ERR_NO_MEMORY. */
struct ledger *ledger_pg_create(struct loop *loop, const char *url, struct err *err);

#endif
