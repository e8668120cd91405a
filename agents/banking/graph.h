/* SPDX-License-Identifier: MIT */
/* agents/banking/graph.h - the banking assistant (seeds 000 and 002): intent, sql, validation,
 * execution, insight; two retries from two places. */
#ifndef AGENTS_BANKING_GRAPH_H
#define AGENTS_BANKING_GRAPH_H

#include "agents/services/registry_entry.h"

extern const struct registry_entry banking_entry;

/* The five keys of seed 000, always all of them: validated_sql, execution_result (data, row_count,
 * execution_time_seconds), summary, chart_suggestion, error. state may be NULL: all null but
 * error. Appends one JSON object. */
void banking_write_answer(const struct state *state, const struct str *error, struct buf *out);

#endif
