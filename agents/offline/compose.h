/* SPDX-License-Identifier: MIT */
/* agents/offline/compose.h - reading -> one SELECT statement.
 *
 * Never multiplies rows under a sum: where a branch only filters it becomes EXISTS, where it must
 * be joined and would repeat what is summed, there is no statement. */
#ifndef AGENTS_OFFLINE_COMPOSE_H
#define AGENTS_OFFLINE_COMPOSE_H

#include "agents/offline/jointree.h"
#include "agents/offline/reading.h"
#include "backends/sql.h"

struct compose_schema {
    const struct lexicon *lexicon;
    struct jointree_source joins;
    enum sql_dialect dialect;
    int32_t today;
};

/* Append the statement to out. ERR_NOT_FOUND: the tables do not join so; ERR_INVALID: the reading
 * cannot be said safely; ERR_NO_MEMORY. err says why. */
MUST_USE enum err_code offline_compose_sql(const struct compose_schema *schema,
                                           const struct offline_reading *reading, struct buf *out,
                                           struct err *err);
/* The columns that show a row of a table: labels first; all other readable ones after, unless
 * labels_only. Returns how many of max. */
size_t offline_compose_columns(const struct lexicon *lexicon, int table, bool labels_only,
                               int *columns, size_t max);

#endif
