/* SPDX-License-Identifier: MIT */
/* agents/graph_files/node_types.h - the types of nodes that a graph's file may name: how each reads
 * its members. */
#ifndef AGENTS_GRAPH_FILES_NODE_TYPES_H
#define AGENTS_GRAPH_FILES_NODE_TYPES_H

#include "agents/graph_files/graph_reader.h"

struct check_sql_config;
struct prompt;

enum { NODE_TYPES_MEMBERS = 26 };

struct node_type {
    const char *name;
    const char *members[NODE_TYPES_MEMBERS]; /* beside those of every node; NULL after the last */
    /* Fill node (its index is index) from object: its type and config, or its sub-graph. False: a
     * mistake was noted. All names of nodes are in r->nodes already. */
    bool (*read)(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node);
    /* Once every node is read: what object says of other nodes. NULL: nothing. */
    bool (*link)(struct graph_reader *r, const struct json_value *object, unsigned index);
};

extern const struct node_type type_agent_node, type_answer_node, type_ask_node, type_call_http_node,
    type_call_mcp_node, type_set_branch_node, type_check_sql_node, type_graph_node,
    type_interrupt_node, type_memory_recall_node, type_memory_remember_node,
    type_check_sql_run_node, type_search_node, type_set_node, type_graph_sql_node, type_map_node,
    type_gather_node;

/* The check_sql node of that name, whose verdict or repairs another node uses; NULL: a mistake was
 * noted at member. */
const struct check_sql_config *type_check_sql_find(struct graph_reader *r, const char *member,
                                                   struct str name);
/* What is remembered of an answer. */
struct memory_file;
/* Read "question", "messages", "statement" and "if" of object, for node (an index). NULL: a mistake
 * was noted. */
struct memory_file *type_memory_read(struct graph_reader *r, const struct json_value *object,
                                     unsigned index);
/* Keep answer in the conversation. */
void type_memory_keep(struct node *node, const struct memory_file *file, struct str answer);
extern const char *const type_memory_members[]; /* NULL after the last */

/* The prompt of "prompt" or "prompt_file", one of which a node has. NULL: a mistake was noted. */
const struct prompt *type_ask_prompt(struct graph_reader *r, const struct json_value *object);

/* The graph that a member names; NULL: a mistake was noted. */
const struct registry_entry *type_graph_find(struct graph_reader *r,
                                             const struct json_value *object, const char *member);
/* The values that "in" passes into inner, checked; none where there is no "in". */
const struct graph_pass *type_graph_passes_in(struct graph_reader *r,
                                              const struct json_value *object,
                                              const struct graph_def *inner, size_t *count);

/* The type called name, or NULL. */
const struct node_type *node_types_find(struct str name);
/* Append the names of all types, with commas. */
void node_types_write(struct buf *out);

#endif
