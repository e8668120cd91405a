/* SPDX-License-Identifier: MIT */
/* agents/banking/graph.h - the banking assistant: intent, sql, validation, execution, insight; two
 * retries, each from validation or from execution. */
#ifndef AGENTS_BANKING_GRAPH_H
#define AGENTS_BANKING_GRAPH_H

#include "agents/services/registry_entry.h"

extern const struct registry_entry banking_entry;

/* Append one JSON object with the five keys of the banking answer, always all of them:
 * validated_sql, execution_result (data, row_count, execution_time_seconds), summary,
 * chart_suggestion, error. state NULL: every key but error is null. */
void banking_write_answer(const struct state *state, const struct str *error, struct buf *out);

#endif
