/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/graph.h - the SQL agent: from choosing tables to executing a statement, with
 * correction. */
#ifndef AGENTS_SQL_AGENT_GRAPH_H
#define AGENTS_SQL_AGENT_GRAPH_H

#include "agents/services/registry_entry.h"

extern const struct graph_def sql_agent_graph;
extern const struct registry_entry sql_agent_entry;

#endif
