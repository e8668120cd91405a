/* SPDX-License-Identifier: MIT */
/* server/observe/node_meters.c - one histogram per node, one counter per edge with a budget.
 *
 * Happy path: the registry's graphs are walked once with what is below them, each definition once;
 * a visit finds its graph by the definition's address, its node by index.
 * Failure: no memory at start. Graphs beyond MAX_GRAPHS are not measured. */
#include "server/observe/node_meters.h"

#include <stdio.h>

#include "core/base/mem.h"

enum { LABEL_BYTES = 160, MAX_GRAPHS = 128 };

struct part { /* of a graph: a node, or an edge with a budget */
    unsigned index;
    char labels[LABEL_BYTES];
};

struct graph_parts {
    const struct graph_def *def;
    struct part *nodes, *edges;
};

struct node_meters {
    struct graph_parts graphs[MAX_GRAPHS];
    size_t count;
};

static const struct graph_parts *find_graph(const struct node_meters *meters,
                                            const struct graph_def *def)
{
    for (size_t i = 0; i < meters->count; i++)
        if (meters->graphs[i].def == def)
            return &meters->graphs[i];
    return NULL;
}

static bool declare_node(struct metrics_schema *schema, struct graph_parts *graph, size_t i)
{
    struct part *node = &graph->nodes[i];
    snprintf(node->labels, LABEL_BYTES, "graph=\"%s\",node=\"%s\"", graph->def->name,
             graph->def->nodes[i].name);
    return metrics_declare(schema, METRIC_HISTOGRAM, "askd_node_duration_seconds", node->labels,
                           "Visits of a graph's nodes.", &node->index) == ERR_OK;
}

/* Declare the retries of the node that edge i leads to, which is entered once more. */
static bool declare_edge(struct metrics_schema *schema, struct graph_parts *graph, size_t i)
{
    const struct graph_edge *edge = &graph->def->edges[i];
    struct part *part = &graph->edges[i];
    if (edge->budget == 0)
        return true;
    snprintf(part->labels, LABEL_BYTES, "graph=\"%s\",node=\"%s\",reason=\"%s\"", graph->def->name,
             edge->to < graph->def->node_count ? graph->def->nodes[edge->to].name : "END",
             graph->def->budgets[edge->budget - 1].name);
    return metrics_declare(schema, METRIC_COUNTER, "askd_node_retries_total", part->labels,
                           "Times a node was entered once more, by the budget that paid.",
                           &part->index) == ERR_OK;
}

static bool add_graph(struct node_meters *meters, struct metrics_schema *schema,
                      const struct graph_def *def)
{
    if (find_graph(meters, def) != NULL || meters->count == MAX_GRAPHS)
        return true;
    struct graph_parts *graph = &meters->graphs[meters->count++];
    graph->def = def;
    graph->nodes = mem_zalloc(def->node_count, sizeof *graph->nodes);
    graph->edges = mem_zalloc(def->edge_count, sizeof *graph->edges);
    bool ok = graph->nodes != NULL && graph->edges != NULL;
    for (size_t i = 0; i < def->node_count && ok; i++) {
        const struct graph_node *node = &def->nodes[i];
        ok = declare_node(schema, graph, i) &&
             (node->sub == NULL || add_graph(meters, schema, node->sub));
        for (size_t j = 0; node->inner != NULL && node->inner[j] != NULL && ok; j++)
            ok = add_graph(meters, schema, node->inner[j]);
    }
    for (size_t i = 0; i < def->edge_count && ok; i++)
        ok = declare_edge(schema, graph, i);
    return ok;
}

struct node_meters *node_meters_create(struct metrics_schema *schema,
                                       const struct registry *registry)
{
    struct node_meters *meters = mem_zalloc(1, sizeof *meters);
    bool ok = meters != NULL;
    for (size_t i = 0; i < registry_count(registry) && ok; i++)
        ok = add_graph(meters, schema, registry_entry(registry, i)->def);
    if (ok)
        return meters;
    node_meters_destroy(meters);
    return NULL;
}

void node_meters_destroy(struct node_meters *meters)
{
    if (meters == NULL)
        return;
    for (size_t i = 0; i < meters->count; i++) {
        mem_free(meters->graphs[i].nodes);
        mem_free(meters->graphs[i].edges);
    }
    mem_free(meters);
}

void node_meters_visited(const struct node_meters *meters, struct metrics *values,
                         const struct run_visit *visit)
{
    const struct graph_parts *graph = find_graph(meters, visit->graph);
    if (graph != NULL)
        metrics_observe_ns(values, graph->nodes[visit->node].index, visit->took_ms * 1000000);
}

void node_meters_retry(const struct node_meters *meters, struct metrics *values,
                       const struct run_visit *visit)
{
    const struct graph_parts *graph = find_graph(meters, visit->graph);
    for (size_t i = 0; graph != NULL && i < graph->def->edge_count; i++) {
        const struct graph_edge *edge = &graph->def->edges[i];
        if (edge->from != visit->node || edge->budget != visit->budget + 1)
            continue;
        metrics_add(values, graph->edges[i].index, 1);
        return;
    }
}
