/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/compose.h - reading -> one SELECT statement.
 *
 * Never multiplies rows under a sum: where a branch only filters it becomes EXISTS, where it must
 * be joined and would repeat what is summed, there is no statement. */
#ifndef AGENTS_OFFLINE_COMPOSE_COMPOSE_H
#define AGENTS_OFFLINE_COMPOSE_COMPOSE_H

#include "agents/offline/compose/compose_schema.h"
#include "agents/offline/reading/reading.h"

/* Append the statement to out. ERR_NOT_FOUND: the tables do not join so; ERR_INVALID: the reading
 * cannot be said safely; ERR_NO_MEMORY. err says why. */
MUST_USE enum err_code offline_compose_sql(const struct compose_schema *schema,
                                           const struct offline_reading *reading, struct buf *out,
                                           struct err *err);

#endif
