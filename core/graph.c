/* SPDX-License-Identifier: MIT */
/* core/graph.c - definitions checked once, then asked where to go.
 *
 * Happy path: graph_compile checks the tables, compiles the sub-graphs and settles the budgets'
 * limits; graph_next then reads the edge table (tens of rows) once per ended node.
 * Failure: the first mistake, told with graph, node and label; no memory. */
#include "core/graph.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/graph_check.h"

enum { DEFAULT_RECURSION_LIMIT = 15, MAX_DEPTH = 8, WARNING_BYTES = 200 };

struct graph {
    const struct graph_def *def;
    struct graph **subs; /* by node; NULL where it has none */
    unsigned *limits;    /* by budget */
    unsigned recursion_limit;
    char warning[WARNING_BYTES];
};

static enum err_code compile(const struct graph_def *def, const struct graph_tuning *tunings,
                             size_t tuning_count, unsigned depth, struct graph **out,
                             struct err *err);

static void settle_limits(struct graph *graph, const struct graph_tuning *tunings,
                          size_t tuning_count)
{
    const struct graph_def *def = graph->def;
    for (size_t i = 0; i < def->budget_count; i++) {
        graph->limits[i] = def->budgets[i].limit;
        for (size_t j = 0; j < tuning_count; j++)
            if (tunings[j].budget != NULL && strcmp(tunings[j].budget, def->budgets[i].name) == 0)
                graph->limits[i] = tunings[j].limit;
    }
    graph->recursion_limit =
        def->recursion_limit == 0 ? DEFAULT_RECURSION_LIMIT : def->recursion_limit;
    for (size_t j = 0; j < tuning_count; j++)
        if (tunings[j].budget == NULL && strcmp(tunings[j].graph, def->name) == 0)
            graph->recursion_limit = tunings[j].limit;
    unsigned longest = graph_check_longest(def, graph->limits);
    if (longest > graph_recursion_limit(graph))
        snprintf(graph->warning, sizeof graph->warning,
                 "graph '%s': its budgets allow %u supersteps, its recursion limit %u", def->name,
                 longest, graph_recursion_limit(graph));
}

static enum err_code compile_subs(struct graph *graph, const struct graph_tuning *tunings,
                                  size_t tuning_count, unsigned depth, struct err *err)
{
    const struct graph_def *def = graph->def;
    for (size_t i = 0; i < def->node_count; i++) {
        if (def->nodes[i].sub == NULL)
            continue;
        enum err_code code =
            compile(def->nodes[i].sub, tunings, tuning_count, depth + 1, &graph->subs[i], err);
        if (code != ERR_OK)
            return code;
        if (graph->warning[0] == '\0' && graph->subs[i]->warning[0] != '\0')
            memcpy(graph->warning, graph->subs[i]->warning, sizeof graph->warning);
    }
    return ERR_OK;
}

static enum err_code compile(const struct graph_def *def, const struct graph_tuning *tunings,
                             size_t tuning_count, unsigned depth, struct graph **out,
                             struct err *err)
{
    if (depth > MAX_DEPTH)
        return err_set(err, ERR_INVALID, "graph '%s': sub-graphs nest deeper than %d", def->name,
                       MAX_DEPTH);
    enum err_code code = graph_check(def, err);
    if (code != ERR_OK)
        return code;
    struct graph *graph = mem_zalloc(1, sizeof *graph);
    if (graph == NULL)
        return err_set(err, ERR_NO_MEMORY, "graph '%s': no memory", def->name);
    graph->def = def;
    graph->subs = mem_zalloc(def->node_count, sizeof(struct graph *));
    graph->limits = mem_zalloc(def->budget_count, sizeof *graph->limits);
    if (graph->subs == NULL || graph->limits == NULL) {
        code = err_set(err, ERR_NO_MEMORY, "graph '%s': no memory", def->name);
    } else {
        settle_limits(graph, tunings, tuning_count);
        code = compile_subs(graph, tunings, tuning_count, depth, err);
    }
    if (code != ERR_OK) {
        graph_destroy(graph);
        return code;
    }
    *out = graph;
    return ERR_OK;
}

enum err_code graph_compile(const struct graph_def *def, const struct graph_tuning *tunings,
                            size_t tuning_count, struct graph **out, struct err *err)
{
    *out = NULL;
    return compile(def, tunings, tuning_count, 0, out, err);
}

void graph_destroy(struct graph *graph)
{
    if (graph == NULL)
        return;
    for (size_t i = 0; graph->subs != NULL && i < graph->def->node_count; i++)
        graph_destroy(graph->subs[i]);
    mem_free(graph->subs);
    mem_free(graph->limits);
    mem_free(graph);
}

