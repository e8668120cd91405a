/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/exporting.h - a document of Agent Spec while it is written: the graphs that go
 * into it, and what each of their nodes hears and says (ports).
 *
 * For the modules spec_export*. One thread, in commands only. */
#ifndef AGENTS_AGENT_SPEC_EXPORTING_H
#define AGENTS_AGENT_SPEC_EXPORTING_H

#include "agents/agent_spec/spec_doc.h"
#include "core/base/buf.h"
#include "proto/json_write.h"

enum { EXPORTING_PORTS = 512, EXPORTING_GRAPHS = 16, EXPORTING_SIDES = 16 };

struct exporting_port {
    const char *node;
    bool is_input;
    struct str title, field;
    bool is_caught; /* of a node whose failure is a branch: the field is absent then */
};

/* Nodes side by side, which are one ParallelFlowNode: all begin behind one node, and one node
 * follows all of them. */
struct exporting_side {
    const char *name;     /* of the ParallelFlowNode */
    struct str from, to;  /* nodes of the graph */
    bool is_own, is_held; /* from, to: a node that does nothing else, and is the side's */
    const struct json_value *parts[EXPORTING_SIDES];
    size_t count;
};

struct exporting_graph {
    struct spec_doc doc; /* of its file */
    const struct json_value *state, *nodes, *edges;
    struct str name;
    struct str branch; /* the field that tells by which end it ended; absent: it has one end */
    bool has_end;      /* an end that tells nothing */
    const char *end;   /* an EndNode, which all hear the same */
    const char *node;  /* whose ports are added */
    struct exporting_port ports[EXPORTING_PORTS];
    size_t port_count;
    struct exporting_side sides[EXPORTING_SIDES];
    size_t side_count;
    bool is_inner;
};

struct exporting {
    struct arena arena;
    struct err *err;
    struct str (*find)(void *owner, struct str name, struct arena *arena); /* spec_export.h */
    void *owner;
    struct json_write json; /* the components, as members */
    struct buf text;
    struct exporting_graph *graphs[EXPORTING_GRAPHS];
    size_t graph_count;
    /* Read another graph and write its nodes; NULL: a mistake was noted. */
    struct exporting_graph *(*take)(struct exporting *x, const char *path, struct str text,
                                    bool is_inner);
};

/* Note that graph->node hears (or says) field by title, once. False: a mistake was noted. */
MUST_USE bool exporting_add_port(struct exporting_graph *graph, bool is_input, struct str title,
                                 struct str field);
/* Write the ports of a node as the member key, a list of properties. */
void exporting_properties(const struct exporting_graph *graph, const char *node, bool is_input,
                          const char *key, struct json_write *json);
/* Write the ports of a node as its inputs and outputs. */
void exporting_ports(struct exporting *x, const struct exporting_graph *graph, const char *node);
/* Write a member that is a text. */
void exporting_put(struct exporting *x, const char *key, struct str value);
/* The id of a node's component. */
struct str exporting_id(struct exporting *x, const struct exporting_graph *graph, const char *node);
/* Write a reference to the component id, as a value; as a member, to a node's. */
void exporting_ref_value(struct exporting *x, struct str id);
void exporting_ref(struct exporting *x, const char *key, const struct exporting_graph *graph,
                   const char *node);
/* Write an edge from one node to another; branch: absent: the one that it has. */
void exporting_edge(struct exporting *x, const struct exporting_graph *graph, const char *from,
                    struct str branch, const char *to);
/* Write an edge of data: what a node says by output, another hears by input. */
struct exporting_end {
    const char *node;
    struct str title;
};
void exporting_wire(struct exporting *x, const struct exporting_graph *graph, struct str name,
                    struct exporting_end from, struct exporting_end to);
/* A text of the graph's file that has to be there; absent: a mistake was noted. */
struct str exporting_text(struct exporting_graph *graph, const struct json_value *object,
                          const char *member);
/* Begin a component as a value, as a member by its id, and as that of graph->node. */
void exporting_begin_value(struct exporting *x, const char *type, struct str id, struct str name);
void exporting_begin(struct exporting *x, struct str id, const char *type, struct str name);
void exporting_begin_node(struct exporting *x, const struct exporting_graph *graph,
                          const char *type);

#endif
