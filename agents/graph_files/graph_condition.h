/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_condition.h - conditions over the state, as a graph's file writes them.
 *
 * {"all":[...]}, {"any":[...]}, {"not":{...}}, {"budget":"retry"} (a turn is left), or a test of a
 * field: {"field":"draft","is":"set"|"absent"|"empty"|"true"|"false"}, {"field":...,"equals":TEXT},
 * {"field":...,"contains":TEXT}, or a number: {"field":"n","above":3}, of "words", "items" or
 * "length" of the field with "count". "at" is a JSON pointer into a field that holds JSON. Data
 * only: evaluating one changes nothing and asks nobody. */
#ifndef AGENTS_GRAPH_FILES_GRAPH_CONDITION_H
#define AGENTS_GRAPH_FILES_GRAPH_CONDITION_H

#include "agents/graph_files/graph_reader.h"

struct graph_condition;

/* Read the condition that the member "if" of object is. NULL: a mistake, as when it has none. */
const struct graph_condition *graph_condition_read(struct graph_reader *r,
                                                   const struct json_value *object);
/* Whether it holds. */
bool graph_condition_holds(const struct graph_condition *condition, const struct state *state,
                           const struct graph *graph);

#endif