const struct graph_def *graph_def(const struct graph *graph)
{
    return graph->def;
}

const char *graph_warning(const struct graph *graph)
{
    return graph->warning[0] == '\0' ? NULL : graph->warning;
}

unsigned graph_recursion_limit(const struct graph *graph)
{
    return graph->recursion_limit;
}

const struct graph *graph_sub(const struct graph *graph, unsigned node)
{
    CHECK(node < graph->def->node_count);
    return graph->subs[node];
}

enum err_code graph_next(const struct graph *graph, unsigned from, const char *label,
                         uint64_t *mask, bool *ends, unsigned *budget, struct err *err)
{
    const struct graph_def *def = graph->def;
    bool found = false;
    *mask = 0;
    *ends = false;
    *budget = 0;
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        if (edge->from != from ||
            (label != NULL && (edge->label == NULL || strcmp(edge->label, label) != 0)))
            continue;
        found = true;
        if (edge->to == GRAPH_END)
            *ends = true;
        else
            *mask |= UINT64_C(1) << edge->to;
        if (edge->budget != 0)
            *budget = edge->budget;
    }
    if (found)
        return ERR_OK;
    return err_set(err, ERR_INTERNAL, "graph '%s': node '%s': no edge has the label '%s'",
                   def->name, from == GRAPH_START ? "START" : def->nodes[from].name,
                   label == NULL ? "" : label);
}

bool graph_budget_left(const struct graph *graph, const struct state *state, unsigned budget)
{
    CHECK(budget < graph->def->budget_count);
    int64_t used = state_int(state, slot_index(graph->def->budgets[budget].counter_slot));
    if (graph->def->budgets[budget].counted_by_node)
        return used <= (int64_t)graph->limits[budget];
    return used < (int64_t)graph->limits[budget];
}

unsigned graph_budget_limit(const struct graph *graph, unsigned budget)
{
    CHECK(budget < graph->def->budget_count);
    return graph->limits[budget];
}

unsigned graph_find_budget(const struct graph *graph, const char *name)
{
    for (unsigned i = 0; i < graph->def->budget_count; i++)
        if (strcmp(graph->def->budgets[i].name, name) == 0)
            return i + 1;
    return 0;
}

/* ---- the picture ---- */

struct drawn { /* what was mentioned already */
    uint64_t nodes;
    bool start, end;
};

/* A node as Mermaid names it; with its shape where it is mentioned first. */
static void write_end_of_edge(const struct graph_def *def, unsigned at, struct drawn *drawn,
                              struct buf *out)
{
    if (at == GRAPH_START || at == GRAPH_END) {
        const char *name = at == GRAPH_START ? "START" : "END";
        bool *seen = at == GRAPH_START ? &drawn->start : &drawn->end;
        buf_printf(out, "%s", name);
        if (!*seen)
            buf_printf(out, "([%s])", name);
        *seen = true;
        return;
    }
    uint64_t bit = UINT64_C(1) << at;
    buf_printf(out, "%s", def->nodes[at].name);
    if (def->nodes[at].sub != NULL && (drawn->nodes & bit) == 0)
        buf_printf(out, "[[%s]]", def->nodes[at].name);
    drawn->nodes |= bit;
}

/* In quotes when it is more than a word, as Mermaid wants it. */
static void write_label(const char *label, struct buf *out)
{
    struct str text = str_of(label);
    bool is_word = true;
    for (size_t i = 0; i < text.len; i++)
        is_word =
            is_word && (text.at[i] == '_' || str_is_alpha(text.at[i]) || str_is_digit(text.at[i]));
    buf_printf(out, is_word ? "|%s|" : "|\"%s\"|", label);
}

void graph_write_mermaid(const struct graph *graph, struct buf *out)
{
    const struct graph_def *def = graph->def;
    struct drawn drawn = {0};
    buf_printf(out, "graph TD\n");
    for (size_t i = 0; i < def->edge_count; i++) {
        const struct graph_edge *edge = &def->edges[i];
        bool dotted = edge->to != GRAPH_END && def->nodes[edge->to].background;
        buf_printf(out, "    ");
        write_end_of_edge(def, edge->from, &drawn, out);
        buf_push(out, dotted ? STR(" -.->") : STR(" -->"));
        if (edge->label != NULL)
            write_label(edge->label, out);
        buf_push_char(out, ' ');
        write_end_of_edge(def, edge->to, &drawn, out);
        buf_push_char(out, '\n');
    }
}
