/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_pg_cancel.h - stopping what a PostgreSQL connection is executing.
 *
 * The statement is cancelled by pg_cancel_backend on an idle connection of the pool when there is
 * one (never blocks), else, or when that fails, by PQcancel on another thread. When done comes, the
 * server has signalled the process: a statement sent to the victim from then on is not hit. One
 * loop, one thread. */
#ifndef BACKENDS_SQL_SQL_PG_CANCEL_H
#define BACKENDS_SQL_SQL_PG_CANCEL_H

#include "backends/pool/conn_pool.h"
#include "backends/sql/pg_conn.h"

struct sql_pg_cancel;

/* Cancel what victim executes; done(owner) comes once, later, unless abandoned. NULL: no memory,
 * nothing happens. */
struct sql_pg_cancel *sql_pg_cancel_start(struct loop *loop, struct conn_pool *pool,
                                          struct pg_connection *victim, void (*done)(void *owner),
                                          void *owner);
/* The owner is no longer interested, and has given the victim up: done will not come. */
void sql_pg_cancel_abandon(struct sql_pg_cancel *cancel);

#endif
