/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_reads.h - SQLite's compiler held against the list of what a statement
 * reads.
 *
 *   sqlite_reads_begin(&reads, statement->reads);
 *   ... prepare; the authorizer asks sqlite_reads_allow() and sqlite_reads_call() ...
 *   code = sqlite_reads_settle(&reads, db, stmt, err);
 *   ... step: a statement compiled again (the schema changed) may read the same and no more ...
 *   sqlite_reads_end(&reads);
 * What a listed view reads is not listed. It is let through for the time being, and settle finds
 * out what the listed views, each compiled alone, read behind themselves: the rest was no view's.
 * On the database's thread only. */
#ifndef BACKENDS_SQLITE_SQLITE_READS_H
#define BACKENDS_SQLITE_SQLITE_READS_H

#include "backends/sql_reads.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/map.h"

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_reads {
    /* private */
    const struct sql_reads *list; /* NULL: anything may be read */
    enum { SQLITE_READS_COMPILE, SQLITE_READS_LEARN, SQLITE_READS_RUN } phase;
    struct map behind; /* reads behind relations -> whether a view's */
    struct arena arena;
    bool no_memory;
};

void sqlite_reads_begin(struct sqlite_reads *reads, const struct sql_reads *list);
/* Free what reads took. Zeroed storage is fine, and so is a second call. */
void sqlite_reads_end(struct sqlite_reads *reads);

/* Whether a read is let through. The arguments are those of SQLITE_READ: inside is the view or the
 * WITH query it happens in, or NULL. */
bool sqlite_reads_allow(struct sqlite_reads *reads, const char *table, const char *column,
                        const char *database, const char *inside);
/* Whether a call is let through. The arguments are those of SQLITE_FUNCTION. Functions inside views
 * are the schema's affair. */
bool sqlite_reads_call(const struct sqlite_reads *reads, const char *function, const char *inside);

/* After prepare. ERR_REJECTED: something was read behind a relation that no listed view reads, or
 * stmt gives another number of columns than the list says; ERR_NO_MEMORY. db's authorizer must ask
 * reads. */
MUST_USE enum err_code sqlite_reads_settle(struct sqlite_reads *reads, struct sqlite3 *db,
                                           struct sqlite3_stmt *stmt, struct err *err);

#endif
