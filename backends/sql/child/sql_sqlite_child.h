/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sql_sqlite_child.h - SQLite in child processes of askd, so that a statement
 * which does not heed its deadline can be ended all the same.
 *
 * What a statement may do is the child's affair, which is sql_sqlite.h. A statement that is late or
 * cancelled is interrupted; one that goes on for half a second after that is ended with its
 * process, and the next statement gets a new one. Statements wait as those of the other engines do,
 * fairly by caller. */
#ifndef BACKENDS_SQL_CHILD_SQL_SQLITE_CHILD_H
#define BACKENDS_SQL_CHILD_SQL_SQLITE_CHILD_H

#include "backends/sql.h"

struct sql_sqlite_child_options {
    const char *program; /* what to start, copied: askd itself */
    const char *path;    /* of the database, copied */
    unsigned processes;  /* at most; 0: 2 */
    size_t queue_limit;  /* statements that wait; 0: 256 */
    uint64_t queue_ms;   /* how long a statement waits for a process; 0: 10,000 */
};

/* NULL: no memory. Starts no process yet. */
struct sql *sql_sqlite_child_create(struct loop *loop,
                                    const struct sql_sqlite_child_options *options);

#endif
