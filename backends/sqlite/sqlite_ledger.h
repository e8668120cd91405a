/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_ledger.h - the ledger of documents in a SQLite file, which may be the one
 * the local stores use. */
#ifndef BACKENDS_SQLITE_SQLITE_LEDGER_H
#define BACKENDS_SQLITE_SQLITE_LEDGER_H

#include "backends/ledger.h"

/* The file is made when it is absent; its folder must be there. NULL: no memory or no thread. */
struct ledger *sqlite_ledger_create(struct loop *loop, const char *path);

#endif
