/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/sample.h - the node join_planner: writes the join plan in words, and sample rows
 * of the chosen tables for the prompt (R168, C30).
 *
 * Statements for samples go through the guard and have the run's session variables like all others:
 * samples show only rows of the caller, and no hidden or personal column. */
#ifndef AGENTS_SQL_AGENT_SAMPLE_H
#define AGENTS_SQL_AGENT_SAMPLE_H

#include "agents/services/services.h"

extern const struct graph_node_type sql_agent_sample_node;

#endif
