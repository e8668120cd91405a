/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sqlite_worker.h - the whole life of a child process that runs statements for
 * sql_sqlite_child.h. */
#ifndef BACKENDS_SQL_CHILD_SQLITE_WORKER_H
#define BACKENDS_SQL_CHILD_SQLITE_WORKER_H

#include "core/base/defs.h"

/* Serve the parent at the socket fd, one statement at a time, on the database at path. Ends the
 * process when the parent has gone; returns the exit status only when it could not begin. Limits
 * the process's memory, descriptors and processor time; closes all descriptors above fd. */
MUST_USE int sqlite_worker_main(int fd, const char *path);

#endif
