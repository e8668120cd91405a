/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/sample.h - the join_planner's node: the plan in words, and sample rows of the
 * chosen tables for the prompt (R168, C30).
 *
 * Samples go through the guard and the run's session variables like any statement: they show the
 * caller's rows only, and no hidden or personal column. */
#ifndef AGENTS_SQL_AGENT_SAMPLE_H
#define AGENTS_SQL_AGENT_SAMPLE_H

#include "agents/services/services.h"

extern const struct graph_node_type sql_agent_sample_node;

#endif
