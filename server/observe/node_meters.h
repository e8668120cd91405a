/* SPDX-License-Identifier: MIT */
/* server/observe/node_meters.h - how long visits of graphs' nodes took, and how often they were
 * repeated.
 *
 * Series for every node of the registry's graphs and their sub-graphs, known at start; values are
 * those of the schema they were declared in. */
#ifndef SERVER_OBSERVE_NODE_METERS_H
#define SERVER_OBSERVE_NODE_METERS_H

#include "agents/registry.h"
#include "core/observe/metrics.h"
#include "core/run/run.h"

struct node_meters;

/* Declare them in schema, which borrows their labels until destroy. NULL: no memory. */
struct node_meters *node_meters_create(struct metrics_schema *schema,
                                       const struct registry *registry);
void node_meters_destroy(struct node_meters *meters);
/* What run_options.on_visited and on_retry tell. Nothing is counted of graphs that the registry
 * does not have. The owner's thread of values only. */
void node_meters_visited(const struct node_meters *meters, struct metrics *values,
                         const struct run_visit *visit);
void node_meters_retry(const struct node_meters *meters, struct metrics *values,
                       const struct run_visit *visit);

#endif
