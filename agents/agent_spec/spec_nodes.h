/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_nodes.h - a node of a flow of Agent Spec as a member of "nodes" of a
 * graph's file. */
#ifndef AGENTS_AGENT_SPEC_SPEC_NODES_H
#define AGENTS_AGENT_SPEC_SPEC_NODES_H

#include "agents/agent_spec/spec_flow.h"
#include "agents/agent_spec/spec_tools.h"
#include "proto/json_write.h"

struct spec_writing {
    struct spec_doc *doc;
    struct spec_tools *tools;
    /* The flow that a node runs, read; NULL: a mistake was noted. */
    struct spec_flow *(*take_flow)(void *owner, const struct json_value *value);
    void *owner;
    const struct spec_flow *flow;
    const struct spec_node *node;
    unsigned index; /* of node */
    struct json_write *json;
};

/* Write the node. False: a mistake was noted. */
MUST_USE bool spec_nodes_write(struct spec_writing *w);
/* The field that a flow's message goes into. */
const char *spec_nodes_question(const struct spec_flow *flow);

#endif
