/* SPDX-License-Identifier: MIT */
/* agents/analyst/analysis.c - tables of the analysis sub-graph, and its validation.
 *
 * Happy path: a model reads figures out of the passages and names the calculations; code does them,
 * and everything is checked. Failure: mistakes are listed in analysis_errors, and the answer is
 * made from what holds; a model that cannot be reached ends the sub-graph. */
#include "agents/analyst/analysis.h"

#include "agents/analyst/put.h"
#include "agents/analyst/query.h"
#include "agents/figures/results.h"
#include "agents/analyst/state.h"
#include "agents/nodes/ask.h"
#include "proto/json_write.h"

enum { ANALYSE, VALIDATE };

#define FROM_INPUT                                                                                 \
    (ANALYST_BIT(CURRENT_QUERY) | ANALYST_BIT(PROCESSED_QUERY) | ANALYST_BIT(RETRIEVED_CONTEXT) |  \
     ANALYST_BIT(CONTEXT))
#define FROM_ANALYSE (ANALYST_BIT(ANALYSIS_RESULTS) | ANALYST_BIT(PROBLEM))
#define FROM_VALIDATE                                                                              \
    (ANALYST_BIT(ANALYSIS_RESULTS) | ANALYST_BIT(ANALYSIS_VALID) | ANALYST_BIT(ANALYSIS_ERRORS))
#define BY(slot)                                                                                   \
    (ANALYST_WRITES(slot, FROM_INPUT, SLOT_WRITER_INPUT) |                                         \
     ANALYST_WRITES(slot, FROM_ANALYSE, SLOT_WRITER(ANALYSE)) |                                    \
     ANALYST_WRITES(slot, FROM_VALIDATE, SLOT_WRITER(VALIDATE)))

static const struct slot slots[ANALYST_SLOT_COUNT] = ANALYST_SLOTS(BY);

static bool put_results(struct node *node, const struct figures_results *results)
{
    struct analyst_put put;
    struct json_write json;
    analyst_put_begin(&put, &json);
    figures_results_write(results, &json);
    return analyst_put_end(&put, node, ANALYST_ANALYSIS_RESULTS);
}

/* Nothing to read figures out of. */
static enum step first(struct node *node)
{
    const struct search_hit *hits;
    return analyst_put_hits(node, &hits) > 0 ? STEP_WAIT : STEP_DONE;
}

static enum step keep(struct node *node, struct str answer)
{
    const struct search_hit *hits;
    struct figures_results results;
    struct err err;
    size_t count = analyst_put_hits(node, &hits);
    enum err_code code =
        figures_results_read(node_arena(node), answer, hits, count, &results, &err);
    if (code == ERR_NO_MEMORY)
        return analyst_put_fail(node, "the analysis");
    if (code != ERR_OK) {
        node_put_str(node, ANALYST_PROBLEM, str_of(err.text));
        return STEP_DONE;
    }
    return put_results(node, &results) ? STEP_DONE : analyst_put_fail(node, "the analysis");
}

static size_t check(struct node *node, struct json_write *errors, bool *fits)
{
    const struct search_hit *hits;
    struct figures_results results;
    struct err err;
    size_t count = analyst_put_hits(node, &hits);
    *fits = true;
    if (node_has(node, ANALYST_PROBLEM)) {
        json_write_str(errors, node_str(node, ANALYST_PROBLEM));
        return 1;
    }
    if (!node_has(node, ANALYST_ANALYSIS_RESULTS))
        return 0;
    *fits = figures_results_read(node_arena(node), node_str(node, ANALYST_ANALYSIS_RESULTS), NULL,
                                 0, &results, &err) == ERR_OK;
    if (!*fits)
        return 1;
    size_t wrong = figures_results_check(node_arena(node), &results, analyst_query_asked(node),
                                         hits, count, errors);
    *fits = put_results(node, &results);
    return wrong;
}

static enum step validate(struct node *node)
{
    struct analyst_put put;
    struct json_write json;
    bool fits;
    analyst_put_begin(&put, &json);
    json_write_array(&json);
    node_put_bool(node, ANALYST_ANALYSIS_VALID, check(node, &json, &fits) == 0);
    json_write_array_end(&json);
    return analyst_put_end(&put, node, ANALYST_ANALYSIS_ERRORS) && fits
               ? STEP_DONE
               : analyst_put_fail(node, "the analysis");
}

static const struct graph_node_type validate_node = {.enter = validate};

#define OBJECT(properties, names)                                                                  \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" names                    \
    "],\"additionalProperties\":false}"
#define TEXT "{\"type\":\"string\"}"
#define INTEGER "{\"type\":\"integer\"}"
#define LIST(items) "{\"type\":\"array\",\"items\":" items "}"
#define VALUE                                                                                      \
    OBJECT("\"company\":" TEXT ",\"metric\":" TEXT ",\"period\":" TEXT ",\"value\":" TEXT          \
           ",\"unit\":" TEXT ",\"chunk\":" INTEGER,                                                \
           "\"company\",\"metric\",\"period\",\"value\",\"unit\",\"chunk\"")
#define KIND                                                                                       \
    "{\"type\":\"string\",\"enum\":[\"growth\",\"difference\",\"ratio\",\"share\",\"cagr\","       \
    "\"sum\",\"average\",\"compare\"]}"
#define CHART                                                                                      \
    "{\"type\":[\"string\",\"null\"],"                                                             \
    "\"enum\":[\"bar\",\"line\",\"pie\",\"doughnut\",\"table\",null]}"
#define CALCULATION                                                                                \
    OBJECT("\"kind\":" KIND ",\"of\":" LIST(INTEGER), "\"kind\",\"of\"")
#define ANALYSIS_FORM                                                                              \
    OBJECT("\"primary_metric\":" TEXT ",\"values\":" LIST(VALUE)                                   \
           ",\"calculations\":" LIST(CALCULATION) ",\"text\":" TEXT ",\"chart\":" CHART,           \
           "\"primary_metric\",\"values\",\"calculations\",\"text\",\"chart\"")

static const struct ask_config analyse_ask = {
    .task = "analysis",
    .prompt = "analyst/analysis",
    .answer = ANALYSIS_FORM,
    .fields = {{"question", .make = analyst_query_asked}, {"context", SLOT(ANALYST_CONTEXT)}},
    .first = first,
    .keep = keep,
};

static const struct graph_node nodes[] = {
    [ANALYSE] = {"analysis", &ask_node, &analyse_ask},
    [VALIDATE] = {"validation", &validate_node},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, ANALYSE},
    {ANALYSE, VALIDATE},
    {VALIDATE, GRAPH_END},
};

const struct graph_def analyst_analysis_graph = {
    .name = "analyst_analysis",
    .purpose = "Reads figures out of passages, calculates with them, and checks both.",
    .schema = {slots, ANALYST_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
};
