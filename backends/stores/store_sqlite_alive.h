/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_alive.h - which of the processes that share a file live.
 *
 * A process holds a lock on one byte of a file beside the store's, PATH-alive, at a place that its
 * instance's name gives. The kernel drops the lock when the process ends, however it ends, and
 * never before: a paused process keeps it. The table alive names those who hold one and the file it
 * is in, so who never could, or did so in a file that is not there any more, is known by leases
 * alone. Made and destroyed on the loop; all else on the database's thread, one call at a time. */
#ifndef BACKENDS_STORES_STORE_SQLITE_ALIVE_H
#define BACKENDS_STORES_STORE_SQLITE_ALIVE_H

#include "core/base/err.h"
#include "core/base/str.h"

struct sqlite3;
struct store_sqlite_alive;

/* For the store in the file at path. Opens nothing yet. NULL: no memory. */
struct store_sqlite_alive *store_sqlite_alive_create(const char *path);
/* Lets go of the lock. NULL is fine. */
void store_sqlite_alive_destroy(struct store_sqlite_alive *alive);
/* Whose lock this process holds from the next show on; before anything runs on the thread. */
void store_sqlite_alive_name(struct store_sqlite_alive *alive, struct str instance);

/* Give SQL on a connection that was just opened what it needs. */
MUST_USE enum err_code store_sqlite_alive_prepare(struct store_sqlite_alive *alive,
                                                  struct sqlite3 *db, struct err *err);
/* Hold the lock and say so in the table, once; outside any transaction. What fails is tried again
 * by the next call: until then leases are all there is. */
void store_sqlite_alive_show(struct store_sqlite_alive *alive, struct sqlite3 *db);
/* End the leases of the runs of those who are gone. In a transaction that writes. */
MUST_USE enum err_code store_sqlite_alive_end_leases(struct store_sqlite_alive *alive,
                                                     struct sqlite3 *db, struct err *err);

#endif
