/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_log.h - SQLite's files, but that a commit reaches the log of writes in one
 * write.
 *
 * SQLite writes each page of a commit and the head of each page by itself: two system calls a page.
 * Here they are gathered until the commit's last page. What is in the file, and in which order
 * others see it, stays the same: SQLite tells others of a commit behind its last page only. */
#ifndef BACKENDS_SQLITE_SQLITE_LOG_H
#define BACKENDS_SQLITE_SQLITE_LOG_H

/* The name to open files with by sqlite3_open_v2; NULL, which is SQLite's own way, when there is no
 * way to gather. Any thread. */
const char *sqlite_log_name(void);

#endif
