/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/plan.h - nodes between question and prompt: they choose the relationships and
 * the joins; and the fields of prompts that are made from these. */
#ifndef AGENTS_SQL_AGENT_PLAN_H
#define AGENTS_SQL_AGENT_PLAN_H

#include "agents/services/services.h"

extern const struct graph_node_type sql_agent_plan_filter_node; /* filter_relationships */
extern const struct graph_node_type sql_agent_plan_paths_node;  /* path_finder */

/* Fields of prompts, in the node's arena. */
struct str sql_agent_plan_schema(struct node *node);        /* the plan's tables, with columns */
struct str sql_agent_plan_relationships(struct node *node); /* relationships of the plan */
/* The join plan; empty where a small schema stands whole in the prompt and nobody chose tables: a
 * plan for tables that words alone reach would mislead. */
struct str sql_agent_plan_joins(struct node *node);
/* Of the relationships of the plan only those that join two of the tables, or tables that text
 * names. */
struct str sql_agent_plan_relationships_among(struct node *node, const int *tables, size_t count,
                                              struct str text);
/* The values of the plan's tables, or of tables (agents/nodes/values.h). */
struct str sql_agent_plan_values(struct node *node);
/* Verified questions like this one whose statements read nothing but the plan's tables. */
struct str sql_agent_plan_examples(struct node *node);
struct str sql_agent_plan_values_among(struct node *node, const int *tables, size_t count);

/* Write to tables the names in the tables slot as catalog indices; returns how many, at most max.
 */
size_t sql_agent_plan_tables(struct node *node, int *tables, size_t max);
/* The name that prompts use for a table of the catalog, in the node's arena. */
struct str sql_agent_plan_table_name(struct node *node, int table);

#endif
