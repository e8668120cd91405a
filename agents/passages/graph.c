/* SPDX-License-Identifier: MIT */
/* agents/passages/graph.c - tables of the graph that looks passages up and leaves them as they are.
 *
 * Happy path: the question is looked up by meaning and keyword; the hits are the report. No model
 * writes an answer.
 * Failure: a store that is down is a warning while the other answers, both down end the run. */
#include "agents/common/members.h"
#include "agents/nodes/search.h"
#include "agents/services/registry_entry.h"

enum { RETRIEVE };
enum { QUESTION, PASSAGES, CONTEXT, WARNINGS, SLOT_COUNT };
enum { TOP_K = 10 };

static const struct slot slots[SLOT_COUNT] = {
    [QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [PASSAGES] = {"passages", SLOT_JSON, .writers = SLOT_WRITER(RETRIEVE)},
    [CONTEXT] = {"context", SLOT_TEXT, .writers = SLOT_WRITER(RETRIEVE)},
    [WARNINGS] = {"warnings", SLOT_JSON, .writers = SLOT_WRITER(RETRIEVE)},
};

static const struct search_config retrieve = {
    .collection = "documents",
    .question_slot = SLOT(QUESTION),
    .top = TOP_K,
    .hits_slot = SLOT(PASSAGES),
    .context_slot = SLOT(CONTEXT),
    .warnings_slot = SLOT(WARNINGS),
};

static const struct graph_node nodes[] = {
    [RETRIEVE] = {"retrieve", &search_node, &retrieve},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, RETRIEVE},
    {RETRIEVE, GRAPH_END},
};

static void report(const struct state *state, struct buf *out)
{
    members_raw(out, "passages", state_str(state, PASSAGES));
    members_raw(out, "warnings", state_str(state, WARNINGS));
}

static const struct graph_def graph = {
    .name = "passages",
    .purpose = "Finds the passages of documents that are nearest to a question.",
    .schema = {slots, SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .report = report,
};

const struct registry_entry passages_entry = {&graph, QUESTION, .works_blind = true,
                                              .is_tool = true};
