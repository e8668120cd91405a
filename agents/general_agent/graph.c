/* SPDX-License-Identifier: MIT */
/* agents/general_agent/graph.c - one node: the model, told who it is and what
 * it can be asked, answers; its text streams out. */
#include "agents/general_agent/graph.h"

#include "agents/general_agent/about.h"
#include "agents/general_agent/state.h"
#include "agents/common/members.h"
#include "agents/nodes/ask.h"

enum { GENERAL };

static const struct slot slots[GENERAL_SLOT_COUNT] = {
    [GENERAL_QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [GENERAL_MESSAGES] = {"messages", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER_INPUT, .passing = true},
    [GENERAL_RESULT] = {"general_result", SLOT_TEXT, .writers = SLOT_WRITER(GENERAL)},
};

static const struct ask_config general_ask = {
    .task = "general",
    .prompt = "general_agent/general",
    .fields = {{"question", SLOT(GENERAL_QUESTION)}, {"subjects", .make = about_subjects}},
    .final_channel = true,
    .messages_slot = SLOT(GENERAL_MESSAGES),
    .output_slot = SLOT(GENERAL_RESULT),
};

static const struct graph_node nodes[] = {
    [GENERAL] = {"general_agent", &ask_node, &general_ask},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, GENERAL},
    {GENERAL, GRAPH_END},
};

const struct graph_def general_agent_graph = {
    .name = "general_agent",
    .purpose = "Answers general questions with the model alone.",
    .schema = {slots, GENERAL_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
};

static const struct prompt_spec prompts[] = {
    {"general_agent/general", {"question", "subjects"}},
};

const struct registry_entry general_agent_entry = {
    .def = &general_agent_graph,
    .question = GENERAL_QUESTION,
    .works_blind = true,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
