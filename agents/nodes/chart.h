/* SPDX-License-Identifier: MIT */
/* agents/nodes/chart.h - the chart of a node's rows, as events and states carry it
 * (agents/charts). */
#ifndef AGENTS_NODES_CHART_H
#define AGENTS_NODES_CHART_H

#include "agents/services/services.h"

/* The chart that the rules choose for rows, JSON in node_arena. written: their statement, by which
 * a column "name" is told as what it names; or NULL. Absent: there are no rows, or no memory, which
 * costs the chart and not the answer. */
struct str chart_of_result(struct node *node, const struct sql_result *result,
                           const struct sql_parse *written, struct str question);
/* The chart for the JSON that run_sql puts into result_slot: of the type that a model suggested
 * where the data allows it, else of the type that the rules choose; JSON in node_arena, absent as
 * for chart_of_result. *name is the type for the banking assistant ("table" without rows); static.
 */
struct str chart_of_suggestion(struct node *node, unsigned result_slot, struct str question,
                               struct str suggested, const char **name);
/* The same for a word of a model's text: one that names no type of chart counts as "table" (R71).
 */
struct str chart_of_word(struct node *node, unsigned result_slot, struct str question,
                         struct str word, const char **name);

#endif
