/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/compose.h - reading -> one SELECT statement.
 *
 * Never multiplies rows under a sum: a branch of the join tree that only filters becomes EXISTS;
 * where a branch must be joined and would repeat what is summed, there is no statement. */
#ifndef AGENTS_OFFLINE_COMPOSE_COMPOSE_H
#define AGENTS_OFFLINE_COMPOSE_COMPOSE_H

#include "agents/offline/compose/compose_schema.h"
#include "agents/offline/reading/reading.h"

/* Append the statement to out. ERR_NOT_FOUND: the tables do not join in the way the reading needs;
 * ERR_INVALID: no safe statement says the reading; ERR_NO_MEMORY. err says why. */
MUST_USE enum err_code offline_compose_sql(const struct compose_schema *schema,
                                           const struct offline_reading *reading, struct buf *out,
                                           struct err *err);

#endif
