/* SPDX-License-Identifier: MIT */
/* agents/semantic_query/read.h - a query over metrics, as a model fills it in, to the reading that
 * the composer writes as SQL: no statement is guessed.
 *
 * A query is JSON:
 *   {"metric": "labor cost", or {"count": "workOrder"},
 *    "dimensions": [{"column": "customer.name"}, {"column": "workTime.date", "by": "month"}],
 *    "filters": [{"column": "workOrder.status", "op": "=", "value": "open"}, {"named": "overdue"}],
 *    "period": {"column": "workTime.date", "from": "2025-05-01", "to": "2025-05-31"},
 *    "order": "desc", "limit": 5}
 * All members but metric may be left out. A dimension that is a table's name has a group for each
 * of its rows; a period without a column is of the date that semantic.json names for the metric's
 * table, both days belong to it. Pure. */
#ifndef AGENTS_SEMANTIC_QUERY_READ_H
#define AGENTS_SEMANTIC_QUERY_READ_H

#include "agents/lexicon/index.h"
#include "agents/offline/reading/reading.h"

/* Read json into reading; its texts are in arena. ERR_INVALID: err names the member by its JSON
 * pointer, and says what would be right. */
MUST_USE enum err_code semantic_query_read(const struct lexicon *lexicon, struct str json,
                                           struct arena *arena, struct offline_reading *reading,
                                           struct err *err);

#endif
