/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_flow.h - a Flow of Agent Spec as a graph sees it: its nodes by name, and
 * which field of the state each input and output of a node is.
 *
 * Values that an edge joins are one field, as are values of one name in a flow without edges of
 * data. Edges that need more than that (one input hears of two outputs, and another input of one
 * of them alone) are refused. */
#ifndef AGENTS_AGENT_SPEC_SPEC_FLOW_H
#define AGENTS_AGENT_SPEC_SPEC_FLOW_H

#include "agents/agent_spec/spec_doc.h"

enum {
    SPEC_FLOW_NODES = 63,
    SPEC_FLOW_PORTS = 512,
    SPEC_FLOW_FIELDS = 63,
    SPEC_FLOW_MAX = 16, /* flows of a document */
    SPEC_FLOW_BRANCHES = 16,
};

struct spec_port { /* an input or an output of a node */
    struct str name;
    const struct json_value *schema; /* NULL: a text */
    unsigned node;
    bool is_input;
    unsigned field; /* index */
};

struct spec_field {
    const char *name;
    const char *type;               /* of a graph's state: "text", ... */
    const struct json_value *start; /* NULL: nothing */
    bool is_input;                  /* whoever runs the flow gives it */
};

struct spec_node {
    const struct json_value *value; /* the component */
    struct str type;                /* its component_type */
    const char *name;               /* of the graph's node; "START", "END" of these */
    /* A ParallelFlowNode is several nodes: one before, one for each flow, one behind. */
    const char *const *parts; /* of the flows; NULL: it is one node */
    size_t part_count;
    const char *last; /* the node that edges lead from; name where it is one */
    /* In a flow that ends by branches an EndNode is a node that tells which it was. */
    struct str branch; /* of such an EndNode; else absent */
    /* Of a node that runs such a flow: the branches, and the field that tells which it was. */
    const struct str *branches; /* NULL: it has none */
    size_t branch_count;
    const char *branch_field;
};

enum spec_place {
    SPEC_ROOT,  /* a run's message is its question */
    SPEC_INNER, /* another flow runs it */
    SPEC_ALONE, /* an Agent with a node before and behind it, which hears the message */
};

struct spec_flow {
    const struct json_value *value;
    const char *name;
    struct spec_node nodes[SPEC_FLOW_NODES];
    size_t node_count;
    unsigned start;
    struct spec_port ports[SPEC_FLOW_PORTS];
    size_t port_count;
    struct spec_field fields[SPEC_FLOW_FIELDS];
    size_t field_count;
    int question;             /* the field that the message goes into; -1: none */
    size_t branch_count;      /* that it ends by; 0: it has one end */
    const char *branch_field; /* which of these it was; NULL: it has one end */
    enum spec_place place;
    /* Fields of the graph that the flow has not, by names that no field of it has. */
    const char *asked, *said, *turns; /* a message, what an agent says, turns of a loop */
};

/* A name as graphs have it: letters, digits and _. NULL: no memory. */
const char *spec_flow_name(struct spec_doc *doc, struct str name);
/* Read the Flow that value is. False: a mistake was noted. */
MUST_USE bool spec_flow_read(struct spec_doc *doc, const struct json_value *value,
                             enum spec_place place, struct spec_flow *flow);
/* The node that an edge's member names; -1: a mistake was noted. */
int spec_flow_node(struct spec_doc *doc, const struct spec_flow *flow,
                   const struct json_value *edge, const char *member);
/* The field of a node's input or output; NULL: it has none of this name. */
const struct spec_field *spec_flow_field(const struct spec_flow *flow, unsigned node, bool is_input,
                                         struct str name);
/* The field of what the flow takes in or gives out by this name; NULL: there is none. */
const struct spec_field *spec_flow_outside(const struct spec_flow *flow, bool is_input,
                                           struct str name);
/* The properties that a flow takes in or gives out; NULL: none. */
const struct json_value *spec_flow_properties(struct spec_doc *doc, const struct json_value *flow,
                                              bool inputs);

#endif
